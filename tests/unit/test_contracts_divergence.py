"""Divergence: the share of active lanes decides; of a launch that fails the branches are named by what they cost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.hand import FILE, Case, case, execution, trial
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.contracts.divergence import judge, lanes_in_words
from warpgauge.evidence import Branch, LineActivity, Location, Split
from warpgauge.problem.settings import CONTRACTS

SOUND = CONTRACTS["divergence"].sound
HALVES = tuple(lane % 2 for lane in range(32))


def activity(active: int, slots: int = 3200, line: int = 1) -> LineActivity:
    return LineActivity(Location(FILE, line), slots // 32, active, slots)


def branch(idle: int, *, line: int = 3, splits: int = 4, ways: Sequence[int | None] = HALVES, ptx: int = 9) -> Branch:
    worst = Split((1, 0, 0), 2, tuple(ways)) if splits else None
    return Branch(Location(FILE, line), 8, splits, idle, worst, ptx_line=ptx)


def verdict(lines: Sequence[LineActivity], *branches: Branch) -> ContractResult:
    return judge(case(execution(lines=lines, branches=branches)), SOUND)


@pytest.mark.parametrize(("active", "expected"), [(3200, "PASS"), (2400, "PASS"), (2399, "FAIL"), (100, "FAIL")])
def test_the_share_of_active_lanes_decides(active: int, expected: str) -> None:
    result = verdict([activity(active)])
    assert (str(result.verdict), result.measured, result.asked) == (expected, active / 3200, 0.75)
    assert result.provenance is not None and result.provenance.kind == "counted"


def test_lines_weigh_by_what_they_execute() -> None:
    mostly_whole = verdict([activity(32_000, 32_000), activity(100, 3200, line=2)])
    assert (mostly_whole.verdict, mostly_whole.measured) == (Verdict.PASS, 32_100 / 35_200)


def test_a_failing_launch_names_its_branches_the_dearest_first() -> None:
    result = verdict([activity(1600)], branch(400, line=3), branch(1000, line=7), branch(100, line=9))
    assert [d.primary.location.line for d in result.diagnostics if d.primary] == [7, 3]  # 100 of 3,200 is under 5 %
    first = result.diagnostics[0]
    assert (first.code, first.severity) == ("UTL401", "warning")
    assert "2 ways; 4 of 8 executions by warps split (50 %)" in first.message
    assert "1,000 lane-slots idle (31.2 % of kernel's)" in first.message
    assert "block (1, 0, 0), warp 2, lanes by way: 0, 2 .. 30 | 1, 3 .. 31" in first.message
    assert first.evidence["split"]["ways"] == list(HALVES)


def test_many_cheap_branches_still_name_the_dearest() -> None:
    result = verdict([activity(1600)], *(branch(100, line=n, ptx=n) for n in range(3, 19)))
    assert (result.verdict, len(result.diagnostics)) == (Verdict.FAIL, 1)


def test_a_launch_that_keeps_its_lanes_busy_names_none() -> None:
    assert verdict([activity(2400)], branch(800)).diagnostics == ()


def test_pieces_of_one_line_are_one_finding_and_agreeing_branches_none() -> None:
    result = verdict([activity(1600)], branch(300, ptx=1), branch(900, ptx=2), branch(0, line=5, splits=0))
    (diagnostic,) = result.diagnostics
    assert (diagnostic.evidence["splits"], diagnostic.evidence["idle_slots"]) == (8, 1200)


def test_the_help_knows_interleaved_lanes_from_runs_of_lanes() -> None:
    (alternating,) = verdict([activity(1600)], branch(900)).diagnostics
    assert "threadIdx.x / 32 splits no warp where one on threadIdx.x % 2 does" in alternating.help
    halves = tuple(lane // 16 for lane in range(32))
    (runs,) = verdict([activity(1600)], branch(900, ways=halves)).diagnostics
    assert "multiple of 32 threads" in runs.help


@pytest.mark.parametrize(
    ("lanes", "words"),
    [
        ((5,), "5"),
        ((3, 4), "3-4"),
        (range(16), "0-15"),
        (range(0, 32, 4), "0, 4 .. 28"),
        ((0, 1, 2, 7, 9, 10), "0-2, 7, 9-10"),
    ],
)
def test_lanes_in_words(lanes: Sequence[int], words: str) -> None:
    assert lanes_in_words(lanes) == words


@pytest.mark.parametrize(
    "evidence",
    [
        Case(missing={"virtual": "gone"}),
        Case(trials=(trial(missing="gone"),)),
        case(execution(stopped="gone")),
        case(execution(lines=(), kernel="gone")),
    ],
)
def test_unknown_never_passes(evidence: Case) -> None:
    result = judge(evidence, SOUND)
    assert (result.verdict, "gone" in result.reason) == (Verdict.UNKNOWN, True)
