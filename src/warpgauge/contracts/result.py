"""What a contract answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from warpgauge.diagnostics import Diagnostic, Silenced
from warpgauge.evidence import Coverage, Provenance


class Verdict(StrEnum):
    PASS = "PASS"
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"
    NOT_ASKED = "NOT ASKED"


@dataclass(frozen=True)
class ContractResult:
    """One contract's verdict on one candidate.

    `measured` against `asked` in `unit`; both None where the contract has no single number. `reason` says why a
    verdict is UNKNOWN or NOT ASKED, or why a PASS has nothing to measure; it is empty otherwise. UNKNOWN never
    satisfies anybody. `silenced` holds findings that are no longer among `diagnostics`; `measured` stays what was
    measured.
    """

    name: str
    verdict: Verdict
    binds: bool = True
    measured: float | None = None
    asked: float | None = None
    unit: str = ""
    provenance: Provenance | None = None
    coverage: Coverage | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    reason: str = ""
    silenced: tuple[Silenced, ...] = ()

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")


def unknown(
    name: str, reason: str, *, coverage: Coverage | None = None, diagnostics: tuple[Diagnostic, ...] = ()
) -> ContractResult:
    """The verdict of a contract whose evidence is missing, incomplete or not covered."""
    return ContractResult(name, Verdict.UNKNOWN, coverage=coverage, diagnostics=diagnostics, reason=reason)
