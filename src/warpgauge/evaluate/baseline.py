"""Baseline files: findings that were there before, which stay quiet until they change.

A finding is known by its problem, candidate, code, file and the text of its line (not its number, so that edits
elsewhere in the file leave it known), and by how many findings have all of these in common.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from warpgauge.diagnostics import CODES, Diagnostic, WarpgaugeError, code_row
from warpgauge.diagnostics.source import line_text
from warpgauge.evidence import Location
from warpgauge.problem.place import Place, fail
from warpgauge.problem.toml_file import read_text

from .record import Evaluation


class Known(NamedTuple):
    """What makes two findings the same. `file` is relative to the folder of the baseline, with forward slashes."""

    problem: str
    candidate: str
    code: str
    file: str
    line: str


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    problem: str
    candidate: str
    code: str
    file: str
    line: str
    count: int = Field(ge=1)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    schema_version: int = Field(alias="schema", ge=1, le=1)
    findings: list[_Entry]


@dataclass(frozen=True)
class Baseline:
    """Known findings and how often each may occur. `folder` is what their files are relative to."""

    folder: Path
    counts: Mapping[Known, int]

    def key(self, problem: str, candidate: str, finding: Diagnostic, sources: Mapping[str, str]) -> Known:
        """How this baseline knows a finding. One without a line goes by the kernel that it is about."""
        place = finding.primary.location if finding.primary else Location("", 0)
        text = line_text(place.file, place.line, sources) or str(finding.evidence.get("entry", ""))
        path = Path(os.path.relpath(place.file, self.folder)).as_posix() if place.file else ""
        return Known(problem, candidate, finding.code, path, " ".join(text.split()))


def load_baseline(path: Path) -> Baseline:
    """Reads a baseline file. PRB907 if it cannot be read, PRB901 if it is not one or holds what cannot be silenced."""
    place = Place("", Location(str(path), 0))
    try:
        file = _File.model_validate_json(read_text(path, "baseline file"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise fail(
            "PRB901", f"{path} is not a baseline file: {where + ': ' if where else ''}{first['msg']}", place
        ) from None
    counts: Counter[Known] = Counter()
    for entry in file.findings:
        if entry.code not in CODES or not CODES[entry.code].silenceable:
            raise fail("PRB901", f"{path}: findings of {entry.code} cannot be silenced", place)
        counts[Known(*(getattr(entry, name) for name in Known._fields))] += entry.count
    return Baseline(path.parent, counts)


def baseline_of(path: Path, evaluations: Sequence[Evaluation]) -> Baseline:
    """What a baseline file at `path` should hold after these evaluations.

    Their candidates' findings, as far as they can be silenced and no comment does; entries of other candidates stay as
    they are in the file. Raises as `load_baseline` where there is a file that is not one.
    """
    before = load_baseline(path).counts if path.exists() else {}
    judged = {(e.problem, e.candidate) for e in evaluations}
    counts = Counter({known: n for known, n in before.items() if (known.problem, known.candidate) not in judged})
    baseline = Baseline(path.parent, counts)
    for e in evaluations:
        found = [*(d for row in e.contracts for d in row.diagnostics), *e.review]
        findings = [d for d in found if code_row(d.code).silenceable]
        counts.update(baseline.key(e.problem, e.candidate, d, e.sources) for d in findings)
    return baseline


def save_baseline(path: Path, baseline: Baseline) -> None:
    """Writes the file, whole or not at all; PRB907 where that fails."""
    entries = [{**known._asdict(), "count": n} for known, n in sorted(baseline.counts.items())]
    text = json.dumps({"schema": 1, "findings": entries}, indent=1, ensure_ascii=False) + "\n"
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        message = f"cannot write {path}: {error.strerror or error}"
        raise WarpgaugeError(Diagnostic("PRB907", "error", message)) from None
    finally:
        partial.unlink(missing_ok=True)
