"""What Nsight Compute reads for single wmma loads and stores on an H200, predicted exactly."""

from __future__ import annotations

from tests.virtual.readings.ncu import table
from tests.virtual.readings.read_wmma import COUNTERS, rows
from tests.virtual.tiles import READINGS, differences, launched


def test_the_lanes_of_every_kernel_are_known() -> None:
    """Each kernel's fragment is executed by its tile's own accesses, whatever stands around it."""
    first = dict(reversed(rows()))
    done = {kernel: launched(kernel, stride) for kernel, stride in first.items()}
    assert [kernel for kernel, run in done.items() if not run.completed] == []
    assert [kernel for kernel, run in done.items() if any(s.provenance.detail for s in run.sites)] == []


def test_every_reading_is_predicted() -> None:
    assert [tuple(row[:2]) for row in READINGS["rows"]] == rows()
    assert differences() == []


def test_what_ncu_prints_is_read_by_its_columns() -> None:
    names = list(COUNTERS.values())
    head = ['"ID"', '"Kernel Name"', *(f'"{name}"' for name in reversed(names))]
    lines = ["==PROF== Connected", ",".join(head), ",".join(['""'] * len(head))]
    for n, (kernel, _) in enumerate(rows()):
        values = [f'"{1000 * k + n:,}"' for k in reversed(range(len(names)))]
        lines.append(",".join([f'"{n}"', f'"{kernel}"', *values]))
    found = table("\n".join(lines), names, [kernel for kernel, _ in rows()])
    assert found[7] == [1000 * k + 7 for k in range(len(names))]
