"""Function calls: values and structures, recursion, function pointers, library slow paths, printf and assert."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import GlobalMemory, execute

SOURCE = Path(__file__).parent / "kernels" / "calls.cu"


@pytest.fixture(scope="module")
def build() -> BuildArtifact:
    return compile_source(SOURCE)


def run(
    build: BuildArtifact, kernel: str, *arguments: np.ndarray | int, mode: str = "shadow"
) -> tuple[Execution, np.ndarray]:
    memory = GlobalMemory()
    passed = [memory.add(f"b{n}", a) if isinstance(a, np.ndarray) else a for n, a in enumerate(arguments)]
    execution = execute(build, kernel, grid=(1, 1, 1), block=(64, 1, 1), arguments=passed, memory=memory, mode=mode)
    assert execution.unsupported == ()
    return execution, memory.read("b0")


def test_divergent_calls_of_one_function(build: BuildArtifact) -> None:
    x = np.random.default_rng(0).uniform(0.1, 2, 64).astype(np.float32)

    def poly(value: np.float32, n: int) -> np.float32:
        total = np.float32(0)
        for i in range(n):
            total = np.float32(np.float64(total) * np.float64(value) + i)
        return total

    execution, out = run(build, "k1", np.zeros(64, np.float32), x, 64)
    assert execution.faults == ()
    want = [poly(v, i & 7) + poly(v, 3) for i, v in enumerate(x)]
    assert np.allclose(out, want, rtol=1e-6)


def test_structures_by_value(build: BuildArtifact) -> None:
    _, out = run(build, "k2", np.zeros(64), 64)
    assert out.tolist() == [0.5 * i + i + i % 5 for i in range(64)]


def test_double_precision_library_functions(build: BuildArtifact) -> None:
    x = np.random.default_rng(1).uniform(0.1, 5, 64)
    _, out = run(build, "k3", np.zeros(64), x)
    assert np.abs(out - (x**2.5 + np.sin(x * 1e6))).max() < 1e-13


def test_printf_and_a_true_assertion(build: BuildArtifact) -> None:
    execution, _ = run(build, "k4", np.zeros(64, np.int32), 64)
    assert execution.printed == "hello 0 0.000000 str\nhello 1 0.500000 str\nhello 2 1.000000 str\n"
    assert execution.faults == ()


def test_a_failed_assertion_stops_with_its_text_and_thread(build: BuildArtifact) -> None:
    execution, _ = run(build, "k4", np.zeros(64, np.int32), 40)
    (fault,) = execution.faults
    assert (fault.code, fault.thread) == ("SAF613", (40, 0, 0))
    assert "'i < n'" in fault.message
    assert not execution.completed


@pytest.mark.parametrize("mode", ["run", "count", "shadow"])
def test_recursion_with_a_depth_of_its_own_per_lane(build: BuildArtifact, mode: str) -> None:
    _, out = run(build, "k5", np.zeros(64, np.int32), mode=mode)
    assert out.tolist() == [0, 1, 1, 2, 3, 5, 8, 13] * 8


def test_endless_recursion_is_stopped(build: BuildArtifact) -> None:
    execution, _ = run(build, "k7", np.zeros(65, np.int32))
    (fault,) = execution.faults
    assert fault.code == "SAF613"
    assert "recursion" in fault.message


def test_calls_through_a_table_of_pointers(build: BuildArtifact) -> None:
    choice = (np.arange(64) * 7 % 3).astype(np.int32)
    _, out = run(build, "k6", np.zeros(64, np.float32), choice)
    assert out.tolist() == [i + 1 if c % 2 == 0 else 2 * i for i, c in enumerate(choice)]
