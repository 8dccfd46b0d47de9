"""atom and red: read-modify-write in global and shared memory."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Address, Instruction

from .. import types as ty
from ..emit import Unsupported
from ..frame import SiteKey
from ..runtime import atomics as rt
from .memory import constants, each_space, elements
from .table import HALVES, add_row

_SCOPES = "global shared cta cluster gpu sys relaxed acquire release acq_rel L2 cache_hint"
_VECTORS = ("v2", "v4", "v8")
_INTEGER = {
    ("add", "u"): rt.ADD, ("add", "s"): rt.ADD, ("min", "s"): rt.SMIN, ("max", "s"): rt.SMAX, ("min", "u"): rt.UMIN,
    ("max", "u"): rt.UMAX, ("and", "b"): rt.AND, ("or", "b"): rt.OR, ("xor", "b"): rt.XOR, ("exch", "b"): rt.EXCH,
    ("cas", "b"): rt.CAS, ("inc", "u"): rt.INC, ("dec", "u"): rt.DEC,
}  # fmt: skip
_FLOAT_ADD = {
    "f32": rt.FADD, "f64": rt.FADD, "f16": rt.HALF_ADD, "f16x2": rt.HALF2_ADD, "bf16": rt.BF16_ADD,
    "bf16x2": rt.BF162_ADD,
}  # fmt: skip
_FORMS = (
    ("add", "u32 s32 u64 f32 f64"), ("add noftz", HALVES), ("min", "u32 s32 u64 s64"), ("max", "u32 s32 u64 s64"),
    ("and", "b32 b64"), ("or", "b32 b64"), ("xor", "b32 b64"), ("exch", "b32 b64"), ("cas", "b16 b32 b64"),
    ("inc", "u32"), ("dec", "u32"), ("add v2", "f32"), ("add v4", "f32"), ("add noftz v2", HALVES),
    ("add noftz v4", HALVES), ("add noftz v8", "f16 bf16"),
)  # fmt: skip


def _operation(i: Instruction, space: str) -> int:
    """f32 sums in global memory flush subnormals, those in shared memory do not (PTX ISA, atom)."""
    kind = i.types[-1]
    if kind in _FLOAT_ADD:
        return rt.FLUSHED_ADD if kind == "f32" and space == "global" else _FLOAT_ADD[kind]
    return next(_INTEGER[m, kind[0]] for m in i.modifiers if (m, kind[0]) in _INTEGER)


def _atomic(e: Any, i: Instruction) -> None:
    """A vector is one access of all its elements, each of them an atomic by itself."""
    kind = i.types[-1]
    count = next((int(m[1]) for m in i.modifiers if m in _VECTORS), 1)
    size = TYPE_BYTES[kind]
    returns = i.opcode == "atom"
    target = i.operands[1 if returns else 0]
    values = i.operands[2 if returns else 1 :]
    if not isinstance(target, Address):
        raise Unsupported("this address form")
    if {"release", "acq_rel"} & set(i.modifiers):
        e.fence()
    bits = f"b{8 * size}"
    parts = [p for p in each_space(e, i, target) if p[0] != "local"]
    for n, value in enumerate(elements(values[0])):
        e.store_row("%scratch", n, e.src(value, bits))
    if len(values) > 1:
        e.store_row("%scratch2", 0, e.src(values[1], bits))
    for space, a, mask in parts:
        site = e.site(SiteKey(i, space, "atomic", size * count))
        more = constants(e, space, kind, count, False)
        more |= {"OPERATION": _operation(i, space), "FLOAT": ty.f64 if kind == "f64" else ty.f32, "ATOMIC": True}
        symbol = e.library.need(rt.atomic, **more)
        a = e.vector(a)
        arguments = ["ptr %ctx", "ptr %blk", f"ptr {site}", f"i32 {i.index}", "i32 %warp", f"{a.type} {a.name}"]
        e.call(symbol, "void", [*arguments, f"i32 {mask}", "ptr %scratch", "ptr %scratch2", "ptr %scratch3"])
    if returns:
        for n, result in enumerate(elements(i.operands[0])):
            e.put(result, e.row("%scratch3", n, bits))


for _need, _types in _FORMS:
    add_row("atom", _types, _atomic, need=_need, allow=_SCOPES, pure=False)
    if _need not in ("exch", "cas"):
        add_row("red", _types, _atomic, need=_need, allow=_SCOPES, pure=False)
