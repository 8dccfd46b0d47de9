"""Precision and recall: labels against findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .judge import Finding, Judged
from .labels import WITHOUT_A_LINE, Label, Labelled

# No label speaks of these. OCC302/303: whether enough is in flight depends on the chip's figures, not on a line of the
# kernel. MEM102: between 75 and 90 % efficient, which the kind "uncoalesced" leaves out. MEM103, OCC305, UTL403: the
# review of the machine code, which came after the labels; those that there are were read one by one, and are true.
NOT_LABELLED = ("MEM102", "MEM103", "OCC302", "OCC303", "OCC305", "UTL403")


def names(finding: Finding, label: Label) -> bool:
    """Whether a finding has the label's code and, where the code has lines, names its line."""
    if finding.code not in label.codes:
        return False
    return label.word == "consequence" or finding.code.startswith(WITHOUT_A_LINE) or label.line in finding.lines


@dataclass
class Row:
    """`labelled` faults of which `found` were reported; `findings` reported of which `right` have a label."""

    labelled: int = 0
    found: int = 0
    findings: int = 0
    right: int = 0

    @property
    def recall(self) -> float | None:
        return self.found / self.labelled if self.labelled else None

    @property
    def precision(self) -> float | None:
        return self.right / self.findings if self.findings else None


@dataclass
class Score:
    """`rows` by code; `missed` and `false` say which label or finding of which kernel."""

    rows: dict[str, Row] = field(default_factory=dict)
    missed: list[tuple[str, Label]] = field(default_factory=list)
    false: list[tuple[str, Finding]] = field(default_factory=list)
    advice: list[tuple[str, Finding]] = field(default_factory=list)
    errors: Row = field(default_factory=Row)
    good: int = 0
    good_with_errors: list[str] = field(default_factory=list)
    bad: int = 0
    bad_found: int = 0

    def row(self, code: str) -> Row:
        return self.rows.setdefault(code, Row())


def score(results: Mapping[Labelled, Judged]) -> Score:
    out = Score()
    for kernel, judged in results.items():
        hits = 0
        for label in kernel.defects:
            codes = [f.code for f in judged.findings if names(f, label)]
            row = out.row(codes[0] if codes else label.codes[0])
            row.labelled += 1
            row.found += bool(codes)
            hits += bool(codes)
            if not codes:
                out.missed.append((kernel.id, label))
        for finding in judged.findings:
            if finding.code in NOT_LABELLED:
                out.advice.append((kernel.id, finding))
                continue
            right = any(names(finding, label) for label in kernel.labels)
            row = out.row(finding.code)
            row.findings += 1
            row.right += right
            if finding.severity == "error":
                out.errors.findings += 1
                out.errors.right += right
            if not right:
                out.false.append((kernel.id, finding))
        errors = [f for f in judged.findings if f.severity == "error" and f.code not in NOT_LABELLED]
        out.good += kernel.good
        out.bad += not kernel.good
        out.bad_found += not kernel.good and hits == len(kernel.defects)
        if kernel.good and errors:
            out.good_with_errors.append(kernel.id)
    return out
