"""Advised layouts, executed: the counts are those of the rule, every element is found, misaligned rows fault."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from warpgauge.commands.main import main
from warpgauge.padding.words import WORDS

PAGE = (Path(__file__).parents[2] / "docs" / "pad.md").read_text()
SCHEMA = jsonschema.Draft202012Validator(json.loads(files("warpgauge").joinpath("schemas/pad.schema.json").read_text()))


def layouts(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> dict[str, dict[str, Any]]:
    assert main(["pad", *argv, "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    SCHEMA.validate(found)
    return {layout["name"]: layout for layout in found["layouts"]}


def counted(layout: dict[str, Any]) -> list[int]:
    assert layout["agrees"], layout
    assert all(each["counted"]["right"] for each in layout["accesses"])
    return [each["counted"]["conflicts"] for each in layout["accesses"]]


def test_a_half_tile_for_copies_and_every_way_to_read_fragments(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("ldmatrix", "ldmatrix.x2.trans", "ldmatrix.x1", "mma", "mma.trans", "mma.c")
    loads = [part for word in words for part in ("--load", word)]
    found = layouts(
        capsys, "--tile", "32x64", "--dtype", "f16", "--store", "cp.async", *loads, "--block", "128", "--tiles", "3"
    )
    assert counted(found["now"]) == [0, 224, 224, 224, 224, 192, 224]
    assert counted(found["pad"]) == counted(found["swizzle"]) == [0] * 7
    assert (found["pad"]["pitch"], found["pad"]["wasted"]) == (72, 32 * 16)
    assert found["swizzle"]["index"] == "tile[r][c ^ (r % 8) * 8]" and found["swizzle"]["wasted"] == 0
    assert [found[name]["splits_sectors"] for name in ("now", "pad", "swizzle")] == [False, True, False]
    assert found["now"]["occupancy"]["blocks_per_sm"] == 16 and found["now"]["occupancy"]["shared"] == 12288
    assert found["pad"]["occupancy"]["blocks_per_sm"] == 15


def test_transposed_halves_and_the_best_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    found = layouts(
        capsys, "--tile", "16x16", "--dtype", "f16", "--store", "block", "--load", "transposed", "--block", "16x16"
    )
    assert counted(found["now"]) == [0, 24]
    assert found["pad"]["pitch"] == 18 and counted(found["pad"]) == [0, 0]
    found = layouts(capsys, "--tile", "16x16", "--store", "block", "--load", "transposed", "--block", "16x16")
    assert counted(found["pad"]) == [8, 0] and not found["pad"]["conflict_free"]
    assert counted(found["swizzle"]) == [0, 0]


def test_rows_of_17_halves_fault_at_16_bytes_and_rows_of_24_run(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ("--tile", "16x16", "--dtype", "f16", "--store", "row:16", "--load", "row:16", "--block", "32")
    found = layouts(capsys, *argv, "--pitch", "17", code=1)
    assert found["now"]["misaligned"] == ["store row:16", "load row:16"] and found["now"]["agrees"]
    assert all(fault.startswith("SAF607") for fault in found["now"]["faults"])
    assert counted(found["pad"]) == [0, 0] and found["pad"]["pitch"] == 16
    found = layouts(capsys, *argv, "--pitch", "24")
    assert found["now"]["faults"] == [] and counted(found["now"]) == [4, 4]
    assert counted(found["pad"]) == [0, 0] and found["pad"]["pitch"] == 16


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    command, _, shown = PAGE.split("```\n$ warpgauge ")[1].split("\n```")[0].partition("\n")
    assert main(command.split()) == 0
    assert capsys.readouterr().out.splitlines() == shown.splitlines()


def test_on_another_architecture_the_rule_is_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pad", "--tile", "32x8", "--load", "column", "--block", "32", "--arch", "sm_80"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Wavefronts of the whole tile (counted, rule assumed, by executing every layout)" in out
    assert "tile[r][c ^ (r / 4 % 8)]" in out and "float tile[32][9];" in out


def test_the_page_names_every_word() -> None:
    for word in WORDS:
        assert f"`{word.removeprefix('ldmatrix') if word.startswith('ldmatrix.') else word}" in PAGE or ".trans" in word
    for option in ("--tile", "--dtype", "--pitch", "--store", "--load", "--block", "--registers", "--tiles", "--json"):
        assert f"`{option}" in PAGE


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"--load": "colum"}, 'did you mean "column"?'),
        ({"--load": "row:16", "--tile": "32x33"}, "rows of 132 bytes are no whole number"),
        ({"--dtype": "half"}, 'no dtype is called "half"'),
        ({"--pitch": "31"}, "cannot start 31 elements apart"),
        ({"--tile": "0x4"}, "no tile that shared memory holds"),
        ({"--tiles": "0"}, "0 tiles"),
        ({"--tiles": "99"}, "dynamic shared memory: 405504"),
        ({"--arch": "sm_42"}, "no limits known"),
        ({"--arch": "sm_75", "--store": "cp.async"}, "sm_75 has no cp.async"),
        ({"--registers": "0"}, "registers per thread: 0"),
    ],
)
def test_bad_values(change: dict[str, str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = {"--tile": "32x32", "--load": "column", "--block": "32"} | change
    assert main(["pad", *(text for pair in values.items() for text in pair)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in " ".join(err.split())
