"""Statements that touch memory in any control flow: inputs, own output slots, local and constant memory, atomics."""

from __future__ import annotations

from collections.abc import Callable

from .writer import BYTES, Picks, Writer

INPUT_ELEMENTS = 64
SLOT_BYTES = 16  # of each thread, per output buffer
LOCAL_BYTES = 64
COUNTERS = 8
# (type in the instruction, pool of the register, bytes); the buffer is the pool's.
ELEMENTS = (
    ("b32", "b32", 4), ("f32", "f32", 4), ("u8", "b32", 1), ("s8", "b32", 1), ("u16", "b32", 2), ("s16", "b32", 2),
    ("b16", "b16", 2), ("b64", "b64", 8), ("f64", "f64", 8), ("b16", "f16", 2), ("b32", "f16x2", 4), ("u32", "b32", 4),
    ("s64", "b64", 8), ("s8", "b16", 1),
)  # fmt: skip
LOADS = ("", "", "", ".nc", ".ca", ".volatile", ".relaxed.gpu")
# Atomics whose order does not matter: one for shared and one for global memory in each kernel. (operation, type, pool)
ATOMICS = (
    ("add", "u32", "b32"), ("add", "s32", "b32"), ("min", "u32", "b32"), ("max", "s32", "b32"), ("and", "b32", "b32"),
    ("or", "b32", "b32"), ("xor", "b32", "b32"), ("add", "u64", "b64"), ("max", "s64", "b64"), ("xor", "b64", "b64"),
    ("min", "u64", "b64"), ("inc", "u32", "15"), ("add", "f32", "small"), ("add", "f64", "small"), ("add", "u32", "1"),
)  # fmt: skip
STRIDES = (8, 16, 32, 64, 128, 72)
OWN_ATOMICS = ("exch.b32", "add.u32", "min.s32", "cas.b32", "xor.b32", "inc.u32", "exch.b64", "add.u64", "cas.b64")


def at(w: Writer, base: str, index: str, width: int) -> str:
    """64-bit address of element `index` of `width` bytes."""
    wide, out = w.new("b64"), w.new("b64")
    w.emit(f"mul.wide.u32 {wide}, {index}, {width};", f"add.u64 {out}, {base}, {wide};")
    return out


def at32(w: Writer, base: str, index: str, width: int) -> str:
    """The same in 32 bits, for shared and local memory; `base` is a variable's name."""
    start, out = w.new("b32"), w.new("b32")
    w.emit(f"mov.u32 {start}, {base};", f"mad.lo.u32 {out}, {index}, {width}, {start};")
    return out


def masked(w: Writer, value: str, mask: int) -> str:
    out = w.new("b32")
    w.emit(f"and.b32 {out}, {value}, {mask};")
    return out


def targets(w: Writer, kind: str, count: int, pick: int) -> str:
    """One register or a vector of distinct ones."""
    if count == 1:
        return w.variable(kind, pick)
    return "{" + ", ".join([w.variable(kind, pick), *(w.let(kind) for _ in range(count - 1))]) + "}"


def values(w: Writer, kind: str, count: int, pick: int) -> str:
    found = [w.operand(kind, (pick + 8 * n) & ~4) for n in range(count)]
    return found[0] if count == 1 else "{" + ", ".join(found) + "}"


def counted(size: int, pick: int) -> int:
    """Elements of a vector: 1, 2 or 4, at most 16 bytes in all."""
    count = (1, 1, 2, 4)[pick % 4]
    return count if size * count <= 16 else 16 // size


def load(w: Writer, pick: Picks) -> None:
    """An input element or vector at a computed index."""
    (kind, pool, size), vector = ELEMENTS[pick(len(ELEMENTS))], pick()
    count = counted(size, vector)
    width = size * count
    elements = INPUT_ELEMENTS * BYTES[pool] // width
    half = elements // 2
    index = masked(w, w.operand("b32", pick()), half - 1)
    address = at(w, w.base(f"in_{pool}"), index, width)
    how, offset, guard = LOADS[pick(len(LOADS))], pick(half + 1) * width, pick()
    if how and kind[0] == "f":
        kind = f"b{8 * size}"
    vec = f".v{count}" if count > 1 else ""
    prefix = w.guard(guard) if count == 1 else ""
    generic = not how and pick(8) == 7
    place = "" if generic else ".global"
    text = f"ld{how}{place}{vec}.{kind}" if how not in (".nc", ".ca") else f"ld.global{how}{vec}.{kind}"
    w.emit(f"{prefix}{text} {targets(w, pool, count, vector // 4)}, [{address}+{offset}];")


