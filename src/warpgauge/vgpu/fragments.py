"""Which lane holds which element of the matrices that tensor-core instructions multiply.

Source: the fragment figures of `mma` in the PTX ISA. In all shapes but one a 32-bit register (for f64 a 64-bit one)
holds eight rows of four words, lane 4 r + t the word t of row r; the oracle of the tests has tables of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .layout import LANES

Place = tuple[int, int, int]  # register, lane, element within the register


def _size(shape: str) -> tuple[int, int, int]:
    m, n, k = shape.removeprefix("m").replace("n", "k").split("k")
    return int(m), int(n), int(k)


@dataclass(frozen=True)
class Fragment:
    """One operand of a product: `rows` times `columns` elements of `bits` each, spread over a warp.

    `operand` is "a" (m x k), "b" (k x n) or "c" (m x n, also the result).
    """

    operand: str
    rows: int
    columns: int
    bits: int

    @property
    def unit(self) -> int:
        """Bits of a register."""
        return max(32, self.bits)

    @property
    def elements(self) -> int:
        """Elements of a lane's register."""
        return self.unit // self.bits

    @property
    def registers(self) -> int:
        return self.rows * self.columns // (LANES * self.elements)

    def place(self, row: int, column: int) -> Place:
        """Register, lane and element that hold an element of the matrix."""
        if self.operand == "c":
            # Two neighbours of a row in a lane, in one register or in two; then the rows from eight on.
            pair = column % 2
            at = 2 * (row // 8) + pair
            return at // self.elements, 4 * (row % 8) + column // 2, at % self.elements
        across, along = (row, column) if self.operand == "a" else (column, row)
        block, rest = divmod(along, 4 * self.elements)
        upper = across // 8
        halves = self.rows // 8 if self.operand == "a" else 1
        return block * halves + upper, 4 * (across % 8) + rest // self.elements, rest % self.elements

    @cached_property
    def matrix(self) -> dict[Place, tuple[int, int]]:
        """(register, lane, element) -> (row, column)."""
        return {self.place(r, c): (r, c) for r in range(self.rows) for c in range(self.columns)}


def fragments(shape: str, factor_bits: int, sum_bits: int) -> tuple[Fragment, Fragment, Fragment]:
    """A, B and C (or D) of a dense product."""
    m, n, k = _size(shape)
    return Fragment("a", m, k, factor_bits), Fragment("b", k, n, factor_bits), Fragment("c", m, n, sum_bits)
