"""The flow of `evaluate`: what is planned, executed and left out, with a hand-made virtual GPU under a real build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpgauge.evaluate.launches
import warpgauge.evaluate.trials
from tests.unit.hand import execution, global_site, strided
from tests.unit.hand_device import SOURCE, Gpu, Memory
from warpgauge.candidate import load_candidate
from warpgauge.contracts import Verdict
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.diagnostics.codes import code_row
from warpgauge.evaluate import Evaluation, check_files, evaluate
from warpgauge.evaluate.files import in_threads
from warpgauge.evidence import Fault, Location, Unsupported
from warpgauge.problem import load_problem
from warpgauge.vgpu import Order

PROBLEM = """\
[problem]
name = "sum"
arch = "sm_90"
[dims]
n = 256
[[shapes]]
role = "small"
n = 33
[tensors]
w = { shape = ["n"], dtype = "f32", role = "input" }
x = { shape = ["n"], dtype = "f32", role = "input" }
y = { shape = ["n"], dtype = "f32", role = "output" }
[reference]
builtin = "vec_add"
[tolerance]
rel_l2 = 1e-6
"""
CANDIDATE = """\
[candidate]
source = "sum.cu"
[[launch]]
entry = "add"
grid = ["ceildiv(n, 128)"]
block = [128]
args = ["w", "x", "y", "n"]
"""


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Gpu:
    device = Gpu()
    monkeypatch.setattr(warpgauge.evaluate.launches, "execute", device.execute)
    monkeypatch.setattr(warpgauge.evaluate.trials, "GlobalMemory", Memory)
    return device


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One source for all tests that do not change it, so that it is compiled once."""
    path = tmp_path_factory.mktemp("source") / "sum.cu"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def folder(tmp_path: Path, source: Path) -> Path:
    (tmp_path / "problem.toml").write_text(PROBLEM)
    (tmp_path / "candidate.toml").write_text(CANDIDATE.replace("sum.cu", str(source)))
    return tmp_path


def own_source(folder: Path, old: str, new: str) -> None:
    """Gives the folder's candidate a source of its own, with one change."""
    assert old in SOURCE
    (folder / "sum.cu").write_text(SOURCE.replace(old, new))
    (folder / "candidate.toml").write_text(CANDIDATE)


def judged(folder: Path, **options: Any) -> Evaluation:
    return evaluate(load_problem(folder), load_candidate(folder), **options)


def verdicts(evaluation: Evaluation) -> dict[str, str]:
    return {row.name: str(row.verdict) for row in evaluation.contracts}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_good_candidate_passes_every_contract(gpu: Gpu, folder: Path) -> None:
    result = judged(folder)
    assert verdicts(result) == {
        "memory_access": "PASS",
        "bank_conflicts": "PASS",
        "registers": "PASS",
        "occupancy": "UNKNOWN",  # the problem names no chip
        "numerics": "PASS",
        "divergence": "PASS",
        "safety": "PASS",
        "target": "NOT ASKED",
    }
    assert (result.verdict, result.exit_code, result.diagnostics) == (Verdict.PASS, 0, ())
    assert [resources.entry for resources in result.resources] == ["add"]


def test_the_plan_reaches_the_virtual_gpu(gpu: Gpu, folder: Path) -> None:
    judged(folder)
    first, small, *rest = gpu.calls
    harder, orders = rest[:2], rest[2:]
    assert (first["entry"], first["grid"], first["block"], first["mode"]) == ("add", (2, 1, 1), (128, 1, 1), "shadow")
    assert (small["grid"], small["mode"], small["arguments"][3]) == ((1, 1, 1), "shadow", 33)
    assert [(call["mode"], call["grid"]) for call in harder] == [("run", (2, 1, 1)), ("run", (2, 1, 1))]
    # The judged shape is cheap, so it is permuted too: natural order, two orders, the reverse of each.
    assert [(call["mode"], call["grid"]) for call in orders] == [("run", (1, 1, 1))] * 5 + [("run", (2, 1, 1))] * 5
    pairs = [Order(0), Order(0, reverse=True), Order(1), Order(1, reverse=True)]
    assert [call["order"] for call in orders] == [None, *pairs] * 2
    memories = [call["memory"] for call in gpu.calls]
    assert len({id(memory) for memory in memories}) == len(memories)
    assert first["memory"].uninitialised == {"y"}
    assert first["memory"].read_only == {"w", "x"}