def store(w: Writer, pick: Picks) -> None:
    """Into the thread's own 16 bytes of an output buffer, or into its element of a dense one."""
    (kind, pool, size), vector, dense = ELEMENTS[pick(len(ELEMENTS))], pick(), pick()
    guard = w.guard(pick())
    if dense % 2 and size == BYTES[pool]:
        index = "%gid"
        if dense % 4 == 3:
            index = w.new("b32")
            w.emit(f"sub.u32 {index}, {w.threads * w.blocks - 1}, %gid;")
        # One of the two layouts per buffer, else two threads would share an element.
        name = f"{'back' if index != '%gid' else 'dense'}_{pool}"
        address = at(w, w.base(name), index, size)
        w.emit(f"{guard}st.global.{kind} [{address}], {w.variable(pool, vector)};")
        return
    count = counted(size, vector)
    width = size * count
    offset = pick(SLOT_BYTES // width) * width
    address = at(w, w.base(f"own_{pool}"), "%gid", SLOT_BYTES)
    vec = f".v{count}" if count > 1 else ""
    found = values(w, pool, count, vector // 4 & ~7) if kind[0] != "f" else values(w, pool, count, 0)
    kind = f"u{8 * size}" if kind[0] == "s" and pick(2) else kind
    w.emit(f"{guard}st.global{vec}.{kind} [{address}+{offset}], {found};")


def reload(w: Writer, pick: Picks) -> None:
    """What the thread itself wrote (or what was there before)."""
    pool = ("b32", "b64", "f32", "b16")[pick(4)]
    size = BYTES[pool]
    address = at(w, w.base(f"own_{pool}"), "%gid", SLOT_BYTES)
    guard = w.guard(pick())
    offset = pick(SLOT_BYTES // size) * size
    w.emit(f"{guard}ld.global.b{8 * size} {w.variable(pool, pick())}, [{address}+{offset}];")


def local(w: Writer, pick: Picks) -> None:
    """Store to or load from local memory at a computed place."""
    w.used.add("loc")
    pool, vector, stores = ("b32", "b64", "b16", "f32")[pick(4)], pick(), pick()
    size = BYTES[pool]
    count = counted(size, vector)
    width = size * count
    address = at32(w, "loc", masked(w, w.operand("b32", pick()), LOCAL_BYTES // width - 1), width)
    vec = f".v{count}" if count > 1 else ""
    if stores % 2 == 0:
        found = [w.plain(pool, w.variable(pool, vector // 4 + n)) for n in range(count)]
        text = found[0] if count == 1 else "{" + ", ".join(found) + "}"
        w.emit(f"{w.guard(pick())}st.local{vec}.b{8 * size} [{address}], {text};")
    else:
        guard = w.guard(pick()) if count == 1 else ""
        w.emit(f"{guard}ld.local{vec}.b{8 * size} {targets(w, pool, count, vector // 4)}, [{address}];")


def constant(w: Writer, pick: Picks) -> None:
    w.used.add("table")
    index = masked(w, w.operand("b32", pick()), 15)
    start, offset = w.new("b64"), w.new("b64")
    w.emit(f"mov.u64 {start}, table;", f"mul.wide.u32 {offset}, {index}, 4;", f"add.u64 {start}, {start}, {offset};")
    w.emit(f"{w.guard(pick())}ld.const.u32 {w.variable('b32', pick())}, [{start}];")


def chosen_atomic(w: Writer, place: str) -> tuple[str, str, str, int]:
    """The kernel's atomic in shared ("s") or global memory: operation, type, pool and bytes between counters."""
    first = w.kernel_picks[0 if place == "s" else 1]
    return (*ATOMICS[first % len(ATOMICS)], STRIDES[first // len(ATOMICS) % len(STRIDES)])


def atomic(w: Writer, pick: Picks) -> None:
    """On one of a few counters, whichever the data says; nobody looks at the old value."""
    place = "sg"[pick(2)]
    operation, kind, pool, stride = chosen_atomic(w, place)
    index = masked(w, w.operand("b32", pick()), COUNTERS - 1)
    if pool == "small":
        value, small = w.new(kind), masked(w, w.operand("b32", pick()), 7)
        w.emit(f"cvt.rn.{kind}.u32 {value}, {small};")
    else:
        value = pool if pool.isdigit() else w.operand(pool, pick())
    if place == "s":
        w.used.add("counters")
        space, address = "shared", at32(w, "counters", index, stride)
    else:
        space, address = "global", at(w, w.base("sums"), index, stride)
    guard = w.guard(pick())
    if pick(4) == 3:
        old = w.new("b64" if kind.endswith("64") else "b32") if kind[0] != "f" else w.new(kind)
        w.emit(f"{guard}atom.{space}.{operation}.{kind} {old}, [{address}], {value};")
    else:
        w.emit(f"{guard}red.{space}.{operation}.{kind} [{address}], {value};")


def own_atomic(w: Writer, pick: Picks) -> None:
    """On a word that is the thread's alone; the old value is used."""
    what, place = OWN_ATOMICS[pick(len(OWN_ATOMICS))], "sg"[pick(2)]
    pool = "b64" if what.endswith("64") else "b32"
    found = [w.operand(pool, pick()) for _ in range(2 if what.startswith("cas") else 1)]
    if place == "s":
        w.used.add("lockers")
        space, address = "shared", at32(w, "lockers", "%lin", 8)
    else:
        space, address = "global", at(w, w.base("lockers_g"), "%gid", 8)
    w.emit(f"{w.guard(pick())}atom.{space}.{what} {w.variable(pool, pick())}, [{address}], {', '.join(found)};")


MEMORY_RULES: dict[str, Callable[[Writer, Picks], None]] = {
    "load": load, "store": store, "reload": reload, "local": local, "constant": constant, "atomic": atomic,
    "own_atomic": own_atomic,
}  # fmt: skip
