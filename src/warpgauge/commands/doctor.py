"""`warpgauge doctor`: what this machine has, what is missing, what each missing piece would add."""

from __future__ import annotations

import argparse
from typing import Any


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor",
        help="say what is installed, what is missing and what that would add",
        description="Looks at Python, the compiler wheels, CPU, cache and GPU, and changes nothing. "
        "Exit code 1 if something that warpgauge needs is missing or broken.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.doctor import examine, healthy
    from warpgauge.report.doctor import doctor_json, render_doctor

    from .screen import console, print_json

    findings = examine()
    if arguments.json:
        print_json(doctor_json(findings, healthy(findings)))
    else:
        render_doctor(console(), findings, healthy(findings))
    return 0 if healthy(findings) else 1
