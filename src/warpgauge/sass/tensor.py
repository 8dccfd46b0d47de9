"""Which tensor path machine code takes, and which ones an architecture has."""

from __future__ import annotations

from collections.abc import Sequence

from warpgauge.evidence import MachineCode


def tensor_paths(arch: str) -> tuple[str, ...]:
    """SASS opcodes of f16 products, the fastest first: asynchronous products of a warp group exist on sm_90a alone,
    those with tensor memory on the a and f variants of sm_100 and sm_103."""
    base = arch.rstrip("af")
    if base in ("sm_100", "sm_103") and arch != base:
        return ("UTCHMMA", "HMMA")
    return ("HGMMA", "HMMA") if arch == "sm_90a" else ("HMMA",)


def tensor_path(codes: Sequence[MachineCode], arch: str) -> str:
    """One sentence: what is used, and what there is."""
    used = sorted({opcode for code in codes for opcode in code.tensor})
    fastest, *others = tensor_paths(arch)
    there = f"{arch} has {fastest}" + (f" and {', '.join(others)}" if others else "")
    return f"tensor instructions: {', '.join(used) or 'none'} ({there})"
