"""`truth`: the forms in which readings describe arguments, the comparison, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpgauge.evaluate.truth
from tests.unit.hand import execution
from tests.unit.hand_device import SOURCE, Memory
from warpgauge.commands.main import main
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evaluate.truth import compare_folder, content, described_arguments, listed_arguments
from warpgauge.evidence import Counters, Execution

SENTENCE = (
    "sh_*: (T* out, const int* perm); gl_*: (float* out, const T* a, const int* perm); "
    "perm[i] = (i*389+17) % 1024 for i in 0..1023; every pointer 256-byte aligned"
)


def test_formulas() -> None:
    assert content("(i*389+17) % 1024", 4).tolist() == [17, 406, 795, 160]
    assert content("(uint32(i*2654435761)>>24)", 3).tolist() == [0, 2654435761 >> 24, (2 * 2654435761 % 2**32) >> 24]
    assert content("7", 2).tolist() == [7, 7]


@pytest.mark.parametrize(
    "formula", ["__import__('os')", "j + 1", "i.real", "i if i else 0", "open(i)", "i +", "1.5 * i"]
)
def test_anything_else_is_no_formula(formula: str) -> None:
    with pytest.raises(ValueError, match="not a formula"):
        content(formula, 3)


def test_listed_arguments() -> None:
    memory = Memory()
    texts = [
        "A:f32[16]",
        "in:struct of 4 x f32, 10 records",
        "u:u8[300], u[i] = i % 256",
        "i32=-5",
        "f32=0.5",
        "v:f32[8] read as float4",
    ]
    arguments = listed_arguments(texts, memory)  # type: ignore[arg-type]
    sizes = {name: (array.size, array.dtype) for name, array in memory.arrays.items()}
    assert sizes == {"A": (16, "f4"), "in": (40, "f4"), "u": (300, "u1"), "v": (8, "f4")}
    assert arguments[3:5] == [-5, 0.5]
    assert memory.arrays["u"][299] == 43


def test_described_arguments_follow_the_signature_of_the_same_length() -> None:
    memory = Memory()
    assert len(described_arguments(SENTENCE, 3, memory)) == 3  # type: ignore[arg-type]
    assert list(memory.arrays) == ["out", "a", "perm"]
    assert memory.arrays["perm"].size == 1024 and memory.arrays["perm"].dtype == np.int32
    assert memory.arrays["perm"][1] == 406
    assert not memory.arrays["out"].any()
    two = Memory()
    described_arguments(SENTENCE, 2, two)  # type: ignore[arg-type]
    assert list(two.arrays) == ["out", "perm"]


@pytest.mark.parametrize("text", ["A:f99[16]", "something", "A:f32"])
def test_an_argument_of_no_known_form(text: str) -> None:
    with pytest.raises(ValueError, match="not an argument"):
        listed_arguments([text], Memory())  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Readings of one kernel in both forms, and a virtual GPU that counts four requests."""
    args = ["a:f32[128]", "b:f32[128]", "y:f32[128]", "i32=128"]
    data = {
        "device": "a device",
        "counters": {"global_load_requests": "a counter"},
        "listed": {"add": {"grid": [1, 1, 1], "block": [128, 1, 1], "args": args, "global_load_requests": 4.0}},
    }
    (tmp_path / "counters_x.json").write_text(json.dumps(data))
    (tmp_path / "listed.cu").write_text(SOURCE)

    def execute(build: Any, kernel: str, *, grid: Sequence[int], block: Sequence[int], **more: Any) -> Execution:
        assert (kernel, tuple(grid), tuple(block), more["mode"]) == ("add", (1, 1, 1), (128, 1, 1), "count")
        assert more["arguments"][3] == 128
        return execution_with(Counters(global_load_requests=4))

    monkeypatch.setattr(warpgauge.evaluate.truth, "execute", execute)
    monkeypatch.setattr(warpgauge.evaluate.truth, "GlobalMemory", Memory)
    return tmp_path


def execution_with(counters: Counters) -> Execution:
    return replace(execution(), counters=counters)


def test_equal_readings_exit_with_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["truth", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].split() == ["add", "global_load_requests", "4", "4"]
    assert "1 of 1 readings of 1 kernels are equal" in out


def test_a_difference_exits_with_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "counters_x.json"
    file.write_text(file.read_text().replace("4.0", "5.0"))
    assert main(["truth", str(folder), "--differences"]) == 1
    assert "differs" in capsys.readouterr().out


def test_a_kernel_that_cannot_be_executed_is_no_match(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped = execution(stopped="unsupported instruction tex.2d")
    monkeypatch.setattr(warpgauge.evaluate.truth, "execute", lambda *_, **__: stopped)
    assert main(["truth", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "add was not executed: unsupported instruction tex.2d" in out
    assert "0 of 1 readings" in out


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [("i32=128", "i32", "PRB901"), ('"block"', '"blk"', None), ("a:f32[128]", "a:f32[x]", "PRB901")],
)
def test_readings_of_another_form(folder: Path, old: str, new: str, code: str | None) -> None:
    file = folder / "counters_x.json"
    file.write_text(file.read_text().replace(old, new))
    if code is None:
        with pytest.raises(WarpgaugeError, match="no readings"):
            compare_folder(folder, only=["add"])
        return
    with pytest.raises(WarpgaugeError, match=code):
        compare_folder(folder)


def test_a_folder_without_readings(tmp_path: Path) -> None:
    assert main(["truth", str(tmp_path)]) == 2
