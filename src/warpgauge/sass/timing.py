"""One warp walks through code: when it issues each instruction, and what it waits for.

Where a latency is fixed the stall counts say it all. Elsewhere an instruction sets a barrier, and whoever needs its
result waits for that barrier: the walk releases it a latency later. A body is walked several times in a row, so that
what one turn leaves under way meets the next; the last turn is the one that counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .classes import is_load, space_of
from .control import BARRIERS, Control
from .parallelism import read, written
from .parse import SassInstruction
from .pipes import READ_LATENCY

TURNS = 3
_DEPBAR = re.compile(r"SB(\d)")
_NO_BITS = Control(1, False, None, None, (), 0)
Latency = Callable[[SassInstruction], float]


@dataclass(frozen=True)
class Walk:
    """`issued[n]` is when instruction n of the last turn was issued, from that turn's start; `cycles` its length."""

    issued: tuple[float, ...]
    cycles: float


def walk(code: Sequence[SassInstruction], bits: Mapping[int, Control], latency: Latency, turns: int = TURNS) -> Walk:
    """Times of one warp that has the SM to itself."""
    now = 0.0
    under_way: list[list[float]] = [[] for _ in range(BARRIERS)]
    start = 0.0
    issued: list[float] = []
    for _ in range(turns):
        start, issued = now, []
        for i in code:
            control = bits.get(i.address, _NO_BITS)
            for barrier in control.waits:
                now = max([now, *under_way[barrier]])
            if i.opcode == "DEPBAR":
                now = max(now, _released(i, under_way))
            issued.append(now - start)
            if control.write_barrier is not None:
                under_way[control.write_barrier].append(now + latency(i))
            if control.read_barrier is not None:
                under_way[control.read_barrier].append(now + min(latency(i), READ_LATENCY))
            under_way = [[t for t in times if t > now] for times in under_way]
            now += max(1, control.stall)
    return Walk(tuple(issued), now - start)


def _released(i: SassInstruction, under_way: Sequence[list[float]]) -> float:
    """When DEPBAR.LE SBn, k goes on: once at most k of what the barrier counts are under way."""
    barrier = next((int(m[1]) for o in i.operands if (m := _DEPBAR.fullmatch(o))), None)
    if barrier is None:
        return 0.0
    left = next((int(o, 16) for o in i.operands if o.startswith("0x")), 0)
    times = sorted(under_way[barrier])
    return times[-1 - left] if len(times) > left else 0.0


def first_uses(code: Sequence[SassInstruction]) -> dict[int, int | None]:
    """For each load, how many instructions on its first use is; None where the value is not used in the next turn."""
    out: dict[int, int | None] = {}
    for n, i in enumerate(code):
        if not is_load(i):
            continue
        filled, out[n] = written(i), None
        for later in range(1, len(code) + 1):
            other = code[(n + later) % len(code)]
            if read(other) & filled:
                out[n] = later
                break
            filled -= written(other)
            if not filled:
                break
    return out


def most_in_flight(code: Sequence[SassInstruction], turns: int = 2) -> int:
    """The most loads from global memory that are under way when the warp first waits for one of them."""
    most, filling, count = 0, set[str](), 0
    for i in list(code) * turns:
        if (read(i) | written(i)) & filling or (i.opcode == "DEPBAR" and count):
            most, filling, count = max(most, count), set(), 0
        if i.opcode == "LDGSTS" or (is_load(i) and space_of(i) == "global"):
            filling |= written(i)
            count += 1
    return max(most, count)
