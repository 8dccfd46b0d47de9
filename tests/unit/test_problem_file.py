"""Problem files: what loads, what is refused with which line, and writing them back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.problem import Problem, dump_problem, load_problem, problem_schema
from warpgauge.problem.settings import CONTRACTS

# The problem of the design page, line by line.
TEXT = """\
schema = 1
[problem]
name = "gemm_fp16"
arch = "sm_90a"
chip = "H200"
preset = "sound"

[dims]
M = 4096
N = 4096
K = 4096

[[shapes]]
role = "small"
M = 200
N = 136
K = 72

[tensors]
A = { shape = ["M", "K"], dtype = "f16", role = "input", init = "normal" }
B = { shape = ["K", "N"], dtype = "f16", role = "input", init = "normal", strides = ["N", 1] }
C = { shape = ["M", "N"], dtype = "f16", role = "output" }

[reference]
builtin = "matmul"

[tolerance]
rel_l2 = 5e-4

[target]
metric = "ratio"
baseline = "cublaslt-best"
regime = "burst"
at_least = 0.997

[contracts]
memory_access = { bind = true, site_floor = 0.75 }
occupancy = { bind = false }
"""


def load(folder: Path, text: str) -> Problem:
    path = folder / "problem.toml"
    path.write_text(text)
    return load_problem(path)


def refused(folder: Path, text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(WarpgaugeError) as error:
        load(folder, text)
    return error.value.diagnostics


def test_the_design_example_loads(tmp_path: Path) -> None:
    problem = load(tmp_path, TEXT)
    assert (problem.name, problem.arch, problem.problem.chip, problem.problem.preset) == (
        "gemm_fp16", "sm_90a", "H200", "sound",
    )  # fmt: skip
    assert problem.dims_of("judge") == ({"M": 4096, "N": 4096, "K": 4096},)
    assert problem.dims_of("small") == ({"M": 200, "N": 136, "K": 72},)
    assert problem.dims_of("held_out") == ()
    small = problem.dims_of("small")[0]
    layout = problem.layout("B", small)
    assert (layout.shape, layout.strides, layout.size, layout.bytes) == ((72, 136), (136, 1), 9792, 19584)
    assert problem.target is not None and problem.target.at_least == 0.997
    assert problem.folder == tmp_path and problem.path == tmp_path / "problem.toml"
    assert load_problem(tmp_path).model_dump() == problem.model_dump()


def test_contract_settings_come_from_preset_and_overrides(tmp_path: Path) -> None:
    problem = load(tmp_path, TEXT.replace("site_floor = 0.75", "site_floor = 0.5"))
    access = problem.contract("memory_access")
    assert access.asked and access.binds and access.thresholds["site_floor"] == 0.5
    assert access.thresholds["site_warning"] == CONTRACTS["memory_access"].sound["site_warning"] == 0.9
    assert not problem.contract("occupancy").binds
    assert problem.contract("safety").binds and problem.contract("target").asked
    assert not load(tmp_path, TEXT[: TEXT.index("[target]")]).contract("target").asked
    left_out = load(tmp_path, TEXT.replace("{ bind = true, site_floor = 0.75 }", "{ enabled = false }"))
    assert not left_out.contract("memory_access").asked and not left_out.contract("memory_access").binds
    literal = load(tmp_path, TEXT.replace('"sound"', '"literal"'))
    assert literal.contract("occupancy").thresholds["min_warps"] == 64
    assert load(tmp_path, TEXT.replace('preset = "sound"\n', "")).problem.preset == "sound"


def test_dump_and_load_give_the_same_problem(tmp_path: Path) -> None:
    text = TEXT.replace('init = "normal" }', 'init = { uniform = ["-N", "N"] }, offset = 4, size = "M * K + 8" }')
    text = text.replace('"sound"', '"literal"').replace("{ bind = false }", "{ enabled = false }")
    problem = load(tmp_path, text)
    again = load(tmp_path, dump_problem(problem))
    assert again.model_dump() == problem.model_dump()
    assert dump_problem(again) == dump_problem(problem)
    assert again.tensors["A"].offset == 4 and again.tensors["A"].init is not None
    assert again.tensors["A"].init.low == "-N"


def test_a_problem_can_be_built_in_python() -> None:
    problem = Problem(
        problem={"name": "add", "arch": "sm_80"},
        dims={"n": 10},
        tensors={
            "x": {"shape": ["n"], "dtype": "f32", "role": "input"},
            "y": {"shape": ["n"], "dtype": "f32", "role": "output"},
        },
        reference={"builtin": "copy"},
    )
    assert problem.layout("y", problem.dims).size == 10
    assert problem.path is None and problem.folder == Path()
    assert problem.place("tensors", "x").key == "tensors.x" and problem.place("tensors", "x").location is None


# old text -> new text, code, line, part of the message, part of the help
MISTAKES = [
    ('chip = "H200"', 'chp = "H200"', "PRB901", 5, 'problem.chp: unknown key "chp"', '"chip"'),
    ("rel_l2", "rel_l", "PRB901", 28, 'tolerance.rel_l: unknown key "rel_l"', '"rel_l2"'),
    ("[target]", "[targets]", "PRB901", 30, 'unknown key "targets"', '"target"'),
    ('dtype = "f16", role = "output"', 'dtype = "f17", role = "output"', "PRB901", 22, 'did you mean "f16"', ""),
    ('role = "small"', 'role = "smal"', "PRB901", 14, "shapes[0].role: 'smal' is not one of", ""),
    ("K = 72", "L = 72", "PRB901", 17, 'unknown dimension "L"', "known here: K, M, N"),
    ("K = 72", "K = true", "PRB901", 17, "shapes[0].K: an integer is needed", ""),
    ("K = 72", "K = 7.5", "PRB901", 17, "shapes[0].K: an integer is needed", ""),
    ("M = 4096", "M = 0", "PRB901", 9, "dims.M: input should be greater than or equal to 1", ""),
    ("M = 4096", "min = 4096", "PRB901", 9, '"min" is already a word of the launch plan', ""),
    ("M = 4096", "M = 4096\nA = 3", "PRB901", 21, '"A" is already a dimension', ""),
    ("M = 4096", '"M-2" = 4096', "PRB901", 9, "dims.M-2", ""),
    ('["M", "N"], dtype', '["M", "NN"], dtype', "PRB902", 22, 'expression "NN": unknown name NN; did you mean "N"', ""),
    ('["M", "N"], dtype', '["M", 1.5], dtype', "PRB901", 22, "tensors.C.shape[1]: an integer or an expression", ""),
    ('["M", "N"], dtype', '["M", "N * 2"], dtype', "PRB901", 25, "does not give the output [4096, 8192]", ""),
    ('["M", "N"], dtype', '["M", "N - 5000"], dtype', "PRB901", 22, "tensors.C.shape: negative extent", ""),
    ('["N", 1]', '["N"]', "PRB901", 21, "tensors.B.strides: 1 strides for a shape of 2", ""),
    ('["N", 1]', '["-N", 1]', "PRB901", 21, "do not fit a buffer", ""),
    ('role = "output" }', 'role = "output", strides = [0, 1] }', "PRB901", 22, "two elements of an output share", ""),
    ('role = "output" }', 'role = "output", size = 100 }', "PRB901", 22, "do not fit a buffer of 100 elements", ""),
    ('role = "output" }', 'role = "output", init = "zeros" }', "PRB901", 22, "an output has no init", ""),
    ('init = "normal" }', 'init = "norm" }', "PRB901", 20, "tensors.A.init: unknown init 'norm'", '"normal"'),
    ('init = "normal" }', 'init = { fil = "x" } }', "PRB901", 20, "tensors.A.init: an init is one of", ""),
    ('init = "normal" }', 'init = { python = "x.txt:f" } }', "PRB901", 20, 'the form "file.py:function"', ""),
    ("matmul", "matmull", "PRB901", 25, 'unknown builtin "matmull"', '"matmul"'),
    ("matmul", "vec_add", "PRB901", 25, "differ in shape (given A [200, 72], B [72, 136])", ""),
    ("matmul", "softmax", "PRB901", 25, "softmax reads x", ""),
    ('builtin = "matmul"', "", "PRB901", 24, "reference: give either builtin or python", ""),
    ('"matmul"', '"matmul"\nscalars = { alpha = 2.0 }', "PRB901", 26, 'matmul takes no scalar "alpha"', ""),
    ('builtin = "matmul"', 'python = "f.py"', "PRB901", 25, 'does not have the form "file.py:function"', ""),
    ("at_least = 0.997", "", "PRB901", 30, 'metric "ratio" needs at_least', ""),
    ('metric = "ratio"', 'metric = "ms"', "PRB901", 34, "takes at_most, not at_least", ""),
    ('baseline = "cublaslt-best"', "", "PRB901", 30, "a ratio needs a baseline", ""),
    ("bind = false", "bind = false, min_warp = 4", "PRB901", 38, 'unknown key "min_warp"', '"min_warps"'),
    ("bind = false", "bind = 1", "PRB901", 38, "true or false is needed", ""),
    ("occupancy", "occupanci", "PRB901", 38, 'unknown contract "occupanci"', '"occupancy"'),
    ("occupancy", "numerics", "PRB901", 38, "numerics always binds", ""),
    ("occupancy = { bind", "safety = { enabled", "PRB901", 38, "safety always binds", ""),
    ("schema = 1", "schema = 2", "PRB901", 1, "schema: 2 is not one of", ""),
    ('"sm_90a"', '"sm90"', "PRB901", 4, "problem.arch", ""),
    ("rel_l2 = 5e-4", 'rel_l2 = "small"', "PRB901", 28, "a number is needed", ""),
    ("rel_l2 = 5e-4", "rel_l2 = nan", "PRB901", 28, "tolerance.rel_l2", ""),
    ('name = "gemm_fp16"', "", "PRB901", 2, "problem.name: this key is required", ""),
    ("[target]", "[target", "PRB901", 30, "not valid TOML", ""),
]


@pytest.mark.parametrize(("old", "new", "code", "line", "message", "help"), MISTAKES)
def test_mistakes(tmp_path: Path, old: str, new: str, code: str, line: int, message: str, help: str) -> None:
    assert old in TEXT
    found = refused(tmp_path, TEXT.replace(old, new, 1))
    hit = [d for d in found if message in d.message]
    assert hit, [d.message for d in found]
    assert (hit[0].code, hit[0].severity) == (code, "error")
    assert hit[0].primary is not None
    assert hit[0].primary.location.file == str(tmp_path / "problem.toml")
    assert hit[0].primary.location.line == line
    assert help in hit[0].help


def test_every_mistake_is_reported_at_once(tmp_path: Path) -> None:
    text = TEXT.replace("chip", "chp").replace("rel_l2", "rel_l3").replace("K = 72", "K = -1")
    assert [d.message.split(":")[0] for d in refused(tmp_path, text)] == [
        "problem.chp",
        "shapes[0].K",
        "tolerance.rel_l3",
    ]


def test_a_python_reference_needs_a_tolerance(tmp_path: Path) -> None:
    text = TEXT.replace('builtin = "matmul"', 'python = "r.py:f"').replace("rel_l2 = 5e-4", "")
    [diagnostic] = refused(tmp_path, text)
    assert "give rel_l2" in diagnostic.message
    assert load(tmp_path, text.replace("[tolerance]", "[tolerance]\nabs = 1e-3")).tolerance.elementwise


def test_missing_files(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml"):
        with pytest.raises(WarpgaugeError) as error:
            load_problem(path)
        assert error.value.diagnostics[0].code == "PRB907"
        assert str(path) in error.value.diagnostics[0].message


def test_loading_runs_no_code(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef f(): pass\n")
    text = TEXT.replace('builtin = "matmul"', 'python = "evil.py:f"')
    text = text.replace('init = "normal" }', 'init = { python = "evil.py:f" } }')
    assert load(tmp_path, text).reference is not None
    assert not (tmp_path / "ran").exists()


def test_the_schema_is_json_and_names_the_tables() -> None:
    schema = json.loads(json.dumps(problem_schema()))
    assert {"problem", "dims", "tensors", "reference", "tolerance", "target", "contracts", "shapes"} <= set(
        schema["properties"]
    )
