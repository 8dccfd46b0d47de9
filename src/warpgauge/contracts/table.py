"""The table of contracts: which exist, what evidence each needs, and how a problem's settings reach them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from warpgauge.problem.settings import ContractSettings

from . import bank_conflicts, divergence, memory_access, numerics, occupancy, registers, safety, target
from .case import Case
from .own import judge_own
from .result import ContractResult, Verdict, unknown

Evidence = Literal["build", "virtual", "device"]
Judge = Callable[[Case, Mapping[str, float]], ContractResult]


@dataclass(frozen=True)
class Contract:
    """`name` is also the table of the problem's `[contracts]` that holds its thresholds and whether it binds.

    `judge` is None for a contract that is not built: asked for, it answers UNKNOWN and says so.
    """

    name: str
    evidence: Evidence
    judge: Judge | None


CONTRACTS: dict[str, Contract] = {
    row.name: row
    for row in (
        Contract("memory_access", "virtual", memory_access.judge),
        Contract("bank_conflicts", "virtual", bank_conflicts.judge),
        Contract("registers", "build", registers.judge),
        Contract("occupancy", "virtual", occupancy.judge),
        Contract("utilisation", "device", None),
        Contract("numerics", "virtual", numerics.judge),
        Contract("divergence", "virtual", divergence.judge),
        Contract("safety", "virtual", safety.judge),
        Contract("target", "device", target.judge),
    )
}


def row_of(name: str, settings: ContractSettings) -> Contract:
    """The row of a contract: one that the problem brings along has one like any other."""
    return Contract(name, "virtual", partial(judge_own, settings.own, name)) if settings.own else CONTRACTS[name]


def judge(name: str, case: Case, settings: ContractSettings) -> ContractResult:
    """One contract's verdict under what the problem asks of it; KeyError for a name that neither of them has."""
    contract = row_of(name, settings)
    if not settings.asked and name != "target":
        result = ContractResult(name, Verdict.NOT_ASKED, reason="the problem leaves it out")
    elif contract.judge is None:
        result = unknown(name, "this contract is not built yet")
    else:
        result = contract.judge(case, settings.thresholds)
    return replace(result, binds=settings.binds and result.verdict is not Verdict.NOT_ASKED)
