"""How the rows of a tile lie in shared memory: their pitch, and an XOR of chunks within each row."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

#: Bytes of the widest access of one lane, and of the row addresses of ldmatrix.
WIDEST = 16


@dataclass(frozen=True)
class Tile:
    """`rows` x `columns` elements of `element_bytes` (a power of two) each."""

    rows: int
    columns: int
    element_bytes: int

    @property
    def row_bytes(self) -> int:
        return self.columns * self.element_bytes


@dataclass(frozen=True)
class Swizzle:
    """The chunk of `grain` bytes with number n of row r lies where chunk n ^ (r // divide % modulo) would.

    All three are powers of two. Grain 16 with (divide, modulo) = (1, 8), (2, 4) and (4, 2) are the patterns that
    tensor maps call 128-, 64- and 32-byte swizzle, for rows of as many bytes.
    """

    grain: int
    divide: int
    modulo: int


@dataclass(frozen=True)
class Layout:
    """Rows start `pitch` bytes apart; with a swizzle, chunks of a row are permuted among themselves."""

    pitch: int
    swizzle: Swizzle | None = None

    def address(self, row: int, byte: int) -> int:
        """Where byte `byte` of a row lies, in bytes from the tile's start."""
        if self.swizzle is None:
            return row * self.pitch + byte
        s = self.swizzle
        return row * self.pitch + (byte // s.grain ^ row // s.divide % s.modulo) * s.grain + byte % s.grain

    @property
    def alignment(self) -> int:
        """The widest access in bytes that stays aligned and in one piece in every row."""
        return min(gcd(self.pitch, WIDEST), self.swizzle.grain if self.swizzle else WIDEST)

    def bytes(self, tile: Tile) -> int:
        """Shared memory of the tile, as its array is declared: the padding of the last row counts."""
        return tile.rows * self.pitch

    def wasted(self, tile: Tile) -> int:
        """Bytes that hold no element."""
        return self.bytes(tile) - tile.rows * tile.row_bytes

    def column(self, element_bytes: int, row: str = "r", column: str = "c") -> str:
        """The column index in C under which element (row, column) is found."""
        s = self.swizzle
        if s is None:
            return column
        divided = row if s.divide == 1 else f"{row} / {s.divide}"
        elements = s.grain // element_bytes
        term = f"({divided} % {s.modulo})" + (f" * {elements}" if elements > 1 else "")
        return f"{column} ^ {term}"
