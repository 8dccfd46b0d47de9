"""Checkers that judge one contract: `warpgauge check --only CONTRACT`, with what the name promises to show."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .table import Checker

if TYPE_CHECKING:
    from warpgauge.contracts import Verdict
    from warpgauge.evaluate import Evaluation

SHUFFLE_CODE = "SAF608"


def prepare(row: Checker, parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    """Adds the options of `check` that concern one contract, and returns what runs with them."""
    parser.add_argument("problem", metavar="PROBLEM", type=Path, help="a problem.toml, or a folder that holds one")
    parser.add_argument("--candidate", metavar="FILE", type=Path, action="append", default=[], help="a candidate.toml")
    parser.add_argument("--arch", metavar="SM", help="architecture instead of the problem's")
    parser.add_argument("--json", action="store_true", help="print the JSON of warpgauge check and nothing else")
    return lambda arguments: _run(row, arguments)


def _run(row: Checker, arguments: argparse.Namespace) -> int:
    from warpgauge.commands.screen import console, print_json
    from warpgauge.evaluate import check_files, worst_code
    from warpgauge.report.check_json import check_json
    from warpgauge.report.checkers import VIEWS

    evaluations = check_files(arguments.problem, arguments.candidate, arch=arguments.arch, only=[row.contract])
    if arguments.json:
        print_json(check_json(evaluations))
    else:
        VIEWS[row.view](console(), [(e, verdict(row, e)) for e in evaluations])
    return worst_code(code(row, evaluation) for evaluation in evaluations)


def verdict(row: Checker, evaluation: Evaluation) -> Verdict:
    """The evaluation's own verdict, or that part of the safety contract which is about masks."""
    from warpgauge.contracts import Verdict

    found = {result.name: result for result in evaluation.contracts}
    if row.view != "shuffles" or "build" in found or row.contract not in found:
        return evaluation.verdict
    if any(d.code == SHUFFLE_CODE and d.severity == "error" for d in found[row.contract].diagnostics):
        return Verdict.FAIL
    # Other findings of the safety contract are not this checker's, but what they cut short proves nothing.
    whole = bool(evaluation.runs) and all(run.completed and run.coverage.complete for run in evaluation.runs)
    return Verdict.PASS if whole and found[row.contract].verdict is not Verdict.UNKNOWN else Verdict.UNKNOWN


def code(row: Checker, evaluation: Evaluation) -> int:
    """The exit code: 2 where the candidate could not be judged at all."""
    from warpgauge.contracts import Verdict
    from warpgauge.evaluate.record import FAILED, PASSED, UNDECIDED

    if row.view != "shuffles" or evaluation.unusable:
        return evaluation.exit_code
    return {Verdict.PASS: PASSED, Verdict.FAIL: FAILED}.get(verdict(row, evaluation), UNDECIDED)
