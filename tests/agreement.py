"""python -m tests.agreement: predicted counters beside hardware readings, as the page docs/agreement.md."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tests.virtual import copies, patterns, tiles
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
class Launches:
    """Launches of tests/virtual/readings: what they are, their file, how many and how many counters of each."""

    what: str
    file: Mapping[str, Any]
    count: int
    counters: int

    def row(self, different: int) -> str:
        """Of all readings, `different` are not as predicted."""
        total = self.count * self.counters
        protocol = f"{self.file['device']}; {self.file['protocol']} | {self.file['date']}"
        return f"| {self.what} | {protocol} | {self.count:,} | {total - different:,} of {total:,} |"


@functools.cache
def readings() -> tuple[Reading, ...]:
    """Every reading of tests/truth beside its prediction; executed once per process."""
    return tuple(compare_folder(TRUTH))


def launches() -> tuple[Launches, ...]:
    """In the order of `differing`."""
    file = patterns.READINGS
    kinds = f"{len(file['patterns'])} address patterns, {len(file['masks'])} lane masks, {len(patterns.COMPARED)} kinds"
    compared = sum(row[0] in patterns.COMPARED for row in file["rows"])
    return (
        Launches(f"tests/virtual/readings: {kinds} of access", file, compared, len(file["counters"])),
        Launches(
            "the same folder: wmma loads and stores, ldmatrix, stmatrix", tiles.READINGS, len(tiles.READINGS["rows"]), 8
        ),
        Launches("the same folder: asynchronous copies", copies.READINGS, len(copies.ROWS), len(copies.EXACT)),
    )


def differing() -> tuple[list[dict[str, tuple[int, int]]], ...]:
    """For each row of `launches`, the launches that differ: {counter: (predicted, read)}."""
    return (
        [difference.counters for kernel in patterns.COMPARED for difference in patterns.differences(kernel)],
        [wrong for _, _, wrong in tiles.differences()],
        [wrong for _, wrong in copies.differences()],
    )


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


def page(rows: Sequence[Reading], different: Sequence[int]) -> str:
    """The page for the readings of tests/truth and the summary of those of tests/virtual/readings, of which so many
    differ in each row of `launches`."""
    (file,) = TRUTH.glob("counters*.json")
    device = json.loads(file.read_text(encoding="utf-8"))["device"]
    groups = list(dict.fromkeys(row.group for row in rows))
    kernels = len({(row.group, row.kernel) for row in rows})
    looping = sum(row[0] in patterns.LOOPS for row in patterns.READINGS["rows"])
    lines = [
        HEAD,
        "| readings | device and protocol | date | launches | readings that are equal |",
        "| --- | --- | --- | ---: | ---: |",
        f"| tests/truth, kernel by kernel below | {device} | not recorded | {kernels} | {_equal(rows)} |",
        *(each.row(wrong) for each, wrong in zip(launches(), different, strict=True)),
        "",
        "Whole kernels, the examples `gemm_mma` and `flash_attention`, are "
        "[compared as well](measured/tensor_cores_h200.md).",
        "",
        f"Not compared: {looping} launches of {', '.join(patterns.LOOPS)}, 64-bit atomics on shared memory, which "
        "hardware runs as a loop whose turns depend on timing; and what asynchronous copies cost in shared memory "
        "([measured](measured/asynchronous_copies_h200.md)). Both are marked as assumed. Registers per thread were "
        "read as well, but are the compiler's figure, not a count.",
        "",
    ]
    for group in groups:
        lines += _group(group, [row for row in rows if row.group == group])
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    rows, wrong = readings(), differing()
    PAGE.write_text(page(rows, [sum(map(len, found)) for found in wrong]), encoding="utf-8")
    for found in wrong:
        print(*found, sep="\n", end="\n" * bool(found))
    print(f"{PAGE.name}: {_equal(rows)} readings of tests/truth; {sum(map(len, wrong))} other launches differ")
    return 1 if any(wrong) or not all(row.equal for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
