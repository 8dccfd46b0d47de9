"""mov, vector packing, address conversion."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Instruction, Symbol, Vector

from ..emit import Unsupported, Val
from ..layout import LOCAL_WINDOW, SHARED_WINDOW
from .table import ALL, row

_WINDOWS = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW, "global": 0, "const": 0, "param": 0}


@row("mov", f"{ALL} pred")
def _mov(e: Any, i: Instruction) -> None:
    target, source = i.operands
    kind = i.types[-1]
    if isinstance(source, Vector):
        _pack(e, i, source)
    elif isinstance(target, Vector):
        _unpack(e, i, target)
    elif isinstance(source, Symbol) and source.name in e.frame.params:
        offset = e.frame.params[source.name].offset + source.offset
        address = e.op("add {T} {a}, {b}", "b64", e.param_base(), e.const(offset, "b64"))
        e.put(target, address)
    else:
        e.put(target, e.src(source, kind))


def _pack(e: Any, i: Instruction, source: Vector) -> None:
    """`mov.b32 d, {lo, hi}`: first element lowest."""
    total = 8 * TYPE_BYTES[i.types[-1]]
    each = total // len(source.elements)
    part, whole = f"b{each}", f"b{total}"
    result = e.const(0, whole)
    for n, element in enumerate(source.elements):
        bits = e.resize(e.src(element, part), whole)
        moved = e.op("shl {T} {a}, {b}", whole, bits, e.const(n * each, whole)) if n else bits
        result = e.op("or {T} {a}, {b}", whole, result, moved)
    e.put(i.operands[0], result)


def _unpack(e: Any, i: Instruction, target: Vector) -> None:
    total = 8 * TYPE_BYTES[i.types[-1]]
    each = total // len(target.elements)
    part, whole = f"b{each}", f"b{total}"
    value = e.src(i.operands[1], whole)
    pieces = [e.op("lshr {T} {a}, {b}", whole, value, e.const(n * each, whole)) for n in range(len(target.elements))]
    for element, piece in zip(target.elements, pieces, strict=True):
        e.put(element, e.resize(piece, part))


@row("cvta", "u64", need="to", allow="global shared local const")
@row("cvta", "u64", allow="global shared local const param")
def _cvta(e: Any, i: Instruction) -> None:
    """Generic addresses of shared and local memory lie in windows; global and constant ones are themselves."""
    space = next((m for m in i.modifiers if m in _WINDOWS), None)
    if space is None:
        raise Unsupported("cvta without a space")
    a = e.src(i.operands[1], "b64")
    how = "sub" if "to" in i.modifiers else "add"
    e.put(i.operands[0], e.op(f"{how} {{T}} {{a}}, {{b}}", "b64", a, e.const(_WINDOWS[space], "b64")))


@row("isspacep", need="global")
@row("isspacep", need="shared", allow="cta cluster")
@row("isspacep", need="local")
@row("isspacep", need="const")
def _isspacep(e: Any, i: Instruction) -> None:
    a = e.src(i.operands[1], "b64")
    high = e.op("lshr {T} {a}, {b}", "b64", a, e.const(32, "b64"))
    shared = e.op("icmp eq {T} {a}, {b}", "b64", high, e.const(SHARED_WINDOW >> 32, "b64"), out="pred")
    local = e.op("icmp eq {T} {a}, {b}", "b64", high, e.const(LOCAL_WINDOW >> 32, "b64"), out="pred")
    if "shared" in i.modifiers:
        result: Val = shared
    elif "local" in i.modifiers:
        result = local
    elif "const" in i.modifiers:
        result = e.const(0, "pred")
    else:
        either = e.op("or {T} {a}, {b}", "pred", shared, local)
        result = e.op("xor {T} {a}, {b}", "pred", either, e.const(1, "pred"))
    e.put(i.operands[0], result)
