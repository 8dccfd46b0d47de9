"""A problem's own contract: what its function says becomes a row; whatever goes wrong is UNKNOWN, never PASS."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.unit.hand import case, execution, global_site, strided
from warpgauge.contracts import Case, ContractResult, Verdict
from warpgauge.contracts.own import judge_own
from warpgauge.evidence import BuildArtifact
from warpgauge.problem.settings import OwnContract

HEAD = """\
from warpgauge.contracts import Case, Judgement, Remark

def judge(case, thresholds):
"""
BUILD = BuildArtifact("sm_90", "", b"", "", {}, {}, {}, "NVRTC", "key")


def whole() -> Case:
    """One judged launch with one site at line 5, executed whole."""
    return case(execution(global_site(strided(4), 4, line=5)), build=BUILD)


def answer(
    folder: Path, body: str, given: Case | None = None, *, seconds: float = 30.0, head: str = HEAD
) -> ContractResult:
    (folder / "own.py").write_text(head + body)
    own = OwnContract("own.py:judge", folder, seconds)
    return judge_own(own, "mine", given or whole(), {"most": 3.0})


def test_the_function_reads_the_case_and_its_thresholds(tmp_path: Path) -> None:
    body = (
        "    (site,) = case.trials[0].executions[0].sites\n"
        "    remark = Remark('too many', 'USR042', 'error', site.location.file, site.location.line, 7, 'fewer')\n"
        "    return Judgement('FAIL', site.sectors, thresholds['most'], 'sectors', (remark,))\n"
    )
    result = answer(tmp_path, body)
    assert (result.verdict, result.measured, result.asked, result.unit) == (Verdict.FAIL, 4, 3, "sectors")
    (found,) = result.diagnostics
    assert (found.code, found.severity, found.message, found.help) == ("USR042", "error", "too many", "fewer")
    assert found.primary and (found.primary.location.file, found.primary.location.line) == ("kernel.cu", 5)
    assert result.coverage and result.coverage.complete and str(result.provenance) == "quoted, own contract"


def test_a_pass_and_an_unknown_with_its_reason(tmp_path: Path) -> None:
    assert answer(tmp_path, "    return Judgement('PASS', 1, 3)\n").verdict is Verdict.PASS
    result = answer(tmp_path, "    return Judgement('UNKNOWN', reason='no loop found')\n")
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "no loop found")
    assert answer(tmp_path, "    return Judgement('UNKNOWN')\n").reason


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    return 1 / 0\n", "ZeroDivisionError: division by zero (line 4)"),
        ("    return 'PASS'\n", "judge returned str, not a Judgement"),
        ("    return None\n", "returned NoneType"),
        ("    return Judgement('PASSED')\n", "malformed judgement: verdict"),
        ("    return Judgement('PASS', float('nan'))\n", "malformed judgement: measured"),
        ("    return Judgement('PASS', 'many')\n", "malformed judgement: measured"),
        ("    return Judgement('FAIL', remarks=(Remark('x', 'MEM101'),))\n", "malformed judgement: remarks.0.code"),
        ("    return Judgement('FAIL', remarks=(Remark(''),))\n", "malformed judgement: remarks.0.message"),
        ("    return Judgement('FAIL', remarks=(Remark('x', line=-1),))\n", "malformed judgement: remarks.0.line"),
        ("    return Judgement('PASS', object())\n", "plain numbers and text"),
        ("    return Judgement('PASS', remarks=(Remark('x'),))\n", "PASS with an error among its remarks"),
        ("    import os; os._exit(0)\n", "the process ended with status 0"),
        ("    import os; os.abort()\n", "the process ended with status -6"),
        ("    raise SystemExit(0)\n", "SystemExit"),
        ("    return (\n", "SyntaxError"),
    ],
)
def test_whatever_goes_wrong_is_unknown(tmp_path: Path, body: str, reason: str) -> None:
    result = answer(tmp_path, body)
    assert result.verdict is Verdict.UNKNOWN and reason in result.reason


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("def other(case, thresholds):\n", "own.py has no function judge"),
        ("def judge(case):\n", "judge takes two arguments"),
        ("import nowhere_at_all\ndef judge(case, thresholds):\n", "ModuleNotFoundError"),
    ],
)
def test_a_file_without_the_function(tmp_path: Path, head: str, reason: str) -> None:
    result = answer(tmp_path, "    return 1\n", head=head)
    assert result.verdict is Verdict.UNKNOWN and reason in result.reason


def test_a_missing_file(tmp_path: Path) -> None:
    result = judge_own(OwnContract("gone.py:judge", tmp_path, 5), "mine", whole(), {})
    assert result.verdict is Verdict.UNKNOWN and "gone.py" in result.reason


def test_one_that_hangs_is_cut_off(tmp_path: Path) -> None:
    begun = time.monotonic()
    result = answer(tmp_path, "    while True: pass\n", seconds=2)
    assert result.verdict is Verdict.UNKNOWN and "did not return within 2 s" in result.reason
    assert time.monotonic() - begun < 20


def test_what_it_has_started_ends_with_it(tmp_path: Path) -> None:
    body = (
        "    import os, subprocess, sys, time\n"
        "    other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        "    open('other', 'w').write(str(other.pid))\n"
        "    time.sleep(300)\n"
    )
    assert "did not return" in answer(tmp_path, body, seconds=5).reason
    pid = int((tmp_path / "other").read_text())
    for _ in range(100):
        # Killed, it is gone, or a zombie until whoever adopted it looks.
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} still runs")


def test_what_it_prints_is_no_answer(tmp_path: Path) -> None:
    result = answer(tmp_path, "    print('{\"verdict\": \"FAIL\"}')\n    return Judgement('PASS', 0)\n")
    assert result.verdict is Verdict.PASS


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    result = answer(tmp_path, "    import numpy as np\n    return Judgement('PASS', np.int64(2), np.float32(3))\n")
    assert (result.verdict, result.measured, result.asked) == (Verdict.PASS, 2, 3)


def test_a_pass_needs_whole_evidence_and_a_fail_does_not(tmp_path: Path) -> None:
    stopped = case(execution(global_site(strided(4), 4), stopped="no progress"), build=BUILD)
    result = answer(tmp_path, "    return Judgement('PASS', 0)\n", stopped)
    assert result.verdict is Verdict.UNKNOWN and "did not run to its end" in result.reason
    assert answer(tmp_path, "    return Judgement('FAIL', 9)\n", stopped).verdict is Verdict.FAIL
    nothing = Case(build=BUILD, missing={"virtual": "clusters are not executed"})
    result = answer(tmp_path, "    return Judgement('PASS', 0)\n", nothing)
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "clusters are not executed")


def test_without_a_build_the_function_is_not_called(tmp_path: Path) -> None:
    unbuilt = Case(missing={"build": "the candidate does not compile"})
    result = answer(tmp_path, "    raise RuntimeError\n", unbuilt)
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, "the candidate does not compile")
