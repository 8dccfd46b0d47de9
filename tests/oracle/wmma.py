"""wmma: whole matrices between memory and a warp, and their products.

PTX does not say which lane holds which element, so no result may depend on it. Here the elements lie row by row, the
first lanes first: unlike any hardware.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from warpgauge.ptx import Instruction, Vector

from .access import _resolve, address_reader, space_of
from .counting import Tally
from .memory import OracleFault
from .rows import Unsupported
from .state import Operands, Warp
from .tensor import BITS, Form, _raw, elements, multiply, registers, values


@dataclass(frozen=True)
class Matrix:
    rows: int
    columns: int
    kind: str

    @property
    def bits(self) -> int:
        return BITS[self.kind]

    def take_apart(self, matrix: np.ndarray, count: int) -> np.ndarray:
        """A matrix of raw elements -> `count` registers x lanes, those that are too many zero."""
        words = registers(matrix.reshape(32, -1), self.bits)
        return np.concatenate([words, np.zeros((count - len(words), 32), np.uint64)])

    def put_together(self, words: np.ndarray) -> np.ndarray:
        used = self.rows * self.columns * self.bits // 32 // max(32, self.bits)
        return elements(words[:used], self.bits).reshape(self.rows, self.columns)


def _sizes(i: Instruction) -> tuple[int, int, int]:
    found = next(filter(None, (re.fullmatch(r"m(\d+)n(\d+)k(\d+)", m) for m in i.modifiers)))
    m, n, k = map(int, found.groups())
    return m, n, k


def _matrix(i: Instruction, operand: str, kind: str) -> Matrix:
    m, n, k = _sizes(i)
    rows, columns = {"a": (m, k), "b": (k, n)}.get(operand, (m, n))
    return Matrix(rows, columns, kind)


def _parts(operand: object) -> tuple:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def _unit(kind: str) -> str:
    return f"b{max(32, BITS[kind])}"


def _whole(mask: np.ndarray) -> None:
    if not mask.all():
        raise OracleFault("wmma needs all lanes of the warp")


class _Lines:
    """The lines of a matrix in memory, each of neighbouring elements."""

    def __init__(self, i: Instruction, operands: Operands, address: int) -> None:
        self.space = space_of(i)
        self.base = address_reader(i.operands[address], operands, self.space)
        self.stride = operands.reader(i.operands[2], "b32") if len(i.operands) > 2 else None
        self.matrix = _matrix(i, i.modifiers[1], i.modifiers[-1])
        self.by_row = "row" in i.modifiers
        self.shape = (self.matrix.rows, self.matrix.columns)
        if not self.by_row:
            self.shape = self.shape[::-1]
        self.width = self.shape[1] * self.matrix.bits // 8

    def requests(self, w: Warp) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """(space, numbers of lines, their addresses inside the space)."""
        return _resolve(self.space, self.places(w), np.ones(self.shape[0], bool))

    def places(self, w: Warp) -> np.ndarray:
        """The first byte of each line. Base and stride must be those of every lane."""
        base, stride = self.base(w), self.stride(w) if self.stride else np.full(32, self.shape[1], np.uint64)
        if len(set(base.tolist())) > 1 or len(set(stride.tolist())) > 1:
            raise OracleFault("lanes of a wmma name different tiles")
        step = stride[0] * np.uint64(self.matrix.bits) // np.uint64(8)
        return base[0] + np.arange(self.shape[0], dtype=np.uint64) * step


def _load(i: Instruction, operands: Operands, tally: Tally):  # type: ignore[no-untyped-def]
    lines = _Lines(i, operands, 1)
    writers = [operands.writer(e, _unit(lines.matrix.kind)) for e in _parts(i.operands[0])]

    def step(w: Warp, mask: np.ndarray) -> None:
        _whole(mask)
        raw_bytes = np.zeros((lines.shape[0], lines.width), np.uint64)
        for where, which, at in lines.requests(w):
            tally.record(i.ptx_line, where, "load", lines.width, which, at, rule="rows")
            for n, place in zip(which.tolist(), at, strict=True):
                here = np.arange(place, place + np.uint64(lines.width), dtype=np.uint64)
                raw_bytes[n] = w.view.read(where, np.zeros(lines.width, int), here, 1, 1)[:, 0]
        bits = lines.matrix.bits
        if bits >= 8:
            size = bits // 8
            grouped = raw_bytes.reshape(*lines.shape, size) << (8 * np.arange(size, dtype=np.uint64))
            found = np.bitwise_or.reduce(grouped, axis=2)
        else:
            found = raw_bytes[:, :, None] >> np.arange(0, 8, bits, dtype=np.uint64) & np.uint64((1 << bits) - 1)
            found = found.reshape(lines.shape)
        found = found if lines.by_row else found.T
        for write, words in zip(writers, lines.matrix.take_apart(found, len(writers)), strict=True):
            write(w, words, mask)

    return step


def _store(i: Instruction, operands: Operands, tally: Tally):  # type: ignore[no-untyped-def]
    lines = _Lines(i, operands, 0)
    kind = lines.matrix.kind
    readers = [operands.reader(e, _unit(kind)) for e in _parts(i.operands[1])]

    def step(w: Warp, mask: np.ndarray) -> None:
        _whole(mask)
        matrix = lines.matrix.put_together(np.array([read(w) for read in readers]))
        matrix = matrix if lines.by_row else matrix.T
        size = lines.matrix.bits // 8
        for where, which, at in lines.requests(w):
            tally.record(i.ptx_line, where, "store", lines.width, which, at, rule="rows")
            for n, place in zip(which.tolist(), at, strict=True):
                here = place + np.arange(lines.shape[1], dtype=np.uint64) * np.uint64(size)
                w.view.write(where, np.zeros(len(here), int), here, matrix[n][:, None], size)

    return step


def _product(i: Instruction, operands: Operands, tally: Tally):  # type: ignore[no-untyped-def]
    kinds = [x for x in i.modifiers if x in BITS]
    d, a, b, c = kinds if len(kinds) == 4 else (kinds[0], "f16", "f16", kinds[1])
    first, second = (x for x in i.modifiers if x in ("row", "col"))
    how = next((x for x in i.modifiers if x in ("xor", "and")), "")
    rounding = next((x for x in i.modifiers if x in ("rz", "rm", "rp")), "rn")
    f = Form(*_sizes(i), (first, second), d, a, b, c, "satfinite" in i.modifiers, how, rounding)
    matrices = [_matrix(i, operand, kind) for operand, kind in zip("abcd", (a, b, c, d), strict=True)]
    given = [
        [operands.reader(e, _unit(m.kind)) for e in _parts(o)]
        for m, o in zip(matrices[:3], i.operands[1:4], strict=True)
    ]
    writers = [operands.writer(e, _unit(d)) for e in _parts(i.operands[0])]

    def step(w: Warp, mask: np.ndarray) -> None:
        _whole(mask)
        parts = [m.put_together(np.array([read(w) for read in g])) for m, g in zip(matrices, given, strict=False)]
        result = _raw(multiply(f, *(values(p, m.kind) for p, m in zip(parts, matrices, strict=False))), d)
        for write, words in zip(writers, matrices[3].take_apart(result, len(writers)), strict=True):
            write(w, words, mask)

    return step


def wmma(i: Instruction, operands: Operands, tally: Tally):  # type: ignore[no-untyped-def]
    forms = {"load": _load, "store": _store, "mma": _product}
    if i.modifiers[0] not in forms:
        raise Unsupported(i.text)
    return forms[i.modifiers[0]](i, operands, tally)
