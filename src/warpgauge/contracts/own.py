"""A problem's own contract: a Python function of the user's judges the case, in a process of its own.

The parent never imports the file. The child gets the case as the same frozen dataclasses that every contract reads (the
parent pickles, only the child unpickles) and answers in JSON, which is checked. Whatever goes wrong on the way is
UNKNOWN with its reason, never a PASS.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Coverage, Location, Provenance
from warpgauge.problem.child_process import run_child
from warpgauge.problem.settings import OwnContract

from .case import Case, blocks, gap
from .judgement import CODE
from .result import ContractResult, Verdict, unknown

_CHILD = Path(__file__).with_name("own_child.py")
_MOST_REMARKS = 1000
_LARGEST_ANSWER = 4 << 20
_Text = Annotated[str, Field(max_length=10_000)]
_Number = Annotated[float, Field(allow_inf_nan=False)] | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Remark(_Strict):
    message: Annotated[_Text, Field(min_length=1)]
    code: Annotated[str, Field(pattern=rf"^{CODE.pattern}$")]
    severity: Literal["error", "warning", "note"]
    file: _Text
    line: Annotated[int, Field(ge=0)]
    column: Annotated[int, Field(ge=0)]
    help: _Text


class _Answer(_Strict):
    verdict: Literal["PASS", "FAIL", "UNKNOWN"]
    measured: _Number
    asked: _Number
    unit: _Text
    remarks: Annotated[list[_Remark], Field(max_length=_MOST_REMARKS)]
    reason: _Text


def judge_own(own: OwnContract, name: str, case: Case, thresholds: Mapping[str, float]) -> ContractResult:
    """The function's verdict. A PASS needs the judged and every other shape to have been executed whole."""
    if case.build is None:
        return unknown(name, case.missing.get("build", "the candidate was not built"))
    executions = tuple(e for trial in case.declared() for e in trial.executions)
    coverage = blocks(executions) if executions else Coverage(1, 1, "builds")
    answer = _answer(own, case, thresholds)
    if isinstance(answer, str):
        return unknown(name, answer, coverage=coverage)
    verdict, reason = Verdict(answer.verdict), ""
    if verdict is Verdict.UNKNOWN:
        reason = answer.reason or f"{own.source} says UNKNOWN and not why"
    elif verdict is Verdict.PASS and (reason := _incomplete(case)):
        verdict = Verdict.UNKNOWN
    return ContractResult(
        name,
        verdict,
        measured=answer.measured,
        asked=answer.asked,
        unit=answer.unit,
        provenance=Provenance("quoted", "own contract"),
        coverage=coverage,
        diagnostics=tuple(_diagnostic(remark) for remark in answer.remarks),
        reason=reason,
    )


def _incomplete(case: Case) -> str:
    """Why the evidence cannot carry a PASS; empty if it can."""
    if not case.declared("judge"):
        return case.missing.get("virtual", "the judged shape was not executed")
    return next((reason for trial in case.declared() if (reason := gap(trial))), "")


def _diagnostic(remark: _Remark) -> Diagnostic:
    place = Span(Location(remark.file, remark.line, remark.column)) if remark.file else None
    return Diagnostic(remark.code, remark.severity, remark.message, place, help=remark.help)


def _answer(own: OwnContract, case: Case, thresholds: Mapping[str, float]) -> _Answer | str:
    """What the function said, or why there is no answer."""
    file, _, function = own.source.rpartition(":")
    path = (own.folder / file).resolve()
    if not path.is_file():
        return f"no file {own.folder / file}"
    with tempfile.TemporaryDirectory(prefix="warpgauge-") as scratch:
        given, result = Path(scratch, "case.pickle"), Path(scratch, "answer.json")
        given.write_bytes(pickle.dumps((case, dict(thresholds))))
        arguments = [str(path), function, str(given), str(result)]
        try:
            run = run_child(_CHILD, arguments, folder=path.parent, timeout=own.timeout_seconds)
        except subprocess.TimeoutExpired:
            return f"{own.source} did not return within {own.timeout_seconds:g} s"
        if run.returncode or not result.is_file():
            last = (run.stderr.strip().splitlines() or [""])[-1][:2000]
            return f"{own.source} failed: {last or f'the process ended with status {run.returncode}'}"
        if result.stat().st_size > _LARGEST_ANSWER:
            return f"{own.source} answered with more than {_LARGEST_ANSWER >> 20} MiB"
        return _checked(own.source, result.read_text(encoding="utf-8", errors="replace"))


def _checked(source: str, text: str) -> _Answer | str:
    try:
        answer = _Answer.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{source} gave a malformed judgement: {where}: {first['msg']}"
    except (ValueError, RecursionError):
        return f"{source} gave no judgement that can be read"
    if answer.verdict == "PASS" and any(remark.severity == "error" for remark in answer.remarks):
        return f"{source} contradicts itself: PASS with an error among its remarks"
    return answer
