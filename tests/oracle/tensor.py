"""Matrix products and moves of a whole warp: mma, movmatrix.

Products are exact. A sum starts at C and takes them in ascending order of k, each addition rounded to f32; f64 fuses
product and addition; integers are exact and then wrap or are clamped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from warpgauge.ptx import Instruction, Vector

from . import fragments
from .formats import Words, directed, floats, nearest, sign_of_rest
from .memory import OracleFault
from .rows import Unsupported
from .state import Operands, Warp

BITS = {
    "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32, "e4m3": 8, "e5m2": 8,
    "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
LANES = list(range(32))


@dataclass(frozen=True)
class Form:
    """An mma instruction taken apart: its shape, layouts, types, and what integers do."""

    m: int
    n: int
    k: int
    layouts: tuple[str, str]
    d: str
    a: str
    b: str
    c: str
    clamps: bool
    combine: str
    rounding: str

    @property
    def shape(self) -> str:
        return f"m{self.m}n{self.n}k{self.k}"

    @property
    def volta(self) -> bool:
        return self.shape == "m8n8k4" and self.a == "f16"


def form(modifiers: tuple[str, ...]) -> Form:
    size = next(filter(None, (re.fullmatch(r"m(\d+)n(\d+)k(\d+)", m) for m in modifiers)))
    m, n, k = map(int, size.groups())
    d, a, b, c = (x for x in modifiers if x in BITS)
    first, second = (x for x in modifiers if x in ("row", "col"))
    combine = next((x for x in modifiers if x in ("xor", "and")), "")
    rounding = next((x for x in modifiers if x in ("rz", "rm", "rp")), "rn")
    return Form(m, n, k, (first, second), d, a, b, c, "satfinite" in modifiers, combine, rounding)


def elements(registers: np.ndarray, bits: int) -> np.ndarray:
    """Registers, shape (registers, lanes) -> raw elements, shape (lanes, elements), lowest bits first."""
    unit = max(32, bits)
    shifts = np.arange(0, unit, bits, dtype=np.uint64)
    parts = registers.T[:, :, None] >> shifts & np.uint64((1 << bits) - 1)
    return parts.reshape(32, -1)


def registers(parts: np.ndarray, bits: int) -> np.ndarray:
    """The inverse of `elements`."""
    unit = max(32, bits)
    shifts = np.arange(0, unit, bits, dtype=np.uint64)
    split = parts.reshape(32, -1, unit // bits) << shifts
    return np.bitwise_or.reduce(split, axis=2).T


def values(raw: np.ndarray, kind: str) -> np.ndarray:
    """float64, or int64 for integers and bits."""
    if kind in ("s8", "s4", "s32"):
        shift = np.int64(64 - BITS[kind])
        return raw.astype(np.int64) << shift >> shift
    if kind in ("u8", "u4", "b1"):
        return raw.astype(np.int64)
    if kind == "tf32":
        return floats(raw & np.uint64(0xFFFFE000), "f32")
    if kind == "e5m2":
        return floats(raw << np.uint64(8), "f16")
    if kind == "e4m3":
        return _e4m3()[raw.astype(np.int64)]
    return floats(raw, kind)


def _e4m3() -> np.ndarray:
    """All 256 values: four exponent bits of bias 7, three fraction bits, no infinity, one size of NaN."""
    out = []
    for byte in range(256):
        exponent, fraction = byte >> 3 & 15, byte & 7
        size = fraction * 2.0**-9 if exponent == 0 else (8 + fraction) * 2.0 ** (exponent - 10)
        out.append((-1.0 if byte >> 7 else 1.0) * (np.nan if byte & 127 == 127 else size))
    return np.array(out)


def matrices(f: Form, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(A, B, C) as values of each product that a warp computes at once; the arguments are registers x lanes."""
    parts = [values(elements(x, BITS[kind]), kind) for x, kind in zip((a, b, c), (f.a, f.b, f.c), strict=True)]
    out = []
    for lanes, figures in _products(f):
        one = []
        for part, figure, size in zip(parts, figures, ((f.m, f.k), (f.k, f.n), (f.m, f.n)), strict=False):
            matrix = np.zeros(size, part.dtype)
            matrix[fragments.places(figure, lanes, part.shape[1])] = part[lanes]
            one.append(matrix)
        out.append(tuple(one))
    return out


