"""`warpgauge explain`: every page ships, unknown codes are answered with near ones, exit codes."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import termios
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from warpgauge.commands.main import main
from warpgauge.diagnostics import CODES
from warpgauge.diagnostics.pages import page, sections, with_file_names

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("code", CODES)
def test_every_page_is_there_and_fits_80_columns(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code.lower()]) == 0
    out, err = capsys.readouterr()
    assert f"{code}: " in out.splitlines()[0] and err == ""
    assert max(map(len, out.splitlines())) <= 80 and "\x1b" not in out
    for heading in ("What it means", "How to fix it", "Bad", "Good", "kernel.cu"):
        assert f"\n{heading}" in out
    assert set(sections(code)) == {
        "What it means", "Why it matters", "How to fix it", "Limits of this finding", "Bad", "Good"
    }  # fmt: skip


def test_the_package_ships_the_pages() -> None:
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["warpgauge"]
    package = Path(str(files("warpgauge")))
    shipped = {path.name for pattern in patterns for path in package.glob(pattern) if path.suffix == ".md"}
    assert shipped == {f"{code}.md" for code in CODES}


def test_the_pages_are_those_of_the_documentation() -> None:
    for code in CODES:
        assert page(code) == (ROOT / "docs" / "codes" / f"{code}.md").read_text()


def test_without_a_code_every_code_is_listed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[row.code, row.severity] for row in CODES.values()]
    assert all(line.endswith(row.title) for line, row in zip(lines, CODES.values(), strict=True))
    assert max(map(len, lines)) <= 80


def test_an_unknown_code_is_answered_with_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "MEM110"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith('error[PRB901]: unknown code "MEM110"') and 'did you mean "MEM10' in err


def test_a_code_like_nothing_known_gets_the_whole_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "??"]) == 2
    err = capsys.readouterr().err
    assert all(code in err for code in CODES)


def test_file_names_survive_rendering() -> None:
    assert with_file_names("x\n```toml a.toml\nk = 1\n```\n") == "x\n**a.toml**\n\n```toml\nk = 1\n```\n"


@pytest.mark.parametrize("no_color", [True, False])
def test_a_real_terminal_of_80_columns(no_color: bool) -> None:
    master, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color"} | ({"NO_COLOR": "1"} if no_color else {})
    command = [sys.executable, "-m", "warpgauge", "explain", "SAF611"]
    with subprocess.Popen(command, stdout=terminal, env=environment) as process:
        os.close(terminal)
        chunks = []
        # Reading past the end of a terminal that nobody holds open any more is an error on Linux.
        with contextlib.suppress(OSError):
            while chunk := os.read(master, 65536):
                chunks.append(chunk)
    os.close(master)
    text = b"".join(chunks).decode()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert process.returncode == 0 and "SAF611: deadlock" in plain
    assert ("\x1b[3" in text) != no_color
    assert max(map(len, plain.splitlines())) <= 80
