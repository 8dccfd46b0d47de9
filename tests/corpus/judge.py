"""What warpgauge finds in one kernel of the corpus."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from warpgauge.candidate import load_candidate
from warpgauge.evaluate import evaluate
from warpgauge.problem import load_problem

from .labels import Labelled

# Faults and inefficiencies. Notes, and what a problem file lacks (PRB), are no findings about a kernel.
COUNTED = ("MEM", "SHM", "OCC", "UTL", "NUM", "SAF", "SRC")


@dataclass(frozen=True)
class Finding:
    """`lines` of the kernel's own source that it names, the main one first; empty where it names none."""

    code: str
    severity: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Judged:
    verdict: str
    findings: tuple[Finding, ...]

    def as_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def of(cls, data: dict) -> Judged:
        return cls(
            data["verdict"], tuple(Finding(f["code"], f["severity"], tuple(f["lines"])) for f in data["findings"])
        )


def judge(kernel: Labelled) -> Judged:
    """Every error and warning about the kernel, in the order of the evaluation."""
    problem = load_problem(kernel.folder)
    evaluation = evaluate(problem, load_candidate(kernel.folder / "candidate.toml"))
    found = []
    for d in evaluation.diagnostics:
        if d.severity == "note" or not d.code.startswith(COUNTED):
            continue
        spans = [span for span in (d.primary, *d.related) if span and span.location.file.endswith("kernel.cu")]
        found.append(
            Finding(d.code, d.severity, tuple(dict.fromkeys(s.location.line for s in spans if s.location.line)))
        )
    unusable = [d.code for d in evaluation.diagnostics if evaluation.unusable]
    return Judged(" ".join(["unusable", *unusable]) if unusable else str(evaluation.verdict), tuple(found))
