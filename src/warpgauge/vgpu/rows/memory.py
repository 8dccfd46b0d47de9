"""Loads, stores and prefetches of every space."""

from __future__ import annotations

from typing import Any

from warpgauge.ptx import TYPE_BYTES, Address, Instruction, Register, Symbol, Vector

from .. import types as ty
from ..emit import Unsupported, Val
from ..frame import SiteKey
from ..layout import (
    CONST_SPACE,
    GLOBAL_SPACE,
    LOCAL_SPACE,
    LOCAL_WINDOW,
    SHARED_SPACE,
    SHARED_WINDOW,
)
from ..runtime import access as rt_access
from .table import row

SPACES = {"global": GLOBAL_SPACE, "shared": SHARED_SPACE, "local": LOCAL_SPACE, "const": CONST_SPACE}
# Modifiers that say how to cache or order, never what is read.
_HINTS = "v2 v4 v8 L1 L2 evict_first evict_last evict_normal evict_unchanged no_allocate cache_hint weak"
_LOAD = f"{_HINTS} nc ca cg cs lu cv 64B 128B 256B unified volatile relaxed acquire mmio cta cluster gpu sys"
_STORE = f"{_HINTS} wb cg cs wt volatile relaxed release mmio cta cluster gpu sys"
# Elements of up to 64 bits.
_ELEMENTS = "b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64"
STRONG = frozenset({"volatile", "relaxed", "acquire", "release", "mmio"})


def space_of(i: Instruction) -> str:
    return next((m for m in i.modifiers if m in SPACES), "generic")


def address(e: Any, operand: Address, space: str) -> Val:
    """Byte address within `space`, one value per lane: 32 bits for shared and local, 64 for the rest.

    Shared and local addresses wrap at 32 bits, as the hardware's do.
    """
    kind = "b32" if space in ("shared", "local") else "b64"
    if operand.base is None:
        return e.const(operand.offset, kind)
    a = e.src(operand.base, kind)
    if operand.offset:
        a = e.op("add {T} {a}, {b}", kind, a, e.const(operand.offset, kind))
    return a


def constants(e: Any, space: str, kind: str, count: int, strong: bool) -> dict[str, Any]:
    """Template parameters of the runtime's access functions."""
    size = TYPE_BYTES[kind]
    watched = space in ("global", "shared")
    narrow = space in ("shared", "local")
    return {
        "SPACE": SPACES[space] if space != "const" else GLOBAL_SPACE,
        "E": size,
        "N": count,
        "UNIT": ty.INTS[8 * size],
        "ADDRESS": ty.v32 if narrow else ty.v64,
        "ADDRESS_UNIT": ty.i32 if narrow else ty.i64,
        "COUNT": e.frame.count and watched,
        "SHADOW": e.frame.shadow and watched,
        "TRACE": e.frame.trace and (watched or space == "const"),
        "STRONG": strong,
        "GLOBAL": space != "shared",
        "SPACE_CODE": SPACES[space],
        "GRANULE_SHIFT": e.frame.granule_shift.get(space, 0),
    }


def emit_access(
    e: Any, i: Instruction, function: Any, op: str, a: Val, mask: str, shape: tuple[str, int, str, bool],
    areas: list[str], merges: bool = True, copied: bool = False, unread: int = 0, counted: bool = True,
) -> None:  # fmt: skip
    """Call `function` (load, store) for one known space. `merges`: see SiteKey; `copied`: the values are only stored
    again; `unread`: bit n for element n of a lane, if nothing takes its value; `counted`: as one request."""
    kind, count, space, strong = shape
    site = e.site(SiteKey(i, space, op, TYPE_BYTES[kind] * count, merges))
    given = constants(e, space, kind, count, strong)
    if not counted:
        given.update(COUNT=False, TRACE=False)
    symbol = e.library.need(function, **given, COPIED=copied, UNREAD=unread)
    a = e.vector(a)
    arguments = [
        "ptr %ctx",
        "ptr %blk",
        f"ptr {site}",
        f"i32 {i.index}",
        "i32 %warp",
        f"{a.type} {a.name}",
        f"i32 {mask}",
    ]
    e.call(symbol, "void", [*arguments, *(f"ptr {area}" for area in areas)])


def generic_parts(e: Any, a: Val, mask: str) -> list[tuple[str, Val, str]]:
    """Split lanes by the window their generic address lies in: (space, address, mask) each."""
    a = e.vector(a)
    high = e.op("lshr {T} {a}, {b}", "b64", a, e.const(32, "b64"))
    parts = []
    rest = mask
    for space, window in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
        inside = e.op("icmp eq {T} {a}, {b}", "b64", high, e.const(window >> 32, "b64"), out="pred")
        here = e.let(f"and i32 {e.bits(inside)}, {mask}", "b32", True).name
        parts.append((space, e.resize(a, "b32"), here))
        rest = e.let(f"xor i32 {rest}, {here}", "b32", True).name
    return [*parts, ("global", a, rest)]


