"""MEM103: neighbouring accesses of one thread that the machine code makes one by one, where one wider would do.

Said only where it can be shown: the accesses start from one address value in one block of code, they fill an aligned
window of 4, 8 or 16 bytes whatever the thread, nothing between them can touch the same bytes, and the machine code has
each of them at its own width.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from warpgauge.candidate.arguments import BufferArg
from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Location
from warpgauge.ptx import Instruction, Kernel, is_block_barrier, is_function_call, is_warp_sync
from warpgauge.sass.access import sass_accesses
from warpgauge.sass.ptx_access import PtxAccess, ptx_accesses

from .alignment import alignments, origins
from .subject import Subject

_WIDTHS = (16, 8, 4)
_ORDERED = ("membar", "fence", "atom", "red")
_ELSEWHERE = {"shared", "local", "param", "const"}
_VECTORS = {
    (4, 16): "float4, int4 or uint4",
    (8, 16): "double2, float4 or uint4",
    (2, 16): "uint4 (eight halves)",
    (2, 8): "uint2 (four halves)",
    (4, 8): "float2, int2 or uint2",
    (2, 4): "half2",
    (1, 16): "uint4",
    (1, 8): "uint2",
    (1, 4): "uchar4 or char4",
}


@dataclass(frozen=True)
class _Window:
    """`width` bytes, and the accesses that fill them, in the order of the code."""

    width: int
    members: tuple[PtxAccess, ...]

    @property
    def lines(self) -> frozenset[int]:
        return frozenset(a.line for a in self.members)


def find(subject: Subject) -> Iterator[Diagnostic]:
    """A finding per line and kind of access that could be wider."""
    for entry in subject.entries:
        kernel = subject.kernel(entry)
        if kernel is None or not subject.code(entry):
            continue
        by_place: dict[tuple[Location, str], list[_Window]] = defaultdict(list)
        for window in _windows(subject, entry, kernel):
            if place := subject.line_of(window.members[0].line):
                by_place[place, window.members[0].op].append(window)
        for (place, _), found in by_place.items():
            yield _finding(subject, entry, place, found)


def _windows(subject: Subject, entry: str, kernel: Kernel) -> Iterator[_Window]:
    apart = _separate(subject, entry)
    accesses = {access.line: access for access in ptx_accesses(kernel)}
    groups: dict[tuple[object, ...], list[PtxAccess]] = defaultdict(list)
    spots = {i.ptx_line: (b, n) for b in kernel.blocks for n, i in enumerate(b.instructions)}
    for access in accesses.values():
        plain = access.space == "global" and access.op in ("load", "store") and not access.volatile and not access.dead
        if plain and apart[access.line] == {access.width}:
            groups[spots[access.line][0].index, *access.place].append(access)
    groups = {place: members for place, members in groups.items() if any(_filled(members, _WIDTHS[0]))}
    if not groups:
        return
    pointers = _pointers(subject, entry, kernel)
    known, came = alignments(kernel, pointers), origins(kernel, pointers)
    for members in groups.values():
        base = _base(members[0])
        # One address for the whole warp is one word for all, however wide.
        if base not in came.threads:
            continue
        for window in _filled(members, 1 << min(known.get(base, 0), 4)):
            block = spots[members[0].line][0]
            places = sorted(spots[a.line][1] for a in window.members)
            instructions = block.instructions[places[0] : places[-1] + 1]
            forms = {(i.guard, i.modifiers) for i in instructions if i.ptx_line in window.lines}
            if len(forms) == 1 and not _kept_apart(window, instructions, accesses, came.buffers):
                yield window


def _base(access: PtxAccess) -> str:
    """The register that the address of an access is relative to; empty where it is none."""
    value = access.place[3] if len(access.place) > 3 else ""
    return str(value)


def _pointers(subject: Subject, entry: str, kernel: Kernel) -> frozenset[str]:
    """Parameters for which every launch passes a buffer, each a buffer of its own."""
    launches = subject.launches_of(entry)
    found = set()
    for n, parameter in enumerate(kernel.params):
        passed = [launch.args[n] for launch in launches if n < len(launch.args)]
        alone = all(launch.args.count(argument) == 1 for launch, argument in zip(launches, passed, strict=False))
        if passed and alone and all(isinstance(argument, BufferArg) for argument in passed):
            found.add(parameter.name)
    return frozenset(found)


def _separate(subject: Subject, entry: str) -> Mapping[int, set[int]]:
    """PTX line -> widths that the machine code has there."""
    found: dict[int, set[int]] = defaultdict(set)
    for access in sass_accesses(subject.code(entry)):
        found[access.instruction.ptx_line].add(access.width)
    return found


def _filled(members: Sequence[PtxAccess], aligned: int) -> Iterator[_Window]:
    """Windows that accesses of one width fill without a gap, the widest first, each access in one of them.

    `aligned` is a power of two that divides the value that their offsets count from.
    """
    left: dict[int, PtxAccess] = {}
    for access in sorted(members, key=lambda a: a.line):
        left.setdefault(access.offset, access)
    for width in (w for w in _WIDTHS if w <= aligned):
        for start in sorted({offset - offset % width for offset in left}):
            found = [left[o] for o in range(start, start + width) if o in left]
            units = {a.width for a in found}
            if len(units) == 1 and (unit := units.pop()) < width and len(found) * unit == width:
                for access in found:
                    del left[access.offset]
                yield _Window(width, tuple(sorted(found, key=lambda a: a.line)))


def _kept_apart(
    window: _Window,
    instructions: Sequence[Instruction],
    accesses: Mapping[int, PtxAccess],
    roots: Mapping[str, frozenset[str]],
) -> bool:
    """Whether something between the first and the last access of a window forbids making them at one time.

    Loads would all move up to the first, stores all down to the last; what they pass must not touch their bytes.
    """
    first = window.members[0]
    for i in instructions:
        if i.ptx_line in window.lines:
            continue
        if is_block_barrier(i) or is_warp_sync(i) or is_function_call(i) or i.opcode in _ORDERED:
            return True
        touches = i.opcode == "st" or (first.op == "store" and i.opcode in ("ld", "ldu"))
        if not touches or _ELSEWHERE & set(i.modifiers):
            continue
        other = accesses.get(i.ptx_line)
        if other is None:
            return True
        if other.place[2:] == first.place[2:]:
            moved = [a for a in window.members if (a.line > i.ptx_line) == (first.op == "load")]
            if any(a.offset < other.offset + other.width and other.offset < a.offset + a.width for a in moved):
                return True
            continue
        mine, theirs = roots.get(_base(first), frozenset()), roots.get(_base(other), frozenset())
        if not mine or not theirs or mine & theirs:
            return True
    return False


def _finding(subject: Subject, entry: str, place: Location, found: Sequence[_Window]) -> Diagnostic:
    best = max(found, key=lambda window: window.width)
    width, op, unit = best.width, best.members[0].op, best.members[0].width
    members = [access for window in found for access in window.members]
    what = {"load": "loads", "store": "stores"}[op]
    message = (
        f"{entry}: {len(members)} {what} of {unit} bytes stay separate where {len(found)} of up to {width} bytes would "
        f"do: {len(best.members)} in a row start at a multiple of {width} in every thread"
    )
    help = (
        f"{op} them as one value of {width} bytes ({_VECTORS[unit, width]}); the buffer must begin at a multiple of "
        f"{width} bytes, which allocations do and slices of them need not"
    )
    others = dict.fromkeys(spot for access in members if (spot := subject.line_of(access.line)) and spot != place)
    related = tuple(Span(spot, label="with this one") for spot in others)
    evidence = {"entry": entry, "op": op, "accesses": len(members), "bytes": unit, "possible_bytes": width}
    return Diagnostic("MEM103", "warning", message, Span(place), related[:4], help, evidence)
