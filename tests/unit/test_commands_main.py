"""The command line: every exit code, what goes to stdout and what to stderr, and a start without heavy imports."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import warpgauge.evaluate
from tests.unit.hand_evaluation import evaluation, row
from warpgauge import __version__
from warpgauge.commands.main import main
from warpgauge.contracts import Verdict
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.evaluate.record import Evaluation, worst_code

PASSED = evaluation(row(Verdict.PASS), candidate="good")
FAILED = evaluation(row(Verdict.FAIL), candidate="bad")
UNKNOWN = evaluation(row(Verdict.UNKNOWN), candidate="odd")
UNUSABLE = Evaluation("p", "broken", diagnostics=(Diagnostic("PRB901", "error", "no"),), unusable=True)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes `check` answer with these evaluations (or raise)."""

    def set_answer(*evaluations: Evaluation, error: BaseException | None = None) -> None:
        def check_files(*_: object, **__: object) -> list[Evaluation]:
            if error:
                raise error
            return list(evaluations)

        monkeypatch.setattr(warpgauge.evaluate, "check_files", check_files)

    return set_answer


@pytest.mark.parametrize(
    ("evaluations", "code"),
    [
        ((PASSED,), 0),
        ((FAILED,), 1),
        ((UNUSABLE,), 2),
        ((UNKNOWN,), 3),
        ((PASSED, UNKNOWN), 3),
        ((UNKNOWN, FAILED, PASSED), 1),
        ((FAILED, UNUSABLE, UNKNOWN), 2),
        ((evaluation(row(Verdict.FAIL, binds=False)),), 0),
        ((evaluation(row(Verdict.UNKNOWN, binds=False)),), 0),
        ((evaluation(row(Verdict.NOT_ASKED, binds=False)),), 3),
        ((evaluation(row(Verdict.UNKNOWN), row(Verdict.FAIL)),), 1),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_exit_code_of_check(
    answers: Callable[..., None], evaluations: tuple[Evaluation, ...], code: int, form: list[str]
) -> None:
    answers(*evaluations)
    assert main(["check", "p.toml", *form]) == code


def test_the_precedence_of_exit_codes() -> None:
    assert [worst_code(codes) for codes in ([0, 3], [3, 1], [1, 2], [0], [])] == [3, 1, 2, 0, 0]


@pytest.mark.parametrize(
    ("evaluated", "verdict"),
    [(PASSED, "PASS"), (FAILED, "FAIL"), (UNKNOWN, "UNKNOWN"), (UNUSABLE, "UNKNOWN")],
)
def test_the_verdict_goes_with_the_code(evaluated: Evaluation, verdict: str) -> None:
    assert evaluated.verdict == verdict


def test_json_is_all_that_stdout_gets(answers: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    answers(FAILED, PASSED)
    main(["check", "p.toml", "--json"])
    out, err = capsys.readouterr()
    assert [c["name"] for c in json.loads(out)["candidates"]] == ["bad", "good"]
    assert err == ""


def test_a_usage_error_goes_to_stderr(answers: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    answers(error=WarpgaugeError(Diagnostic("PRB907", "error", "cannot read p.toml")))
    assert main(["check", "p.toml", "--json"]) == 2
    out, err = capsys.readouterr()
    assert err == "error[PRB907]: cannot read p.toml\n"
    document = json.loads(out)
    assert document["candidates"] == [] and [d["code"] for d in document["diagnostics"]] == ["PRB907"]


def test_an_interrupt_ends_with_130(answers: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    answers(error=KeyboardInterrupt())
    assert main(["check", "p.toml"]) == 130
    assert capsys.readouterr() == ("", "warpgauge: interrupted\n")


def test_an_interrupted_process_ends_at_once(tmp_path: Path) -> None:
    program = (
        "import sys, threading, time\n"
        "import warpgauge.evaluate\n"
        "def check_files(*_, **__):\n"
        "    threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "    raise KeyboardInterrupt\n"
        "warpgauge.evaluate.check_files = check_files\n"
        "from warpgauge.commands.main import main\n"
        "sys.argv = ['warpgauge', 'check', 'p.toml']\n"
        "sys.exit(main())\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "warpgauge: interrupted\n")


def test_a_fault_of_warpgauge_is_no_verdict(answers: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    answers(error=ZeroDivisionError("division by zero"))
    assert main(["check", "p.toml"]) not in (0, 1, 2, 3)
    out, err = capsys.readouterr()
    assert out == "" and "ZeroDivisionError" in err and "--debug" in err and "Traceback" not in err
    with pytest.raises(ZeroDivisionError):
        main(["--debug", "check", "p.toml"])


@pytest.mark.parametrize("argv", [[], ["nonsense"], ["check"], ["check", "p.toml", "--nope"], ["trace", "k.cu"]])
def test_usage_errors_of_the_command_line_itself(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(argv)
    assert exit_.value.code == 2
    assert capsys.readouterr().out == ""


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert (exit_.value.code, capsys.readouterr().out) == (0, f"warpgauge {__version__}\n")


def test_help_needs_no_heavy_import() -> None:
    program = (
        "import sys\n"
        "from warpgauge.commands.main import parser\n"
        "parser().format_help()\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))\n"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "rich", "pydantic", "llvmlite"} & set(loaded)


def test_the_module_runs(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "warpgauge", "check", str(tmp_path / "none.toml")], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert run.stdout == "" and "PRB907" in run.stderr


def test_output_without_a_terminal_has_no_colour(
    answers: Callable[..., None], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    answers(evaluation())
    main(["check", "p.toml"])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80
