"""A dense tensor-core product as data: its types, and where each element lies once registers are taken apart.

Taken apart, a matrix is an array of its elements in the type that sums are computed in: element e of lane l in
register r stands at 32 (E r + e) + l, with E elements per register.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from warpgauge.ptx.mma_shapes import ELEMENT_BITS

from . import types as ty
from .fragments import Fragment, fragments
from .layout import LANES
from .restricted import Record

# All products of these types are exact in f32. (Those of bf16 and tf32 are while they neither over- nor underflow.)
_EXACT = frozenset({"f16", "e4m3", "e5m2", "s8", "u8", "s4", "u4"})
COLUMNS = 8  # of B, in every shape


@dataclass(frozen=True)
class Product(Record):
    """`mma` of one shape: the types of A, B, C and D, for single bits how they combine ("xor", "and"), whether sums of
    integers are clamped, and the layouts of A and B."""

    shape: str
    a: str
    b: str
    c: str
    d: str
    combine: str = ""
    clamps: bool = False
    layouts: tuple[str, str] = ("row", "col")

    @property
    def name(self) -> str:
        types = (self.d, self.a, self.b, self.c)
        return "_".join((self.shape, *self.layouts, *types, self.combine, "sat" * self.clamps))

    @property
    def compute(self) -> ty.Type:
        """The type that factors are multiplied and added in. Sums of small integers stay far below 2**24, so f32 holds
        them."""
        return ty.f64 if self.d == "f64" else ty.i32 if self.combine else ty.f32

    @property
    def values(self) -> ty.Type:
        return ty.v(self.compute)

    @property
    def line(self) -> ty.Type:
        """A row of the result, its columns in the order of `line_at`."""
        return ty.v(self.compute, COLUMNS)

    @property
    def total(self) -> ty.Type:
        """The type of sums."""
        return ty.i32 if self.integral else self.compute

    @property
    def totals(self) -> ty.Type:
        return ty.v(self.total)

    @property
    def total_line(self) -> ty.Type:
        return ty.v(self.total, COLUMNS)

    @property
    def unit(self) -> ty.Type:
        return ty.i64 if self.d == "f64" else ty.i32

    @property
    def words(self) -> ty.Type:
        return ty.v(self.unit)

    @property
    def exact(self) -> bool:
        """Whether a fused sum is the same as a product and a sum."""
        return self.a in _EXACT

    @property
    def integral(self) -> bool:
        return self.d == "s32"

    @cached_property
    def _parts(self) -> tuple[Fragment, ...]:
        """Single bits go 32 at a time."""
        shape, bits = self.shape, ELEMENT_BITS[self.a]
        if self.a == "b1":
            head, _, depth = shape.rpartition("k")
            shape, bits = f"{head}k{int(depth) // 32}", 32
        return fragments(shape, bits, (ELEMENT_BITS[self.c], ELEMENT_BITS[self.d]), self.layouts)

    @property
    def rows(self) -> int:
        """Of the result. (The four products of m8n8k4 stand below each other.)"""
        return self._parts[0].rows

    @property
    def depth(self) -> int:
        """Terms of a sum; of single bits, 32 are one term."""
        return self._parts[0].columns

    def kind(self, operand: int) -> str:
        """The type of an operand: A, B, C or D, from 0."""
        return (self.a, self.b, self.c, self.d)[operand]

    def registers(self, operand: int) -> int:
        return self._part(operand).registers

    def elements(self, operand: int) -> int:
        """Elements in a register."""
        return self._part(operand).elements

    def bits(self, operand: int) -> int:
        """Distance of elements in a register."""
        return self._part(operand).bits

    def size(self, operand: int) -> int:
        """Elements of the matrix."""
        return self._part(operand).rows * self._part(operand).columns

    def _part(self, operand: int) -> Fragment:
        return self._parts[operand]

    def _at(self, operand: int, row: int, column: int) -> int:
        part = self._part(operand)
        register, lane, element = part.place(row, column)
        return LANES * (part.elements * register + element) + lane

    @cached_property
    def _columns(self) -> tuple[int, ...]:
        """The columns of a result's row in the order in which they lie."""
        return tuple(sorted(range(COLUMNS), key=lambda n: self._at(2, 0, n)))

    def column_at(self, n: int) -> tuple[int, ...]:
        """Where column k of eight rows of A lies, taken apart; n counts k for the first rows, then for the next."""
        eight, k = divmod(n, self.depth)
        return tuple(self._at(0, 8 * eight + row, k) for row in range(8))

    def factors_at(self, k: int) -> tuple[int, ...]:
        """Where row k of B lies."""
        return tuple(self._at(1, k, n) for n in self._columns)

    def first_row(self, row: int) -> int:
        """The row of B that the first element of this row of A is multiplied with."""
        return self.depth * (row // 8) if self._part(1).rows > self.depth else 0

    def line_at(self, operand: int, row: int) -> tuple[int, ...]:
        """Where a row of C or D lies."""
        return tuple(self._at(operand, row, n) for n in self._columns)
