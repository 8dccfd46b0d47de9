"""The loop model: what one pass of each loop body costs a warp, and what it keeps busy.

Read off the code: the instruction mix, the issue cycles (stall counts), the cycles of each pipe, and a walk of one
warp that waits where the code waits. Assumed: latencies that the hardware does not fix, and that every instruction of
a body is executed, so that both arms of a branch count. What a request costs (wavefronts) and how long a load takes may
come from an execution instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from warpgauge.evidence import LoadUse, LocalTraffic, Location, MachineCode, Segment, Stretch

from .classes import class_of, mix, space_of
from .control import Control, code_of, controls
from .loops import Loop, find_loops, reachable
from .parse import SassInstruction, labels, parse_sass
from .pipes import Machine, instruction_cache, least_wavefronts
from .timing import first_uses, most_in_flight, walk

#: PTX line -> the user's line.
Lines = Callable[[int], Location]


@dataclass(frozen=True)
class Costs:
    """What is known of memory accesses besides the code, by PTX line.

    `wavefronts` is the mean of a shared-memory access (or the sectors of a global one over the four that a wavefront
    moves), the fewest that its width allows where nothing is said; `memory_latency` in cycles is that of every global
    load.
    """

    wavefronts: Mapping[int, float] = field(default_factory=dict)
    memory_latency: float | None = None


@dataclass(frozen=True)
class Parts:
    """A function in pieces: `stretches[0]` is outside of loops; positions in `code`."""

    code: tuple[SassInstruction, ...]
    bits: Mapping[int, Control]
    loops: tuple[Loop, ...]
    stretches: tuple[tuple[int, ...], ...]


def parts_of(sass_text: str, cubin: bytes, symbol: str) -> Parts:
    """The code of one function, each instruction in the innermost loop that has it; what is never reached left out."""
    code = tuple(i for i in parse_sass(sass_text, symbol))
    addresses = labels(sass_text, symbol)
    loops = find_loops(code, addresses)
    owner = dict.fromkeys(reachable(code, addresses), -1)
    for n, loop in enumerate(sorted(loops, key=lambda loop: loop.depth)):
        owner |= dict.fromkeys(loop.body, n)
    ranked = sorted(range(len(loops)), key=lambda n: loops[n].depth)
    pieces: list[list[int]] = [[] for _ in range(len(loops) + 1)]
    for position in sorted(owner):
        which = owner[position]
        pieces[0 if which < 0 else 1 + ranked[which]].append(position)
    return Parts(code, controls(cubin, symbol), loops, tuple(map(tuple, pieces)))


def machine_code(
    sass_text: str,
    cubin: bytes,
    symbol: str,
    machine: Machine,
    lines: Lines,
    *,
    entry: str = "",
    costs: Costs | None = None,
) -> MachineCode | None:
    """The model of one kernel; None where there is no machine code of it."""
    parts = parts_of(sass_text, cubin, symbol)
    if not parts.code:
        return None
    known = costs or Costs()
    outside = Loop(0, max(parts.stretches[0], default=0), parts.stretches[0], 0)
    loops = [outside, *parts.loops]
    return MachineCode(
        entry or symbol,
        machine.arch,
        len(code_of(cubin, symbol)),
        instruction_cache(machine.arch),
        tuple(_stretch(parts, n, loop, machine, lines, known) for n, loop in enumerate(loops)),
        _local(parts.code, lines),
        tuple(sorted({i.opcode for i in parts.code if class_of(i).name == "tensor" and "MMA" in i.opcode})),
    )


def _stretch(parts: Parts, n: int, loop: Loop, machine: Machine, lines: Lines, costs: Costs) -> Stretch:
    code = [parts.code[position] for position in parts.stretches[n]]

    def wavefronts(i: SassInstruction) -> float:
        return costs.wavefronts.get(i.ptx_line, least_wavefronts(i)) if space_of(i) in ("global", "shared") else 1.0

    def latency(i: SassInstruction) -> float:
        return machine.latency(i, wavefronts(i), costs.memory_latency)

    walked = walk(code, parts.bits, latency, turns=3 if n else 1)
    segments, first, began = [], 0, 0.0
    cuts = [at for at, i in enumerate(code) if i.opcode == "BAR" and "ARV" not in i.modifiers]
    for at in [*cuts, len(code)]:
        stretch = code[first : at + 1]
        ended = walked.issued[at] if at < len(code) else walked.cycles
        if stretch:
            segments.append(Segment(len(stretch), _pipes(stretch, machine, wavefronts), ended - began))
        first, began = at + 1, ended
    uses = first_uses(code)
    stalls = [max(1, parts.bits[i.address].stall) if i.address in parts.bits else 1 for i in code]
    loads = []
    for at, distance in uses.items():
        i = code[at]
        cycles = None if distance is None else sum(stalls[(at + step) % len(code)] for step in range(distance))
        # Between the load and its use, neither of them counted.
        between = None if distance is None else distance - 1
        loads.append(LoadUse(i.opcode, space_of(i), i.address, lines(i.ptx_line), between, cycles))
    return Stretch(
        head=parts.code[loop.head].address,
        end=parts.code[loop.branch].address,
        depth=loop.depth,
        parent=None if loop.parent is None else loop.parent + 1,
        lines=tuple(sorted({place for i in code if (place := lines(i.ptx_line)).line})),
        instructions=len(code),
        mix=mix(code),
        issue_cycles=sum(stalls),
        segments=tuple(segments),
        loads=tuple(loads),
        in_flight=most_in_flight(code, 2 if n else 1),
    )


def _pipes(
    code: Sequence[SassInstruction], machine: Machine, wavefronts: Callable[[SassInstruction], float]
) -> dict[str, float]:
    busy: dict[str, float] = {}
    for i in code:
        for pipe in class_of(i).pipes:
            cycles = machine.interval(i, pipe, wavefronts(i))
            if cycles is not None:
                busy[pipe] = busy.get(pipe, 0.0) + cycles
    return busy


def _local(code: Sequence[SassInstruction], lines: Lines) -> tuple[LocalTraffic, ...]:
    found: dict[Location, list[int]] = {}
    for i in code:
        if i.opcode in ("LDL", "STL"):
            found.setdefault(lines(i.ptx_line), [0, 0])[i.opcode == "STL"] += 1
    return tuple(LocalTraffic(place, *counts) for place, counts in sorted(found.items()))
