"""Which PTX memory instructions the hardware executes, and how wide: read from the cubin.

ptxas merges neighbouring PTX accesses into wider ones, trims vector elements that nothing reads and drops accesses
whose value it already has. Counting PTX as written is then wrong by up to the ratio of the widths. nvdisasm notes the
PTX line of each SASS instruction, so the two can be matched without any knowledge of the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from warpgauge.ptx import Kernel
from warpgauge.ptx.tiles import tile_of

from .access import SassAccess, sass_accesses
from .parse import parse_sass
from .ptx_access import PtxAccess, ptx_accesses
from .tiling import Member, place, tile


@dataclass(frozen=True)
class AccessWidth:
    """How to count one PTX access: not at all, or as `bytes_per_lane` bytes at its PTX address plus `offset_delta`."""

    counted: bool
    bytes_per_lane: int
    offset_delta: int
    reason: str


@dataclass(frozen=True)
class WidthMap:
    """`entries` maps a PTX line to what differs from the PTX; an access without an entry counts as the PTX says.

    `ambiguous` are the lines whose entry keeps the PTX width because SASS does not tell. `unexplained` are SASS
    accesses at no PTX memory instruction: register spills and the expansion of called functions.
    """

    entries: dict[int, AccessWidth] = field(default_factory=dict)
    ambiguous: tuple[int, ...] = ()
    unexplained: tuple[str, ...] = ()


def width_map(kernel: Kernel, sass_text: str, symbol: str) -> WidthMap:
    """The map of a kernel, or of a function called by it, against the SASS of the kernel `symbol`.

    Empty where the SASS has no code or no PTX lines for that symbol: nothing is known then.
    """
    instructions = list(parse_sass(sass_text, symbol))
    if not any(i.ptx_line for i in instructions):
        return WidthMap()
    accesses = list(ptx_accesses(kernel))
    ops = {access.line: access.op for access in accesses}
    at_line: dict[int, list[SassAccess]] = {line: [] for line in ops}
    tiles = {i.ptx_line for i in kernel.instructions if tile_of(i)}
    unexplained = []
    for found in sass_accesses(instructions):
        line = found.instruction.ptx_line
        # An atomic that SASS has no instruction for becomes a loop of a load and a compare-and-swap.
        if ops.get(line) == found.op or ops.get(line) == "atomic":
            at_line[line].append(found)
        elif line not in tiles:
            unexplained.append(str(found.instruction))
    groups: dict[tuple[object, ...], list[PtxAccess]] = {}
    for access in accesses:
        groups.setdefault(access.place, []).append(access)
    result = _Result(_repeated(accesses, at_line))
    for group in groups.values():
        _Group(sorted(group, key=lambda access: (access.offset, access.line)), at_line, result).resolve()
    entries = dict(sorted((result.entries | result.unclear).items()))
    return WidthMap(entries, tuple(sorted(result.unclear)), tuple(unexplained))


def _repeated(accesses: list[PtxAccess], at_line: dict[int, list[SassAccess]]) -> set[tuple[object, int]]:
    """(spot, line) of the accesses without SASS whose bytes another access of the same block, with SASS, moves."""
    present: dict[object, int] = {}
    for access in accesses:
        if at_line[access.line]:
            present[access.spot] = max(access.width, present.get(access.spot, 0))
    return {
        (access.spot, access.line)
        for access in accesses
        if not at_line[access.line] and access.width <= present.get(access.spot, 0)
    }


@dataclass
class _Result:
    repeated: set[tuple[object, int]]
    entries: dict[int, AccessWidth] = field(default_factory=dict)
    unclear: dict[int, AccessWidth] = field(default_factory=dict)

    def keep(self, access: PtxAccess, why: str) -> None:
        self.unclear[access.line] = AccessWidth(True, access.width, 0, f"{why}; counted as the PTX says")

    def fuse(self, members: list[PtxAccess], offset: int, width: int) -> None:
        """The member that comes first in the program leads: its lanes and its guard are those of the wide access."""
        leader = min(members, key=lambda access: access.line)
        for access in members:
            if access is leader:
                reason = f"fused with {len(members) - 1} more into one access of {width} bytes"
                self.entries[access.line] = AccessWidth(True, width, offset - access.offset, reason)
            else:
                reason = f"part of the {width}-byte access at PTX line {leader.line}"
                self.entries[access.line] = AccessWidth(False, 0, 0, reason)


class _Group:
    """The accesses of one place, by offset, and the SASS accesses at their lines.

    `open` are the members that are not decided yet.
    """

    def __init__(self, members: list[PtxAccess], at_line: dict[int, list[SassAccess]], result: _Result) -> None:
        self.members = members
        self.found = [at_line[access.line] for access in members]
        self.result = result
        self.open = list(range(len(members)))

    def resolve(self) -> None:
        if self.members[0].op not in ("load", "store"):
            for n, access in enumerate(self.members):
                # Atomics, copies and matrix rows are never fused.
                if not self.found[n]:
                    self.result.keep(access, "no SASS of its own")
            return
        self._split()
        self._fused()
        for n in list(self.open):
            self._alone(n)

    def _close(self, members: list[int]) -> None:
        self.open = [n for n in self.open if n not in members]

    def _uniform(self, n: int) -> int | None:
        """The width that all SASS accesses of member n have; 0: there are none; None: they differ."""
        widths = {found.width for found in self.found[n]}
        return widths.pop() if len(widths) == 1 else None if widths else 0

    def _split(self) -> None:
        """One line with accesses at several offsets from one base: ptxas fused members and took them apart again, which
        leaves the whole group at the line of one member."""
        for n in list(self.open):
            spots = sorted({(found.offset, found.width) for found in self.found[n]})
            if len(spots) < 2 or len({found.base for found in self.found[n]}) > 1:
                continue
            free = [m == n or (m in self.open and not self.found[m]) for m in range(len(self.members))]
            ways = place(spots, n, [Member(a.offset, a.width) for a in self.members], free)
            if len(ways) == 1:
                for part in ways[0]:
                    members = [self.members[m] for m in part]
                    if len(part) > 1:
                        self.result.fuse(members, members[0].offset, sum(access.width for access in members))
                    self._close(list(part))

    def _fused(self) -> None:
        """Stretches of members that do not overlap, each without SASS or with wider SASS."""
        stretch: list[int] = []
        for n in list(self.open):
            access, wide = self.members[n], self._uniform(n)
            fusible = not access.volatile and wide is not None and (wide == 0 or wide > access.width)
            end = self.members[stretch[-1]].offset + self.members[stretch[-1]].width if stretch else access.offset
            if not fusible or access.offset < end:
                self._cut(stretch)
                stretch = []
            if fusible:
                stretch.append(n)
        self._cut(stretch)

    def _cut(self, stretch: list[int]) -> None:
        members = [self.members[n] for n in stretch]
        wide = [self._uniform(n) or 0 for n in stretch]
        if not any(wide):
            return
        tiling = tile([Member(access.offset, access.width, w) for access, w in zip(members, wide, strict=True)])
        if tiling is None or not tiling.unique:
            reason = "could be fused in more than one way" if tiling else "SASS is wider than its neighbours explain"
            for access in members:
                self.result.keep(access, reason)
            self._close(stretch)
            return
        for window in tiling.windows:
            self.result.fuse(members[window.first : window.end], window.offset, window.width)
            self._close(stretch[window.first : window.end])

    def _alone(self, n: int) -> None:
        """A member that is in no wider access."""
        access, width = self.members[n], self._uniform(n)
        if width == access.width:
            return
        if width == 0:
            self._absent(n)
            return
        first, end = access.used
        if width is not None and width < access.width:
            # Elements that nothing reads were trimmed: what is left starts where the hardware can load it.
            start = first if end - first == width else first // width * width
            if start <= first and end <= start + width:
                reason = f"only {width} of the {access.width} bytes are loaded"
                self.result.entries[access.line] = AccessWidth(True, width, start, reason)
                return
        widths = ", ".join(str(found.width) for found in self.found[n])
        self.result.keep(access, f"SASS has accesses of {widths} bytes for these {access.width}")

    def _absent(self, n: int) -> None:
        """No SASS at the line. It counts as dropped only where the PTX shows why ptxas could drop it: it may also have
        been merged with an access on another path, which then moves its data."""
        access = self.members[n]
        if access.space == "local" or access.dead or (access.spot, access.line) in self.result.repeated:
            self.result.entries[access.line] = AccessWidth(False, 0, 0, "eliminated by ptxas")
        else:
            self.result.keep(access, "no SASS of its own")