def test_an_element_that_is_never_written_is_found(gpu: Gpu, folder: Path) -> None:
    def all_but_one(memory: Memory, arguments: list[Any]) -> None:
        a, b, _, n = arguments
        memory.arrays["y"][: n - 1] = memory.arrays[memory.at[a]][: n - 1] + memory.arrays[memory.at[b]][: n - 1]

    gpu.kernel = all_but_one  # type: ignore[method-assign]
    result = judged(folder)
    assert (verdicts(result)["numerics"], result.exit_code) == ("FAIL", 1)
    assert "first y[255]" in next(d.message for d in result.diagnostics if d.code == "NUM505")


def test_a_fault_fails_safety_and_nothing_else(gpu: Gpu, folder: Path) -> None:
    gpu.result = lambda mode: execution(
        global_site(strided(4), 4), faults=[Fault("SAF602", Location("k.cu", 3), "race")], checked=mode == "shadow"
    )
    result = judged(folder)
    assert [name for name, verdict in verdicts(result).items() if verdict == "FAIL"] == ["safety"]
    assert result.exit_code == 1


def test_causes_are_told_before_their_consequences(gpu: Gpu, folder: Path) -> None:
    gpu.kernel = lambda *_: None  # type: ignore[method-assign]
    gpu.result = lambda mode: execution(
        global_site(strided(32), 4), faults=[Fault("SAF602", Location("k.cu", 3), "race")], checked=mode == "shadow"
    )
    codes = [d.code for d in judged(folder).diagnostics]
    assert {"SAF602", "NUM505", "MEM101"} <= set(codes), codes
    assert codes.index("SAF602") < codes.index("NUM505") < codes.index("MEM101"), codes
    ranks = [code_row(code).rank for code in codes]
    assert ranks == sorted(ranks)


def test_an_unsupported_instruction_is_told_once_and_leaves_unknowns(gpu: Gpu, folder: Path) -> None:
    gpu.result = lambda mode: execution(
        unsupported=[Unsupported("tex.2d", Location("k.cu", 3), 40, True)], stopped="unsupported", done=0
    )
    result = judged(folder)
    assert result.exit_code == 3
    assert {n for n, v in verdicts(result).items() if v == "UNKNOWN"} == {
        "memory_access",
        "bank_conflicts",
        "occupancy",
        "numerics",
        "divergence",
        "safety",
    }
    assert [d.code for d in result.diagnostics].count("SRC802") == 1
    assert len(gpu.calls) == 1, "what stops the judged shape would stop the others too"


def test_a_source_that_does_not_compile_fails_with_the_compiler_s_words(gpu: Gpu, folder: Path) -> None:
    own_source(folder, "a[i] + b[i]", "a[i] + c[i]")
    result = judged(folder)
    assert (verdicts(result)["build"], result.exit_code, gpu.calls) == ("FAIL", 1, [])
    assert verdicts(result)["safety"] == "UNKNOWN"
    assert any(d.code == "SRC801" and '"c"' in d.message for d in result.diagnostics)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('entry = "add"', 'entry = "thrice"', "PRB903"),
        ("block = [128]", "block = [2048]", "PRB904"),
        ("ceildiv(n, 128)", "ceildiv(m, 128)", "PRB902"),
        ('"y", "n"]', '"y"]', "PRB905"),
        ('"y", "n"]', '"y", 1.5]', "PRB905"),
        ('"y", "n"]', '"z", "n"]', "PRB901"),
    ],
)
def test_a_candidate_that_does_not_fit_is_an_error_and_no_verdict(
    gpu: Gpu, folder: Path, old: str, new: str, code: str
) -> None:
    edit(folder / "candidate.toml", old, new)
    result = judged(folder)
    assert (result.unusable, result.exit_code, result.verdict) == (True, 2, Verdict.UNKNOWN)
    assert [d.code for d in result.diagnostics] == [code]


@pytest.mark.parametrize(
    ("addition", "words"),
    [
        ("cluster = [2, 1, 1]", "clusters"),
    ],
)
def test_what_is_not_executed_yet_is_unknown(gpu: Gpu, folder: Path, addition: str, words: str) -> None:
    path = folder / "candidate.toml"
    path.write_text(path.read_text().replace("ceildiv(n, 128)", "2") + addition + "\n")
    result = judged(folder)
    assert (result.exit_code, gpu.calls) == (3, [])
    assert any(words in d.message for d in result.diagnostics if d.code == "PRB909")


