"""Statements in which the lanes of a warp see each other. They need to know which lanes are here (`Writer.members`)."""

from __future__ import annotations

from collections.abc import Callable

from .write_memory import at32
from .writer import BYTES, Picks, Writer

SHUFFLED = ("b32", "f32", "f16x2")
REDUCTIONS = ("add.u32", "add.s32", "min.u32", "max.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32")


def part(w: Writer, members: str, pick: int) -> tuple[str, str]:
    """(guard, mask): all members, or those among a fixed set of lanes under a guard."""
    if pick % 3 != 2:
        return "", members
    fixed = (0xFFFF, 0x55555555, 0xFFFF0000, 0x0000FFF7, 0x80000001, 0x00FF00FF)[pick // 3 % 6]
    mask, lane, bit, p = w.new("b32"), w.special("%lanemask_eq"), w.new("b32"), w.new("pred")
    w.emit(f"and.b32 {mask}, {members}, {fixed};", f"and.b32 {bit}, {lane}, {fixed};", f"setp.ne.u32 {p}, {bit}, 0;")
    return f"@{p} ", mask


def shuffle(w: Writer, pick: Picks) -> None:
    """Any distance where all 32 lanes are here; else lanes whose source is missing read themselves."""
    if (members := w.here()) is None:
        return
    mode, kind = ("idx", "bfly", "down", "up")[pick(4)], SHUFFLED[pick(len(SHUFFLED))]
    value, by = w.operand(kind, pick() & ~4), w.operand("b32", pick())
    guard, mask = part(w, members, pick())
    control = 0 if mode == "up" else 31
    more = pick()
    if w.full and not guard:
        control |= ((32 - (32, 16, 8, 4)[more % 4]) << 8) if more % 2 else 0
        if more // 4 % 4 == 3:
            control = (control & ~31) | (more // 16 % 32)
    else:
        by = existing(w, mode, by, mask)
    target = w.variable(kind, more)
    if more // 8 % 2:
        target += f"|{w.variable('pred', more)}"
    w.emit(f"{guard}shfl.sync.{mode}.b32 {target}, {value}, {by}, {control}, {mask};")


def existing(w: Writer, mode: str, by: str, mask: str) -> str:
    """`by`, or what makes a lane its own source where the mask does not name the source."""
    lane, step, source, bit, out = (w.new("b32") for _ in range(5))
    there, low = w.new("pred"), w.new("pred")
    compute = {
        "idx": f"mov.u32 {source}, {step};",
        "bfly": f"xor.b32 {source}, {lane}, {step};",
        "down": f"add.u32 {source}, {lane}, {step};",
        "up": f"sub.u32 {source}, {lane}, {step};",
    }
    w.emit(
        f"mov.u32 {lane}, %laneid;",
        f"and.b32 {step}, {by}, 31;",
        compute[mode],
        f"setp.lt.u32 {low}, {source}, 32;",
        f"shr.u32 {bit}, {mask}, {source};",
        f"and.b32 {bit}, {bit}, 1;",
        f"setp.ne.and.u32 {there}, {bit}, 0, {low};",
        f"selp.b32 {out}, {step}, {lane if mode == 'idx' else 0}, {there};",
    )
    return out


def vote(w: Writer, pick: Picks) -> None:
    if w.members is None:
        return
    what, p = ("ballot", "all", "any", "uni")[pick(4)], w.variable("pred", pick())
    guard, mask = part(w, w.members, pick())
    flag = f"{'!' if pick(2) else ''}{p}"
    if what == "ballot":
        w.emit(f"{guard}vote.sync.ballot.b32 {w.variable('b32', pick())}, {flag}, {mask};")
    else:
        w.emit(f"{guard}vote.sync.{what}.pred {w.variable('pred', pick())}, {flag}, {mask};")


def match(w: Writer, pick: Picks) -> None:
    if w.members is None:
        return
    kind, every = ("b32", "b64")[pick(2)], pick(2)
    few, value = w.new(kind), w.operand(kind, pick())
    w.emit(f"and.{kind} {few}, {value}, {pick(4)};")
    guard, mask = part(w, w.members, pick())
    target = w.variable("b32", pick())
    if every:
        w.emit(f"{guard}match.all.sync.{kind} {target}|{w.variable('pred', 1)}, {few}, {mask};")
    else:
        w.emit(f"{guard}match.any.sync.{kind} {target}, {few}, {mask};")


def redux(w: Writer, pick: Picks) -> None:
    if w.members is None:
        return
    what, value = REDUCTIONS[pick(len(REDUCTIONS))], w.operand("b32", pick())
    guard, mask = part(w, w.members, pick())
    w.emit(f"{guard}redux.sync.{what} {w.variable('b32', pick())}, {value}, {mask};")


def elect(w: Writer, pick: Picks) -> None:
    if w.members is None:
        return
    w.emit(f"elect.sync {w.variable('b32', pick())}|{w.variable('pred', pick())}, {w.members};")


def mailbox(w: Writer, pick: Picks) -> None:
    """Lanes of a warp pass values through shared memory with barriers of the warp."""
    if w.members is None or not w.together:
        return
    w.used.add("mail")
    pool, shift = ("b32", "f32", "b64", "b16")[pick(4)], pick(31) + 1
    size = BYTES[pool]
    stride = (16, size, 8)[pick(3)]
    mine, theirs = w.new("b32"), w.new("b32")
    # Each warp has its own 32 slots of 16 bytes; the reader clamps to lanes that exist.
    last = w.new("b32")
    w.emit(
        f"and.b32 {mine}, %lin, 31;",
        f"sub.u32 {last}, %lin, {mine};",
        f"sub.u32 {last}, {w.threads - 1}, {last};",
        f"min.u32 {last}, {last}, 31;",
        f"{('add', 'xor')[shift % 2]}.{('u32', 'b32')[shift % 2]} {theirs}, {mine}, {shift};",
        f"and.b32 {theirs}, {theirs}, 31;",
        f"min.u32 {theirs}, {theirs}, {last};",
    )
    home = w.new("b32")
    w.emit(f"shr.u32 {home}, %lin, 5;")
    base = at32(w, "mail", home, 512)
    a, b = w.new("b32"), w.new("b32")
    w.emit(f"mad.lo.u32 {a}, {mine}, {stride}, {base};", f"mad.lo.u32 {b}, {theirs}, {stride}, {base};")
    value = w.plain(pool, w.variable(pool, pick()))
    w.emit(
        f"bar.warp.sync {w.members};",
        f"st.shared.b{8 * size} [{a}], {value};",
        f"bar.warp.sync {w.members};",
        f"ld.shared.b{8 * size} {w.variable(pool, pick())}, [{b}];",
    )


WARP_RULES: dict[str, Callable[[Writer, Picks], None]] = {
    "shuffle": shuffle, "vote": vote, "match": match, "redux": redux, "elect": elect, "mailbox": mailbox,
}  # fmt: skip
