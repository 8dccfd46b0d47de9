"""Text of the candidate's author does not steer the terminal on which its verdict appears."""

from __future__ import annotations

import pytest

from warpgauge.commands.screen import console, show_error
from warpgauge.contracts.result import unknown
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.diagnostics.visible import visible
from warpgauge.evaluate.record import Evaluation
from warpgauge.report.check_markdown import check_markdown
from warpgauge.report.check_terminal import render_check

# Clears the screen, goes back over the line, turns its direction, is half a character.
EVIL = "all \x1b[2Jis\x00 \x9b1Awell\u202e\udcff\u200b"
LEFT = "all \ufffd[2Jis\ufffd \ufffd1Awell\ufffd\ufffd\ufffd"
CASE = Evaluation(EVIL, EVIL, (unknown("numerics", EVIL),), (Diagnostic("USR001", "error", EVIL),))


def test_what_is_written_in_any_script_stays() -> None:
    text = "größe π 中文 \u00a0 é\tx\ny 🙂"
    assert visible(text) == text
    assert visible(EVIL) == LEFT


@pytest.mark.parametrize("colour", [False, True])
def test_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, colour: bool) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FORCE_COLOR" if colour else "NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    render_check(console(), [CASE])
    show_error(WarpgaugeError(Diagnostic("PRB901", "error", EVIL)))
    for text in capsys.readouterr():
        assert LEFT in text
        assert ("\x1b[1;31m" in text) is colour, "the colours are warpgauge's own, and stay"
        for steering in ("\x1b[2J", "\x00", "\x9b", "\u202e", "\u200b"):
            assert steering not in text


def test_markdown() -> None:
    text = check_markdown([CASE])
    assert "\ufffd\\[2Jis\ufffd" in text and visible(text) == text
