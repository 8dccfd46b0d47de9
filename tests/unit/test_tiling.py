"""The tile solver: numbers worked out by hand, limits by name, and what must never get worse."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from warpgauge.arch import chip
from warpgauge.commands.main import main
from warpgauge.report.tiles import reasons
from warpgauge.tiling import BlockTile, Gemm, estimate, fit, shift, solve
from warpgauge.tiling.solve import candidates

SCHEMA = jsonschema.Draft202012Validator(
    json.loads(files("warpgauge").joinpath("schemas/tiles.schema.json").read_text())
)
EXAMPLE = Path(__file__).parents[2] / "examples" / "gemm_f32"


def gemm(name: str = "A100", size: int = 4096, dtype: str = "f16", accumulate: str = "f32") -> Gemm:
    return Gemm(size, size, size, dtype, accumulate, chip(name))


def test_what_a_tile_takes_by_hand() -> None:
    found = fit(gemm(), BlockTile(128, 128, 32, 3, 4))
    assert (found.warp_m, found.warp_n) == (64, 64)
    assert found.shared == 3 * (128 + 128) * 32 * 2
    # 64 x 64 sums over 32 lanes, twice 128 rows of 16 halves as fragments, and the allowance.
    assert found.registers == 128 + 64 + 40
    assert found.occupancy is not None
    # 232 x 32 registers: two warps in each quarter of the file, so eight warps or two blocks.
    assert (found.occupancy.blocks_per_sm, found.occupancy.limited_by) == (2, ("registers",))
    half_sums = fit(gemm(accumulate="f16"), BlockTile(128, 128, 32, 3, 4))
    assert half_sums.registers == 64 + 64 + 40


def test_what_a_tile_takes_long_by_hand() -> None:
    found = estimate(gemm(), fit(gemm(), BlockTile(128, 128, 32, 3, 4)))
    assert found.clocks["arithmetic"] == 2 * 128 * 128 * 32 / 2048 == 512
    assert found.clocks["shared memory"] == (4 * 128 * 64 + 256 * 64) / 128 == 384
    assert found.clocks["L2"] == pytest.approx(16384 * 108 / 5120)
    assert found.clocks["latency"] == 550 / 2 / 2
    assert found.clocks["barrier"] == (512 + 64) / 2
    # 216 blocks at once, as 15 x 15 strips of 128 rows of 8192 bytes; 1024 blocks in all.
    moved = 30 * 128 * 8192 * 1024 / 216
    assert found.dram_intensity == pytest.approx(2 * 4096**3 / moved)
    bytes_per_clock = 2039e9 / 1410e6 / 108
    assert found.clocks["device memory"] == pytest.approx(moved / 1024 / 128 / bytes_per_clock)
    # The busiest SM has 10 of the 1024 blocks, each 128 steps, a first load and its part of C.
    total = 10 * (128 * 512 + (550 + 128 * 128 * 2 / bytes_per_clock) / 2)
    assert found.total == pytest.approx(total)
    assert found.efficiency == pytest.approx(2 * 4096**3 / 2048 / 108 / total)
    assert (found.limited_by, found.l2_intensity, found.edges) == ("arithmetic", 64, 1)
    assert found.spread == 1024 / 1080


def test_ordinary_multiply_adds_and_one_stage_by_hand() -> None:
    asked = gemm("RTX 4090", 1024, "f32")
    found = estimate(asked, fit(asked, BlockTile(64, 64, 16, 1, 4)))
    # 8 x 4 lanes on 32 x 32: 32 sums, twice 4 + 8 values, and the allowance.
    assert found.fit.registers == 32 + 24 + 40
    assert found.clocks["arithmetic"] == 2 * 64 * 64 * 16 / 256
    assert found.fit.occupancy is not None
    # 256 blocks on 128 SMs: no more than two can share one, and each load is waited for.
    assert found.clocks["latency"] == (636 + 512) / 2
    assert found.limited_by == "latency"


@pytest.mark.parametrize(
    ("chip_name", "dtype", "tile", "limit", "words"),
    [
        ("A100", "f16", (256, 256, 64, 5, 16), "shared memory", "5 stages of 65,536 bytes are 327,680"),
        ("A100", "f16", (256, 128, 32, 2, 4), "registers", "256 of them sums"),
        ("A100", "f16", (256, 256, 32, 2, 16), "registers", "16 warps of 7,424 registers do not fit"),
        ("A100", "f16", (32, 32, 32, 2, 16), "instruction", "cannot share 32 x 32 as equal pieces of 16 x 8"),
        ("A100", "f16", (128, 128, 24, 2, 4), "instruction", "no multiple of the 16 k"),
        ("A100", "f32", (128, 128, 2, 2, 8), "alignment", "rows of 8 bytes"),
        ("A100", "f16", (1024, 1024, 16, 1, 64), "threads", "2048 threads"),
        ("T4", "f16", (128, 128, 32, 3, 8), "stages", "no cp.async"),
        ("T4", "bf16", (128, 128, 32, 2, 8), "instruction", "sm_75 has no mma.sync for bf16"),
        ("A100", "e4m3", (128, 128, 64, 2, 8), "instruction", "sm_80 has no mma.sync for e4m3"),
    ],
)
def test_what_does_not_fit_names_its_limit(
    chip_name: str, dtype: str, tile: tuple[int, int, int, int, int], limit: str, words: str
) -> None:
    score = solve(gemm(chip_name, dtype=dtype), tile).score
    assert score is not None and score.estimate is None and score.rank is None
    assert any(reason.limit == limit and words in reason.words for reason in score.fit.reasons), score.fit.reasons


def test_every_candidate_is_ranked_or_has_a_reason() -> None:
    found = solve(gemm())
    assert len(found.ranked) + len(found.rejected) == len(candidates(gemm()))
    assert all(each.reasons for each in found.rejected)
    fastest = min(each.total for each in found.ranked)
    assert found.ranked[0].total <= 1.05 * fastest
    grades = [each.total / fastest for each in found.ranked]
    assert all(later > earlier / 1.05 for earlier, later in pairwise(grades))
    # What large products are tiled with on this chip.
    assert max(found.ranked[0].fit.tile.bm, found.ranked[0].fit.tile.bn) >= 128


def test_more_of_anything_never_makes_a_tile_slower() -> None:
    plain = gemm()
    better = [
        replace(plain, chip=replace(plain.chip, memory_bandwidth=2 * plain.chip.memory_bandwidth)),
        replace(plain, chip=replace(plain.chip, l2_bytes=1 << 30)),
        replace(plain, chip=replace(plain.chip, memory_latency_cycles=100)),
        replace(plain, chip=replace(plain.chip, sms=256)),
    ]
    for found in solve(plain).ranked[::16]:
        for other in better:
            assert estimate(other, found.fit).total <= found.total * (1 + 1e-12)
        deeper = fit(plain, replace(found.fit.tile, stages=found.fit.tile.stages + 1))
        assert deeper.shared > found.fit.shared
        if (
            deeper.occupancy
            and found.fit.occupancy
            and deeper.occupancy.blocks_per_sm == found.fit.occupancy.blocks_per_sm
        ):
            assert estimate(plain, deeper).total <= found.total


def test_the_answer_moves_between_chips() -> None:
    proposed = (256, 128, 64, 3, 8)
    here = solve(gemm(), proposed)
    there = shift(here, gemm("RTX 4090"), proposed)
    # 3 x 49,152 bytes fit in the 163 KB of a block of the A100, not in the 99 KB of the other.
    assert here.score is not None and here.score.estimate is not None
    assert there.solution.score is not None
    assert [reason.limit for reason in there.solution.score.fit.reasons] == ["shared memory"]
    assert 0 < there.lost < there.of == len(here.ranked)
    # Its tensor cores are a quarter as fast, so small tiles are no longer held back by L2.
    assert there.moved > there.of / 5
    same = shift(here, gemm())
    assert (same.lost, same.moved) == (0, 0)
    assert shift(there.solution, gemm()).lost == 0


def test_a_proposal_among_the_candidates_has_its_own_rank() -> None:
    found = solve(gemm())
    for place in (0, 3, 40):
        tile = found.ranked[place].fit.tile
        score = solve(gemm(), (tile.bm, tile.bn, tile.bk, tile.stages, tile.warps)).score
        assert score is not None and score.rank == place + 1


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert main(["tiles", *argv, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    SCHEMA.validate(found)
    return found


def test_json_of_a_problem(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, str(EXAMPLE), "--chip", "H200", "--score", "64x64x16x2", "--also", "A100", "--top", "3")
    assert found["gemm"] == {"m": 256, "n": 256, "k": 128, "dtype": "f32", "accumulate": "f32"}
    assert len(found["best"]) == 3 and found["score"]["fits"] and found["score"]["provenance"] == "predicted"
    assert found["feasible"] + found["rejected"] == 1200 == found["feasible"] + len(found["rejections"])
    assert all(rejected["reasons"] for rejected in found["rejections"])
    assert found["ridge"]["l2_assumed"] and not found["also"][0]["ridge"]["l2_assumed"]


def test_a_proposal_that_fits_no_chip_and_what_the_schema_wants(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--gemm", "512x512x512", "--chip", "T4", "--score", "256x256x64x5", "--also", "L4")
    assert not found["score"]["fits"] and not found["also"][0]["score"]["fits"]
    for name in ("score", "ridge", "rejections"):
        assert not SCHEMA.is_valid({key: value for key, value in found.items() if key != name})
    found["rejections"][0]["reasons"] = []
    assert not SCHEMA.is_valid(found)


@pytest.mark.parametrize(("name", "first"), [("A100", (128, 128)), ("H200", (128, 256))])
def test_what_the_page_says_of_chips(name: str, first: tuple[int, int]) -> None:
    best = solve(gemm(name)).ranked[0]
    assert (best.fit.tile.bm, best.fit.tile.bn) == first
    assert best.limited_by == {"A100": "arithmetic", "H200": "shared memory"}[name]


def test_what_the_page_says_of_moving() -> None:
    there = shift(solve(gemm()), gemm("RTX 4090"))
    page = " ".join((EXAMPLE.parents[1] / "docs" / "tiles.md").read_text().split())
    assert f"{there.lost} of the {there.of} tiles no longer fit, and {there.moved} are worth twice or half" in page


def test_a_step_that_waits_at_its_barrier_says_what_it_is_limited_by() -> None:
    solution = solve(gemm("RTX 4090"))
    waits = {id(e): e.clocks["barrier"] == max(e.clocks.values()) for e in solution.ranked}
    alone, several = (next(e for e in solution.ranked if waits[id(e)] == wanted) for wanted in (True, False))
    assert alone.limited_by == "arithmetic"
    assert "decides, arithmetic and the waiting at a barrier);" in reasons(alone, solution)
    assert "decides);" in reasons(several, solution)


def test_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["tiles", "--gemm", "4096x4096x4096", "--chip", "A100", "--score", "256x256x64x5x16"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for words in (
        "4096 x 4096 x 4096, f16 with sums in f32, on A100 (sm_80)",
        "822 of 1,200 tiles fit; rejected by registers",
        "does not fit, shared memory: 5 stages of 65,536 bytes are 327,680",
        "are predicted, rates quoted",
    ):
        assert words in text, words


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--gemm", "64x64x64", "--chip", "H2000"], "no chip called 'H2000'"),
        (["--gemm", "64x64x64"], "no chip: give --chip"),
        (["--chip", "H200"], "give PROBLEM, or --gemm"),
        (["--gemm", "64x0x64", "--chip", "H200"], "64 x 0 x 64 is no product"),
        (["--gemm", "64x64x64", "--chip", "H200", "--dtype", "f64"], "no rates are known for inputs of f64"),
        (["--gemm", "64x64x64", "--chip", "H200", "--dtype", "bf16", "--accumulate", "f16"], "accumulate in f32, not"),
        ([str(EXAMPLE.parent / "transpose"), "--chip", "H200"], "builtin references matmul and gemm"),
    ],
)
def test_bad_values(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tiles", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in " ".join(err.split())
