"""LAUNCH.toml of `warpgauge trace`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpgauge.candidate import (
    BufferArg,
    BytesArg,
    ScalarArg,
    TensorMapArg,
    TraceLaunch,
    TracePlan,
    load_trace_launch,
    trace_plan,
)
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.problem import decode

TEXT = """\
grid = [4, "2 * 3"]
block = [32, 1, 1]
dynamic_shared = 1024
args = [
  { name = "out", dtype = "f32", shape = [4, 8] },
  { name = "x", dtype = "bf16", shape = "4 * 8", init = "arange" },
  { name = "perm", dtype = "i32", file = "perm.npy" },
  { dtype = "i32", value = -5 },
  { dtype = "f32", value = 2 },
  { tensor_map = "mapA" },
  { bytes = "0102" },
]

[tensor_maps.mapA]
tensor = "out"
box = [8, 4]
"""


def load(folder: Path, text: str) -> TraceLaunch:
    np.save(folder / "perm.npy", np.arange(6, dtype=np.int64).reshape(2, 3))
    (folder / "launch.toml").write_text(text)
    return load_trace_launch(folder / "launch.toml")


def planned(folder: Path, text: str = TEXT, arch: str = "sm_90") -> TracePlan:
    return trace_plan(load(folder, text), "kernel", arch=arch)


def refused(folder: Path, text: str) -> Diagnostic:
    with pytest.raises(WarpgaugeError) as error:
        planned(folder, text)
    return error.value.diagnostics[0]


def test_a_whole_file(tmp_path: Path) -> None:
    result = planned(tmp_path)
    launch = result.launch
    assert (launch.entry, launch.grid, launch.block, launch.dynamic_shared) == ("kernel", (4, 6, 1), (32, 1, 1), 1024)
    assert launch.args == (
        BufferArg("out"), BufferArg("x"), BufferArg("perm"), ScalarArg(-5, "i32"), ScalarArg(2, "f32"),
        TensorMapArg("mapA"), BytesArg(b"\x01\x02"),
    )  # fmt: skip
    assert not result.buffers["out"].any() and result.buffers["out"].dtype == np.float32
    assert decode(result.buffers["x"], "bf16").tolist() == list(range(32))
    assert result.buffers["perm"].tolist() == [0, 1, 2, 3, 4, 5] and result.buffers["perm"].dtype == np.int32
    assert result.layouts["out"].shape == (4, 8) and result.layouts["perm"].shape == (2, 3)
    assert result.tensor_maps["mapA"].sizes == (8, 4)


def test_normal_values_repeat(tmp_path: Path) -> None:
    text = TEXT.replace('"arange"', '"normal"')
    first, again = planned(tmp_path, text), planned(tmp_path, text)
    assert first.buffers["x"].tobytes() == again.buffers["x"].tobytes()
    assert 0.5 < decode(first.buffers["x"], "bf16").std() < 1.5


def test_a_launch_without_arguments(tmp_path: Path) -> None:
    result = planned(tmp_path, "grid = 1\nblock = 64\n")
    assert result.launch.args == () and result.launch.block == (64, 1, 1) and not result.buffers


def test_entry_and_when_may_be_repeated(tmp_path: Path) -> None:
    assert planned(tmp_path, 'entry = "kernel"\nwhen = "1 < 2"\n' + TEXT).launch.entry == "kernel"
    diagnostic = refused(tmp_path, 'entry = "other"\n' + TEXT)
    assert '"other" is not the kernel asked for' in diagnostic.message
    assert "does not hold" in refused(tmp_path, 'when = "1 > 2"\n' + TEXT).message


MISTAKES = [
    ("dynamic_shared", "dynamic_share", "PRB901", 3, 'unknown key "dynamic_share"'),
    ("dynamic_shared = 1024", 'dynamic_shared = "N"', "PRB902", 3, "dynamic_shared: expression"),
    ("[32, 1, 1]", "[32, 1, 100]", "PRB904", 2, "block.z = 100"),
    ('"2 * 3"', "0", "PRB904", 1, "grid.y = 0"),
    ("block = [32, 1, 1]", "", "PRB901", 0, "block: this key is required"),
    ('{ name = "out", dtype', '{ nam = "out", dtype', "PRB901", 5, 'args[0].nam: unknown key "nam"'),
    ('dtype = "f32", shape = [4, 8]', 'dtype = "f33", shape = [4, 8]', "PRB901", 5, 'did you mean "f32"'),
    ('dtype = "f32", shape = [4, 8]', 'dtype = "f32"', "PRB901", 5, "args[0]: an argument is one of"),
    ("shape = [4, 8]", "shape = [4, -8]", "PRB901", 5, "args[0].shape: negative extent"),
    ('name = "x"', 'name = "out"', "PRB901", 6, '"out" is already a buffer'),
    ('"arange"', '"arang"', "PRB901", 6, "args[1].init: 'arang' is not one of"),
    ("perm.npy", "none.npy", "PRB907", 7, "args[2].file: cannot read"),
    ("value = -5", "value = 5.5", "PRB901", 8, "args[3].value: 5.5 is not an integer"),
    ("value = -5", "value = 3000000000", "PRB901", 8, "does not fit i32"),
    ("value = -5", 'value = "5"', "PRB901", 8, "args[3].value"),
    ('tensor_map = "mapA"', 'tensor_map = "mapB"', "PRB901", 10, 'no tensor map is called "mapB"'),
    ('"0102"', '"012"', "PRB901", 11, "args[6].bytes"),
    ('tensor = "out"', 'tensor = "outt"', "PRB901", 15, 'no buffer is called "outt"'),
    ("box = [8, 4]", "box = [8, 400]", "PRB904", 14, "not within 1 to 256"),
    ("[tensor_maps.mapA]", "[tensor_maps.mapA", "PRB901", 14, "not valid TOML"),
]


@pytest.mark.parametrize(("old", "new", "code", "line", "message"), MISTAKES)
def test_mistakes(tmp_path: Path, old: str, new: str, code: str, line: int, message: str) -> None:
    assert old in TEXT
    with pytest.raises(WarpgaugeError) as error:
        planned(tmp_path, TEXT.replace(old, new, 1))
    hit = [d for d in error.value.diagnostics if message in d.message]
    assert hit, [d.message for d in error.value.diagnostics]
    assert hit[0].code == code and hit[0].primary is not None
    assert (hit[0].primary.location.file, hit[0].primary.location.line) == (str(tmp_path / "launch.toml"), line)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(WarpgaugeError) as error:
        load_trace_launch(tmp_path / "none.toml")
    assert error.value.diagnostics[0].code == "PRB907"
