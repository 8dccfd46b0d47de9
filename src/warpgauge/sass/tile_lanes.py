"""Which lane of a wmma.load or wmma.store touches which bytes.

PTX does not say, ptxas decides. So a table says what it makes of each tile, and two things keep the table honest: a
test evaluates the machine code of a probe for every tile, space and kind of stride, lane by lane, with the pinned
compiler; and at run time a kernel's own accesses at the PTX line of the instruction must be those of the table, in
kind, width and number, or a whole number of copies of them, as in an unrolled loop. Where they are not, the lanes count
as unknown. (Evaluating the kernel's own addresses instead would have to see through its loops, its merged index
arithmetic and its uniform registers; a probe has none of these, and ptxas expands the instruction before it optimises.)

What it does, the same for sm_80 to sm_120, for strides known at compile time or not:
- A and B from shared memory, if a lane's registers lie along the lines of memory or have 16 bits an element: LDSM of
  8x8 matrices of 16-byte rows, up to four at once;
- else, if a lane's neighbouring elements are neighbours in memory, one access per run of them;
- else, with 16 bits an element, the same accesses as if they were, and a transposition between lanes (MOVM);
- else one access per element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from warpgauge.ptx import Instruction
from warpgauge.ptx.tiles import Place, Tile, tile_of

from .access import SassAccess, sass_accesses
from .parse import parse_sass

_LANES = 32
_ROW_BYTES = 16
_FIRST_WITH = 80
_SPILLS = ("LDL", "STL")
Signature = Counter[tuple[str, int, int]]


@dataclass(frozen=True)
class TileRequest:
    """One access of a warp: `width` bytes per lane, `lanes[l]` the (major, minor) of lane l's first element in memory.

    `matrices`: an LDSM of so many 8x8 matrices, whose rows the first 8 x `matrices` lanes give; 0: any other access.
    """

    width: int
    lanes: tuple[Place, ...]
    matrices: int = 0


@dataclass(frozen=True)
class TileAccess:
    """How a tile moves: the requests in no particular order, or why the lanes are not known (`requests` is empty)."""

    requests: tuple[TileRequest, ...]
    unknown: str = ""


def expected(tile: Tile, shared: bool) -> tuple[TileRequest, ...]:
    """What ptxas makes of a tile in shared memory, or by a global or generic address, from sm_80 on."""
    if shared and tile.by_matrices:
        return _matrices(tile)
    if tile.along or tile.bits == 16:
        return _across(tile)
    return _down(tile)


def _matrices(tile: Tile) -> tuple[TileRequest, ...]:
    """The fragment's registers in order, as many together as registers of one product take."""
    blocks = [tile.in_memory(run) for run in tile.runs]
    several = 4 if tile.bits == 16 else 2
    groups = [blocks[n : n + several] for n in range(0, len(blocks), several)]
    return tuple(
        TileRequest(_ROW_BYTES, tuple((major + row, minor) for major, minor in group for row in range(8)), len(group))
        for group in groups
    )


def _across(tile: Tile) -> tuple[TileRequest, ...]:
    """Eight lines at a time, four lanes on each."""
    run = tile.run
    return tuple(
        TileRequest(run * tile.bits // 8, tuple((major + n // 4, minor + run * (n % 4)) for n in range(_LANES)))
        for major in range(0, tile.majors, 8)
        for minor in range(0, tile.minors, 4 * run)
    )


def _down(tile: Tile) -> tuple[TileRequest, ...]:
    """Eight neighbours of each of four lines at a time, `run` lines apart."""
    run = tile.run
    return tuple(
        TileRequest(tile.bits // 8, tuple((major + own + run * (n % 4), minor + n // 4) for n in range(_LANES)))
        for major in range(0, tile.majors, 4 * run)
        for own in range(run)
        for minor in range(0, tile.minors, 8)
    )


def tile_accesses(instructions: Iterable[Instruction], sass: str, symbol: str, arch: str) -> dict[int, TileAccess]:
    """PTX line of each wmma.load and wmma.store -> its accesses, confirmed by the SASS of the kernel `symbol`."""
    tiles = {i.ptx_line: (i, tile) for i in instructions if (tile := tile_of(i)) is not None}
    if not tiles:
        return {}
    code = list(parse_sass(sass, symbol)) if sass else []
    if not any(i.ptx_line for i in code):
        return dict.fromkeys(tiles, TileAccess((), "there is no machine code to take them from"))
    if int("".join(c for c in arch.removeprefix("sm_") if c.isdigit())) < _FIRST_WITH:
        return dict.fromkeys(tiles, TileAccess((), f"the table of them starts with sm_{_FIRST_WITH}"))
    at_line: dict[int, list[SassAccess]] = {line: [] for line in tiles}
    for access in sass_accesses(code):
        at_line.get(access.instruction.ptx_line, []).append(access)
    return {line: _confirmed(tile, at_line[line]) for line, (_, tile) in tiles.items()}


def _confirmed(tile: Tile, found: list[SassAccess]) -> TileAccess:
    if not found:
        return TileAccess((), "there is no machine code of its own")
    have: Signature = Counter((a.op, a.width, a.matrices) for a in found if a.instruction.opcode not in _SPILLS)
    for shared in (True, False):
        requests = expected(tile, shared)
        op = "store" if tile.operand == "d" else "load"
        want: Signature = Counter(("matrix" if r.matrices else op, r.width, r.matrices) for r in requests)
        copies = have.total() // want.total()
        if copies and have == Counter({key: copies * n for key, n in want.items()}):
            return TileAccess(requests)
    kinds = ", ".join(sorted({str(a.instruction).split()[0] for a in found}))
    return TileAccess((), f"the machine code has {len(found)} accesses ({kinds}) where the table has others")
