"""Which form of shared-memory atomic the hardware really executes: it decides how lanes that share a word are served.

Forms, read on an H200 (docs/measured/shared_memory_h200.md): ATOMS.POPC.INC adds one for any number of lanes at once,
and where every lane has one address, ptxas sums over the warp first (REDUX) and lets a single lane do the atomic; an
ordinary ATOMS serves one lane of a bank per wavefront; ATOMS.CAS takes two per lane; what the hardware cannot do in
one instruction (64-bit and float sums) becomes a loop around ATOMS.CAST.SPIN.
"""

from __future__ import annotations

import re
from typing import Literal

from .parse import SassInstruction, parse_sass

AtomicForm = Literal["merging", "plain", "compare", "loop"]
_VECTOR_REGISTER = re.compile(r"\bR\d")


def atomic_forms(sass_text: str, symbol: str) -> dict[int, AtomicForm]:
    """PTX line of each shared atomic of `symbol` -> its form. Empty without SASS."""
    return {i.ptx_line: _form(i) for i in parse_sass(sass_text, symbol) if i.opcode == "ATOMS" and i.ptx_line}


def _form(i: SassInstruction) -> AtomicForm:
    words = set(i.modifiers)
    if {"CAST", "SPIN"} & words:
        return "loop"
    if "CAS" in words:
        return "compare"
    place = next((o for o in i.operands if o.startswith("[")), "")
    one_lane = bool(i.predicate) and "UR" in place and not _VECTOR_REGISTER.search(place)
    return "merging" if "POPC" in words or one_lane else "plain"