def each_space(e: Any, i: Instruction, operand: Address) -> list[tuple[str, Val, str]]:
    """The (space, address, mask) parts of an access; more than one only for a generic address."""
    space = space_of(i)
    mask = e.mask()
    a = address(e, operand, space)
    return generic_parts(e, a, mask) if space == "generic" else [(space, a, mask)]


def elements(operand: Any) -> tuple[Any, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def _order_before(e: Any, i: Instruction) -> None:
    """A release (or acquire-release) access is a fence and then a strong access."""
    if {"release", "acq_rel"} & set(i.modifiers):
        e.fence()


@row("ld", _ELEMENTS, need="param", allow="v2 v4")
def _ld_param(e: Any, i: Instruction) -> None:
    """Kernel parameters: one value for all lanes."""
    source = i.operands[1]
    if not isinstance(source, Address):
        raise Unsupported("ld.param without an address")
    kind = i.types[-1]
    targets = elements(i.operands[0])
    if isinstance(source.base, Symbol):
        if source.base.name not in e.frame.params:
            raise Unsupported("a parameter of a called function")
        start = e.frame.params[source.base.name].offset + source.offset
        for n, target in enumerate(targets):
            at = e.let(f"getelementptr i8, ptr %params, i64 {start + n * TYPE_BYTES[kind]}", "b64", True)
            bits = f"i{8 * TYPE_BYTES[kind]}"
            value = e.let(f"load {bits}, ptr {at.name}, align 1", f"b{8 * TYPE_BYTES[kind]}", True)
            e.put(target, value, kind[0] == "s")
        return
    _load(e, i, kind, [("const", address(e, source, "const"), e.mask())])


@row("ld", _ELEMENTS, allow=f"{_LOAD} global shared local const", pure=False)
@row("ldu", _ELEMENTS, allow="global v2 v4", pure=False)
def _ld(e: Any, i: Instruction) -> None:
    source = i.operands[1]
    if not isinstance(source, Address):
        raise Unsupported("this address form")
    _load(e, i, i.types[-1], each_space(e, i, source))


def _load(e: Any, i: Instruction, kind: str, parts: list[tuple[str, Val, str]]) -> None:
    targets = elements(i.operands[0])
    size = TYPE_BYTES[kind]
    # The first guess of a compare-and-swap loop is an ordinary load by custom; a stale one only costs a round.
    strong = bool(STRONG & set(i.modifiers)) or (i.operands[1], size) in e.swapped
    copied = (
        size == 1 and len(targets) > 1 and all(isinstance(t, Register) and t.name in e.only_stored for t in targets)
    )
    # A compiler fills the gap between fields with a wider load: what nothing uses was not read as far as faults go.
    dropped = [isinstance(t, Register) and (t.name == "_" or t.name in e.unread) for t in targets]
    unread = sum(1 << n for n, drop in enumerate(dropped) if drop) if len(targets) > 1 else 0
    shape = (kind, len(targets))
    for space, a, mask in parts:
        emit_access(
            e, i, rt_access.load, "load", a, mask, (*shape, space, strong), ["%scratch"], copied=copied, unread=unread
        )
    bits = f"b{8 * size}" if size > 1 else "b8"
    values = [e.row("%scratch", n, bits) for n in range(len(targets))]
    for target, value in zip(targets, values, strict=True):
        if isinstance(target, Register):
            e.put(target, value, kind[0] == "s")


@row("st", _ELEMENTS, allow=f"{_STORE} global shared local", pure=False)
def _st(e: Any, i: Instruction) -> None:
    target = i.operands[0]
    if not isinstance(target, Address):
        raise Unsupported("this address form")
    _order_before(e, i)
    kind = i.types[-1]
    size = TYPE_BYTES[kind]
    bits = f"b{8 * size}"
    values = elements(i.operands[1])
    parts = each_space(e, i, target)
    for n, value in enumerate(values):
        e.store_row("%scratch", n, e.src(value, bits))
    strong = bool(STRONG & set(i.modifiers))
    for space, a, mask in parts:
        emit_access(e, i, rt_access.store, "store", a, mask, (kind, len(values), space, strong), ["%scratch"])


@row("createpolicy", "b64", need="fractional", allow="L2 evict_last evict_normal evict_first evict_unchanged")
def _policy(e: Any, i: Instruction) -> None:
    """An opaque word for the cache hints of other accesses, which change nothing that is modelled."""
    e.put(i.operands[0], e.const(0, "b64"))


@row("prefetch", allow="global local L1 L2 evict_last evict_normal", pure=False)
@row("prefetchu", allow="L1", pure=False)
@row("discard", allow="global L2", pure=False)
@row("applypriority", allow="global L2 evict_normal", pure=False)
def _hint(e: Any, i: Instruction) -> None:
    """Cache hints change nothing that is modelled."""
