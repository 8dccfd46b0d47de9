"""Loops of a function, from its machine code.

A backward branch alone is no loop: ptxas lays rare code behind the end of a function, and its way back is a backward
branch as well. A loop is a branch to an instruction that every path to the branch has passed (a natural loop). Ways
that only a warp takes whose lanes have come apart (BRA.DIV) are no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .parse import SassInstruction, labels, parse_sass

_LABEL = re.compile(r"`\(([.$][\w$.]+)\)")
_TARGETS = re.compile(r"\.L_\w+")
#: Nothing follows these where they have no guard.
_ENDS = frozenset({"EXIT", "BRA", "JMP", "BRX", "JMX", "RET", "KILL", "BPT"})


@dataclass(frozen=True)
class Loop:
    """One loop, by position in the code of its function.

    `head` is its first instruction, `branch` the last one that goes back to it, `body` all that it executes, those of
    the loops inside it included. `depth` is 1 for an outermost loop; `parent` is the index of the loop around it among
    all loops of the function, None where there is none.
    """

    head: int
    branch: int
    body: tuple[int, ...]
    depth: int = 1
    parent: int | None = None


def loops_of(sass_text: str, symbol: str) -> tuple[Loop, ...]:
    """The loops of one function, in the order of their first instructions."""
    return find_loops(tuple(parse_sass(sass_text, symbol)), labels(sass_text, symbol))


def innermost(loops: Sequence[Loop]) -> tuple[Loop, ...]:
    """The loops that have none inside."""
    around = {loop.parent for loop in loops}
    return tuple(loop for n, loop in enumerate(loops) if n not in around)


def find_loops(code: Sequence[SassInstruction], addresses: dict[str, int]) -> tuple[Loop, ...]:
    """The loops of the instructions of one function; `addresses` maps its labels to byte addresses."""
    follow = _edges(code, addresses)
    bodies: dict[int, tuple[int, set[int]]] = {}
    before: dict[int, list[int]] = {}
    for at, following in follow.items():
        for to in following:
            before.setdefault(to, []).append(at)
    idom, rank = _dominators(follow, before)
    for at, following in follow.items():
        for head in following:
            # A dominator comes first in reverse postorder: most edges need no walk.
            if rank[head] <= rank[at] and _dominates(idom, head, at):
                branch, body = bodies.get(head, (at, {head}))
                _reach_back(before, at, body)
                bodies[head] = max(branch, at), body
    order = sorted(bodies)
    # Of the loops that hold a head, the smallest is the parent; each of them counts one level.
    around = [[n for n, other in enumerate(order) if other != head and head in bodies[other][1]] for head in order]
    return tuple(
        Loop(
            head,
            bodies[head][0],
            tuple(sorted(bodies[head][1])),
            1 + len(outer),
            min(outer, key=lambda n: len(bodies[order[n]][1]), default=None),
        )
        for head, outer in zip(order, around, strict=True)
    )


def _edges(code: Sequence[SassInstruction], addresses: dict[str, int]) -> dict[int, list[int]]:
    """What can follow each instruction, of those that can be reached from the first one or are called."""
    position = {i.address: n for n, i in enumerate(code)}
    last = code[-1].address if code else 0

    def at(label: str) -> int | None:
        # A label may stand before an instruction that never executes and is left out.
        address = addresses.get(label)
        while address is not None and address <= last:
            if address in position:
                return position[address]
            address += 16
        return None

    def following(n: int) -> list[int]:
        i = code[n]
        out = []
        if i.opcode in ("BRA", "JMP", "BRX", "JMX") and "DIV" not in i.modifiers:
            find = _LABEL if i.opcode in ("BRA", "JMP") else _TARGETS
            out = [to for label in find.findall(", ".join(i.operands)) if (to := at(label)) is not None]
        ends = i.opcode in _ENDS and not i.predicate and "DIV" not in i.modifiers
        # A condition may also be an operand: BRA P1, `(.L_x_2).
        if ends and i.opcode in ("BRA", "JMP"):
            ends = len(i.operands) == 1
        if not ends and n + 1 < len(code):
            out.append(n + 1)
        return out

    edges: dict[int, list[int]] = {}
    waiting = [0] if code else []
    while waiting:
        n = waiting.pop()
        if n in edges:
            continue
        edges[n] = following(n)
        waiting += edges[n]
        # What a subroutine does is not done here, but its own loops are loops of the function.
        called = _LABEL.search(", ".join(code[n].operands)) if code[n].opcode == "CALL" else None
        if called and (entry := at(called[1])) is not None:
            waiting.append(entry)
    return edges


def _dominators(follow: dict[int, list[int]], before: dict[int, list[int]]) -> tuple[dict[int, int], dict[int, int]]:
    """The immediate dominator of each instruction (-1, which stands before all entries, is its own) and its rank.

    The iteration over reverse postorder of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
    """
    entries = [n for n in follow if n not in before or n == 0]
    order: list[int] = []
    seen: set[int] = set()
    for entry in entries:
        stack = [(entry, iter(follow[entry]))] if entry not in seen else []
        seen.add(entry)
        while stack:
            n, rest = stack[-1]
            to = next((t for t in rest if t not in seen), None)
            if to is None:
                order.append(n)
                stack.pop()
            else:
                seen.add(to)
                stack.append((to, iter(follow[to])))
    order.reverse()
    rank = {-1: -1, **{n: place for place, n in enumerate(order)}}
    idom = {-1: -1, **dict.fromkeys(entries, -1)}
    changed = True
    while changed:
        changed = False
        for n in order:
            new = -1 if n in entries else None
            for one in before.get(n, []):
                if one in idom:
                    new = one if new is None else _meet(idom, rank, one, new)
            if new is not None and idom.get(n) != new:
                idom[n], changed = new, True
    return idom, rank


def _meet(idom: dict[int, int], rank: dict[int, int], a: int, b: int) -> int:
    while a != b:
        if rank[a] > rank[b]:
            a = idom[a]
        else:
            b = idom[b]
    return a


def _dominates(idom: dict[int, int], over: int, n: int) -> bool:
    while n not in (over, -1):
        n = idom[n]
    return n == over


def _reach_back(before: dict[int, list[int]], at: int, body: set[int]) -> None:
    """Adds to `body`, which has the head, all that reaches `at` without passing the head."""
    waiting = [at]
    while waiting:
        n = waiting.pop()
        if n not in body:
            body.add(n)
            waiting += before.get(n, [])
