"""The names of the checkers: all resolve, and those that need no kernel do what their names say."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from warpgauge.checkers import CHECKERS
from warpgauge.checkers.entry import run_checker

ROOT = Path(__file__).parents[2]
NAMES = (
    "check_memory_coalescing",
    "validate_coalescing",
    "check_bank_conflict",
    "stall_analyzer",
    "validate_numerical",
    "check_shuffle",
    "check_tensor_layout",
    "benchmark_kernel",
    "check_occupancy",
)


def layout(*arguments: str) -> int:
    return run_checker("check_tensor_layout", arguments)


def test_every_name_is_an_entry_point_that_resolves() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert set(NAMES) == CHECKERS.keys() == scripts.keys() - {"warpgauge"}
    for name in NAMES:
        module, _, attribute = scripts[name].partition(":")
        function = getattr(import_module(module), attribute)
        assert function.args == (name,)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        run_checker(name, ["--help"])
    assert exit_.value.code == 0 and "usage: " in capsys.readouterr().out


def test_the_page_names_them_all() -> None:
    page = (ROOT / "docs" / "checkers.md").read_text()
    assert [name for name in NAMES if f"`{name}" not in page] == []


def test_by_module() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "warpgauge.checkers", *arguments], capture_output=True, text=True)

    listed = run()
    assert listed.returncode == 0 and all(name in listed.stdout for name in NAMES)
    assert run("benchmark_kernel", "k.cu").returncode == 3
    unknown = run("check_everything")
    assert unknown.returncode == 2 and "check_everything" in unknown.stderr


@pytest.mark.parametrize("name", ["stall_analyzer", "benchmark_kernel"])
@pytest.mark.parametrize("arguments", [[], ["k.cu"], ["k.cu", "--json", "-x"]])
def test_what_needs_a_gpu_says_so(name: str, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_checker(name, arguments) == 3
    assert f"{name} UNKNOWN" in capsys.readouterr().out


def test_occupancy_is_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_checker("check_occupancy", ["--arch", "sm_90", "--registers", "32", "--block", "256"]) == 0
    assert "occupancy 100 %" in capsys.readouterr().out
    assert run_checker("check_occupancy", ["--arch", "sm_42", "--registers", "32", "--block", "256"]) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--shape", "4096x4096"], 0, "row-major"),
        (["--shape", "4096,4096", "--strides", "1,4096"], 0, "column-major"),
        (["--shape", "4096,4096", "--strides", "4104,1"], 1, "leading dimension 4104"),
        (["--shape", "4096,4096", "--strides", "4104,1", "--takes-ld"], 0, "padded"),
        (["--shape", "4096,4096", "--strides", "0,1"], 1, "stride 0"),
        (["--shape", "4096,4096", "--strides", "8192,2"], 1, "sliced view"),
        (["--shape", "8,3,32,32", "--strides", "3072,1,96,3"], 1, "channels_last"),
        (["--shape", "64,64", "--base", "0x1000", "--vector", "16"], 0, "16 bytes"),
        (["--shape", "64,64", "--base", "0x1008", "--vector", "16"], 1, "aligned to 8 bytes"),
        (["--shape", "64,63", "--base", "0x1000", "--vector", "16"], 1, "aligned to 4 bytes"),
        (["--shape", "64,64", "--vector", "16"], 1, "address is not known"),
        (["--shape", "64", "--strides", "1,1"], 2, "2 strides for 1 dimensions"),
        (["--shape", "64", "--dtype", "f12"], 2, "unknown dtype"),
        ([], 2, "give FILE.npy"),
        (["--shape", "64", "x.npy"], 2, "give FILE.npy"),
        (["--shape", "64", "--tensor", "A"], 2, "--problem and --tensor go together"),
        (["gone.npy"], 2, "cannot read gone.npy"),
    ],
)
def test_layouts_in_numbers(arguments: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert layout(*arguments) == code
    out, err = capsys.readouterr()
    assert says in (err if code == 2 else out)


def test_layouts_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, columns, text = (tmp_path / f"{name}.npy" for name in ("rows", "columns", "text"))
    np.save(rows, np.zeros((3, 5), "float32"))
    np.save(columns, np.asfortranarray(np.zeros((3, 5), "float32")))
    text.write_text("no array")
    assert layout(str(rows), str(columns), "--json") == 0
    found = json.loads(capsys.readouterr().out)["tensors"]
    assert [(t["order"], t["verdict"], t["alignment"]) for t in found] == [
        ("contiguous", "PASS", None),
        ("column-major", "PASS", None),
    ]
    assert layout(str(text)) == 2 and "not a .npy file" in " ".join(capsys.readouterr().err.split())


def test_layouts_against_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = str(ROOT / "examples" / "vec_add")
    for dtype, code in (("float32", 0), ("float16", 1)):
        name = tomllib.loads((Path(problem) / "problem.toml").read_text())
        (extent,) = (name["dims"][d] for d in name["tensors"]["a"]["shape"])
        np.save(tmp_path / "a.npy", np.zeros(extent, dtype))
        assert layout(str(tmp_path / "a.npy"), "--problem", problem, "--tensor", "a") == code
    assert "dtype f16, the problem has f32" in capsys.readouterr().out
    assert layout("--shape", "3", "--problem", problem, "--tensor", "z") == 2
