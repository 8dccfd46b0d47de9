"""`check --sarif`: evaluations as a SARIF 2.1.0 log with one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warpgauge import __version__
from warpgauge.diagnostics import CODES
from warpgauge.diagnostics.sarif import result, rule, suppression
from warpgauge.evaluate.record import Evaluation, worst_code

from .check_json import contract_row

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def _results(evaluation: Evaluation, rules: dict[str, int]) -> list[dict[str, Any]]:
    names = {"problem": evaluation.problem, "candidate": evaluation.candidate}
    shown = [result(diagnostic, rules, evaluation.sources, names) for diagnostic in evaluation.diagnostics]
    quiet = [
        result(silenced.diagnostic, rules, evaluation.sources, names) | {"suppressions": [suppression(silenced)]}
        for silenced in evaluation.silenced
    ]
    return shown + quiet


def check_sarif(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """The log of the candidates of one problem. Verdicts have no place of their own in SARIF: they are properties."""
    seen = {d.code for e in evaluations for d in (*e.diagnostics, *(s.diagnostic for s in e.silenced))}
    codes = [*(code for code in CODES if code in seen), *sorted(seen - CODES.keys())]
    rules = {code: index for index, code in enumerate(codes)}
    run = {
        "tool": {"driver": {"name": "warpgauge", "version": __version__, "rules": [rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not any(e.unusable for e in evaluations),
                "exitCode": worst_code(e.exit_code for e in evaluations),
            }
        ],
        "results": [found for e in evaluations for found in _results(e, rules)],
        "properties": {
            "candidates": [
                {
                    "name": e.candidate,
                    "verdict": str(e.verdict),
                    "silenced": len(e.silenced),
                    "contracts": [contract_row(row) for row in e.contracts],
                }
                for e in evaluations
            ]
        },
    }
    if evaluations:
        run["automationDetails"] = {"id": f"warpgauge/{evaluations[0].problem}/"}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
