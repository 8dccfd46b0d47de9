"""Instructions that touch memory: ld, st, atom, red, and the address conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Address, Immediate, Instruction, Operand, Register, Vector

from . import atomics
from .counting import Tally
from .formats import Words
from .memory import WINDOWS, OracleFault, spaces_of
from .rows import Unsupported
from .state import Operands, Reader, Warp

Step = Callable[[Warp, np.ndarray], None]
SPACES = ("global", "shared", "local", "const", "param")


def space_of(i: Instruction) -> str:
    return next((m for m in i.modifiers if m in SPACES), "generic")


def address_reader(operand: Operand, operands: Operands, space: str) -> Reader:
    assert isinstance(operand, Address), operand
    offset = np.uint64(operand.offset & 0xFFFFFFFFFFFFFFFF)
    if operand.base is None:
        fixed = np.full(32, offset)
        return lambda w: fixed
    kind = "b64"
    if isinstance(operand.base, Register):
        kind = operands.kernel.registers[operand.base.name]
        kind = f"b{8 * TYPE_BYTES[kind]}"
    base = operands.reader(operand.base, kind)
    mask = np.uint64(0xFFFFFFFF if space in ("shared", "local", "const", "param") else 0xFFFFFFFFFFFFFFFF)
    return lambda w: (base(w) + offset) & mask


def _resolve(space: str, addresses: Words, mask: np.ndarray) -> Iterator[tuple[str, np.ndarray, Words]]:
    """(space, lanes, addresses inside the space) of the active lanes, one group for each space they touch."""
    if space != "generic":
        lanes = np.nonzero(mask)[0]
        yield space, lanes, addresses[lanes]
        return
    names, inside = spaces_of(addresses)
    for name in sorted(set(names[mask].tolist())):
        lanes = np.nonzero(mask & (names == name))[0]
        yield name, lanes, inside[lanes]


def _count(tally: Tally, i: Instruction, space: str, op: str, width: int, lanes: np.ndarray, at: Words) -> None:
    if space != "param":
        tally.record(i.ptx_line, space, op, width, lanes, at, _atomic_rule(i) if op == "atomic" else "")


def _atomic_rule(i: Instruction) -> str:
    """Adding the constant one merges lanes on hardware, and compare-and-swap takes two passes a lane."""
    if "cas" in i.modifiers:
        return "compare"
    adds_one = i.operands[-1] == Immediate("int", 1) and "add" in i.modifiers and i.types[-1] in ("u32", "s32")
    return "merging" if adds_one else "atomic"


def _elements(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def load(i: Instruction, operands: Operands, tally: Tally) -> Step:
    kind = i.types[-1]
    size = TYPE_BYTES[kind]
    targets = [operands.writer(e, kind) for e in _elements(i.operands[0])]
    width = size * len(targets)
    space = space_of(i)
    address = address_reader(i.operands[1], operands, space)

    def step(w: Warp, mask: np.ndarray) -> None:
        raw = np.zeros((32, len(targets)), np.uint64)
        for where, lanes, at in _resolve(space, address(w), mask):
            _count(tally, i, where, "load", width, lanes, at)
            raw[lanes] = w.view.read(where, lanes, at, width, size)
        for n, write in enumerate(targets):
            write(w, raw[:, n], mask)

    return step


def store(i: Instruction, operands: Operands, tally: Tally) -> Step:
    """Lanes write in order: of several that share an address, the highest is seen last."""
    kind = i.types[-1]
    size = TYPE_BYTES[kind]
    sources = [operands.reader(e, kind) for e in _elements(i.operands[1])]
    width = size * len(sources)
    space = space_of(i)
    address = address_reader(i.operands[0], operands, space)

    def step(w: Warp, mask: np.ndarray) -> None:
        values = np.stack([source(w) for source in sources], axis=1)
        for where, lanes, at in _resolve(space, address(w), mask):
            _count(tally, i, where, "store", width, lanes, at)
            w.view.write(where, lanes, at, values[lanes], size)

    return step


def atomic(i: Instruction, operands: Operands, tally: Tally) -> Step:
    kind = i.types[-1]
    size = TYPE_BYTES[kind]
    rest = list(i.operands)
    writers = [operands.writer(e, kind) for e in _elements(rest.pop(0))] if i.opcode == "atom" else []
    space = space_of(i)
    address = address_reader(rest[0], operands, space)
    parts = [operands.reader(e, kind) for e in _elements(rest[1])]
    others = [operands.reader(o, kind) for o in rest[2:]]
    swaps = "cas" in i.modifiers
    updates: dict[str, atomics.Update] = {} if swaps else {s: atomics.update_of(i, s) for s in ("global", "shared")}

    def one(w: Warp, where: str, lane: int, at: np.ndarray, given: list[list[int]]) -> int:
        old = int(w.view.read(where, np.array([lane]), at, size, size)[0, 0])
        first = given[0][lane]
        swapped = given[1][lane] if swaps and old == first else old
        new = swapped if swaps else updates[where](old, first)
        w.view.write(where, np.array([lane]), at, np.array([[new]], np.uint64), size)
        return old

    def step(w: Warp, mask: np.ndarray) -> None:
        given = [[part(w).tolist(), *(v(w).tolist() for v in others)] for part in parts]
        before = np.zeros((len(parts), 32), np.uint64)
        for where, lanes, at in _resolve(space, address(w), mask):
            if where not in ("global", "shared"):
                raise OracleFault(f"an atomic in {where} memory")
            _count(tally, i, where, "atomic", size * len(parts), lanes, at)
            for n, lane in enumerate(lanes.tolist()):
                for q, own in enumerate(given):
                    before[q, lane] = one(w, where, lane, at[n : n + 1] + np.uint64(q * size), own)
        for q, write in enumerate(writers):
            write(w, before[q], mask)

    return step


def load_matrix(i: Instruction, operands: Operands, tally: Tally) -> Step:
    """ldmatrix of 8x8 16-bit matrices: lanes 8q to 8q+7 give the row addresses of matrix q.

    Lane t receives of each matrix two neighbours of row t/4, from column 2(t%4); transposed, of column t/4.
    """
    writers = [operands.writer(e, "b32") for e in _elements(i.operands[0])]
    if "m8n8" not in i.modifiers or i.types[-1] != "b16" or len(writers) not in (1, 2, 4):
        raise Unsupported(i.text)
    space = space_of(i)
    address = address_reader(i.operands[1], operands, space)
    suppliers = np.arange(8 * len(writers))
    across, along = np.arange(32) // 4, 2 * (np.arange(32) % 4)

    def step(w: Warp, mask: np.ndarray) -> None:
        if not mask.all():
            raise OracleFault("ldmatrix needs all lanes of the warp")
        named = np.zeros(32, bool)
        named[suppliers] = True
        rows = np.zeros((len(suppliers), 8), np.uint64)
        for where, lanes, at in _resolve(space, address(w), named):
            tally.record(i.ptx_line, where, "load", 16, lanes, at, rule="rows")
            rows[lanes] = w.view.read(where, lanes, at, 16, 2)
        for q, write in enumerate(writers):
            matrix = rows[8 * q : 8 * q + 8]
            if "trans" in i.modifiers:
                matrix = matrix.T
            write(w, matrix[across, along] | (matrix[across, along + 1] << np.uint64(16)), mask)

    return step


def store_matrix(i: Instruction, operands: Operands, tally: Tally) -> Step:
    """stmatrix, the inverse of ldmatrix: lanes 8q to 8q+7 store the rows (transposed, the columns) of matrix q."""
    readers = [operands.reader(e, "b32") for e in _elements(i.operands[1])]
    if "m8n8" not in i.modifiers or i.types[-1] != "b16" or len(readers) not in (1, 2, 4):
        raise Unsupported(i.text)
    space = space_of(i)
    address = address_reader(i.operands[0], operands, space)
    across, along = np.arange(32) // 4, 2 * (np.arange(32) % 4)

    def step(w: Warp, mask: np.ndarray) -> None:
        if not mask.all():
            raise OracleFault("stmatrix needs all lanes of the warp")
        rows = np.zeros((8 * len(readers), 8), np.uint64)
        for q, read in enumerate(readers):
            matrix = np.zeros((8, 8), np.uint64)
            matrix[across, along], matrix[across, along + 1] = read(w) & np.uint64(0xFFFF), read(w) >> np.uint64(16)
            rows[8 * q : 8 * q + 8] = matrix.T if "trans" in i.modifiers else matrix
        for where, lanes, at in _resolve(space, address(w), np.arange(32) < len(rows)):
            tally.record(i.ptx_line, where, "store", 16, lanes, at, rule="rows")
            w.view.write(where, lanes, at, rows[lanes], 2)

    return step


def convert_address(i: Instruction, operands: Operands, tally: Tally) -> Step:
    """cvta: between a space's own addresses and generic ones. Global addresses are the same in both."""
    kind = i.types[-1]
    space = next(m for m in i.modifiers if m in SPACES)
    shift = np.uint64(WINDOWS.get(space, 0))
    source = operands.reader(i.operands[1], kind)
    write = operands.writer(i.operands[0], kind)
    back = "to" in i.modifiers

    def step(w: Warp, mask: np.ndarray) -> None:
        write(w, source(w) - shift if back else source(w) + shift, mask)

    return step


def is_space(i: Instruction, operands: Operands, tally: Tally) -> Step:
    space = next(m for m in i.modifiers if m in SPACES)
    source = operands.reader(i.operands[1], "b64")
    write = operands.writer(i.operands[0], "pred")

    def step(w: Warp, mask: np.ndarray) -> None:
        write(w, spaces_of(source(w))[0] == space, mask)

    return step


ROWS: dict[str, Callable[[Instruction, Operands, Tally], Step]] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "atom": atomic,
    "red": atomic,
    "ldmatrix": load_matrix,
    "stmatrix": store_matrix,
    "cvta": convert_address,
    "isspacep": is_space,
}
