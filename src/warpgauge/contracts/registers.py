"""Registers: what ptxas says a kernel needs, and whether it had to spill."""

from __future__ import annotations

from collections.abc import Mapping

from warpgauge.diagnostics import Diagnostic
from warpgauge.evidence import Coverage, KernelResources, Provenance

from .case import Case
from .result import ContractResult, Verdict, unknown

NAME = "registers"
UNIT = "bytes spilled"


def _diagnostic(kernel: KernelResources) -> Diagnostic:
    message = (
        f"{kernel.entry} spills {kernel.spill_stores} bytes of stores and {kernel.spill_loads} bytes of loads to "
        f"local memory, asked 0, at {kernel.registers} registers per thread"
    )
    help = (
        "give each thread less to hold (a smaller register tile, fewer unrolled iterations, shorter live ranges), or "
        "let it have more registers (a larger register limit in __launch_bounds__, fewer threads per block)"
    )
    evidence = {
        "entry": kernel.entry,
        "registers": kernel.registers,
        "stack_frame": kernel.stack_frame,
        "spill_stores": kernel.spill_stores,
        "spill_loads": kernel.spill_loads,
    }
    return Diagnostic("OCC301", "error", message, None, (), help, evidence)


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """FAIL if a kernel of the launch plan spills more than `most_spill_bytes` (stores and loads together).

    A stack frame alone is no spill: arrays that are indexed at run time live there.
    """
    if case.build is None:
        return unknown(NAME, case.missing.get("build", "the candidate was not built"))
    symbols = [case.build.lowered.get(entry, entry) for entry in case.entries]
    kernels = [case.build.resources[symbol] for symbol in symbols if symbol in case.build.resources]
    coverage = Coverage(len(kernels), len(case.entries), "kernels")
    if not coverage.complete:
        return unknown(NAME, "the compiler reported no resources for every kernel of the plan", coverage=coverage)
    spilling = [k for k in kernels if k.spill_stores + k.spill_loads > settings["most_spill_bytes"]]
    return ContractResult(
        NAME,
        Verdict.FAIL if spilling else Verdict.PASS,
        measured=max(k.spill_stores + k.spill_loads for k in kernels),
        asked=settings["most_spill_bytes"],
        unit=UNIT,
        provenance=Provenance("quoted", "ptxas"),
        coverage=coverage,
        diagnostics=tuple(_diagnostic(k) for k in spilling),
    )
