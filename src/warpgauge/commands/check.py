"""`warpgauge check`: judge the candidates of a problem."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .exit_codes import USAGE_ERROR

if TYPE_CHECKING:
    from warpgauge.evaluate import Evaluation

_FORMS = ("json", "sarif", "markdown")
_SOURCES = (".cu", ".ptx")
_ONLY = "judge this contract only, for example memory_access (repeatable)"
_SKIP = "leave this contract out (repeatable)"


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "check",
        help="judge the candidates of a problem against its contracts",
        description="Compiles each candidate, executes it on the virtual GPU and judges it against every contract. "
        "For a FILE.cu without a problem, prints a problem and a candidate to fill in.",
    )
    parser.add_argument("problem", metavar="PROBLEM", type=Path, help="a problem.toml, or a folder that holds one")
    parser.add_argument(
        "--candidate",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="a candidate.toml (repeatable); default: the folder's candidate.toml, else those in candidates/",
    )
    parser.add_argument("--only", metavar="CONTRACT", action="append", default=[], help=_ONLY)
    parser.add_argument("--skip", metavar="CONTRACT", action="append", default=[], help=_SKIP)
    parser.add_argument("--arch", metavar="SM", help="architecture instead of the problem's, for example sm_80")
    parser.add_argument("--stop-on-fail", action="store_true", help="stop a candidate at its first binding FAIL")
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C")
    known = parser.add_argument_group("silencing")
    known.add_argument("--baseline", metavar="FILE", type=Path, help="known findings, which stay quiet")
    known.add_argument("--write-baseline", action="store_true", help="make what is found now the baseline")
    known.add_argument("--strict", action="store_true", help="ignore comments that silence findings")
    forms = parser.add_argument_group("output").add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print JSON and nothing else")
    forms.add_argument("--sarif", action="store_true", help="print a SARIF 2.1.0 log and nothing else")
    forms.add_argument("--markdown", action="store_true", help="print Markdown for a comment on a change")
    parser.set_defaults(run=run)


def _refuse_contradictions(arguments: argparse.Namespace) -> None:
    from warpgauge.problem.place import fail

    if arguments.write_baseline:
        if not arguments.baseline:
            raise fail("PRB901", "--write-baseline needs --baseline FILE, the file to write", "")
        if arguments.only or arguments.skip or arguments.stop_on_fail:
            message = "--write-baseline needs every finding: it goes with none of --only, --skip, --stop-on-fail"
            raise fail("PRB901", message, "")
    if arguments.watch and (arguments.write_baseline or any(getattr(arguments, form) for form in _FORMS)):
        message = "--watch prints for a terminal: it goes with none of --json, --sarif, --markdown, --write-baseline"
        raise fail("PRB901", message, "")


def _show(arguments: argparse.Namespace, evaluations: Sequence[Evaluation]) -> None:
    from .screen import console, print_json

    if arguments.json:
        from warpgauge.report.check_json import check_json

        print_json(check_json(evaluations))
    elif arguments.sarif:
        from warpgauge.report.check_sarif import check_sarif

        print_json(check_sarif(evaluations))
    elif arguments.markdown:
        from warpgauge.report.check_markdown import check_markdown

        sys.stdout.write(check_markdown(evaluations))
    else:
        from warpgauge.report.check_terminal import render_check

        render_check(console(), evaluations)


def _judge(arguments: argparse.Namespace) -> list[Evaluation]:
    from warpgauge.evaluate import Silencing, check_files, load_baseline, write_baseline

    known = load_baseline(arguments.baseline) if arguments.baseline and not arguments.write_baseline else None
    evaluations = check_files(
        arguments.problem,
        arguments.candidate,
        arch=arguments.arch,
        only=arguments.only,
        skip=arguments.skip,
        stop_on_fail=arguments.stop_on_fail,
        silencing=Silencing(comments=not arguments.strict, baseline=known),
    )
    return write_baseline(arguments.baseline, evaluations) if arguments.write_baseline else evaluations


def _once(arguments: argparse.Namespace) -> tuple[int, list[Evaluation]]:
    from warpgauge.evaluate import worst_code

    evaluations = _judge(arguments)
    _show(arguments, evaluations)
    return worst_code(evaluation.exit_code for evaluation in evaluations), evaluations


def _watch(arguments: argparse.Namespace) -> int:
    """Checks again after every change. An interrupt while it waits ends it with the code of the last check."""
    from warpgauge.diagnostics import WarpgaugeError
    from warpgauge.evaluate.watch import Watch

    from .screen import show_error

    watch = Watch(arguments.problem, arguments.candidate)
    while True:
        watch.begin()
        evaluations: list[Evaluation] = []
        try:
            code, evaluations = _once(arguments)
        except WarpgaugeError as error:
            show_error(error)
            code = USAGE_ERROR
        print("watching; Ctrl-C ends", file=sys.stderr, flush=True)
        try:
            changed = watch.wait(evaluations)
        except KeyboardInterrupt:
            return code
        changed_names = list(dict.fromkeys(path.name for path in changed))
        names = ", ".join(changed_names[:3]) + (" ..." if len(changed_names) > 3 else "")
        print(f"changed: {names}", file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.diagnostics import WarpgaugeError

    try:
        return _run(arguments)
    except WarpgaugeError as error:
        if arguments.json:
            from warpgauge.report.check_json import errors_json

            from .screen import print_json

            print_json(errors_json(error.diagnostics))
        raise


def _run(arguments: argparse.Namespace) -> int:
    if arguments.problem.suffix in _SOURCES:
        from warpgauge.problem.place import fail

        from .stub import print_stub

        if arguments.watch or any(getattr(arguments, form) for form in _FORMS):
            raise fail("PRB901", f"{arguments.problem} is a kernel: name the problem.toml that it is to solve", "")
        print_stub(arguments.problem, arguments.arch)
        return USAGE_ERROR
    _refuse_contradictions(arguments)
    return _watch(arguments) if arguments.watch else _once(arguments)[0]
