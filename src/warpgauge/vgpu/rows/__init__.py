"""The instruction table: one row per instruction, found by opcode, modifiers and type."""

from . import (
    atomic,
    bitwise,
    carry,
    compare,
    control,
    convert,
    copy,
    half,
    integer,
    matrix,
    mbarrier,
    memory,
    move,
    packed,
    permute,
    product,
    real,
    special,
    system,
    warp,
)
from .table import ROWS, Row, find_row, is_pure

__all__ = ["MODULES", "ROWS", "Row", "find_row", "is_pure"]
MODULES = (
    integer,
    carry,
    real,
    half,
    special,
    system,
    convert,
    bitwise,
    permute,
    product,
    packed,
    compare,
    move,
    memory,
    matrix,
    copy,
    mbarrier,
    atomic,
    warp,
    control,
)
