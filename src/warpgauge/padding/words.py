"""Access patterns in words: which lanes of a block touch which elements of a tile, for words such as `row:16`.

A word is a name and, where it can be chosen, the bytes per lane after a colon. Patterns cover the whole tile, in as
many steps as the block needs; lanes follow x + y * Dx + z * Dx * Dy. Fragments are those of mma.sync in the PTX ISA.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from .access import Access, Kind, Lanes
from .layout import WIDEST, Tile

Block = tuple[int, int, int]
Direction = Literal["load", "store"]
_WARP = 32
#: Bytes of the largest tile: more than any block of any architecture has.
LARGEST = 256 * 1024
_WORD = re.compile(r"([a-z0-9.]+)(?::(\d+))?$")

Place = tuple[int, int]
#: The places (row, byte) that the block's threads touch in one step, by linear thread index.
Steps = Iterator[list[Place | None]]


class PatternError(ValueError):
    """A word that means nothing for this tile and block; `known` are the words that the user could have meant."""

    def __init__(self, message: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.known = known


@dataclass(frozen=True)
class Word:
    """A row of the table of words. `default` bytes per lane: 0 is one element, None a width that cannot be chosen."""

    name: str
    what: str
    directions: tuple[Direction, ...]
    default: int | None
    steps: Callable[[Tile, Block, int], Steps]
    width: Callable[[Tile], int] = lambda tile: tile.element_bytes
    kind: Kind | None = None


def _vectors(tile: Tile, width: int) -> int:
    """Vectors of `width` bytes in a row."""
    if tile.row_bytes % width:
        raise PatternError(f"rows of {tile.row_bytes} bytes are no whole number of accesses of {width} bytes")
    return tile.row_bytes // width


def _dealt(places: Iterator[Place], threads: int) -> Steps:
    """Places dealt out to the threads one after the other, in as many steps as it takes."""
    row: list[Place | None] = []
    for place in places:
        row.append(place)
        if len(row) == threads:
            yield row
            row = []
    if row:
        yield row + [None] * (threads - len(row))


def _row(tile: Tile, block: Block, width: int) -> Steps:
    count = _vectors(tile, width)
    places = ((v // count, v % count * width) for v in range(tile.rows * count))
    return _dealt(places, block[0] * block[1] * block[2])


def _column(tile: Tile, block: Block, width: int) -> Steps:
    count = _vectors(tile, width)
    places = ((v % tile.rows, v // tile.rows * width) for v in range(tile.rows * count))
    return _dealt(places, block[0] * block[1] * block[2])


def _blockwise(tile: Tile, block: Block, width: int, *, transposed: bool) -> Steps:
    """The block laid over the tile: threadIdx.x along the row (transposed: down the column), y the other way."""
    x, y, z = block
    count = _vectors(tile, width)
    high, wide = (x, y * z) if transposed else (y * z, x)
    for top in range(0, tile.rows, high):
        for left in range(0, count, wide):
            step: list[Place | None] = []
            for thread in range(x * y * z):
                along, across = thread % x, thread // x
                row, column = (top + along, left + across) if transposed else (top + across, left + along)
                step.append((row, column * width) if row < tile.rows and column < count else None)
            yield step


def _pieces(tile: Tile, block: Block, rows: int, wide: int, lane: Callable[[int], Place | None]) -> Steps:
    """Pieces of `rows` rows x `wide` bytes, a warp each; `lane` says where in its piece a lane's access begins."""
    threads = block[0] * block[1] * block[2]
    if threads % _WARP:
        raise PatternError(f"warps work together, and {threads} threads are no whole number of warps")
    if tile.rows % rows or tile.row_bytes % wide:
        raise PatternError(
            f"a warp takes pieces of {rows} rows x {wide} bytes, and {tile.rows} rows x {tile.row_bytes} bytes are no "
            "whole number of them"
        )
    corners = [(top, left) for top in range(0, tile.rows, rows) for left in range(0, tile.row_bytes, wide)]
    within = [lane(n) for n in range(_WARP)]
    warps = threads // _WARP
    for start in range(0, len(corners), warps):
        step: list[Place | None] = []
        for top, left in corners[start : start + warps]:
            step += [None if at is None else (top + at[0], left + at[1]) for at in within]
        yield step + [None] * (threads - len(step))