def test_a_cooperative_launch_is_one_for_the_virtual_gpu_too(gpu: Gpu, folder: Path) -> None:
    assert judged(folder).exit_code == 0
    path = folder / "candidate.toml"
    path.write_text(path.read_text() + "cooperative = true\n")
    assert judged(folder).exit_code == 0
    assert {call["cooperative"] for call in gpu.calls[:2]} == {False}
    assert {call["cooperative"] for call in gpu.calls[-2:]} == {True}


def test_bare_numbers_become_what_the_parameter_is(gpu: Gpu, folder: Path) -> None:
    own_source(folder, "int n)", "int n, float f, double d, long long w)")
    edit(folder / "candidate.toml", '"y", "n"]', '"y", "n", 2, { f64 = 0.5 }, { i64 = -1 }]')
    gpu.kernel = lambda memory, arguments: None  # type: ignore[method-assign]
    judged(folder, only=["memory_access"])
    (call,) = gpu.calls
    assert call["mode"] == "count"
    *_, f, d, w = call["arguments"]
    assert isinstance(f, float) and f == 2.0
    assert (d, w) == (np.float64(0.5).tobytes(), b"\xff" * 8)


def test_workspaces_are_zero_and_fresh(gpu: Gpu, folder: Path) -> None:
    path = folder / "candidate.toml"
    path.write_text(path.read_text() + '[workspace.partial]\ndtype = "f32"\nshape = ["2 * n"]\n')
    judged(folder)
    partial = gpu.calls[1]["memory"]
    assert partial.arrays["partial"].shape == (66,) and not partial.arrays["partial"].any()
    assert "partial" not in partial.uninitialised


@pytest.mark.parametrize(
    ("options", "rows", "modes"),
    [
        ({"only": ["registers"]}, ["registers"], []),
        ({"only": ["memory-access"]}, ["memory_access"], ["count"]),
        ({"only": ["numerics"]}, ["numerics"], ["run"] * 14),
        (
            {"skip": ["safety", "numerics"]},
            ["memory_access", "bank_conflicts", "registers", "occupancy", "divergence", "target"],
            ["count"],
        ),
        ({"only": ["divergence"]}, ["divergence"], ["run"]),
    ],
)
def test_only_what_is_asked_for_is_gathered(
    gpu: Gpu, folder: Path, options: dict[str, Any], rows: list[str], modes: list[str]
) -> None:
    result = judged(folder, **options)
    assert list(verdicts(result)) == rows
    assert [call["mode"] for call in gpu.calls] == modes
    assert result.exit_code == 0


@pytest.mark.parametrize("option", ["only", "skip"])
def test_an_unknown_contract_is_a_usage_error(gpu: Gpu, folder: Path, option: str) -> None:
    with pytest.raises(WarpgaugeError, match="memory_acces") as error:
        judged(folder, **{option: ["memory_acces"]})
    assert '"memory_access"' in error.value.diagnostics[0].help


def test_judging_nothing_is_no_pass(gpu: Gpu, folder: Path) -> None:
    with pytest.raises(WarpgaugeError, match="nothing is left to judge") as error:
        judged(folder, only=["numerics"], skip=["numerics"])
    assert error.value.diagnostics[0].code == "PRB901"
    left_out = judged(folder, only=["target"])
    assert (left_out.verdict, left_out.exit_code) == (Verdict.UNKNOWN, 3)
    # A contract that only advises counts where the caller names it.
    advice = judged(folder, only=["utilisation"])
    assert (verdicts(advice), advice.exit_code) == ({"utilisation": Verdict.UNKNOWN}, 3)


def test_evidence_that_was_not_asked_for_leaves_unknowns(gpu: Gpu, folder: Path) -> None:
    result = judged(folder, evidence={"build"})
    assert (result.exit_code, gpu.calls, verdicts(result)["registers"]) == (3, [], "PASS")
    assert any("virtual evidence was not asked for" in d.message for d in result.diagnostics)
    nothing = judged(folder, evidence=frozenset())
    assert verdicts(nothing)["registers"] == "UNKNOWN"


