"""Bank conflicts: none at any line that matters; what the width costs by itself is no conflict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.hand import Case, case, execution, shared_site, strided, trial
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.contracts.bank_conflicts import conflicts_of, judge
from warpgauge.evidence import BY_TILE, Provenance, Site
from warpgauge.problem.settings import CONTRACTS

SOUND = CONTRACTS["bank_conflicts"].sound
LITERAL = CONTRACTS["bank_conflicts"].literal


def verdict(*sites: Site) -> ContractResult:
    return judge(case(execution(*sites)), SOUND)


def test_a_column_of_a_32_wide_tile_conflicts_and_the_help_names_one_element() -> None:
    result = verdict(shared_site(strided(128), 4, line=5, requests=3))
    assert (result.verdict, result.measured, result.asked) == (Verdict.FAIL, 93, 0)
    (diagnostic,) = result.diagnostics
    assert diagnostic.code == "SHM201"
    assert "32 wavefronts per request where 1 would do" in diagnostic.message
    assert "from 128 to 132 bytes (1 more element of 4 bytes" in diagnostic.help


def test_a_line_that_conflicts_in_several_launches_is_one_finding_and_every_conflict_counts() -> None:
    few, many = (execution(shared_site(strided(128), 4, line=5, requests=n)) for n in (1, 3))
    clean = execution(shared_site(strided(4), 4, line=5))
    result = judge(case(few, clean, many, few), SOUND)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 155)
    (diagnostic,) = result.diagnostics
    assert "93 conflicts" in diagnostic.message
    assert diagnostic.message.endswith(", in launch 3 (and in launch 1; launch 4)")
    assert (diagnostic.evidence["launch"], diagnostic.evidence["also_in"]) == ("launch 3", ["launch 1", "launch 4"])


def test_a_load_and_a_store_of_one_line_stay_two_findings() -> None:
    both = [execution(shared_site(strided(128), 4, line=5, op=op)) for op in ("load", "store")]
    assert [d.message[:12] for d in judge(case(*both), SOUND).diagnostics] == ["shared load ", "shared store"]


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_contiguous_accesses_of_any_width_have_none(width: int) -> None:
    result = verdict(shared_site(strided(width), width))
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


def test_a_wide_load_that_needs_its_four_wavefronts_is_no_conflict() -> None:
    # The counter calls two of these four a conflict, because the pairs could have been served in two groups.
    site = shared_site(tuple((lane & ~1) * 16 for lane in range(32)), 16, requests=5)
    assert (site.wavefronts, site.conflicts) == (20, 10)
    assert verdict(site).verdict is Verdict.PASS


def test_a_truly_conflicting_request_does_not_hide_behind_cheap_ones() -> None:
    bad = shared_site(strided(64), 16)
    assert bad.worst is not None and bad.conflicts
    # 100 more requests that were served in two wavefronts although their lanes' bytes would fill four.
    mixed = replace(bad, requests=101, lanes=101 * 32, wavefronts=bad.wavefronts + 200)
    assert conflicts_of(mixed) == bad.conflicts
    assert verdict(mixed).verdict is Verdict.FAIL


def test_the_one_percent_rule() -> None:
    bulk = shared_site(strided(4), 4, line=1, requests=10_000)
    assert verdict(bulk, shared_site(strided(128), 4, line=2, requests=3)).verdict is Verdict.PASS  # 96 of 10 096
    assert verdict(bulk, shared_site(strided(128), 4, line=2, requests=4)).verdict is Verdict.FAIL  # 128 of 10 128
    few = case(execution(bulk, shared_site(strided(128), 4, line=2)))
    assert judge(few, LITERAL).verdict is Verdict.FAIL


def test_many_small_pieces_of_one_line_add_up() -> None:
    bulk = shared_site(strided(4), 4, line=1, requests=10_000)
    pieces = [shared_site(strided(128), 4, line=2, ptx_line=n) for n in range(8)]
    result = verdict(bulk, *pieces)
    assert (result.verdict, len(result.diagnostics), result.measured) == (Verdict.FAIL, 1, 8 * 31)


def test_a_padding_that_costs_another_line_conflicts_is_not_sold_as_free() -> None:
    column = tuple(lane % 16 * 64 + lane // 16 * 4 for lane in range(32))
    result = verdict(shared_site(column, 4, line=7), shared_site(strided(4), 4, line=5, op="store"))
    assert "line 5" in result.diagnostics[0].help
    other_array = verdict(
        shared_site(column, 4, line=7), shared_site(strided(4), 4, line=5, op="store", buffer="other")
    )
    assert "line 5" not in other_array.diagnostics[0].help


@pytest.mark.parametrize(
    "evidence",
    [
        Case(missing={"virtual": "gone"}),
        Case(trials=(trial(missing="gone"),)),
        case(execution(shared_site(strided(128), 4), stopped="gone")),
    ],
)
def test_unknown_never_passes(evidence: Case) -> None:
    result = judge(evidence, SOUND)
    assert (result.verdict, "gone" in result.reason) == (Verdict.UNKNOWN, True)


def test_no_shared_memory_is_a_counted_zero() -> None:
    result = verdict()
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)
    assert result.provenance is not None and result.provenance.kind == "counted"


def test_a_tile_with_unknown_lanes_neither_passes_nor_conflicts() -> None:
    tile = replace(shared_site(strided(128), 4, line=5), provenance=Provenance("counted", BY_TILE))
    result = verdict(tile, shared_site(strided(4), 4, line=6))
    assert (result.verdict, result.diagnostics) == (Verdict.UNKNOWN, ())
    assert "counted by tile" in result.reason
    assert str(result.coverage) == "50.0 % of 2 requests with known lanes"
    assert verdict(tile, shared_site(strided(128), 4, line=6)).measured == 31
