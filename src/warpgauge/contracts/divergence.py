"""Divergence: which share of the lanes takes part in what warps execute, and which branches keep the others idle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Branch, Coverage, Execution, LineActivity, Location, Provenance

from .case import Case, blocks, judged
from .result import ContractResult, Verdict, unknown

NAME = "divergence"
UNIT = "of lanes active"
_COUNTED = Provenance("counted")


@dataclass(frozen=True)
class BranchLine:
    """The branches of one launch at one source line: unrolling and templates make several of one."""

    location: Location
    branches: tuple[Branch, ...]

    @property
    def executions(self) -> int:
        return sum(b.executions for b in self.branches)

    @property
    def splits(self) -> int:
        return sum(b.splits for b in self.branches)

    @property
    def idle_slots(self) -> int:
        return sum(b.idle_slots for b in self.branches)

    @property
    def worst(self) -> Branch:
        """The one that costs most."""
        return max(self.branches, key=lambda b: (b.idle_slots, b.paths, -b.ptx_line))


def active_share(lines: Iterable[LineActivity]) -> float:
    """Active lanes over lanes that have a thread, each executed instruction counted."""
    members = tuple(lines)
    return sum(line.thread_instructions for line in members) / sum(line.thread_slots for line in members)


def branch_lines(branches: Iterable[Branch]) -> tuple[BranchLine, ...]:
    """Lines at which lanes of a warp went different ways, the dearest first."""
    groups: dict[Location, list[Branch]] = {}
    for branch in branches:
        if branch.splits:
            groups.setdefault(Location(branch.location.file, branch.location.line), []).append(branch)
    found = [BranchLine(min(b.location for b in members), tuple(members)) for members in groups.values()]
    return tuple(sorted(found, key=lambda line: (-line.idle_slots, line.location)))


def lanes_in_words(lanes: Iterable[int]) -> str:
    """`0-15`, `0, 2, 4 .. 30` (a constant step), or the list."""
    members = sorted(lanes)
    steps = {after - before for before, after in pairwise(members)}
    if len(members) < 3 or len(steps) > 1:
        return _runs(members)
    if steps == {1}:
        return f"{members[0]}-{members[-1]}"
    return f"{members[0]}, {members[1]} .. {members[-1]}"


def _runs(members: list[int]) -> str:
    parts: list[list[int]] = []
    for lane in members:
        if parts and lane == parts[-1][-1] + 1:
            parts[-1].append(lane)
        else:
            parts.append([lane])
    return ", ".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)


def _groups(branch: Branch) -> list[list[int]]:
    """Lanes by way, in the worst split."""
    assert branch.worst is not None
    out: list[list[int]] = [[] for _ in range(branch.paths)]
    for lane, way in enumerate(branch.worst.ways):
        if way is not None:
            out[way].append(lane)
    return out


def _help(branch: Branch, groups: list[list[int]]) -> str:
    """What to change, by how the lanes of the worst split lie."""
    interleaved = sum(len(lanes_in_words(g).split(", ")) > 1 for g in groups)
    advice = (
        "the warp takes its ways one after another: order the data, or choose which thread does what, so that all "
        "lanes of a warp agree"
    )
    if interleaved:
        return (
            f"{advice} (a condition on threadIdx.x / 32 splits no warp where one on threadIdx.x % {len(groups)} does)"
        )
    return f"{advice}; here whole runs of lanes part, so a border at a multiple of 32 threads would split no warp"


def _diagnostic(execution: Execution, line: BranchLine, slots: int) -> Diagnostic:
    branch = line.worst
    worst = branch.worst
    assert worst is not None
    groups = _groups(branch)
    block = ", ".join(str(index) for index in worst.block)
    where = " | ".join(lanes_in_words(g) for g in groups)
    message = (
        f"divergent branch: lanes of a warp go {branch.paths} ways; {line.splits:,} of {line.executions:,} executions "
        f"by warps split ({100 * line.splits / line.executions:.3g} %), which leaves {line.idle_slots:,} lane-slots "
        f"idle ({100 * line.idle_slots / slots:.3g} % of {execution.kernel}'s); "
        f"block ({block}), warp {worst.warp}, lanes by way: {where}"
    )
    evidence = {
        "paths": branch.paths,
        "executions": line.executions,
        "splits": line.splits,
        "idle_slots": line.idle_slots,
        "slots": slots,
        "provenance": asdict(_COUNTED),
        "split": {"block": list(worst.block), "warp": worst.warp, "ways": list(worst.ways)},
    }
    related = tuple(Span(location, label="inlined here") for location in branch.inlined)
    return Diagnostic("UTL401", "warning", message, Span(line.location), related, _help(branch, groups), evidence)


def _launch(execution: Execution, floor: float, share: float) -> tuple[float, list[Diagnostic]]:
    """The active share of one launch; if it is under `floor`, its dearest branch and those that cost `share`."""
    active = active_share(execution.lines)
    if active >= floor:
        return active, []
    slots = sum(line.thread_slots for line in execution.lines)
    first, *others = branch_lines(execution.branches) or (None,)
    named = [first, *(line for line in others if line and line.idle_slots >= share * slots)]
    return active, [_diagnostic(execution, line, slots) for line in named if line]


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """FAIL if a launch on the judged shape has a smaller share of active lanes than `active_lanes`.

    A lane is active while it executes, also where its predicate is false; one that has returned, or that waits while
    others of its warp go another way, is not. Lanes without a thread do not count. Of a launch that fails the
    dearest branch is named, and the others from `branch_share` of its lane-slots on.
    """
    executions, reason = judged(case)
    coverage: Coverage | None = blocks(executions) if executions else None
    uncounted = [execution.kernel for execution in executions if not execution.lines]
    if uncounted and not reason:
        reason = f"{uncounted[0]}: what its warps executed was not counted"
    if reason:
        return unknown(NAME, reason, coverage=coverage)
    outcomes = [_launch(execution, settings["active_lanes"], settings["branch_share"]) for execution in executions]
    lowest = min(outcome[0] for outcome in outcomes)
    return ContractResult(
        NAME,
        Verdict.FAIL if lowest < settings["active_lanes"] else Verdict.PASS,
        measured=lowest,
        asked=settings["active_lanes"],
        unit=UNIT,
        provenance=_COUNTED,
        coverage=coverage,
        diagnostics=tuple(d for outcome in outcomes for d in outcome[1]),
    )
