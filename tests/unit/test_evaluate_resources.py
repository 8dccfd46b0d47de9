"""What a kernel takes of a multiprocessor: the compiler's figures, and the most that the plan asks for."""

from __future__ import annotations

from warpgauge.candidate import PlannedLaunch
from warpgauge.evaluate.resources import KernelUse, kernel_uses
from warpgauge.evaluate.trials import Planned
from warpgauge.evidence import BuildArtifact, KernelResources

GEMM = KernelResources("_Z4gemm", 40, 4096, 16, 8, 12)
BUILD = BuildArtifact("sm_90", "", b"", "", {"gemm<2>": "_Z4gemm", "lost": "_Z4lost"}, {"_Z4gemm": GEMM}, {}, "", "")


def planned(*launches: tuple[str, int]) -> Planned:
    rows = (PlannedLaunch(0, entry, (1, 1, 1), (32, 1, 1), (), dynamic_shared=size) for entry, size in launches)
    return Planned("judge", {"n": 1}, "declared", "run", tuple(rows))


def test_the_largest_dynamic_size_of_any_shape_counts() -> None:
    plan = (planned(("gemm<2>", 1024)), planned(("gemm<2>", 8192), ("gemm<2>", 0)))
    assert kernel_uses(BUILD, plan) == (KernelUse("gemm<2>", 40, 4096, 8192, 16, 8, 12),)


def test_a_kernel_that_ptxas_says_nothing_about_has_no_row() -> None:
    assert [use.entry for use in kernel_uses(BUILD, [planned(("lost", 0), ("gemm<2>", 0))])] == ["gemm<2>"]
