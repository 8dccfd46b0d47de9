"""All cases."""

from __future__ import annotations

from .case import Case
from .order import compare_cases, move_cases, sort_cases
from .whole import whole_reduce_cases, whole_scan_cases, whole_sort_cases
from .reduce import reduce_cases, scan_cases

CASES: tuple[Case, ...] = (*reduce_cases(), *scan_cases(), *sort_cases(), *compare_cases(), *move_cases(), *whole_scan_cases(), *whole_reduce_cases(), *whole_sort_cases())


def entries(source: str) -> tuple[str, ...]:
    """Every template instance that the cases launch from one file: they are compiled together."""
    return tuple(dict.fromkeys(s.entry for c in CASES if c.source == source for s in c.steps))
