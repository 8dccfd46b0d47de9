"""The table of instruction cases, usable on any engine: `CASES`, `ptx_for`, `inputs_for`, `differing`.

A case names the instructions it is about; `instructions_of` lists the opcode and modifiers of every PTX
instruction its kernel executes, so a test can prove that each row of an engine's table is exercised.
"""

from __future__ import annotations

from warpgauge.ptx import parse

from . import (
    table_arithmetic,
    table_async,
    table_bits,
    table_block,
    table_convert,
    table_forms,
    table_memory,
    table_tensor,
    table_warp,
)
from .case import BUFFERS, KERNEL, SCRATCH_COUNT, Case, differing, inputs_for, ptx_for

__all__ = [
    "BUFFERS", "CASES", "KERNEL", "SCRATCH_COUNT", "Case", "by_id", "differing", "inputs_for", "instructions_of",
    "ptx_for",
]  # fmt: skip

TABLES = (
    table_arithmetic, table_convert, table_bits, table_memory, table_warp, table_block, table_forms, table_async,
    table_tensor,
)  # fmt: skip
CASES: tuple[Case, ...] = tuple(case for table in TABLES for case in table.CASES)


def by_id(name: str) -> Case:
    return next(case for case in CASES if case.id == name)


def instructions_of(case: Case) -> frozenset[str]:
    """Every `opcode.modifier...` in the case's kernel, the common prologue included."""
    kernel = parse(ptx_for(case)).kernels[KERNEL]
    return frozenset(".".join((i.opcode, *i.modifiers)) for i in kernel.instructions)
