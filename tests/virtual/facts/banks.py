"""Shared memory: 32 banks of 4 bytes, and what a padding does to every access of a tile (F-6 to F-8, F-10)."""

from __future__ import annotations

from functools import partial
from typing import Any

from .execution import built, launched, marked
from .record import Fact

BLOCK16 = (16, 16, 1)
HALVES, FLOATS = (16, 17, 18, 20, 32, 33, 34), (16, 17)
ENTRIES = (
    *(f"transposed<half, {w}>" for w in HALVES),
    *(f"transposed<float, {w}>" for w in FLOATS),
    *(f"column<half, {w}>" for w in (32, 33, 34)),
    *(f"column<float, {w}>" for w in (16, 17, 32, 33, 40)),
    *(f"row<{kind}>" for kind in ("half", "half2", "float4")),
    *(f"vectors<{kind}, {w}>" for kind in ("half2", "uint4") for w in (16, 17, 18, 24)),
    *(f"matrices<{w}>" for w in (64, 72)),
    *("product", "step16", "formula", "step17"),
)


def degree(entry: str, block: tuple[int, int, int] = (32, 1, 1), mark: str = "read") -> int:
    """Wavefronts of the worst request at the marked line: n for an n-way conflict of accesses up to 4 bytes."""
    build = built("tiles.cu", ENTRIES)
    site = marked(build, launched(build, entry, block=block), mark)
    assert site.worst is not None
    return site.worst.wavefronts


def wavefronts(entry: str) -> tuple[int, int]:
    """(wavefronts, conflicts) per request at the marked line."""
    build = built("tiles.cu", ENTRIES)
    site = marked(build, launched(build, entry), "read")
    return site.wavefronts // site.requests, site.conflicts // site.requests


def conflicts(entry: str, block: tuple[int, int, int]) -> int:
    build = built("tiles.cu", ENTRIES)
    return sum(site.conflicts for site in launched(build, entry, block=block).sites)


def faults(entry: str, threads: int = 32) -> list[Any]:
    """(code, thread) of what a checked execution finds wrong."""
    execution = launched(built("tiles.cu", ENTRIES), entry, block=(threads, 1, 1), mode="shadow")
    return [(fault.code, (fault.thread or (0,))[0]) for fault in execution.faults if fault.code != "SAF605"]


def transposed(kind: str, width: int, expected: int, fact: str = "F-7") -> Fact:
    claim = f"{kind}[16][{width}] read by columns in a 16 x 16 block: {expected}-way"
    return Fact(fact, claim, partial(degree, f"transposed<{kind}, {width}>", BLOCK16), expected)


def column(kind: str, width: int, expected: int, fact: str = "F-7") -> Fact:
    claim = f"{kind}[32][{width}], a column by 32 lanes: {expected}-way"
    return Fact(fact, claim, partial(degree, f"column<{kind}, {width}>"), expected)


FACTS = (
    Fact("F-6", "neighbouring halves share a word, which is no conflict", partial(degree, "row<half>"), 1),
    Fact("F-6", "half2 rows: every lane its bank", partial(degree, "row<half2>"), 1),
    Fact("F-6", "16 bytes a lane: four wavefronts, none a conflict", partial(wavefronts, "row<float4>"), (4, 0)),
    transposed("half", 16, 4),
    transposed("half", 17, 2),
    transposed("half", 18, 1),
    transposed("half", 20, 1),
    transposed("half", 32, 8),
    transposed("half", 33, 2),
    transposed("half", 34, 1),
    column("half", 32, 16),
    column("half", 33, 1),
    column("half", 34, 1),
    Fact("F-7", "half[32][33], its odd columns: 2-way", partial(degree, "column<half, 33>", (32, 2, 1)), 2),
    Fact("F-7", "half[32][34], its odd columns: one way", partial(degree, "column<half, 34>", (32, 2, 1)), 1),
    column("float", 32, 32),
    column("float", 33, 1),
    column("float", 40, 8),
    Fact("F-7", "rows of 17 halves break half2 access", partial(faults, "vectors<half2, 17>"), [("SAF607", 1)]),
    Fact("F-7", "rows of 18 halves allow half2 access", partial(faults, "vectors<half2, 18>"), []),
    Fact("F-7", "rows of 17 halves break 16-byte access", partial(faults, "vectors<uint4, 17>"), [("SAF607", 1)]),
    Fact("F-7", "rows of 18 halves break 16-byte access", partial(faults, "vectors<uint4, 18>"), [("SAF607", 1)]),
    Fact("F-7", "rows of 24 halves allow 16-byte access", partial(faults, "vectors<uint4, 24>"), []),
    Fact("F-7", "ldmatrix from rows of 64 halves: 8-way", partial(wavefronts, "matrices<64>"), (32, 28)),
    Fact("F-7", "ldmatrix from rows of 72 halves: one way", partial(wavefronts, "matrices<72>"), (4, 0)),
    column("float", 16, 16, "F-8"),
    column("float", 17, 1, "F-8"),
    transposed("float", 16, 8, "F-8"),
    transposed("float", 17, 2, "F-8"),
    Fact("F-8", "the tiled product needs no padding", partial(conflicts, "product", BLOCK16), 0),
    Fact("F-10", "s[tid*16]: 16-way", partial(degree, "step16", mark="write"), 16),
    Fact("F-10", "s[tid*16] of 1024: out of range from thread 64", partial(faults, "step16", 128), [("SAF604", 64)]),
    Fact("F-10", "s[tid*16] of 1024: in range up to there", partial(faults, "step16", 64), []),
    Fact("F-10", "the formula is out of range from thread 16", partial(faults, "formula"), [("SAF604", 16)]),
    Fact("F-10", "the formula is 2-way", partial(degree, "formula", mark="write"), 2),
    Fact("F-10", "a step of 17 words: no conflict", partial(degree, "step17", mark="write"), 1),
    Fact("F-10", "a step of 17 words: in range of an array for it", partial(faults, "step17", 64), []),
)
