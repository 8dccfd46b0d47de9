"""Diagnostics in a terminal: carets, tabs, unknown places, wide addresses."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.unit.hand_evaluation import MEMORY, RACE, SOURCE
from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.diagnostics.json_form import diagnostic_json, finite
from warpgauge.diagnostics.source import line_text, shown_path, underlined, windowed
from warpgauge.diagnostics.terminal import lane_rows, render
from warpgauge.evidence import Location


def rendered(diagnostic: Diagnostic, width: int = 80, **sources: str) -> str:
    out = io.StringIO()
    render(Console(file=out, width=width, color_system=None), diagnostic, sources or {"kernel.cu": SOURCE})
    return out.getvalue()


@pytest.mark.parametrize(
    ("text", "column", "length", "marks"),
    [
        ("  int x = y;", 0, 0, "  ^^^^^^^^^^"),
        ("  int x = y;", 7, 1, "      ^"),
        ("  int x = y;", 7, 0, "      ^^^^^^"),
        ("\tint x;", 2, 3, "    ^^^"),
        ("int x;", 40, 0, "     ^"),
        ("int x;", 1, 99, "^^^^^^"),
    ],
)
def test_carets(text: str, column: int, length: int, marks: str) -> None:
    line, under = underlined(text, Span(Location("k.cu", 1, column), length))
    assert under == marks
    assert line == text.expandtabs(4)


def test_a_long_line_is_cut_around_its_carets() -> None:
    line, marks = "x" * 100 + "target" + "y" * 50, " " * 100 + "^" * 6
    cut_line, cut_marks = windowed(line, marks, 60)
    assert len(cut_line) <= 60 and cut_line.startswith("...")
    assert cut_line[cut_marks.index("^") : cut_marks.rindex("^") + 1] == "target"
    assert windowed("short", "  ^", 60) == ("short", "  ^")
    assert windowed("z" * 100, "^" * 100, 60) == ("z" * 60, "^" * 60)


def test_a_diagnostic_as_a_reader_sees_it() -> None:
    assert rendered(RACE) == (
        "error[SAF601]: warp 3 reads tile[96] that warp 0 wrote without a barrier between\n"
        "  them\n"
        "  --> kernel.cu:7:22\n"
        "   |\n"
        " 7 |   C[row * N + col] = tile[threadIdx.x][threadIdx.y];\n"
        f"   |                      {'^' * 31}\n"
        "  ::: kernel.cu:6:3: earlier write\n"
        "   |\n"
        " 6 |   tile[threadIdx.y][threadIdx.x] = acc;\n"
        "   |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "   = help: put a barrier between the two accesses (__syncthreads(), or\n"
        "     __syncwarp() within one warp); in a loop also before the turn that writes\n"
        "     again what this one reads\n"
    )


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, rendered(MEMORY, width).splitlines())) <= width


def test_the_worst_request_is_shown_lane_by_lane() -> None:
    text = rendered(MEMORY)
    assert "block (0, 0, 0), warp 0, 32 sectors" in text
    assert "lanes  0-7       0   4096   8192" in text
    assert "= help: lanes step by 4096 bytes" in text


def test_inactive_lanes_are_dashes_and_wide_addresses_take_more_rows() -> None:
    assert lane_rows([0, None, 8, None], 60) == ["lanes  0-3  0 - 8 -"]
    wide = lane_rows([10**9 + lane for lane in range(32)], 75)
    assert len(wide) == 8
    assert max(map(len, wide)) <= 75


def test_a_line_that_nobody_can_read_is_left_out() -> None:
    note = Diagnostic("PRB908", "note", "text", Span(Location("gone.cu", 3, 1)))
    assert rendered(note) == "note[PRB908]: text\n  --> gone.cu:3:1\n"


def test_a_place_without_a_line_names_the_file() -> None:
    assert "--> p.toml\n" in rendered(Diagnostic("PRB907", "error", "cannot read", Span(Location("p.toml", 0))))


def test_text_that_looks_like_markup_is_printed_as_it_is() -> None:
    assert "[bold]x[/bold] :smile:" in rendered(Diagnostic("PRB901", "error", "[bold]x[/bold] :smile:"))


def test_paths_are_shown_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_path(str(tmp_path / "a" / "k.cu")) == "a/k.cu"
    assert shown_path("/elsewhere/k.cu") == "/elsewhere/k.cu"


def test_lines_come_from_what_may_be_shown_and_never_from_the_file(tmp_path: Path) -> None:
    file = str(tmp_path / "k.cu")
    (tmp_path / "k.cu").write_text("changed\nsince\n")
    assert line_text(file, 2, {file: "first\nsecond\n"}) == "second"
    assert line_text(file, 3, {file: "first\nsecond\n"}) is None
    assert line_text(file, 2, {}) is None


def test_json_has_no_numbers_that_json_lacks() -> None:
    assert finite({"a": [float("nan"), 1.5], "b": (float("inf"),)}) == {"a": [None, 1.5], "b": [None]}
    assert diagnostic_json(RACE)["primary"] == {"file": "kernel.cu", "line": 7, "column": 22}
