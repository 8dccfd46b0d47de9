"""All cases."""

from __future__ import annotations

from .case import Case
from .library import group_cases, std_cases
from .order import compare_cases, move_cases, sort_cases
from .reduce import reduce_cases, scan_cases
from .whole import whole_reduce_cases, whole_scan_cases, whole_sort_cases

CASES: tuple[Case, ...] = (
    *std_cases(),
    *group_cases(),
    *reduce_cases(),
    *scan_cases(),
    *sort_cases(),
    *compare_cases(),
    *move_cases(),
    *whole_scan_cases(),
    *whole_reduce_cases(),
    *whole_sort_cases(),
)

#: Kernels of scan.cu with a planted fault: without and with the barrier.
REUSED = ("reused<false>", "reused<true>")


def entries(source: str) -> tuple[str, ...]:
    """Every template instance that the cases launch from one file: they are compiled together."""
    launched = dict.fromkeys(s.entry for c in CASES if c.source == source for s in c.steps)
    return (*launched, *(REUSED if source == "scan.cu" else ()))
