"""Which contracts exist, whether each binds, and its thresholds under each preset.

`sound` holds the thresholds that the facts support (the default); `literal` those of the source articles, where they
differ. A problem overrides single values under `[contracts]`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

Preset = Literal["sound", "literal"]


@dataclass(frozen=True)
class ContractRow:
    """`fixed` contracts can be neither advisory nor left out. `sound` and `literal`: threshold name -> value."""

    name: str
    binds: bool
    sound: Mapping[str, float]
    literal: Mapping[str, float]
    fixed: bool = False


def _row(
    name: str,
    binds: bool,
    sound: dict[str, float],
    literal: dict[str, float] | None = None,
    fixed: bool = False,
) -> ContractRow:
    return ContractRow(name, binds, MappingProxyType(sound), MappingProxyType(sound | (literal or {})), fixed)


_ROWS = (
    # floor: FAIL below; warning: warn below; share: sites with a smaller share of the launch's traffic are not judged.
    _row("memory_access", True, {"site_floor": 0.75, "site_warning": 0.9, "site_share": 0.01}, {"site_floor": 1.0}),
    _row("bank_conflicts", True, {"most_conflicts": 0, "site_share": 0.01}, {"site_share": 0.0}),
    # Registers and spills are the half of "occupancy and registers" that a build alone decides.
    _row("registers", False, {"most_spill_bytes": 0}),
    # in_flight_floor: share of what Little's law asks for. A fixed number of warps only where the problem or the
    # articles ask for it; their limit of 255 registers is the hardware's own.
    _row("occupancy", False, {"in_flight_floor": 0.75, "min_warps": 0}, {"min_warps": 64}),
    _row("utilisation", False, {"share": 0.6, "latency_stall_share": 0.3}, {"share": 0.85, "not_selected_share": 0.15}),
    # deterministic: a result that depends on the order of warps or blocks fails, instead of being warned of.
    _row("numerics", True, {"deterministic": False}, fixed=True),
    # branch_share: of a launch with too few active lanes, which of its branches are named beside the dearest.
    _row("divergence", False, {"active_lanes": 0.75, "branch_share": 0.05}),
    _row("safety", True, {"no_progress_seconds": 10.0}, fixed=True),
    _row("target", True, {}),
)
CONTRACTS: Mapping[str, ContractRow] = MappingProxyType({row.name: row for row in _ROWS})

OWN_NAME = re.compile(r"[a-z][a-z0-9_]*")
OWN_TIMEOUT = 60.0
"""Seconds that a problem's own contract has to answer, where the problem gives none."""
RESERVED_CONTRACTS = frozenset({"build"})
"""Names of rows that are no contracts of the table."""


def own_name_objection(name: str) -> str:
    """Why a contract of a problem's own cannot have this name; empty if it can."""
    if name in CONTRACTS or name in RESERVED_CONTRACTS:
        return f'"{name}" is a contract of warpgauge: give your own another name'
    if not OWN_NAME.fullmatch(name):
        return f'"{name}" is not made of lower-case letters, digits and _, beginning with a letter'
    return ""


@dataclass(frozen=True)
class OwnContract:
    """A contract that a problem brings along: `file.py:function`, the folder it is relative to, seconds to answer."""

    source: str
    folder: Path
    timeout_seconds: float


@dataclass(frozen=True)
class ContractSettings:
    """What one problem asks of one contract. `asked` is False where the problem leaves the contract out."""

    name: str
    asked: bool
    binds: bool
    thresholds: Mapping[str, float]
    own: OwnContract | None = None
