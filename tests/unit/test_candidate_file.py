"""Candidate files: what loads, what is refused with which line, writing back, finding them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warpgauge.candidate import Candidate, candidate_schema, dump_candidate, find_candidates, load_candidate
from warpgauge.diagnostics import WarpgaugeError

# The candidate of the design page, line by line, with a constant.
TEXT = """\
[candidate]
source = "gemm.cu"
defines = { BM = 128, BN = 256, BK = 64, STAGES = 4, FAST = true, T = "half" }
include = ["../common"]

[parameters]
BM = [64, 128, 256]
SPLITS = [2, 4]
constraint = "BM * BK * 2 + BN * BK * 2 <= 229376"

[workspace.partial]
dtype = "f32"
shape = ["SPLITS", "M", "N"]
reset = "each call"

[[launch]]
entry = "gemm<BM, BN>"
when = "K % 8 == 0 and N % 8 == 0"
grid = ["min(num_sms, ceildiv(M, BM) * ceildiv(N, BN))", 1, 1]
block = [384, 1, 1]
cluster = [2, 1, 1]
cooperative = false
dynamic_shared = "STAGES * (BM + BN) * BK * 2"
args = ["A", "B", "C", "partial", "M", { i32 = 5 }, "null", { bytes = "00ff" }, "mapA", 7, 2.5, true]

[[launch]]
entry = "finish"
grid = "ceildiv(M * N, 256)"
block = 256
args = ["partial", "C"]

[tensor_maps.mapA]
tensor = "A"
box = [64, "BM"]
swizzle = "128B"

