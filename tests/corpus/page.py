"""The score as the page docs/corpus.md."""

from __future__ import annotations

from warpgauge.diagnostics.codes import CODES

from .labels import Labelled, adjudicated
from .score import Row, Score

HEAD = """\
# Precision and recall on the labelled corpus

Written by `make corpus`; do not edit. Every kernel of `tests/corpus` is judged with `evaluate()` on the virtual GPU,
and what it finds is held against the labels that the kernels' authors set. They wrote and labelled blind: without
running warpgauge and without its rules. A label counts as found if a finding with the code of its kind names its line
(findings about outputs have no line). A finding counts as right if a label with its code names one of its lines, or
the author named it as a consequence. Warnings count like errors.
"""

FIRST_RUN = """\
The first run, before anything was changed because of it, found 42 of the 45 labels, with no error on a good kernel. The
three: a loop of barriers and stores without end was not seen to be one (now its state coming back proves it), another
endless loop was reported inside the loop and not at its head (now the line where it goes round is named as well), and
a sum of floats kept its bits under the two orders that were tried (now there are four)."""


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _row(name: str, title: str, row: Row) -> str:
    return (
        f"| {name} | {title} | {row.labelled} | {row.found} | {_share(row.recall)} "
        f"| {row.findings} | {row.right} | {_share(row.precision)} |"
    )


def page(score: Score, kernels: tuple[Labelled, ...]) -> str:
    total = Row(*(sum(getattr(r, n) for r in score.rows.values()) for n in ("labelled", "found", "findings", "right")))
    hands = sorted({k.hand for k in kernels})
    lines = [
        HEAD,
        f"{len(kernels)} kernels by {len(hands)} hands ({', '.join(hands)}): {score.good} good, {score.bad} bad.",
        f"Good kernels with an error: {len(score.good_with_errors)}. "
        f"Bad kernels of which every labelled fault is found: {score.bad_found} of {score.bad}.",
        f"Errors alone (warnings left out): {score.errors.right} of {score.errors.findings} have a label.",
        "",
        FIRST_RUN,
        "",
        "| code | finding | labelled | found | recall | findings | right | precision |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_row(f"[{c}](codes/{c}.md)", CODES[c].title, score.rows[c]) for c in sorted(score.rows)),
        _row("all", "", total),
        "",
    ]
    if score.missed:
        lines += ["## Not found", "", "| kernel | fault | line |", "| --- | --- | --- |"]
        lines += [f"| {kernel} | {label.kind} | {label.line} |" for kernel, label in score.missed] + [""]
    if score.false:
        lines += ["## Found without a label", "", "| kernel | code | lines |", "| --- | --- | --- |"]
        lines += [f"| {k} | {f.code} ({f.severity}) | {', '.join(map(str, f.lines))} |" for k, f in score.false] + [""]
    if score.advice:
        lines += [
            "## Advice that no label speaks of",
            "",
            "MEM102 (accesses between 75 and 90 % efficient) and OCC302, OCC303 (warps and bytes in flight: most "
            "problems here are far smaller than a GPU). MEM103, OCC305 and UTL403 come from the review of the machine "
            "code, which is younger than the labels; each of them here was read, and is true.",
            "",
            "| kernel | code | lines |",
            "| --- | --- | --- |",
        ]
        lines += [f"| {k} | {f.code} ({f.severity}) | {', '.join(map(str, f.lines))} |" for k, f in score.advice] + [""]
    if changes := adjudicated():
        lines += [
            "## Labels changed after the first run",
            "",
            "| kernel | was | is | why |",
            "| --- | --- | --- | --- |",
        ]
        lines += [f"| {c['kernel']} | {c['was']} | {c['now']} | {c['reason']} |" for c in changes] + [""]
    return "\n".join(lines).rstrip() + "\n"
