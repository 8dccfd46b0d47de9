"""The rules of a review, one row each, and the one function that applies them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from warpgauge.diagnostics import Diagnostic

from . import cliffs, launch_bounds, restrict, unrolling, vector_width
from .subject import Subject


@dataclass(frozen=True)
class Rule:
    """`find` gives findings of `code`, each about one place or one kernel."""

    code: str
    find: Callable[[Subject], Iterable[Diagnostic]]


RULES: tuple[Rule, ...] = (
    Rule("MEM103", vector_width.find),
    Rule("MEM104", restrict.find),
    Rule("OCC304", cliffs.find),
    Rule("OCC305", launch_bounds.find),
    Rule("UTL403", unrolling.find),
)


def review(subject: Subject) -> tuple[Diagnostic, ...]:
    """What the rules find, in the order of the table."""
    return tuple(finding for rule in RULES for finding in rule.find(subject))
