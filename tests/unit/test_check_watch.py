"""`check --watch`: what wakes it, what does not, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import warpgauge.evaluate
from tests.unit.hand_evaluation import evaluation, row
from warpgauge.commands.main import main
from warpgauge.contracts import Verdict
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.evaluate import Evaluation
from warpgauge.evaluate.watch import Watch


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A problem's folder with a candidate, and a source elsewhere that it includes."""
    place = tmp_path / "p"
    (place / "candidates").mkdir(parents=True)
    for path in ("problem.toml", "reference.py", "candidates/a.toml", "candidates/a.cu", "../common.cuh"):
        (place / path).write_text("1")
    return place


def edit(path: Path) -> Callable[[], object]:
    return lambda: path.write_text(path.read_text() + "more")


class Time:
    """A clock for `Watch.wait`: each sleep does the next thing; when all is done the watch ends by interrupt."""

    def __init__(self, *things: Callable[[], object] | None) -> None:
        self.things = list(things)

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        if not self.things:
            raise KeyboardInterrupt
        if thing := self.things.pop(0):
            thing()


def woken(watch: Watch, *things: Callable[[], object] | None, sources: tuple[Path, ...] = ()) -> list[str] | None:
    read = evaluation(row(Verdict.PASS), sources={str(path): "" for path in sources})
    try:
        return [path.name for path in watch.wait([read], sleep=Time(*things).sleep)]
    except KeyboardInterrupt:
        return None


@pytest.mark.parametrize("name", ["problem.toml", "reference.py", "candidates/a.toml", "candidates/a.cu"])
@pytest.mark.parametrize("by", ["folder", "file"])
def test_an_edit_wakes_it(folder: Path, name: str, by: str) -> None:
    watch = Watch(folder if by == "folder" else folder / "problem.toml")
    watch.begin()
    assert woken(watch, None, edit(folder / name), None) == [Path(name).name]


def test_files_that_come_and_go_wake_it(folder: Path) -> None:
    watch = Watch(folder)
    watch.begin()
    assert woken(watch, lambda: (folder / "candidates" / "b.toml").write_text(""), None) == ["b.toml"]
    watch.begin()
    assert woken(watch, (folder / "candidates" / "a.cu").unlink, None) == ["a.cu"]


def test_files_that_the_check_has_read_wake_it(folder: Path) -> None:
    common = folder.parent / "common.cuh"
    watch = Watch(folder)
    watch.begin()
    assert woken(watch, None, edit(common), None, sources=()) is None
    assert woken(watch, None, edit(common), None, sources=(common,)) == ["common.cuh"]


def test_a_change_during_the_check_wakes_it(folder: Path) -> None:
    watch = Watch(folder)
    watch.begin()
    edit(folder / "problem.toml")()
    assert woken(watch, None) == ["problem.toml"]


def test_other_files_do_not_wake_it(folder: Path) -> None:
    (folder / "deep").mkdir()
    watch = Watch(folder)
    watch.begin()
    hidden, below = folder / ".a.swp", folder / "deep" / "x"
    assert woken(watch, lambda: hidden.write_text(""), lambda: below.write_text(""), None) is None


def test_it_waits_until_a_file_has_come_to_rest(folder: Path) -> None:
    watch = Watch(folder)
    watch.begin()
    write = edit(folder / "problem.toml")
    clock = Time(write, write, write, None)
    assert [path.name for path in watch.wait([], sleep=clock.sleep)] == ["problem.toml"]
    assert clock.things == []


GOOD, BAD = evaluation(row(Verdict.PASS)), evaluation(row(Verdict.FAIL))


def answers(monkeypatch: pytest.MonkeyPatch, *outcomes: Evaluation | Exception) -> None:
    """`check` gives these one after another; a change is seen after each but the last, which an interrupt follows."""
    left = list(outcomes)

    def check_files(*_: object, **__: object) -> list[Evaluation]:
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return [outcome]

    def wait(*_: object) -> list[Path]:
        if not left:
            raise KeyboardInterrupt
        return [Path("k.cu")]

    monkeypatch.setattr(warpgauge.evaluate, "check_files", check_files)
    monkeypatch.setattr(Watch, "wait", wait)


@pytest.mark.parametrize(("outcomes", "code"), [((GOOD,), 0), ((GOOD, BAD), 1), ((BAD, GOOD), 0)])
def test_an_interrupt_ends_with_the_last_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], outcomes: tuple[Evaluation, ...], code: int
) -> None:
    answers(monkeypatch, *outcomes)
    assert main(["check", "p.toml", "--watch"]) == code
    out, err = capsys.readouterr()
    assert out.count("gemm_f32: lanes_over_rows") == len(outcomes)
    assert err == "watching; Ctrl-C ends\n" + "changed: k.cu\nwatching; Ctrl-C ends\n" * (len(outcomes) - 1)


def test_a_broken_problem_is_shown_and_watched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = WarpgaugeError(Diagnostic("PRB901", "error", "unknown key"))
    answers(monkeypatch, broken, GOOD)
    assert main(["check", "p.toml", "--watch"]) == 0
    assert "error[PRB901]: unknown key" in capsys.readouterr().err
    answers(monkeypatch, GOOD, broken)
    assert main(["check", "p.toml", "--watch"]) == 2


@pytest.mark.parametrize("option", ["--json", "--sarif", "--markdown", "--write-baseline"])
def test_it_prints_for_a_terminal_only(capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert main(["check", "p.toml", "--watch", option, "--baseline", "b.json"]) == 2
    assert "--watch" in capsys.readouterr().err


def test_a_process_that_watches(folder: Path) -> None:
    program = (
        "import sys, warpgauge.evaluate\n"
        "from tests.unit.hand_evaluation import evaluation, row\n"
        "from warpgauge.contracts import Verdict\n"
        "warpgauge.evaluate.check_files = lambda *_, **__: [evaluation(row(Verdict.FAIL))]\n"
        "from warpgauge.commands.main import main\n"
        f"sys.argv = ['warpgauge', 'check', {str(folder)!r}, '--watch']\n"
        "sys.exit(main())\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        # Tests in the background of a shell inherit that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stderr is not None
    try:
        assert process.stderr.readline() == "watching; Ctrl-C ends\n"
        edit(folder / "problem.toml")()
        assert process.stderr.readline() == "changed: problem.toml\n"
        assert process.stderr.readline() == "watching; Ctrl-C ends\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, err) == (1, "")
    assert out.count("gemm_f32: lanes_over_rows") == 2