def test_stop_on_fail_leaves_the_rest_out(gpu: Gpu, folder: Path) -> None:
    gpu.result = lambda mode: execution(global_site(strided(128), 4), checked=mode == "shadow")
    result = judged(folder, stop_on_fail=True)
    assert (len(gpu.calls), result.exit_code, verdicts(result)["safety"]) == (1, 1, "UNKNOWN")
    assert any("had failed before" in d.message for d in result.diagnostics)


def test_an_asked_target_binds_and_stays_unknown(gpu: Gpu, folder: Path) -> None:
    path = folder / "problem.toml"
    path.write_text(path.read_text() + '[target]\nmetric = "ratio"\nbaseline = "naive"\nat_least = 0.9\n')
    result = judged(folder)
    assert (verdicts(result)["target"], result.exit_code) == ("UNKNOWN", 3)
    assert judged(folder, skip=["target"]).exit_code == 0


@pytest.mark.parametrize(("bind", "code"), [("true", 3), ("false", 0)])
def test_a_contract_that_is_named_and_not_built_is_unknown(gpu: Gpu, folder: Path, bind: str, code: int) -> None:
    path = folder / "problem.toml"
    path.write_text(path.read_text() + f"[contracts]\nutilisation = {{ bind = {bind} }}\n")
    result = judged(folder)
    assert (verdicts(result)["utilisation"], result.exit_code) == ("UNKNOWN", code)
    # What only advises, and is not built, has its row and no more.
    assert [d.code for d in result.diagnostics] == (["PRB909"] if code else [])


def test_registers_can_bind(gpu: Gpu, folder: Path) -> None:
    path = folder / "problem.toml"
    path.write_text(path.read_text() + "[contracts]\nregisters = { bind = true, most_spill_bytes = 16 }\n")
    (row,) = [row for row in judged(folder).contracts if row.name == "registers"]
    assert (row.binds, row.asked) == (True, 16)
    path.write_text(path.read_text().replace("registers = {", "occupancy = { enabled = false }\nregisters = {"))
    assert verdicts(judged(folder))["occupancy"] == "NOT ASKED"


def test_a_problem_may_move_thresholds_and_bindings(gpu: Gpu, folder: Path) -> None:
    gpu.result = lambda mode: execution(global_site(strided(8), 4), checked=mode == "shadow")
    assert judged(folder).exit_code == 1
    path = folder / "problem.toml"
    text = path.read_text()
    path.write_text(text + "[contracts]\nmemory_access = { site_floor = 0.5 }\n")
    assert judged(folder).exit_code == 0
    path.write_text(text + "[contracts]\nmemory_access = { bind = false }\n")
    assert (judged(folder).exit_code, verdicts(judged(folder))["memory_access"]) == (0, "FAIL")


def test_a_problem_without_ragged_shapes_gets_a_note(gpu: Gpu, folder: Path) -> None:
    edit(folder / "problem.toml", "n = 33", "n = 64")
    result = judged(folder)
    assert [d.code for d in result.diagnostics] == ["PRB908"]
    assert result.exit_code == 0


def test_candidates_keep_their_order_and_a_broken_one_does_not_stop_the_others(gpu: Gpu, folder: Path) -> None:
    (folder / "candidates").mkdir()
    text = (folder / "candidate.toml").read_text()
    (folder / "candidate.toml").unlink()
    for name, content in (("c", text), ("a", text), ("b", text.replace("[[launch]]", "[[lunch]]"))):
        (folder / "candidates" / f"{name}.toml").write_text(content)
    results = check_files(folder)
    assert [(result.candidate, result.exit_code) for result in results] == [("a", 0), ("b", 2), ("c", 0)]
    chosen = check_files(folder, [folder / "candidates" / "c.toml"])
    assert [result.candidate for result in chosen] == ["c"]


def test_a_broken_problem_is_raised(gpu: Gpu, folder: Path) -> None:
    edit(folder / "problem.toml", "[dims]", "[dimms]")
    with pytest.raises(WarpgaugeError, match="PRB901"):
        check_files(folder)


def test_equal_inputs_give_equal_evaluations(gpu: Gpu, folder: Path) -> None:
    assert judged(folder) == judged(folder)


def test_threads_keep_the_order_and_raise_the_first_error() -> None:
    assert in_threads(lambda n: n * n, range(20), 2) == [n * n for n in range(20)]

    def picky(n: int) -> int:
        if n in (3, 7):
            raise ValueError(n)
        return n

    with pytest.raises(ValueError, match="3"):
        in_threads(picky, range(10), 2)
