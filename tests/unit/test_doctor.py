"""`warpgauge doctor`: what it finds, what it says about what is missing, exit codes, and that it changes nothing."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from warpgauge import doctor
from warpgauge.build.toolchain import PACKAGES
from warpgauge.commands.main import main


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def answered(capsys: pytest.CaptureFixture[str], code: int) -> dict[str, dict[str, Any]]:
    assert main(["doctor", "--json"]) == code
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == "" and document["schema"] == 1 and document["healthy"] == (code == 0)
    return {piece["name"]: piece for piece in document["pieces"]}


def test_this_machine_is_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    pieces = answered(capsys, 0)
    assert all(pieces[name]["found"] == version(name) for name in (*PACKAGES, "numpy", "llvmlite"))
    assert pieces["CUDA family"]["found"].startswith("cu1") and "sm_90" not in pieces["CUDA family"]["state"]
    assert {name for name, piece in pieces.items() if not piece["needed"]} == {
        "cache folder", "GPU driver", "cuda-bindings", "torch", "ncu", "compute-sanitizer", "nvcc"
    }  # fmt: skip


def test_the_terminal_form_fits_80_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80 and "\x1b" not in out
    assert out.startswith("needed\nPython ") and out.endswith("\nwarpgauge can judge kernels here\n")
    assert "not on PATH. Would add in a later version:" in " ".join(out.split())


def without(monkeypatch: pytest.MonkeyPatch, **changed: str | None) -> None:
    """Package versions as if these were installed (None: not at all)."""
    names = {name.replace("_", "-"): value for name, value in changed.items()}

    def answer(name: str) -> str:
        found = names.get(name, version(name) if name not in names else None)
        if found is None:
            raise PackageNotFoundError(name)
        return found

    monkeypatch.setattr(doctor, "version", answer)


def test_a_missing_wheel(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, nvidia_nvjitlink=None)
    assert answered(capsys, 1)["nvidia-nvjitlink"]["state"] == "missing"
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "not installed. Needed for: PTX to cubin" in out
    assert out.endswith("warpgauge cannot judge kernels here\n")


def test_two_families(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, nvidia_nvjitlink="12.9.1")
    family = answered(capsys, 1)["CUDA family"]
    assert family["state"] == "broken" and "12: nvidia-nvjitlink; 13: " in family["found"]


def test_an_old_python(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "OLDEST_PYTHON", (99, 0))
    assert answered(capsys, 1)["Python"]["state"] == "broken"


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WARPGAUGE_CACHE", str(tmp_path / "file" / "cache"))
    assert answered(capsys, 0)["cache folder"]["state"] == "broken"


def test_nothing_is_created(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WARPGAUGE_CACHE", str(tmp_path / "cache"))
    cache = answered(capsys, 0)["cache folder"]
    assert cache["state"] == "ok" and "will be made" in cache["found"]
    assert list(tmp_path.iterdir()) == []


def tool(tmp_path: Path, script: str) -> Path:
    path = tmp_path / "ncu"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("script", "state", "words"),
    [
        ("echo 'Nsight Compute'; echo 'Version 2025.3.1.0 (build 1)'", "ok", "2025.3.1.0, "),
        ("echo nothing", "broken", "does not say its version"),
        ("echo 1.2; exit 3", "broken", "exit code 3"),
    ],
)
def test_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, state: str, words: str) -> None:
    monkeypatch.setenv("PATH", f"{tool(tmp_path, script).parent}:/bin:/usr/bin")
    (found,) = (f for f in doctor.examine() if f.name == "ncu")
    assert found.state == state and words in found.found


def test_a_tool_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(command, 10)

    monkeypatch.setenv("PATH", f"{tool(tmp_path, 'true').parent}:/bin:/usr/bin")
    assert doctor._tool("ncu", "counters", run=hang).state == "broken"
