"""Which findings are silenced, and what that does to a contract's verdict."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from warpgauge.contracts import ContractResult, Verdict
from warpgauge.diagnostics import Diagnostic, Silenced, code_row
from warpgauge.diagnostics.silence import ignores, objections, reasons_by_place

from .baseline import Baseline, baseline_of, save_baseline
from .record import Evaluation


@dataclass(frozen=True)
class Silencing:
    """What may silence a finding. A candidate by somebody who is not trusted is judged without its `comments`."""

    comments: bool = True
    baseline: Baseline | None = None

    def rows(
        self, rows: Iterable[ContractResult], sources: Mapping[str, str], problem: str, candidate: str
    ) -> tuple[ContractResult, ...]:
        """The rows with findings moved from `diagnostics` to `silenced`.

        A FAIL becomes a PASS if every error that its contract found is silenced, and not before. Findings about
        numerics and safety, and whatever else `Code.silenceable` excludes, are never silenced.
        """
        silenced = self._judge(sources, problem, candidate)
        return tuple(
            _quiet(row, {index: s for index, d in enumerate(row.diagnostics) if (s := silenced(d))}) for row in rows
        )

    def findings(
        self, found: Iterable[Diagnostic], sources: Mapping[str, str], problem: str, candidate: str
    ) -> tuple[tuple[Diagnostic, ...], tuple[Silenced, ...]]:
        """Findings that belong to no contract: those that stay, and those that are silenced."""
        silenced = self._judge(sources, problem, candidate)
        judged = [(d, silenced(d)) for d in found]
        return tuple(d for d, s in judged if s is None), tuple(s for _, s in judged if s is not None)

    def _judge(
        self, sources: Mapping[str, str], problem: str, candidate: str
    ) -> Callable[[Diagnostic], Silenced | None]:
        """Says of one finding after the other whether it is silenced; a baseline knows each as often as it counts."""
        reasons = reasons_by_place(ignores(sources)) if self.comments else {}
        known = Counter(self.baseline.counts) if self.baseline else Counter()

        def silenced(finding: Diagnostic) -> Silenced | None:
            if not code_row(finding.code).silenceable:
                return None
            if finding.primary:
                place = finding.primary.location
                reason = reasons.get((os.path.normpath(place.file), place.line, finding.code))
                if reason:
                    return Silenced(finding, "comment", reason)
            if self.baseline:
                key = self.baseline.key(problem, candidate, finding, sources)
                if known[key]:
                    known[key] -= 1
                    return Silenced(finding, "baseline", "in the baseline")
            return None

        return silenced

    def warnings(self, sources: Mapping[str, str]) -> list[Diagnostic]:
        """Comments that were meant to silence and do not."""
        return objections(ignores(sources)) if self.comments else []


def _quiet(row: ContractResult, silenced: Mapping[int, Silenced]) -> ContractResult:
    if not silenced:
        return row
    left = tuple(d for index, d in enumerate(row.diagnostics) if index not in silenced)
    settled = any(s.diagnostic.severity == "error" for s in silenced.values()) and all(
        d.severity != "error" for d in left
    )
    verdict = Verdict.PASS if row.verdict is Verdict.FAIL and settled else row.verdict
    return replace(row, verdict=verdict, diagnostics=left, silenced=(*row.silenced, *silenced.values()))


def _under(evaluation: Evaluation, baseline: Baseline) -> Evaluation:
    """The evaluation as it would have been with this baseline."""
    silencing = Silencing(False, baseline)
    known = evaluation.sources, evaluation.problem, evaluation.candidate
    rows = silencing.rows(evaluation.contracts, *known)
    review, silenced = silencing.findings(evaluation.review, *known)
    quiet = [s.diagnostic for row in rows for s in row.silenced] + [s.diagnostic for s in silenced]
    left = tuple(d for d in evaluation.diagnostics if d not in quiet)
    quieted = (*evaluation.review_silenced, *silenced)
    return replace(evaluation, contracts=rows, diagnostics=left, review=review, review_silenced=quieted)


def write_baseline(path: Path, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Makes what was found the baseline at `path`, and returns the evaluations under it.

    Nothing is written where a candidate could not be judged. WarpgaugeError PRB901 or PRB907 where `path` holds
    something else or cannot be written.
    """
    if any(evaluation.unusable for evaluation in evaluations):
        return list(evaluations)
    baseline = baseline_of(path, evaluations)
    save_baseline(path, baseline)
    return [_under(evaluation, baseline) for evaluation in evaluations]
