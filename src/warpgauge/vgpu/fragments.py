"""Which lane holds which element of the matrices that tensor-core instructions multiply.

Source: the fragment figures of `mma` in the PTX ISA. In all shapes but one a 32-bit register (for f64 a 64-bit one)
holds eight rows of four words, lane 4 r + t the word t of row r; the oracle of the tests has tables of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .layout import LANES
from .restricted import Record

Place = tuple[int, int, int]  # register, lane, element within the register


def _size(shape: str) -> tuple[int, int, int]:
    """(m, n, k) of a shape's name."""
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


@dataclass(frozen=True)
class QuadPairFragment(Fragment):
    """m8n8k4 of f16: four products at once, product q in lanes 4q to 4q + 3 and 16 + 4q to 19 + 4q.

    The four lie below each other: row 8q + r of A and C, row 4q + k of B. `layout` is that of A or B, "row" or "col".
    """

    layout: str = "row"

    def place(self, row: int, column: int) -> Place:
        if self.operand == "a":
            quad, upper, inner = row // 8, row % 8 // 4, row % 4
            lane, at = (inner, column) if self.layout == "row" else (column, inner)
        elif self.operand == "b":
            quad, upper, inner = row // 4, column // 4, column % 4
            lane, at = (row % 4, inner) if self.layout == "row" else (inner, row % 4)
        else:
            quad, upper, inner = row // 8, row % 8 // 4, row % 4
            lane, at = inner, column
            if self.bits == 32:
                lane = (column & 2) | (inner & 1)
                at = (column & 4) | (inner & 2) | (column & 1)
        return at // self.elements, 16 * upper + 4 * quad + lane, at % self.elements


def fragments(
    shape: str, factor_bits: int, sum_bits: tuple[int, int], layouts: tuple[str, str] = ("row", "col")
) -> tuple[Fragment, Fragment, Fragment, Fragment]:
    """A, B, C and D of a dense product. `sum_bits` are those of C and D."""
    m, n, k = _size(shape)
    if (shape, factor_bits) == ("m8n8k4", 16):
        a = QuadPairFragment("a", 4 * m, k, 16, layouts[0])
        b = QuadPairFragment("b", 4 * k, n, 16, layouts[1])
        c, d = (QuadPairFragment("c", 4 * m, n, bits) for bits in sum_bits)
        return a, b, c, d
    return (
        Fragment("a", m, k, factor_bits),
        Fragment("b", k, n, factor_bits),
        Fragment("c", m, n, sum_bits[0]),
        Fragment("c", m, n, sum_bits[1]),
    )


@dataclass(frozen=True)
class Tile(Record):
    """The 8x8 matrix of 16-bit elements that `ldmatrix` loads: eight rows of four words, word w of row r in lane
    4 r + w."""

    name: str = "tile"

    @property
    def of_rows(self) -> tuple[int, ...]:
        """For each lane, where its word stands among words ordered by w, then r."""
        return tuple(8 * (lane % 4) + lane // 4 for lane in range(LANES))

    def to_row(self, w: int) -> tuple[int, ...]:
        """The lanes that hold word w of rows 0 to 7."""
        return tuple(4 * r + w for r in range(8))

    @property
    def transposed(self) -> tuple[int, ...]:
        """For each of the 64 elements in order, the one that takes its place."""
        return tuple(8 * (n % 8) + n // 8 for n in range(64))


TILE = Tile()
