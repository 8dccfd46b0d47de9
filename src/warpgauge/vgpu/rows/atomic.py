"""atom and red: read-modify-write in global and shared memory."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Address, Instruction, Vector

from .. import types as ty
from ..emit import SiteKey, Unsupported
from ..runtime import atomics as rt
from .memory import constants, each_space
from .table import row

_SCOPES = "global shared cta cluster gpu sys relaxed acquire release acq_rel noftz L2 cache_hint"
_OPERATIONS = {
    ("add", "u"): rt.ADD, ("add", "s"): rt.ADD, ("add", "f"): rt.FADD,
    ("min", "s"): rt.SMIN, ("max", "s"): rt.SMAX, ("min", "u"): rt.UMIN, ("max", "u"): rt.UMAX,
    ("and", "b"): rt.AND, ("or", "b"): rt.OR, ("xor", "b"): rt.XOR, ("exch", "b"): rt.EXCH, ("cas", "b"): rt.CAS,
    ("inc", "u"): rt.INC, ("dec", "u"): rt.DEC,
}  # fmt: skip


@row("atom", "u32 s32 u64 s64 f32 f64", need="add", allow=_SCOPES, pure=False)
@row("atom", "u32 s32 u64 s64", need="min", allow=_SCOPES, pure=False)
@row("atom", "u32 s32 u64 s64", need="max", allow=_SCOPES, pure=False)
@row("atom", "b32 b64", need="and", allow=_SCOPES, pure=False)
@row("atom", "b32 b64", need="or", allow=_SCOPES, pure=False)
@row("atom", "b32 b64", need="xor", allow=_SCOPES, pure=False)
@row("atom", "b32 b64", need="exch", allow=_SCOPES, pure=False)
@row("atom", "b16 b32 b64", need="cas", allow=_SCOPES, pure=False)
@row("atom", "u32", need="inc", allow=_SCOPES, pure=False)
@row("atom", "u32", need="dec", allow=_SCOPES, pure=False)
@row("red", "u32 s32 u64 s64 f32 f64", need="add", allow=_SCOPES, pure=False)
@row("red", "u32 s32 u64 s64", need="min", allow=_SCOPES, pure=False)
@row("red", "u32 s32 u64 s64", need="max", allow=_SCOPES, pure=False)
@row("red", "b32 b64", need="and", allow=_SCOPES, pure=False)
@row("red", "b32 b64", need="or", allow=_SCOPES, pure=False)
@row("red", "b32 b64", need="xor", allow=_SCOPES, pure=False)
@row("red", "u32", need="inc", allow=_SCOPES, pure=False)
@row("red", "u32", need="dec", allow=_SCOPES, pure=False)
def _atomic(e: Any, i: Instruction) -> None:
    kind = i.types[-1]
    size = TYPE_BYTES[kind]
    name = next(m for m in i.modifiers if (m, kind[0]) in _OPERATIONS)
    returns = i.opcode == "atom"
    target = i.operands[1 if returns else 0]
    values = i.operands[2 if returns else 1 :]
    if not isinstance(target, Address) or isinstance(values[0], Vector):
        raise Unsupported("a vector atomic")
    if {"release", "acq_rel"} & set(i.modifiers):
        e.fence()
    bits = f"b{8 * size}"
    parts = [p for p in each_space(e, i, target) if p[0] != "local"]
    e.store_row("%scratch", 0, e.src(values[0], bits))
    if len(values) > 1:
        e.store_row("%scratch2", 0, e.src(values[1], bits))
    for space, a, mask in parts:
        site = e.site(SiteKey(i, space, "atomic", size))
        more = constants(e, space, kind, 1, False)
        more |= {"OPERATION": _OPERATIONS[name, kind[0]], "FLOAT": ty.f64 if kind == "f64" else ty.f32, "ATOMIC": True}
        symbol = e.library.need(rt.atomic, **more)
        a = e.vector(a)
        arguments = ["ptr %ctx", "ptr %blk", f"ptr {site}", f"i32 {i.index}", "i32 %warp", f"{a.type} {a.name}"]
        e.call(symbol, "void", [*arguments, f"i32 {mask}", "ptr %scratch", "ptr %scratch2", "ptr %scratch3"])
    if returns:
        e.put(i.operands[0], e.row("%scratch3", 0, bits))
