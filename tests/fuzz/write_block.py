"""Statements to which all threads of a block come: exchange through shared memory, barriers, reducing barriers."""

from __future__ import annotations

from collections.abc import Callable

from .write_memory import at32, targets
from .writer import BYTES, Picks, Writer

SHARES = (16, 32, 48)  # bytes of shared memory per thread


def share(w: Writer) -> int:
    return SHARES[w.kernel_picks[2] % len(SHARES)]


def permuted(w: Writer, pick: int) -> str:
    """The thread's own slot number under some permutation of the block's threads."""
    n, k = w.threads, pick // 4
    out, p = w.new("b32"), w.new("pred")
    if pick % 4 == 1:
        w.emit(f"sub.u32 {out}, {n - 1}, %lin;")
    elif pick % 4 == 2:
        w.emit(f"add.u32 {out}, %lin, {k % n};", f"setp.ge.u32 {p}, {out}, {n};", f"@{p} sub.u32 {out}, {out}, {n};")
    elif pick % 4 == 3 and n & (n - 1) == 0:
        w.emit(f"xor.b32 {out}, %lin, {k % n};")
    else:
        return "%lin"
    return out


def exchange(w: Writer, pick: Picks) -> None:
    """Barrier; each thread writes its slot; barrier; each reads some slot."""
    w.used.add("slots")
    pool, narrow, vector, layout = ("b32", "f32", "b64", "b16", "f64")[pick(5)], pick(6), pick(), pick()
    size, kind = BYTES[pool], f"b{8 * BYTES[pool]}"
    if pool == "b32" and narrow > 3:
        size, kind = 1, "u8"
    count = (1, 1, 2, 4)[vector % 4] if size > 1 else 1
    count = count if count * size <= 16 else 16 // size
    width = size * count
    steps = share(w) // width
    stride = width * (1 + layout % steps)
    generic = layout // 64 % 4 == 3
    mine, theirs, t = permuted(w, pick()), w.new("b32"), w.new("b32")
    value = w.operand("b32", pick())
    w.emit(f"rem.u32 {theirs}, {value}, {w.threads};")
    a, b = at32(w, "slots", mine, stride), at32(w, "slots", theirs, stride)
    sent = [w.plain(pool, w.variable(pool, vector // 4 + n)) for n in range(count)]
    text = sent[0] if count == 1 else "{" + ", ".join(sent) + "}"
    vec, barrier = f".v{count}" if count > 1 else "", f"bar.sync {layout // 256 % 4};"
    place = ".shared"
    if generic:
        place = ""
        for name in (a, b):
            wide = w.new("b64")
            w.emit(f"cvt.u64.u32 {wide}, {name};", f"cvta.shared.u64 {wide}, {wide};")
            a, b = (wide if a == name else a), (wide if b == name else b)
    w.emit(barrier, f"st{place}{vec}.{kind} [{a}], {text};", barrier)
    into = targets(w, pool, count, vector)
    if count == 1 and layout // 16 % 4 == 3:
        w.emit(f"and.b32 {t}, {value}, 3;")
        p = w.new("pred")
        w.emit(f"setp.eq.u32 {p}, {t}, 0;", f"@!{p} ld{place}{vec}.{kind} {into}, [{b}];")
    else:
        w.emit(f"ld{place}{vec}.{kind} {into}, [{b}];")


def barrier(w: Writer, pick: Picks) -> None:
    w.emit(("bar.sync 0;", "barrier.sync 1;", "barrier.sync.aligned 2;", "membar.cta;", "fence.acq_rel.gpu;")[pick(5)])


def reducing(w: Writer, pick: Picks) -> None:
    what, p = ("popc.u32", "and.pred", "or.pred")[pick(3)], w.variable("pred", pick())
    target = w.variable("b32" if what == "popc.u32" else "pred", pick())
    w.emit(f"bar.red.{what} {target}, {pick(3)}, {'!' if pick(2) else ''}{p};")


def counted(w: Writer, pick: Picks) -> None:
    """A barrier with a thread count, plain or reducing."""
    if w.counts.get("exits") or w.threads % 32:
        return  # warps that have ended never come, and how parts of a short warp are counted is not said
    count, number = w.threads, 4 + pick(4)
    if pick(3) == 2:
        p, target = w.variable("pred", pick()), w.variable("b32", pick())
        w.emit(f"bar.red.popc.u32 {target}, {number}, {count}, {p};")
        return
    held = w.new("b32")
    w.emit(f"mov.u32 {held}, {number};")
    number_text = (str(number), held)[pick(2)]
    w.emit(f"{('bar.sync', 'barrier.sync', 'barrier.sync.aligned')[pick(3)]} {number_text}, {count};")


def handoff(w: Writer, pick: Picks) -> None:
    """Odd warps write their slots and arrive; even warps wait and read what a thread of the next warp wrote."""
    if w.counts.get("exits") or w.threads % 32:
        return
    w.used.add("slots")
    count, number, size = w.threads, 8 + pick(4), (4, 8)[pick(2)]
    kind, pool = f"b{8 * size}", f"b{8 * size}"
    odd, p, theirs = w.new("b32"), w.new("pred"), w.new("b32")
    mine, arrives, end = at32(w, "slots", "%lin", size), w.label(), w.label()
    value = w.operand(pool, pick())
    w.emit("bar.sync 0;", f"shr.u32 {odd}, %lin, 5;", f"and.b32 {odd}, {odd}, 1;", f"setp.ne.u32 {p}, {odd}, 0;")
    w.emit(f"xor.b32 {theirs}, %lin, 32;", f"min.u32 {theirs}, {theirs}, {w.threads - 1};")
    # A thread whose partner does not exist reads its own slot, or that of the last thread: which nobody writes now.
    source = at32(w, "slots", theirs, size)
    w.emit(f"@{p} bra {arrives};", f"bar.sync {number}, {count};")
    w.emit(f"ld.shared.{kind} {w.variable(pool, pick())}, [{source}];", f"bra.uni {end};")
    w.emit(f"{arrives}:", f"st.shared.{kind} [{mine}], {value};", f"bar.arrive {number}, {count};", f"{end}:")
    w.emit("bar.sync 0;")


BLOCK_RULES: dict[str, Callable[[Writer, Picks], None]] = {
    "exchange": exchange, "barrier": barrier, "reducing": reducing, "counted": counted,
    "handoff": handoff,
}  # fmt: skip
