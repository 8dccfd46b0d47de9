"""`check --json`: evaluations as the data of `schemas/check.schema.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from warpgauge.contracts import ContractResult
from warpgauge.diagnostics import Diagnostic
from warpgauge.diagnostics.json_form import diagnostic_json, finite
from warpgauge.evaluate.record import Evaluation
from warpgauge.evaluate.resources import PROVENANCE

from .needs import needs_json


def contract_row(row: ContractResult) -> dict[str, Any]:
    """One contract of one candidate."""
    return {
        "name": row.name,
        "verdict": str(row.verdict),
        "binds": row.binds,
        "measured": finite(row.measured),
        "asked": finite(row.asked),
        "unit": row.unit,
        "provenance": asdict(row.provenance) if row.provenance else None,
        "coverage": asdict(row.coverage) if row.coverage else None,
        "silenced": len(row.silenced),
    }


def errors_json(diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    """The document where nothing could be judged: a usage error, or one in the problem's files."""
    return check_json([]) | {"diagnostics": [diagnostic_json(diagnostic) for diagnostic in diagnostics]}


def check_json(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """The document for the candidates of one problem, in the order given."""
    return {
        "schema": 1,
        "problem": evaluations[0].problem if evaluations else "",
        "candidates": [
            {
                "name": evaluation.candidate,
                "verdict": str(evaluation.verdict),
                "contracts": [contract_row(row) for row in evaluation.contracts],
                "resources": [asdict(use) | {"provenance": asdict(PROVENANCE)} for use in evaluation.resources],
                "determinism": asdict(evaluation.determinism) if evaluation.determinism else None,
                "needs": needs_json(evaluation.needs) if evaluation.needs else None,
                "diagnostics": [diagnostic_json(diagnostic) for diagnostic in evaluation.diagnostics],
                "silenced": [
                    diagnostic_json(silenced.diagnostic) | {"by": silenced.by, "reason": silenced.reason}
                    for silenced in evaluation.silenced
                ],
            }
            for evaluation in evaluations
        ],
    }
