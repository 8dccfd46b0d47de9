"""What the function behind a problem's own contract answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

CODE = re.compile(r"USR\d{3}")


@dataclass(frozen=True)
class Remark:
    """One finding. `code` is USR and three digits, its author's to hand out; `file` and `line` say where.

    A site of the evidence has the place as `site.location`. Line 0 leaves the place out. `severity` is error, warning
    or note; an error belongs to a FAIL.
    """

    message: str
    code: str = "USR001"
    severity: Literal["error", "warning", "note"] = "error"
    file: str = ""
    line: int = 0
    column: int = 0
    help: str = ""


@dataclass(frozen=True)
class Judgement:
    """The verdict, the number that was measured against the one that was asked (None: there is none), and why.

    `reason` says why a verdict is UNKNOWN.
    """

    verdict: Literal["PASS", "FAIL", "UNKNOWN"]
    measured: float | None = None
    asked: float | None = None
    unit: str = ""
    remarks: tuple[Remark, ...] = ()
    reason: str = ""
