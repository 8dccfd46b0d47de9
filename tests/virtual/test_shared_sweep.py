"""Wavefronts and conflicts of shared memory over element widths of 1 to 16 bytes and row paddings of 0 to 3 elements.

The expectation is computed here, from the addresses that kernels/efficiency/shared_sweep.cu states and from the
wavefront rule as measured on an H200 (sm_90):

1. lanes are served in groups: all 32 for up to 4 bytes per lane, half-warps for 8, quarter-warps for 16; a load whose
   neighbours (i, i^1), or whose (i, i^2), agree pairwise in their addresses takes half as many groups;
2. a group takes as many wavefronts as the bank with the most distinct 4-byte words that it touches (32 banks);
3. conflicts are the wavefronts beyond one for each group.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product

import numpy as np
import pytest

from tests.oracle import counting
from tests.virtual import corpus
from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import GlobalMemory, execute

KERNEL = corpus.read(corpus.FOLDER / "efficiency" / "shared_sweep.cu")
SWEEP = KERNEL.sweep
PAIRS = list(product(SWEEP["bytes"], SWEEP["pad"]))
LANES = range(32)
_MARK = re.compile(r"// sweep: (load|store) (\(.+?\))(?: for row in (range\(.+\)))?$")
Counted = tuple[int, int, int]  # requests, wavefronts, conflicts


def rule(addresses: list[int], width: int, op: str) -> tuple[int, int]:
    """(wavefronts, conflicts) of one request of 32 active lanes, each at a byte address."""
    size = min(32, 128 // width)
    paired = any(all(addresses[i] == addresses[i ^ step] for i in LANES) for step in (1, 2))
    if width > 4 and op == "load" and paired:
        size *= 2
    wavefronts = 0
    for first in range(0, 32, size):
        per_bank: dict[int, set[int]] = {}
        for address in addresses[first : first + size]:
            for byte in range(address, address + width):
                per_bank.setdefault(byte // 4 % 32, set()).add(byte // 4)
        wavefronts += max(len(words) for words in per_bank.values())
    return wavefronts, wavefronts - 32 // size


def marks() -> list[tuple[int, str, str, str]]:
    """(line, op, element, rows) of every mark; `rows` is empty where the line makes one request per warp."""
    lines = enumerate(KERNEL.path.read_text().splitlines(), 1)
    return [(number, *found.groups(default="")) for number, line in lines if (found := _MARK.search(line))]


def requests(element: str, rows: str, width: int, pad: int) -> list[list[int]]:
    """Byte addresses by lane of every request that the warps of the block make at one marked line."""
    pitch = eval(SWEEP["pitch"], {"pad": pad})
    found = []
    for warp in range(SWEEP["block"][1]):
        names = {"warp": warp, "c": SWEEP["c"]}
        for row in eval(rows, names) if rows else [0]:
            places = [eval(element, {**names, "row": row, "lane": lane}) for lane in LANES]
            found.append([(r * pitch + c) * width for r, c in places])
    return found


def expected(width: int, pad: int) -> dict[tuple[int, str], Counted]:
    sums = {}
    for line, op, element, rows in marks():
        costs = [rule(addresses, width, op) for addresses in requests(element, rows, width, pad)]
        sums[line, op] = (len(costs), sum(w for w, _ in costs), sum(c for _, c in costs))
    return sums


@cache
def build() -> BuildArtifact:
    return compile_source(KERNEL.path, entries=[name(width, pad) for width, pad in PAIRS])


def name(width: int, pad: int) -> str:
    return str(SWEEP["entry"]).format(bytes=width, pad=pad)


def executed(width: int, pad: int) -> Execution:
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(SWEEP["out_elements"], np.uint32))
    grid, block = tuple(SWEEP["grid"]), tuple(SWEEP["block"])
    return execute(
        build(), name(width, pad), grid=grid, block=block, arguments=[out, SWEEP["c"]], memory=memory, mode="count"
    )


@pytest.mark.parametrize(("width", "pad"), PAIRS, ids=[f"{width} bytes, pad {pad}" for width, pad in PAIRS])
def test_counted_sites_follow_the_rule(width: int, pad: int) -> None:
    execution = executed(width, pad)
    assert execution.completed and execution.faults == ()
    counted: dict[tuple[int, str], Counted] = {}
    for site in (site for site in execution.sites if site.space == "shared"):
        assert site.bytes_per_lane == width
        key = (site.location.line, site.op)
        before = counted.get(key, (0, 0, 0))
        counted[key] = (
            before[0] + site.requests,
            before[1] + site.wavefronts,
            before[2] + site.conflicts,
        )
    wanted = expected(width, pad)
    assert counted == wanted
    totals = {op: [sum(v[i] for (_, o), v in wanted.items() if o == op) for i in (1, 2)] for op in ("load", "store")}
    counters = execution.counters
    assert [counters.shared_load_wavefronts, counters.shared_load_conflicts] == totals["load"]
    assert [counters.shared_store_wavefronts, counters.shared_store_conflicts] == totals["store"]


def test_the_oracle_counts_by_the_same_rule() -> None:
    for (width, pad), (_, op, element, rows) in product(PAIRS, marks()):
        for addresses in requests(element, rows, width, pad):
            assert counting.wavefronts(tuple(addresses), width, op) == rule(addresses, width, op)


def test_the_sweep_holds_what_matters() -> None:
    """Conflicts and their absence at every width, and pairs that merge: else the comparison above would be hollow."""
    per_width = {width: [expected(width, pad) for pad in SWEEP["pad"]] for width in SWEEP["bytes"]}
    for width, tables in per_width.items():
        conflicts = [counts[2] for table in tables for counts in table.values()]
        assert 0 in conflicts and max(conflicts) > 0, width
    broadcast = next(line for line, _, element, _ in marks() if element.startswith("(lane // 2"))
    for width in (8, 16):
        pairs = requests("(lane // 2, 2 * warp)", "", width, 0)[0]
        assert rule(pairs, width, "load") != rule(pairs, width, "store"), "pairs merge for loads alone"
        assert all(table[broadcast, "load"][0] == SWEEP["block"][1] for table in per_width[width])
