"""Contracts: evidence in, verdict and diagnostics out. One file per contract, none knows who made the evidence."""

from .case import Case, Trial
from .determinism import Determinism, determinism_of
from .judgement import Judgement, Remark
from .result import ContractResult, Verdict
from .table import CONTRACTS, Contract, judge

__all__ = [
    "CONTRACTS",
    "Case",
    "Contract",
    "ContractResult",
    "Determinism",
    "Judgement",
    "Remark",
    "Trial",
    "Verdict",
    "determinism_of",
    "judge",
]
