"""Memory access: the six worked efficiencies, the thresholds, the 1 % rule, and what UNKNOWN rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.hand import case, execution, global_site, strided, trial
from warpgauge.contracts import Case, ContractResult, Verdict
from warpgauge.contracts.memory_access import judge
from warpgauge.evidence import BY_TILE, Location, Provenance, Site, Unsupported
from warpgauge.problem.settings import CONTRACTS

SOUND = CONTRACTS["memory_access"].sound
LITERAL = CONTRACTS["memory_access"].literal


def verdict(*sites: Site) -> ContractResult:
    return judge(case(execution(*sites)), SOUND)


def test_a_line_of_several_launches_is_one_finding_that_names_launch_and_shape() -> None:
    small, large = (execution(global_site(strided(8), 4, requests=n)) for n in (1, 5))
    shapes = (replace(trial(small), dims={"n": 100}), replace(trial(small, large), dims={"n": 200}))
    (diagnostic,) = judge(Case(trials=shapes), SOUND).diagnostics
    assert diagnostic.evidence["requests"] == 5
    assert diagnostic.message.endswith(", in launch 2 at n=200 (and in launch 1 at n=100; launch 1 at n=200)")


WORKED = [
    # name, byte addresses by lane, width, efficiency, verdict, codes
    ("broadcast", (0,) * 32, 4, 1.0, "PASS", []),
    ("two-row broadcast", (0,) * 16 + (4096,) * 16, 4, 1.0, "PASS", []),
    ("tail of 20 lanes", strided(4, 20), 4, 1.0, "PASS", []),
    ("contiguous at +4", strided(4, start=4), 4, 0.8, "PASS", ["MEM102"]),
    ("stride 2", strided(8), 4, 0.5, "FAIL", ["MEM101"]),
    (".x of a float4", strided(16), 4, 0.25, "FAIL", ["MEM101"]),
    ("column", strided(4096), 4, 0.125, "FAIL", ["MEM101"]),
]


@pytest.mark.parametrize(
    ("name", "lanes", "width", "efficiency", "expected", "codes"), WORKED, ids=[w[0] for w in WORKED]
)
def test_worked_efficiencies(
    name: str, lanes: tuple[int, ...], width: int, efficiency: float, expected: str, codes: list[str]
) -> None:
    result = verdict(global_site(lanes, width, requests=10))
    assert result.measured == efficiency
    assert (result.verdict, [d.code for d in result.diagnostics]) == (expected, codes)
    assert result.asked == 0.75


def test_the_thresholds_are_inclusive() -> None:
    assert verdict(global_site(strided(4), 4)).verdict is Verdict.PASS
    exact = Site(Location("k.cu", 1), "global", "load", 4, 1, 32, 4, 3, 0, 0, None, Provenance("counted"))
    result = verdict(exact)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0.75)
    nine_tenths = Site(Location("k.cu", 1), "global", "load", 4, 1, 32, 10, 9, 0, 0, None, Provenance("counted"))
    assert verdict(nine_tenths).diagnostics == ()


def test_a_site_below_one_percent_of_the_sectors_does_not_count() -> None:
    bulk = global_site(strided(4), 4, line=1, requests=1000)  # 4000 sectors
    assert verdict(bulk, global_site(strided(4096), 4, line=2, requests=1)).verdict is Verdict.PASS  # 32 of 4032
    assert verdict(bulk, global_site(strided(4096), 4, line=2, requests=2)).verdict is Verdict.FAIL  # 64 of 4064


def test_unrolling_a_line_into_many_small_sites_does_not_hide_it() -> None:
    bulk = global_site(strided(4), 4, line=1, requests=1000)
    pieces = [global_site(strided(4096), 4, line=2, ptx_line=n) for n in range(8)]
    result = verdict(bulk, *pieces)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 0.125)
    assert len(result.diagnostics) == 1


def test_the_worst_site_of_a_line_decides_however_good_the_others_are() -> None:
    result = verdict(
        global_site(strided(4), 4, requests=90, ptx_line=1), global_site(strided(4096), 4, requests=1, ptx_line=2)
    )
    assert (result.verdict, result.measured) == (Verdict.FAIL, 0.125)


def test_loads_and_stores_of_one_line_are_told_apart() -> None:
    result = verdict(global_site(strided(4), 4, op="load"), global_site(strided(128), 4, op="store"))
    assert [d.message.split(" of ")[0] for d in result.diagnostics] == ["global store"]


def test_each_launch_is_judged_against_its_own_traffic() -> None:
    small = execution(global_site(strided(4096), 4, line=9), kernel="finish")
    large = execution(global_site(strided(4), 4, requests=10**6))
    result = judge(case(large, small), SOUND)
    assert result.verdict is Verdict.FAIL


def test_every_judged_shape_counts() -> None:
    good, bad = execution(global_site(strided(4), 4)), execution(global_site(strided(4096), 4))
    assert judge(Case(trials=(trial(good), trial(bad))), SOUND).verdict is Verdict.FAIL
    assert judge(Case(trials=(trial(good), trial(bad, role="small"))), SOUND).verdict is Verdict.PASS
    assert judge(Case(trials=(trial(good), trial(missing="budget spent"))), SOUND).verdict is Verdict.UNKNOWN


def test_the_diagnostic_carries_numbers_lanes_and_help() -> None:
    (diagnostic,) = verdict(global_site(strided(4096), 4, line=12, requests=7)).diagnostics
    assert diagnostic.primary is not None and diagnostic.primary.location == Location("kernel.cu", 12)
    assert "32 sectors per request where 4 would do" in diagnostic.message
    assert "0.125, asked 0.75" in diagnostic.message
    assert diagnostic.evidence["worst"]["lanes"] == list(strided(4096))
    assert diagnostic.evidence["provenance"]["kind"] == "counted"
    assert "contiguous dimension" in diagnostic.help


def test_a_problem_can_move_the_floor() -> None:
    site = global_site(strided(8), 4)
    assert judge(case(execution(site)), {**SOUND, "site_floor": 0.5}).verdict is Verdict.PASS


def test_the_literal_preset_wants_full_coalescing() -> None:
    result = judge(case(execution(global_site(strided(4, start=4), 4))), LITERAL)
    assert (result.verdict, result.asked) == (Verdict.FAIL, 1.0)


def test_a_kernel_without_global_accesses_passes() -> None:
    result = verdict()
    assert (result.verdict, result.measured) == (Verdict.PASS, 1.0)


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (Case(missing={"virtual": "virtual evidence was not asked for"}), "not asked for"),
        (Case(trials=(trial(missing="the plan has no launch for this shape"),)), "no launch"),
        (case(execution(global_site(strided(4), 4), stopped="no progress for 10 s")), "no progress"),
        (case(execution(global_site(strided(4), 4), done=3)), "75.0 %"),
        (
            case(execution(unsupported=[Unsupported("tex.2d", Location("k.cu", 3), 40, True)], stopped="unsupported")),
            "tex.2d",
        ),
        (Case(trials=(trial(execution(global_site(strided(4), 4)), missing="budget spent"),)), "budget spent"),
    ],
)
def test_unknown_never_passes_and_says_why(evidence: Case, words: str) -> None:
    result = judge(evidence, SOUND)
    assert result.verdict is Verdict.UNKNOWN
    assert words in result.reason


def test_an_unsupported_instruction_that_was_never_reached_does_no_harm() -> None:
    ghost = Unsupported("tex.2d", Location("k.cu", 3), 40, False)
    assert judge(case(execution(global_site(strided(4), 4), unsupported=[ghost])), SOUND).verdict is Verdict.PASS


def test_a_caveat_of_the_counts_reaches_the_row() -> None:
    caveat = Provenance("counted", "rule assumed")
    result = verdict(global_site(strided(4), 4, line=1), global_site(strided(4), 4, line=2, provenance=caveat))
    assert result.provenance == caveat


def test_a_tile_with_unknown_lanes_is_unknown_and_not_a_pass() -> None:
    known = global_site(strided(4), 4, requests=3)
    tile = replace(known, location=Location("k.cu", 9), provenance=Provenance("counted", BY_TILE), requests=1)
    result = verdict(known, tile)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason.startswith("k.cu:9: which lane of a wmma load touches which bytes is not known here")
    assert str(result.coverage) == "75.0 % of 4 requests with known lanes"
    worse = replace(tile, ideal_sectors=tile.sectors // 2)
    assert verdict(known, worse).verdict is Verdict.FAIL  # however the lanes lie, the tile is that far apart
