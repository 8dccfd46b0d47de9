"""The matrices of `wmma` instructions: where a tile lies in memory, and which lane holds which element.

PTX leaves the fragment open; the layout here is the one that ptxas gives it from sm_80 on, that of the `mma`
instructions it is multiplied with. It was read off the machine code of every shape and type, and a test reads it again
with the pinned compiler.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from .model import Instruction

Place = tuple[int, int]
_BITS = {
    "f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s32": 32,
    "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_LANES = 32
# The type of A and B (without it: f16) -> shapes, and the types of C and D.
_LARGE = ("m16n16k16", "m8n32k16", "m32n8k16")
FACTORS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "f16": (_LARGE, ("f16", "f32")),
    "bf16": (_LARGE, ("f32",)),
    "s8": (_LARGE, ("s32",)),
    "u8": (_LARGE, ("s32",)),
    "tf32": (("m16n16k8",), ("f32",)),
    "f64": (("m8n8k4",), ("f64",)),
    "s4": (("m8n8k32",), ("s32",)),
    "u4": (("m8n8k32",), ("s32",)),
    "b1": (("m8n8k128",), ("s32",)),
}


@dataclass(frozen=True)
class Tile:
    """One operand of a `wmma` product: "a" (m x k), "b" (k x n), "c" or "d" (m x n), of elements of one type.

    `layout`: "row" if the elements of a row are neighbours in memory, else "col". In memory the tile is `majors` lines
    of `minors` neighbouring elements.
    """

    operand: str
    shape: str
    type: str
    layout: Literal["row", "col"]

    @property
    def bits(self) -> int:
        return _BITS[self.type]

    @cached_property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        found = _SHAPE.fullmatch(self.shape)
        assert found, self.shape
        m, n, k = (int(x) for x in found.groups())
        return {"a": (m, k), "b": (k, n)}.get(self.operand, (m, n))

    @property
    def majors(self) -> int:
        return self.size[0 if self.layout == "row" else 1]

    @property
    def minors(self) -> int:
        return self.size[1 if self.layout == "row" else 0]

    @property
    def line_bytes(self) -> int:
        return self.minors * self.bits // 8

    @property
    def across(self) -> bool:
        """Whether four lanes share a row of the matrix (else a column): B is held like the transpose of A, and the
        tile of 8 x 32 is computed as that of 32 x 8."""
        return self.operand == "a" or (self.operand in "cd" and not self.shape.startswith("m8n32"))

    @property
    def along(self) -> bool:
        """Whether what a lane holds of one line in the matrix is also one line in memory."""
        return self.across == (self.layout == "row")

    @property
    def by_matrices(self) -> bool:
        """Whether the tile is made of 8x8 matrices of 16 bits that a warp can load by their rows (ldmatrix)."""
        return self.operand in "ab" and (self.bits == 16 or (self.bits < 16 and self.along))

    @property
    def piece_bytes(self) -> int:
        """The fewest bytes that a lane moves at once."""
        return self.bits // 8 if not self.along and not self.by_matrices else max(32, self.bits) // 8

    @property
    def run(self) -> int:
        """Neighbouring elements that a lane holds: a register's worth of factors, two sums."""
        return 2 if self.operand in "cd" else max(1, 32 // self.bits)

    @property
    def registers(self) -> int:
        """PTX registers of the fragment: A and B of f16 have eight, however few the elements are."""
        if self.type == "f16" and self.operand in "ab":
            return 8
        return len(self.runs) * self.run // self.elements

    @property
    def elements(self) -> int:
        """Elements of a register."""
        return max(1, 32 // self.bits)

    @cached_property
    def runs(self) -> tuple[Place, ...]:
        """(row, column) of lane 0's runs of neighbours, in the order of the registers. Lane 4 g + t holds the run that
        starts g further across and t runs further along."""
        rows, columns = self.size
        across, along = (rows, columns) if self.across else (columns, rows)
        # One product of 16 x 8 after the other takes them: 16 lines of what stands in the place of A, eight of B.
        height = 8 if self.operand == "b" and self.shape != "m8n32k16" else 16
        groups = [
            (g, t)
            for first in range(0, across, height)
            for t in range(0, along, 4 * self.run)
            for g in range(first, min(first + height, across), 8)
        ]
        return tuple(groups if self.across else [(t, g) for g, t in groups])

    def place(self, lane: int, register: int, element: int) -> Place:
        """(row, column) of an element of a lane's register; f16 registers beyond the last run repeat the first ones."""
        index = register * self.elements + element
        row, column = self.runs[index // self.run % len(self.runs)]
        g, t = divmod(lane, 4)
        far = self.run * t + index % self.run
        return (row + g, column + far) if self.across else (row + far, column + g)

    def in_memory(self, place: Place) -> Place:
        """(row, column) -> (major, minor)."""
        return place if self.layout == "row" else (place[1], place[0])


def tile_of(i: Instruction) -> Tile | None:
    """The tile that a wmma.load or wmma.store moves; None for every other instruction."""
    if i.opcode != "wmma" or not i.modifiers or i.modifiers[0] not in ("load", "store"):
        return None
    shape = next((m for m in i.modifiers if _SHAPE.fullmatch(m)), "")
    layout = next((m for m in i.modifiers if m in ("row", "col")), "")
    kind = i.modifiers[-1]
    operand = i.modifiers[1]
    if not shape or not layout or kind not in _BITS or operand not in ("a", "b", "c", "d"):
        return None
    tile = Tile(operand, shape, kind, "row" if layout == "row" else "col")
    return tile if _legal(tile) else None


def _legal(tile: Tile) -> bool:
    """As the table of wmma's shapes in the PTX ISA has it; sub-byte factors only lie along the inner dimension."""
    if tile.operand in ("c", "d"):
        return any(tile.shape in shapes and tile.type in sums for shapes, sums in FACTORS.values())
    if tile.bits < 8 and (tile.layout == "row") != (tile.operand == "a"):
        return False
    return tile.shape in FACTORS.get(tile.type, ((), ()))[0]
