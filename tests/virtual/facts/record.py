"""One row of the table of facts: a claim that docs/corrections.md makes, and an execution that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fact:
    """`id` is the number on the page; `figure` executes something and gives what `expected` says."""

    id: str
    claim: str
    figure: Callable[[], Any]
    expected: Any
