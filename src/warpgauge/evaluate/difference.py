"""What changed between two evaluations, as their `check --json` documents tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from warpgauge.evidence import Location
from warpgauge.problem.place import Place, fail
from warpgauge.problem.toml_file import read_text

Trend = Literal["better", "worse", "changed"]

# Which way a contract's number is better. Numbers that are sampled or measured vary by themselves from one run to the
# next, and whether they still suffice is what the verdict says; only exact counts are worse when they merely differ.
_HIGHER = {"memory_access"}
_LOWER = {"bank_conflicts", "registers", "safety"}
_RANK = {"PASS": 0, "UNKNOWN": 1, "FAIL": 2}


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class At(_Lenient):
    file: str
    line: int


class Finding(_Lenient):
    """A finding as JSON has it; what is not compared is left out."""

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    primary: At | None


class Contract(_Lenient):
    name: str
    verdict: Literal["PASS", "FAIL", "UNKNOWN", "NOT ASKED"]
    binds: bool
    measured: float | None
    asked: float | None
    unit: str


class Candidate(_Lenient):
    name: str
    verdict: Literal["PASS", "FAIL", "UNKNOWN"]
    contracts: tuple[Contract, ...]
    diagnostics: tuple[Finding, ...]
    silenced: tuple[Finding, ...] = ()


class Document(_Lenient):
    """One `check --json` document."""

    schema_version: Literal[1] = Field(alias="schema")
    problem: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class ContractChange:
    """One contract's row before and after; None where there is no such row."""

    name: str
    before: Contract | None
    after: Contract | None
    trend: Trend


@dataclass(frozen=True)
class CandidateChange:
    """A candidate in both documents, or in one of them only (`presence`); `before` and `after` are its verdicts."""

    name: str
    presence: Literal["both", "added", "removed"]
    before: str
    after: str
    contracts: tuple[ContractChange, ...] = ()
    new: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    silenced: tuple[Finding, ...] = ()

    @property
    def worse(self) -> bool:
        """A contract is worse, or there is a new finding that is more than a note."""
        return any(c.trend == "worse" for c in self.contracts) or any(f.severity != "note" for f in self.new)

    @property
    def changed(self) -> bool:
        return self.presence != "both" or bool(self.contracts or self.new or self.fixed or self.silenced)


@dataclass(frozen=True)
class Difference:
    problem: str
    candidates: tuple[CandidateChange, ...]

    @property
    def worse(self) -> bool:
        return any(candidate.worse for candidate in self.candidates)


def load_document(path: Path) -> Document:
    """Reads a `check --json` document. PRB907 if it cannot be read, PRB901 if it is something else."""
    place = Place("", Location(str(path), 0))
    try:
        return Document.model_validate_json(read_text(path, "evaluation"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = f"{where}: {first['msg']}" if where else first["msg"]
        message = f"{path} is not what `check --json` prints: {reason}"
        raise fail("PRB901", message, place) from None


def _number_trend(name: str, before: Contract, after: Contract) -> Trend | None:
    if before.measured == after.measured or before.unit != after.unit:
        return None if before.unit == after.unit else "changed"
    if before.measured is None or after.measured is None or name not in _HIGHER | _LOWER:
        return "changed"
    return "better" if (after.measured > before.measured) == (name in _HIGHER) else "worse"


def _contract(name: str, before: Contract | None, after: Contract | None) -> ContractChange | None:
    """A row that is no longer there, or no longer asked for, is worse if it held something before: so gates erode."""
    if before is None or after is None:
        trend: Trend = "worse" if before and before.binds else "changed"
        return ContractChange(name, before, after, trend)
    if before.verdict != after.verdict:
        if "NOT ASKED" in (before.verdict, after.verdict):
            trend = "worse" if before.binds or (after.binds and after.verdict == "FAIL") else "changed"
        else:
            trend = "worse" if _RANK[after.verdict] > _RANK[before.verdict] else "better"
        return ContractChange(name, before, after, trend)
    if before.binds and not after.binds:
        return ContractChange(name, before, after, "worse")
    if number := _number_trend(name, before, after):
        return ContractChange(name, before, after, number)
    if before.asked != after.asked or before.binds != after.binds:
        return ContractChange(name, before, after, "changed")
    return None


_Key = Callable[[Finding], tuple[object, ...]]


def _file(finding: Finding) -> str:
    return finding.primary.file if finding.primary else ""


# Findings are paired by the first of these that finds them a partner: edits move lines, another checkout moves files.
_KEYS: tuple[_Key, ...] = (
    lambda f: (f.code, f.severity, _file(f), f.primary.line if f.primary else 0),
    lambda f: (f.code, f.severity, _file(f)),
    lambda f: (f.code, f.severity, PurePosixPath(_file(f)).name),
)


def _alone(found: Sequence[Finding], others: Sequence[Finding], key: _Key) -> tuple[Finding, ...]:
    """The findings of `found` that are left when each of `others` has taken one with its key."""
    taken = Counter(map(key, others))
    left = []
    for finding in found:
        if taken[key(finding)]:
            taken[key(finding)] -= 1
        else:
            left.append(finding)
    return tuple(left)


def _unmatched(found: Sequence[Finding], others: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of `found` that have no partner in `others`."""
    for key in _KEYS:
        found, others = _alone(found, others, key), _alone(others, found, key)
    return tuple(found)


def _candidate(before: Candidate, after: Candidate) -> CandidateChange:
    rows = {row.name: row for row in before.contracts}, {row.name: row for row in after.contracts}
    changes = (_contract(name, rows[0].get(name), rows[1].get(name)) for name in {**rows[0], **rows[1]})
    gone = _unmatched(before.diagnostics, after.diagnostics)
    newly = _unmatched(after.silenced, before.silenced)
    fixed = _unmatched(gone, newly)
    return CandidateChange(
        after.name,
        "both",
        before.verdict,
        after.verdict,
        tuple(change for change in changes if change),
        _unmatched(after.diagnostics, (*before.diagnostics, *before.silenced)),
        fixed,
        newly,
    )


def _only(candidates: Iterable[Candidate], presence: Literal["added", "removed"]) -> list[CandidateChange]:
    return [CandidateChange(c.name, presence, c.verdict, c.verdict) for c in candidates]


def difference(before: Document, after: Document) -> Difference:
    """Candidates in the order of `after`, then those that are gone. PRB901 where the problems are not the same."""
    if before.problem != after.problem:
        raise fail("PRB901", f'these are evaluations of two problems, "{before.problem}" and "{after.problem}"', "")
    old, new = {c.name: c for c in before.candidates}, {c.name: c for c in after.candidates}
    both = [_candidate(old[c.name], c) for c in after.candidates if c.name in old]
    added = _only((c for c in after.candidates if c.name not in old), "added")
    removed = _only((c for c in before.candidates if c.name not in new), "removed")
    return Difference(after.problem, (*both, *added, *removed))
