"""A dense tensor-core product as data: its types, and where each element lies once registers are taken apart.

Taken apart, a matrix is an array of its elements in the type that sums are computed in: element e of lane l in
register r stands at 32 (E r + e) + l, with E elements per register.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from . import types as ty
from .fragments import Fragment, fragments
from .layout import LANES
from .restricted import Record

BITS = {
    "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32,
    "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
# Products of these types are exact in f32 at any exponent, so that a fused sum is the same as a product and a sum.
_EXACT = frozenset({"f16", "e4m3", "e5m2"})
COLUMNS = 8  # of B, in every shape


@dataclass(frozen=True)
class Product(Record):
    """`mma` of one shape: the types of A, B, C and D, and for single bits how they combine ("xor", "and")."""

    shape: str
    a: str
    b: str
    c: str
    d: str
    combine: str = ""
    clamps: bool = False

    @property
    def name(self) -> str:
        return "_".join((self.shape, self.d, self.a, self.b, self.c, self.combine, "sat" * self.clamps))

    @property
    def compute(self) -> ty.Type:
        """The type of sums."""
        return {"f64": ty.f64, "s32": ty.i32}.get(self.d, ty.f32)

    @property
    def values(self) -> ty.Type:
        return ty.v(self.compute)

    @property
    def line(self) -> ty.Type:
        """A row of the result, its columns in the order of `c_at`."""
        return ty.v(self.compute, COLUMNS)

    @property
    def unit(self) -> ty.Type:
        return ty.i64 if self.d == "f64" else ty.i32

    @property
    def words(self) -> ty.Type:
        return ty.v(self.unit)

    @property
    def exact(self) -> bool:
        return self.a in _EXACT

    @property
    def integral(self) -> bool:
        return self.d == "s32"

    @cached_property
    def _parts(self) -> tuple[Fragment, Fragment, Fragment]:
        """Single bits go 32 at a time."""
        shape, bits = self.shape, BITS[self.a]
        if self.a == "b1":
            head, _, depth = shape.rpartition("k")
            shape, bits = f"{head}k{int(depth) // 32}", 32
        return fragments(shape, bits, BITS[self.c])

    @property
    def rows(self) -> int:
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
        if operand == 3:
            return Fragment("c", self.rows, COLUMNS, BITS[self.d])
        return self._parts[operand]

    def _at(self, operand: int, row: int, column: int) -> int:
        part = self._part(operand)
        register, lane, element = part.place(row, column)
        return LANES * (part.elements * register + element) + lane

    @cached_property
    def _columns(self) -> tuple[int, ...]:
        """The columns of a result's row in the order in which they lie."""
        return tuple(sorted(range(COLUMNS), key=lambda n: self._at(2, 0, n)))

    def factor_at(self, row: int, k: int) -> int:
        """Where an element of A lies, taken apart."""
        return self._at(0, row, k)

    def factors_at(self, k: int) -> tuple[int, ...]:
        """Where a row of B lies."""
        return tuple(self._at(1, k, n) for n in self._columns)

    def line_at(self, operand: int, row: int) -> tuple[int, ...]:
        """Where a row of C or D lies."""
        return tuple(self._at(operand, row, n) for n in self._columns)
