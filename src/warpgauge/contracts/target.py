"""Target: speed against a baseline. Only a device decides it; a prediction never does."""

from __future__ import annotations

from collections.abc import Mapping

from .case import Case
from .result import ContractResult, Verdict, unknown

NAME = "target"


def judge(case: Case, settings: Mapping[str, float]) -> ContractResult:
    """NOT ASKED where the problem sets no target; UNKNOWN where it does and no device measured."""
    if not case.asked_target:
        return ContractResult(NAME, Verdict.NOT_ASKED, reason="the problem sets no target")
    why = case.missing.get("device", "no device measured it")
    return unknown(NAME, f"{case.asked_target} is decided by timing on a GPU: {why}")
