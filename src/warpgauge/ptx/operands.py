"""Text of one operand -> record."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from .model import Address, Immediate, Operand, Pair, Register, Special, Symbol, Vector

_SPECIAL = re.compile(
    r"%((?:n?tid|n?ctaid|cluster_n?ctaid|n?clusterid|cluster_n?ctaid)\.[xyz]"
    r"|laneid|n?warpid|n?smid|gridid|clock(?:_hi|64)?|globaltimer(?:_lo|_hi)?|cluster_n?ctarank|is_explicit_cluster"
    r"|lanemask_(?:eq|lt|le|gt|ge)|dynamic_smem_size|total_smem_size|aggr_smem_size|pm\d+(?:_64)?|envreg\d+)$"
)
_NUMBER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$")
_FLOAT = re.compile(r"-?0([fFdD])([0-9a-fA-F]+)$")
_DECIMAL = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?$")
_ADDRESS = re.compile(r"\[\s*([^\s+\]]+)\s*(?:\+\s*([-+]?\w+))?\s*\]$")
_TOKEN = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,\s|{}\[\]()]+(?:\s*\|\s*[^,\s|]+)?(?:\s*\+\s*\d+)?")


def split_operands(text: str) -> list[str]:
    """Top-level operands of an instruction, brackets and braces kept whole."""
    return _TOKEN.findall(text)


def parse_number(text: str) -> int:
    return int(text.rstrip("U"), 0) if not re.match(r"[-+]?0\d", text) else int(text.rstrip("U"), 8)


def parse_operand(text: str, rename: Callable[[str], str | None]) -> Operand:
    """`rename` gives the unique name of a declared register, or None if `text` is no register."""
    text = text.strip()
    if text.startswith("{"):
        return Vector(tuple(parse_operand(t, rename) for t in split_operands(text[1:-1])))
    if text.startswith("["):
        match = _ADDRESS.match(text)
        if not match:
            return Vector(tuple(parse_operand(t, rename) for t in split_operands(text[1:-1])))
        base, offset = match.group(1), parse_number(match.group(2)) if match.group(2) else 0
        if _NUMBER.match(base):
            return Address(None, parse_number(base) + offset)
        inner = parse_operand(base, rename)
        if isinstance(inner, Symbol):
            return Address(Symbol(inner.name), inner.offset + offset)
        assert isinstance(inner, Register), text
        return Address(inner, offset)
    if "|" in text:
        first, second = (parse_operand(t, rename) for t in text.split("|"))
        assert isinstance(first, Register) and isinstance(second, Register), text
        return Pair(first, second)
    if text.startswith("!"):
        inner = parse_operand(text[1:], rename)
        assert isinstance(inner, Register), text
        return Register(inner.name, True)
    if text == "_":
        return Register("_")
    if (name := rename(text)) is not None:
        return Register(name)
    if special := _SPECIAL.match(text):
        return Special(special.group(1))
    if text == "WARP_SZ":
        return Immediate("int", 32)
    if match := _FLOAT.match(text):
        kind = "f32" if match.group(1) in "fF" else "f64"
        bits = int(match.group(2), 16)
        return Immediate(kind, bits ^ (1 << (31 if kind == "f32" else 63)) if text[0] == "-" else bits)
    if _DECIMAL.match(text):
        return Immediate("f64", int.from_bytes(struct.pack("<d", float(text)), "little"))
    if _NUMBER.match(text):
        return Immediate("int", parse_number(text))
    name, _, shift = text.partition("+")
    return Symbol(name.strip(), parse_number(shift.strip()) if shift else 0)