[constants]
lut = { dtype = "f32", values = [1, 2.5] }
"""


def load(folder: Path, text: str) -> Candidate:
    path = folder / "candidate.toml"
    path.write_text(text)
    return load_candidate(path)


def test_the_design_example_loads(tmp_path: Path) -> None:
    candidate = load(tmp_path, TEXT)
    assert candidate.source == tmp_path / "gemm.cu"
    assert candidate.include == (tmp_path / "../common",)
    assert candidate.defines == {"BM": 128, "SPLITS": 2, "BN": 256, "BK": 64, "STAGES": 4, "FAST": True, "T": "half"}
    assert candidate.numbers == {"BM": 128, "SPLITS": 2, "BN": 256, "BK": 64, "STAGES": 4, "FAST": 1}
    first, second = candidate.launch
    assert first.cluster == (2, 1, 1) and first.when is not None and len(first.args) == 12
    assert second.grid == ("ceildiv(M * N, 256)", 1, 1) and second.block == (256, 1, 1) and second.cluster is None
    assert candidate.workspace["partial"].reset == "each call"
    assert candidate.tensor_maps["mapA"].swizzle == "128B"
    assert candidate.name == tmp_path.name
    assert load_candidate(tmp_path).model_dump() == candidate.model_dump()


def test_names(tmp_path: Path) -> None:
    (tmp_path / "tiled.toml").write_text(TEXT)
    assert load_candidate(tmp_path / "tiled.toml").name == "tiled"
    (tmp_path / "tiled.toml").write_text(TEXT.replace("source =", 'name = "mine"\nsource ='))
    assert load_candidate(tmp_path / "tiled.toml").name == "mine"


def test_dump_and_load_give_the_same_candidate(tmp_path: Path) -> None:
    candidate = load(tmp_path, TEXT)
    again = load(tmp_path, dump_candidate(candidate))
    assert again.model_dump() == candidate.model_dump()
    assert dump_candidate(again) == dump_candidate(candidate)


def test_other_values_for_a_search(tmp_path: Path) -> None:
    candidate = load(tmp_path, TEXT)
    other = candidate.with_defines(BM=64, SPLITS=4)
    assert (other.numbers["BM"], other.numbers["SPLITS"], candidate.numbers["BM"]) == (64, 4, 128)
    assert other.source == candidate.source
    with pytest.raises(KeyError, match="BX"):
        candidate.with_defines(BX=1)


# old text -> new text, line, part of the message, part of the help
MISTAKES = [
    ("source =", "sorce =", 2, 'candidate.sorce: unknown key "sorce"', '"source"'),
    ('"gemm.cu"', '"gemm.py"', 2, "candidate.source", ""),
    ("BM = 128", "BM = [128]", 3, "candidate.defines.BM: a define is", ""),
    ("BM = 128", "min = 128", 3, '"min" is already a word of the launch plan', ""),
    ("BM = [64, 128, 256]", "BM = []", 7, "parameters.BM: at least one entry", ""),
    ("BM = [64, 128, 256]", 'BM = ["a"]', 7, "parameters.BM[0]: an integer is needed", ""),
    ('"BM * BK * 2 + BN * BK * 2 <= 229376"', "5", 9, "parameters.constraint: a string is needed", ""),
    ("workspace.partial", "workspace.BM", 11, '"BM" is already a define', ""),
    ("workspace.partial", "workspace.SPLITS", 11, '"SPLITS" is already a parameter', ""),
    ('"f32"\nshape', '"f31"\nshape', 12, 'did you mean "f32"', ""),
    ('"each call"', '"sometimes"', 14, "workspace.partial.reset: 'sometimes' is not one of", ""),
    ("[[launch]]\nentry", "[[launch]]\nentri", 17, 'launch[0].entri: unknown key "entri"', '"entry"'),
    ("when =", "when = 5 #", 18, "launch[0].when: a string is needed", ""),
    (", 1, 1]\nblock", ", 1, 1, 1]\nblock", 19, "launch[0].grid: one to three integers or expressions", ""),
    ("[384, 1, 1]", "[384, 1.5, 1]", 20, "launch[0].block[1]: an integer or an expression", ""),
    ("cooperative = false", 'cooperative = "no"', 22, "launch[0].cooperative: true or false is needed", ""),
    ("i32 = 5", "i33 = 5", 24, 'launch[0].args[5]: unknown type "i33"', '"i32"'),
    ("i32 = 5", "i8 = 500", 24, "launch[0].args[5].i8: 500 does not fit i8", ""),
    ("i32 = 5", "i8 = 5.5", 24, "5.5 is not an integer, as i8 needs", ""),
    ("i32 = 5", "f32 = true", 24, "f32 needs a number", ""),
    ("i32 = 5", "i32 = 5, u8 = 1", 24, "launch[0].args[5]: an argument is", ""),
    ('"00ff"', '"0x"', 24, "is not a row of hexadecimal bytes", ""),
    ('"null"', '" "', 24, "launch[0].args[6]: an argument is", ""),
    ("block = 256", "blok = 256", 29, 'launch[1].blok: unknown key "blok"', '"block"'),
    ("block = 256", "", 26, "launch[1].block: this key is required", ""),
    ("swizzle", "swizle", 35, 'tensor_maps.mapA.swizle: unknown key "swizle"', '"swizzle"'),
    ('"128B"', '"127B"', 35, "tensor_maps.mapA.swizzle: '127B' is not one of", ""),
    ('[64, "BM"]', "[]", 34, "tensor_maps.mapA.box: at least one entry", ""),
    (", values = [1, 2.5]", "", 38, "constants.lut: give either values or file", ""),
    ("values = [1, 2.5]", "values = [1, [2]]", 38, "constants.lut.values[1]: a number is needed", ""),
    ("[constants]", "[constant]", 37, 'unknown key "constant"', '"constants"'),
]


@pytest.mark.parametrize(("old", "new", "line", "message", "help"), MISTAKES)
def test_mistakes(tmp_path: Path, old: str, new: str, line: int, message: str, help: str) -> None:
    assert old in TEXT
    with pytest.raises(WarpgaugeError) as error:
        load(tmp_path, TEXT.replace(old, new, 1))
    hit = [d for d in error.value.diagnostics if message in d.message]
    assert hit, [d.message for d in error.value.diagnostics]
    assert hit[0].code == "PRB901" and hit[0].primary is not None
    assert hit[0].primary.location.file == str(tmp_path / "candidate.toml")
    assert hit[0].primary.location.line == line
    assert help in hit[0].help


def test_a_candidate_without_launches_is_refused(tmp_path: Path) -> None:
    for text in ('[candidate]\nsource = "a.cu"\n', 'launch = []\n[candidate]\nsource = "a.cu"\n'):
        with pytest.raises(WarpgaugeError) as error:
            load(tmp_path, text)
        assert "launch" in error.value.diagnostics[0].message


def test_finding_candidates(tmp_path: Path) -> None:
    with pytest.raises(WarpgaugeError) as error:
        find_candidates(tmp_path)
    assert error.value.diagnostics[0].code == "PRB907" and str(tmp_path) in error.value.diagnostics[0].message
    inside = tmp_path / "candidates"
    (inside / "b").mkdir(parents=True)
    (inside / "empty").mkdir()
    for path in (inside / "c.toml", inside / "a.toml", inside / "b" / "candidate.toml"):
        path.write_text(TEXT)
    (inside / "notes.txt").write_text("")
    assert find_candidates(tmp_path) == [inside / "a.toml", inside / "b" / "candidate.toml", inside / "c.toml"]
    (tmp_path / "candidate.toml").write_text(TEXT)
    assert find_candidates(tmp_path) == [tmp_path / "candidate.toml"]


def test_the_schema_is_json_and_names_the_tables() -> None:
    schema = json.loads(json.dumps(candidate_schema()))
    assert set(schema["properties"]) == {
        "schema", "candidate", "parameters", "workspace", "launch", "tensor_maps", "constants",
    }  # fmt: skip
