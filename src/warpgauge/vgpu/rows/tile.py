"""wmma.load and wmma.store: a warp moves one matrix tile between memory and a fragment.

The data moves as the fragment lies (ptx/tiles), whatever the hardware does; what it costs is counted apart from that,
by the accesses that the machine code makes of the instruction (sass/tile_lanes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from warpgauge.ptx import Address, Instruction
from warpgauge.ptx.tiles import Place, Tile, tile_of
from warpgauge.sass.tile_lanes import TileRequest, expected

from ..emit import Unsupported, Val
from ..frame import SiteKey
from ..layout import LANES
from ..runtime import access as rt_access
from ..runtime import matrix as rt_matrix
from .memory import constants, each_space, elements, emit_access
from .table import row

_LAYOUTS = "row col m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128"
_ALLOW = f"{_LAYOUTS} global shared cta"


def _tile(i: Instruction, address: int) -> tuple[Tile, Address, Any]:
    """The tile, the operand of its first byte and that of its stride (None: lines without a gap)."""
    tile = tile_of(i)
    if tile is None:
        raise Unsupported("no fragment of this shape, layout and type")
    target = i.operands[address]
    if not isinstance(target, Address):
        raise Unsupported("this address form")
    return tile, target, i.operands[2] if len(i.operands) > 2 else None


class _Mover:
    """Moves one tile within one space and counts what the machine code does for it; `base` is the address of its first
    element. An access that the machine code has too is counted as it is made, the others apart from the data."""

    def __init__(self, e: Any, i: Instruction, tile: Tile, part: tuple[str, Val, str], stride: Any) -> None:
        self.e, self.i, self.tile = e, i, tile
        self.space, self.base, self.mask = part
        self.kind = self.base.kind
        lines = e.const(tile.minors, "b32") if stride is None else e.src(stride, "b32")
        step = e.resize(lines, self.kind)
        if tile.bits >= 8:
            self.step = e.op("mul {T} {a}, {b}", self.kind, step, e.const(tile.bits // 8, self.kind))
        else:
            self.step = e.op(
                "lshr {T} {a}, {b}", self.kind, step, e.const((8 // tile.bits).bit_length() - 1, self.kind)
            )
        self.shapes: dict[tuple[Place, ...], Val] = {}
        access = e.frame.tiles.get(i.ptx_line) if e.frame.count and self.space in ("global", "shared") else None
        self.by_tile = access is not None and bool(access.unknown)
        self.open = list(access.requests) if access is not None else []

    def at(self, places: Sequence[Place]) -> Val:
        """Every lane's address of an element given as (major, minor)."""
        (major, minor), kind = places[0], self.kind
        shape = tuple((m - major, n - minor) for m, n in places)
        if shape not in self.shapes:
            majors = self._constant([m for m, _ in shape])
            minors = self._constant([n * self.tile.bits // 8 for _, n in shape])
            line = self.e.op("mul {T} {a}, {b}", kind, majors, self.step)
            self.shapes[shape] = self.e.op(
                "add {T} {a}, {b}", kind, self.base, self.e.op("add {T} {a}, {b}", kind, line, minors)
            )
        found = self.shapes[shape]
        if major:
            start = self.e.op("mul {T} {a}, {b}", kind, self.e.const(major, kind), self.step)
            found = self.e.op("add {T} {a}, {b}", kind, found, start)
        if minor:
            found = self.e.op("add {T} {a}, {b}", kind, found, self.e.const(minor * self.tile.bits // 8, kind))
        return found

    def _constant(self, values: list[int]) -> Val:
        if len(set(values)) == 1:
            return self.e.const(values[0], self.kind)
        element = "i64" if self.kind == "b64" else "i32"
        return Val("<" + ", ".join(f"{element} {v}" for v in values) + ">", self.kind, False)

    def _first(self, lanes: int) -> str:
        """The mask of those that are active among the first lanes."""
        only = (1 << lanes) - 1
        signed = only - (1 << LANES) if only >> 31 else only
        return str(self.e.let(f"and i32 {self.mask}, {signed}", "b32", True).name)

    def _is_request(self, width: int, lanes: Sequence[Place], matrices: int = 0) -> bool:
        """Whether an access is one that the machine code has; that one is then counted."""
        request = TileRequest(width, tuple(lanes), matrices)
        if request in self.open:
            self.open.remove(request)
            return True
        return False

    def move(self, function: Any, op: str, register: int, part: int, shape: tuple[int, int]) -> None:
        """Of every lane, from element `part` of a register on, `shape`: how many pieces of so many bits, from or to
        `%scratch`."""
        places = [self.tile.in_memory(self.tile.place(lane, register, part)) for lane in range(LANES)]
        count, bits = shape
        whole = (f"b{bits}", count, self.space, False)
        counted = self._is_request(count * bits // 8, places)
        emit_access(self.e, self.i, function, op, self.at(places), self.mask, whole, ["%scratch"], counted=counted)

    def load_rows(self, rows: tuple[Place, ...]) -> None:
        """A row of 16 bytes for each of the first lanes, into `%scratch`."""
        whole = ("b32", 4, self.space, False)
        mask, a = self._first(len(rows)), self.at(_padded(rows))
        counted = self._is_request(16, rows, len(rows) // 8)
        emit_access(self.e, self.i, rt_access.load, "load", a, mask, whole, ["%scratch"], False, counted=counted)

    def count(self, op: str) -> None:
        """Note the requests that no access of the data was, or where lanes are not known one over the lines of the
        tile."""
        for request in self.open:
            key = SiteKey(self.i, self.space, op, request.width, merges=not request.matrices)
            self._note(key, request.lanes)
        if self.by_tile:
            lines = tuple((n, 0) for n in range(self.tile.majors))
            self._note(SiteKey(self.i, self.space, op, self.tile.line_bytes, False, by_tile=True), lines)

    def _note(self, key: SiteKey, places: tuple[Place, ...]) -> None:
        e = self.e
        mask, a = self._first(len(places)), e.vector(self.at(_padded(places)))
        symbol = e.library.need(rt_access.note_request, **constants(e, self.space, "b8", 1, False))
        where = [f"ptr {e.site(key)}", f"i32 {self.i.index}", "i32 %warp", f"{a.type} {a.name}", f"i32 {mask}"]
        e.call(symbol, "void", ["ptr %ctx", "ptr %blk", *where])


def _padded(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """A place for every lane; those that have none name that of the first."""
    return (*places, *(places[:1] * (LANES - len(places))))


def _load(e: Any, i: Instruction) -> None:
    tile, source, stride = _tile(i, 1)
    targets = elements(i.operands[0])
    if len(targets) != tile.registers:
        raise Unsupported(f"{len(targets)} registers where a fragment has {tile.registers}")
    movers = [_Mover(e, i, tile, part, stride) for part in each_space(e, i, source)]
    values = _load_matrices(e, tile, movers) if tile.by_matrices else _load_runs(e, tile, movers)
    for mover in movers:
        mover.count("load")
    for n, target in enumerate(targets):
        e.put(target, values[n % len(values)])


def _load_matrices(e: Any, tile: Tile, movers: Sequence[_Mover]) -> list[Val]:
    """Rows of 8x8 matrices of 16 bits, then each lane's pairs of them, from shared memory or not."""
    symbol = e.library.need(rt_matrix.matrix_of, TRANSPOSED=not tile.along)
    found: dict[Place, Val] = {}
    for request in expected(tile, shared=True):
        for mover in movers:
            mover.load_rows(request.lanes)
        for n in range(request.matrices):
            e.call(symbol, "void", ["ptr %scratch", f"i32 {8 * n}", "ptr %scratch2"])
            found[request.lanes[8 * n]] = e.row("%scratch2", 0, "b32")
    return [found[tile.in_memory(run)] for run in tile.runs]


def _load_runs(e: Any, tile: Tile, movers: Sequence[_Mover]) -> list[Val]:
    unit = f"b{max(32, tile.bits)}"
    values: list[Val] = []
    for register, part, (count, bits) in _moves(tile):
        for mover in movers:
            mover.move(rt_access.load, "load", register, part, (count, bits))
        words = [e.resize(e.row("%scratch", n, f"b{bits}"), unit) for n in range(count)]
        if part:
            high = e.op("shl {T} {a}, {b}", unit, words[0], e.const(part * bits, unit))
            words = [e.op("or {T} {a}, {b}", unit, values.pop(), high)]
        values += words
    return values


def _store(e: Any, i: Instruction) -> None:
    tile, target, stride = _tile(i, 0)
    sources = elements(i.operands[1])
    if len(sources) != tile.registers:
        raise Unsupported(f"{len(sources)} registers where a fragment has {tile.registers}")
    movers = [_Mover(e, i, tile, part, stride) for part in each_space(e, i, target)]
    unit = f"b{max(32, tile.bits)}"
    for register, part, (count, bits) in _moves(tile):
        for n in range(count):
            word = e.src(sources[register + n], unit)
            piece = e.op("lshr {T} {a}, {b}", unit, word, e.const(part * bits, unit)) if part else word
            e.store_row("%scratch", n, e.resize(piece, f"b{bits}"))
        for mover in movers:
            mover.move(rt_access.store, "store", register, part, (count, bits))
    for mover in movers:
        mover.count("store")


def _moves(tile: Tile) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """(register, first element, (pieces, bits of each)) of what each lane moves at once, in order."""
    unit = max(32, tile.bits)
    step = max(1, tile.run // tile.elements) if tile.along else 1
    for register in range(0, tile.registers, step):
        if tile.along or tile.elements == 1:
            yield register, 0, (step, unit)
        else:
            for part in range(tile.elements):
                yield register, part, (1, tile.bits)


_ROWS: tuple[tuple[str, str, Callable[[Any, Instruction], None]], ...] = (
    ("load a", "f16 bf16 tf32 f64 s8 u8 s4 u4 b1", _load),
    ("load b", "f16 bf16 tf32 f64 s8 u8 s4 u4 b1", _load),
    ("load c", "f16 f32 f64 s32", _load),
    ("store d", "f16 f32 f64 s32", _store),
)
for _need, _types, _emit in _ROWS:
    row("wmma", _types, need=f"{_need} sync aligned", allow=_ALLOW, pure=False)(_emit)