def _matrices(count: int) -> Callable[[Tile, Block, int], Steps]:
    """ldmatrix: lane l supplies row l % 16 (l % 8 for one matrix), and the second 16 bytes from lane 16 on."""
    rows, wide = min(count, 2) * 8, 16 * max(1, count // 2)

    def lane(n: int) -> Place | None:
        return (n % rows, n // rows * 16) if n < 8 * count else None

    return lambda tile, block, width: _pieces(tile, block, rows, wide, lane)


def _register(tile: Tile) -> int:
    """Bytes of the register that holds neighbouring elements of a fragment."""
    return max(4, tile.element_bytes)


def _fragment(tile: Tile, block: Block, width: int) -> Steps:
    """Four lanes to a row, eight rows: one register of A or B each, or two neighbouring accumulators."""
    return _pieces(tile, block, 8, 4 * width, lambda n: (n // 4, n % 4 * width))


def _fragment_trans(tile: Tile, block: Block, width: int) -> Steps:
    """The elements of a register lie in different rows, and each is an access of its own."""
    each = _register(tile) // width

    def lane(i: int) -> Callable[[int], Place | None]:
        return lambda n: (n % 4 * each + i, n // 4 * width)

    for i in range(each):
        yield from _pieces(tile, block, 4 * each, 8 * width, lane(i))


_BOTH: tuple[Direction, ...] = ("load", "store")
_MATRIX_WORDS = tuple(
    Word(
        f"ldmatrix{shape}{trans}",
        f"ldmatrix of {count} 8 x 8 matri{'x' if count == 1 else 'ces'} (rows of 16 bytes), "
        + ("transposed on the way" if trans else "as they lie"),
        ("load",),
        None,
        _matrices(count),
        lambda tile: 16,
        "matrix",
    )
    for shape, count in (("", 4), (".x2", 2), (".x1", 1))
    for trans in ("", ".trans")
)

WORDS: dict[str, Word] = {
    word.name: word
    for word in (
        Word("row", "neighbouring threads take neighbouring vectors of a row, row after row", _BOTH, 0, _row),
        Word("column", "neighbouring threads take neighbouring rows, column after column", _BOTH, 0, _column),
        Word(
            "block",
            "tile[threadIdx.y][threadIdx.x], the block moved over the tile",
            _BOTH,
            0,
            lambda tile, block, width: _blockwise(tile, block, width, transposed=False),
        ),
        Word(
            "transposed",
            "tile[threadIdx.x][threadIdx.y], the block moved over the tile",
            _BOTH,
            0,
            lambda tile, block, width: _blockwise(tile, block, width, transposed=True),
        ),
        Word("cp.async", "cp.async in the order of row", ("store",), WIDEST, _row, kind="copy"),
        *_MATRIX_WORDS,
        Word("mma", "a fragment of mma.sync whose registers lie along the row", _BOTH, None, _fragment, _register),
        Word(
            "mma.trans",
            "a fragment whose registers run down the rows, element by element",
            _BOTH,
            None,
            _fragment_trans,
        ),
        Word(
            "mma.c",
            "accumulators of mma.sync, two neighbours per lane",
            _BOTH,
            None,
            _fragment,
            lambda tile: 2 * tile.element_bytes,
        ),
    )
}


def access(text: str, direction: Direction, tile: Tile, block: Block) -> Access:
    """What a word asks of a tile. PatternError for a word that is not known or does not suit the tile or the block."""
    known = tuple(word.name for word in WORDS.values() if direction in word.directions)
    match = _WORD.match(text)
    if match is None or match[1] not in known:
        raise PatternError(f"{text!r} is no way to {direction} a tile", known)
    word = WORDS[match[1]]
    if match[2] and word.default is None:
        raise PatternError(f"the bytes per lane of {word.name} are its own: write {word.name} alone")
    width = int(match[2] or 0) or word.default or word.width(tile)
    _check_width(word, width, tile)
    threads = block[0] * block[1] * block[2]
    requests: list[Lanes] = []
    for step in word.steps(tile, block, width):
        for start in range(0, threads, _WARP):
            lanes = tuple(step[start : start + _WARP])
            if any(at is not None for at in lanes):
                requests.append(lanes + (None,) * (_WARP - len(lanes)))
    return Access(f"{direction} {text}", word.kind or direction, width, tuple(requests))


def _check_width(word: Word, width: int, tile: Tile) -> None:
    least = max(4, tile.element_bytes) if word.kind == "copy" else tile.element_bytes
    widths = [w for w in (1, 2, 4, 8, 16) if w >= least]
    if width not in widths:
        raise PatternError(
            f"{word.name}:{width}: a lane takes {', '.join(map(str, widths))} bytes of such elements at once"
        )