def _products(f: Form) -> list[tuple[list[int], tuple[fragments.Figure, ...]]]:
    """Lanes of each product, and the figures of A, B, C and D."""
    if f.volta:
        sums = (fragments.volta_sums(BITS[f.c]), fragments.volta_sums(BITS[f.d]))
        figures = (fragments.VOLTA_A[f.layouts[0]], fragments.VOLTA_B[f.layouts[1]], *sums)
        return [([lane for lane in LANES if lane % 16 // 4 == q], figures) for q in range(4)]
    a, b = fragments.FIGURES[f.shape, BITS[f.a]]
    return [(LANES, (a, b, fragments.sums(f.m), fragments.sums(f.m)))]


def multiply(f: Form, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """D as values, from matrices of values."""
    if f.combine:
        left, right = a[:, :, None].astype(bool), b[None].astype(bool)
        ones = np.logical_xor(left, right) if f.combine == "xor" else np.logical_and(left, right)
        return c + ones.sum(axis=1)
    if f.d == "s32":
        total = c + a @ b
        return np.clip(total, -(1 << 31), (1 << 31) - 1) if f.clamps else total
    if f.d == "f64":
        return _fused(a, b, c, f.rounding)
    sums = c.astype(np.float32)
    for k in range(a.shape[1]):
        product = a[:, k : k + 1].astype(np.float32) * b[k : k + 1].astype(np.float32)
        sums = sums + product
    return sums.astype(np.float64)


def _fused(a: np.ndarray, b: np.ndarray, c: np.ndarray, mode: str) -> np.ndarray:
    out = c.copy()
    for place in np.ndindex(out.shape):
        for k in range(a.shape[1]):
            x, y, z = float(a[place[0], k]), float(b[k, place[1]]), float(out[place])
            if not np.isfinite([x, y, z]).all():
                out[place] = x * y + z
                continue
            total = Fraction(x) * Fraction(y) + Fraction(z)
            near = nearest(total, x * y + z)
            out[place] = directed(np.array([near]), np.array([sign_of_rest(total, near)]), mode)[0]
    return out


def _raw(result: np.ndarray, kind: str) -> np.ndarray:
    if kind == "s32":
        return result.astype(np.int64).view(np.uint64) & np.uint64(0xFFFFFFFF)
    if kind == "f64":
        return result.view(np.uint64)
    narrow = {"f16": (np.float16, np.uint16), "f32": (np.float32, np.uint32)}[kind]
    return result.astype(narrow[0]).view(narrow[1]).astype(np.uint64)


def product(f: Form, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The registers of D from those of A, B and C, all registers x lanes."""
    count = f.m * f.n // (8 if f.volta else 32)
    out = np.zeros((32, count), np.uint64)
    for (lanes, figures), given in zip(_products(f), matrices(f, a, b, c), strict=True):
        result = _raw(multiply(f, *given), f.d)
        out[lanes] = result[fragments.places(figures[3], lanes, count)]
    return registers(out, BITS[f.d])


def exact(f: Form, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A B + C and |A| |B| + |C| as they stand in the registers of D, shape (registers x elements, lanes).

    Computed in the machine's longest float, which has at least eleven bits more than the sums.
    """
    count = f.m * f.n // (8 if f.volta else 32)
    out = np.zeros((2, 32, count), np.longdouble)
    for (lanes, figures), (left, right, start) in zip(_products(f), matrices(f, a, b, c), strict=True):
        at = fragments.places(figures[3], lanes, count)
        left, right, start = (x.astype(np.longdouble) for x in (left, right, start))
        out[0, lanes] = (left @ right + start)[at]
        out[1, lanes] = (np.abs(left) @ np.abs(right) + np.abs(start))[at]
    return out[0].T, out[1].T


def _parts(operand: object) -> tuple:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def mma(i: Instruction, operands: Operands):  # type: ignore[no-untyped-def]
    f = form(i.modifiers)
    if i.opcode != "mma" or "sp" in i.modifiers:
        raise Unsupported(i.text)
    readers = [
        [operands.reader(e, f"b{max(32, BITS[kind])}") for e in _parts(operand)]
        for operand, kind in zip(i.operands[1:4], (f.a, f.b, f.c), strict=True)
    ]
    writers = [operands.writer(e, f"b{max(32, BITS[f.d])}") for e in _parts(i.operands[0])]

    def step(w: Warp, mask: np.ndarray) -> None:
        if not mask.all():
            raise OracleFault("mma needs all lanes of the warp")
        given = [np.array([read(w) for read in group]) for group in readers]
        for write, words in zip(writers, product(f, *given), strict=True):
            write(w, words, mask)

    return step


def movmatrix(i: Instruction, operands: Operands):  # type: ignore[no-untyped-def]
    """Lane t holds elements 2(t%4) and the next of row t/4; the matrix is transposed."""
    read, write = operands.reader(i.operands[1], "b32"), operands.writer(i.operands[0], "b32")
    rows, columns = np.arange(32) // 4, 2 * (np.arange(32) % 4)

    def step(w: Warp, mask: np.ndarray) -> None:
        if not mask.all():
            raise OracleFault("movmatrix needs all lanes of the warp")
        word: Words = read(w)
        matrix = np.zeros((8, 8), np.uint64)
        matrix[rows, columns], matrix[rows, columns + 1] = word & np.uint64(0xFFFF), word >> np.uint64(16)
        write(w, matrix[columns, rows] | (matrix[columns + 1, rows] << np.uint64(16)), mask)

    return step


ROWS = {"mma": mma, "movmatrix": movmatrix}
