"""python -m tests.agreement: predicted counters beside hardware readings, as the page docs/agreement.md."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tests.virtual.patterns import COMPARED, LOOPS, READINGS, differences
from warpgauge.evaluate.truth import Reading, compare_folder
from warpgauge.evidence import Counters

TRUTH = Path(__file__).parent / "truth"
PAGE = Path(__file__).parents[1] / "docs" / "agreement.md"

HEAD = """\
# Predicted counters and hardware readings

<!-- Written by `make agreement`; a test compares. Change the kernels or the readings, not this page. -->

Every kernel is compiled and executed on the virtual GPU; its counters are put beside what Nsight Compute read on
hardware. A cell says *predicted / read*, and an empty one that the counter was not read for this kernel.
`warpgauge truth tests/truth` compares the same readings one counter a line.
"""


@dataclass(frozen=True)
class Patterns:
    """The launches of tests/virtual/readings: how many were compared, readings in each, and readings that differ."""

    launches: int
    counters: int
    different: int

    @property
    def readings(self) -> int:
        return self.launches * self.counters


@functools.cache
def readings() -> tuple[Reading, ...]:
    """Every reading of tests/truth beside its prediction; executed once per process."""
    return tuple(compare_folder(TRUTH))


def patterns(different: int) -> Patterns:
    launches = sum(row[0] in COMPARED for row in READINGS["rows"])
    return Patterns(launches, len(READINGS["counters"]), different)


def _cell(row: Reading | None) -> str:
    if row is None:
        return ""
    predicted = "-" if row.predicted is None else f"{row.predicted:,}"
    return f"{predicted} / {row.read:,}" if row.equal else f"**{predicted} / {row.read:,}**"


def _equal(rows: Sequence[Reading]) -> str:
    return f"{sum(row.equal for row in rows):,} of {len(rows):,}"


def _group(name: str, rows: Sequence[Reading]) -> list[str]:
    """The table of one source: a line for each kernel, a column for each counter that was read for any of them."""
    read = {row.counter for row in rows}
    columns = [field.name for field in fields(Counters) if field.name in read]
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    lines = [
        f"## {name}.cu",
        "",
        f"{len(kernels)} kernels; {_equal(rows)} readings are equal.",
        "",
        f"| kernel | {' | '.join(column.replace('_', ' ') for column in columns)} | equal |",
        "| --- |" + " ---: |" * (len(columns) + 1),
    ]
    for kernel in kernels:
        own = {row.counter: row for row in rows if row.kernel == kernel}
        cells = " | ".join(_cell(own.get(column)) for column in columns)
        lines.append(f"| {kernel} | {cells} | {_equal(tuple(own.values()))} |")
    return [*lines, ""]


def page(rows: Sequence[Reading], more: Patterns) -> str:
    """The page for the readings of tests/truth and the summary of those of tests/virtual/readings."""
    (file,) = TRUTH.glob("counters*.json")
    device = json.loads(file.read_text(encoding="utf-8"))["device"]
    groups = list(dict.fromkeys(row.group for row in rows))
    kernels = len({(row.group, row.kernel) for row in rows})
    looping = sum(row[0] in LOOPS for row in READINGS["rows"])
    patterns_equal = f"{more.readings - more.different:,} of {more.readings:,}"
    lines = [
        HEAD,
        "| readings | device and protocol | date | launches | readings that are equal |",
        "| --- | --- | --- | ---: | ---: |",
        f"| tests/truth, kernel by kernel below | {device} | not recorded | {kernels} | {_equal(rows)} |",
        f"| tests/virtual/readings: {len(READINGS['patterns'])} address patterns, {len(READINGS['masks'])} lane masks, "
        f"{len(COMPARED)} kinds of access | {READINGS['device']}; {READINGS['protocol']} | {READINGS['date']} "
        f"| {more.launches:,} | {patterns_equal} |",
        "",
        f"Not compared: {looping} launches of {', '.join(LOOPS)}, 64-bit atomics on shared memory, which hardware runs "
        "as a loop whose turns depend on timing; their counts are marked as assumed. Registers per thread were read as "
        "well, but are the compiler's figure, not a count.",
        "",
    ]
    for group in groups:
        lines += _group(group, [row for row in rows if row.group == group])
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    rows = readings()
    wrong = [difference for kernel in COMPARED for difference in differences(kernel)]
    PAGE.write_text(page(rows, patterns(sum(len(d.counters) for d in wrong))), encoding="utf-8")
    for difference in wrong:
        print(difference)
    print(f"{PAGE.name}: {_equal(rows)} and {patterns(0).readings:,} readings, {len(wrong)} launches differ")
    return 1 if wrong or not all(row.equal for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
