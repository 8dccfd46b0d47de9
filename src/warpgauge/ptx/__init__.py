"""PTX text -> instructions, registers, control flow, source lines."""

from .cfg import (
    after_barriers,
    definitions,
    is_block_barrier,
    is_function_call,
    is_warp_sync,
    registers_of,
    usages,
)
from .decisions import Decision, decisions
from .locate import locate
from .model import (
    SUB_BYTE,
    TYPE_BYTES,
    Address,
    Block,
    Guard,
    Immediate,
    Instruction,
    Kernel,
    Module,
    Operand,
    Pair,
    Register,
    SourcePoint,
    Special,
    Symbol,
    Variable,
    Vector,
)
from .parse import PtxError, parse, parsed
from .stores import stored_through

__all__ = [
    "SUB_BYTE",
    "TYPE_BYTES",
    "Address",
    "Block",
    "Decision",
    "Guard",
    "Immediate",
    "Instruction",
    "Kernel",
    "Module",
    "Operand",
    "Pair",
    "PtxError",
    "Register",
    "SourcePoint",
    "Special",
    "Symbol",
    "Variable",
    "Vector",
    "after_barriers",
    "decisions",
    "definitions",
    "is_block_barrier",
    "is_function_call",
    "is_warp_sync",
    "locate",
    "parse",
    "parsed",
    "registers_of",
    "stored_through",
    "usages",
]
