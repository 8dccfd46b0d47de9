"""One finding where several launches of a candidate break a contract in the same way at the same line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from warpgauge.diagnostics import Diagnostic

from .case import Case

_Member = tuple[str, Diagnostic]


def titles(case: Case) -> list[str]:
    """A name for each execution of `judged(case)`: launches count from 1, among those that run on that shape."""
    trials = case.declared("judge")
    return [
        f"launch {number}" + (f" at {trial.shape}" if len(trials) > 1 else "")
        for trial in trials
        for number, _ in enumerate(trial.executions, 1)
    ]


def across_launches(case: Case, found: Sequence[Sequence[Diagnostic]], weight: str) -> tuple[Diagnostic, ...]:
    """The findings of each execution of `judged(case)`, those of one code, line and operation as one.

    The launch with the largest `weight` (a count in the evidence) speaks; the message and the evidence name the others.
    """
    groups: dict[tuple[Any, ...], list[_Member]] = {}
    for title, diagnostics in zip(titles(case), found, strict=True):
        for diagnostic in diagnostics:
            key = (diagnostic.code, diagnostic.primary, diagnostic.evidence["op"])
            groups.setdefault(key, []).append((title, diagnostic))
    return tuple(_one(members, weight) for members in groups.values())


def _one(members: Sequence[_Member], weight: str) -> Diagnostic:
    speaks = max(members, key=lambda member: int(member[1].evidence[weight]))
    title, diagnostic = speaks
    others = [other for other, _ in members if other != title]
    if not others:
        return diagnostic
    message = f"{diagnostic.message}, in {title} (and in {'; '.join(others)})"
    return replace(diagnostic, message=message, evidence={**diagnostic.evidence, "launch": title, "also_in": others})
