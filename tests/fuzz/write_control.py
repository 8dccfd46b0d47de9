"""Control flow: branches, loops, switches, breaks, early returns; for lanes on their own and for whole blocks.

Before lanes part, a ballot tells those of either side who is with them, if anything in there needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from .write_memory import masked
from .write_values import COMPARES
from .write_warp import WARP_RULES
from .writer import Picks, Writer


class Node(Protocol):
    """A statement, as far as control flow must know it."""

    @property
    def rule(self) -> str: ...
    @property
    def bodies(self) -> tuple[tuple[Node, ...], ...]: ...


Body = Sequence[Node]
Render = Callable[[Writer, Body], None]


def asks_for_members(body: Body) -> bool:
    return any(s.rule in WARP_RULES or any(asks_for_members(b) for b in s.bodies) for s in body)


def lane_condition(w: Writer, pick: Picks) -> str:
    what, a, b = pick(6), pick(), pick()
    if what == 0:
        return w.variable("pred", a)
    p = w.new("pred")
    if what == 1:
        w.emit(f"setp.{COMPARES[b % 6]}.s32 {p}, {w.variable('b32', a)}, {w.operand('b32', b // 6)};")
    elif what == 2:
        w.emit(f"setp.lt.u32 {p}, {w.special('%laneid')}, {a % 32};")
    elif what == 3:
        half = w.new("b32")
        w.emit(f"shr.u32 {half}, %lin, {5 - a % 6};", f"and.b32 {half}, {half}, 1;", f"setp.eq.u32 {p}, {half}, 0;")
    elif what == 4:
        w.emit(f"setp.gtu.f32 {p}, {w.variable('f32', a)}, {w.operand('f32', b)};")
    else:
        w.emit(f"setp.eq.u32 {p}, {masked(w, w.variable('b32', a), 3)}, {b % 4};")
    return p


def block_condition(w: Writer, pick: Picks) -> str:
    p, value = w.new("pred"), w.block_value(pick())
    w.emit(f"setp.{COMPARES[pick(6)]}.u32 {p}, {value}, {pick(4)};")
    return p


def _sides(w: Writer, p: str, members: str | None, wanted: bool) -> tuple[str | None, str | None]:
    if members is None or not wanted:
        return None, None
    yes, no = w.new("b32"), w.new("b32")
    w.emit(f"vote.sync.ballot.b32 {yes}, {p}, {members};", f"not.b32 {no}, {yes};", f"and.b32 {no}, {no}, {members};")
    return yes, no


def lane_if(w: Writer, pick: Picks, bodies: Sequence[Body], render: Render) -> None:
    p, layout = lane_condition(w, pick), pick(4)
    first, second = bodies
    yes, no = _sides(w, p, w.members, asks_for_members(first) or asks_for_members(second))
    exact = w.exact
    other, end = w.label(), w.label()

    def body(which: Body, members: str | None, is_exact: bool) -> None:
        with w.scope(members=members, exact=is_exact, full=False, together=False):
            render(w, which)

    # (An exit that lies behind a barrier in the text reads as having passed it.)
    if layout == 3 and not contains_leave(first):
        w.emit(f"@{p} bra {other};", f"{end}:")
        kept, w.lines = w.lines, []
        w.emit(f"{other}:")
        body(first, yes, True)
        w.emit(f"bra {end};")
        w.tail += w.lines
        w.lines = kept
    elif layout == 2 and second:
        w.emit(f"@{p} bra {other};")
        body(second, no, exact)
        w.emit(f"bra.uni {end};", f"{other}:")
        body(first, yes, True)
        w.emit(f"{end}:")
    else:
        w.emit(f"@!{p} bra {other};")
        body(first, yes, True)
        if second:
            w.emit(f"bra.uni {end};", f"{other}:")
            body(second, no, exact)
            w.emit(f"{end}:")
        else:
            w.emit(f"{other}:")


def block_if(w: Writer, pick: Picks, bodies: Sequence[Body], render: Render) -> None:
    p = block_condition(w, pick)
    other, end = w.label(), w.label()
    w.emit(f"@!{p} bra{('', '.uni')[pick(2)]} {other};")
    with w.scope():
        render(w, bodies[0])
    if bodies[1]:
        w.emit(f"bra.uni {end};")
    w.emit(f"{other}:")
    if bodies[1]:
        with w.scope():
            render(w, bodies[1])
        w.emit(f"{end}:")


def _loop(w: Writer, limit: str, tests_first: bool, body: Callable[[str], None], still: str | None) -> None:
    """`still` is the register that names the lanes in the loop."""
    counter, p, top, end = w.new("b32"), w.new("pred"), w.label(), w.label()
    w.emit(f"mov.u32 {counter}, 0;", f"{top}:")
    w.breaks.append((end, still))
    if tests_first:
        w.emit(f"setp.lt.u32 {p}, {counter}, {limit};")
        if still:
            w.emit(f"vote.sync.ballot.b32 {still}, {p}, {still};")
        w.emit(f"@!{p} bra {end};")
    body(counter)
    w.breaks.pop()
    w.emit(f"add.u32 {counter}, {counter}, 1;")
    if tests_first:
        w.emit(f"bra.uni {top};", f"{end}:")
        return
    w.emit(f"setp.lt.u32 {p}, {counter}, {limit};")
    if still:
        w.emit(f"vote.sync.ballot.b32 {still}, {p}, {still};")
    w.emit(f"@{p} bra {top};", f"{end}:")


def lane_loop(w: Writer, pick: Picks, bodies: Sequence[Body], render: Render) -> None:
    limit, tests_first = masked(w, w.operand("b32", pick()), 3), pick(2) == 0
    still = None
    if w.members is not None and asks_for_members(bodies[0]):
        still = w.new("b32")
        w.emit(f"mov.b32 {still}, {w.members};")
    exact = tests_first or w.exact

    def body(counter: str) -> None:
        with w.scope(members=still, exact=exact, full=False, together=False):
            w.lets["b32"].append(counter)
            render(w, bodies[0])

    _loop(w, limit, tests_first, body, still)


def block_loop(w: Writer, pick: Picks, bodies: Sequence[Body], render: Render) -> None:
    limit, tests_first = masked(w, w.block_value(pick()), 3), pick(2) == 0
    if contains_leave(bodies[0]):
        w.exits()  # what a later turn does comes earlier in the text

    def body(counter: str) -> None:
        with w.scope():
            w.lets["b32"].append(counter)
            w.uniform.append(counter)
            render(w, bodies[0])

    _loop(w, limit, tests_first, body, None)


def contains_leave(body: Body) -> bool:
    return any(s.rule == "leave" or any(contains_leave(b) for b in s.bodies) for s in body)


def switch(w: Writer, pick: Picks, bodies: Sequence[Body], render: Render) -> None:
    index, last = masked(w, w.operand("b32", pick()), 3), pick(2)
    table, one, two, end = (w.label() for _ in range(4))
    w.emit(f"{table}: .branchtargets {one}, {two}, {end}, {(one, end)[last]};", f"brx.idx {index}, {table};")
    for label, body in ((one, bodies[0]), (two, bodies[1])):
        w.emit(f"{label}:")
        with w.scope(members=None, exact=False, full=False, together=False):
            render(w, body)
        w.emit(f"bra {end};")
    w.emit(f"{end}:")


def break_lane(w: Writer, pick: Picks) -> None:
    end, still = w.breaks[-1]
    if still is not None and w.members != still:
        return  # the loop's own lanes could no longer be told from here
    p = lane_condition(w, pick)
    if still is not None:
        w.emit(f"vote.sync.ballot.b32 {still}, !{p}, {still};")
    w.emit(f"@{p} bra {end};")


def break_block(w: Writer, pick: Picks) -> None:
    w.emit(f"@{block_condition(w, pick)} bra {w.breaks[-1][0]};")


def leave(w: Writer, pick: Picks) -> None:
    p, how = lane_condition(w, pick), pick(3)
    if how == 2:
        on = w.label()
        w.emit(f"@!{p} bra {on};", "ret;", f"{on}:")
    else:
        w.emit(f"@{p} {('ret', 'exit')[how]};")
    w.exits()


def leave_block(w: Writer, pick: Picks) -> None:
    w.emit(f"@{block_condition(w, pick)} ret;")


GROUP_RULES = {
    "lane_if": lane_if, "lane_loop": lane_loop, "switch": switch, "block_if": block_if, "block_loop": block_loop,
}  # fmt: skip
CONTROL_RULES: dict[str, Callable[[Writer, Picks], None]] = {
    "break_lane": break_lane, "break_block": break_block, "leave": leave, "leave_block": leave_block,
}  # fmt: skip
