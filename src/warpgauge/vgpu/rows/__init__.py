"""The instruction table: one row per instruction, found by opcode, modifiers and type."""

from . import arith, atomic, bitwise, compare, control, convert, memory, move, special, warp
from .table import ROWS, Row, find_row, is_pure

__all__ = ["ROWS", "Row", "find_row", "is_pure"]
_MODULES = (arith, atomic, bitwise, compare, control, convert, memory, move, special, warp)
