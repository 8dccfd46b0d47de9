"""Hand-made evidence for tests of contracts and renderers: small executions with known numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warpgauge.arch import bank_cost
from warpgauge.contracts import Case, Trial
from warpgauge.evidence import (
    Branch,
    Counters,
    Coverage,
    Execution,
    Fault,
    LineActivity,
    Location,
    Provenance,
    Site,
    Unsupported,
    WorstRequest,
)
from warpgauge.evidence.access import AccessOp

FILE = "kernel.cu"
COUNTED = Provenance("counted")


def sectors_of(lanes: Sequence[int | None], width: int) -> tuple[int, int]:
    """(moved, ideal) sectors of one request, from the definitions: distinct 32-byte segments, and bytes / 32."""
    active = [a for a in lanes if a is not None]
    moved = len({byte // 32 for a in active for byte in range(a, a + width)})
    asked = len({byte for a in active for byte in range(a, a + width)})
    return moved, min(moved, -(-(width * len(active)) // 32)) if asked else 0


def global_site(
    lanes: Sequence[int | None], width: int, *, line: int = 1, op: AccessOp = "load", requests: int = 1, **more: Any
) -> Site:
    """A global site whose every request looks like `lanes`."""
    lanes = tuple(lanes) + (None,) * (32 - len(lanes))
    moved, ideal = sectors_of(lanes, width)
    worst = WorstRequest((0, 0, 0), 0, lanes, "A", moved, 0)
    active = sum(a is not None for a in lanes)
    return Site(
        Location(FILE, line),
        "global",
        op,
        width,
        requests,
        requests * active,
        requests * moved,
        requests * ideal,
        0,
        0,
        worst,
        more.pop("provenance", COUNTED),
        **more,
    )


def shared_site(
    lanes: Sequence[int | None], width: int, *, line: int = 1, op: AccessOp = "load", requests: int = 1, **more: Any
) -> Site:
    """A shared site whose every request looks like `lanes`."""
    lanes = tuple(lanes) + (None,) * (32 - len(lanes))
    cost = bank_cost(lanes, width, merge_pairs=op == "load")
    worst = WorstRequest((0, 0, 0), 0, lanes, more.pop("buffer", "tile"), 0, cost.wavefronts)
    active = sum(a is not None for a in lanes)
    return Site(
        Location(FILE, line),
        "shared",
        op,
        width,
        requests,
        requests * active,
        0,
        0,
        requests * cost.wavefronts,
        requests * cost.conflicts,
        worst,
        more.pop("provenance", COUNTED),
        **more,
    )


def execution(
    *sites: Site,
    faults: Sequence[Fault] = (),
    unsupported: Sequence[Unsupported] = (),
    stopped: str = "",
    done: int = 4,
    checked: bool = True,
    kernel: str = "kernel",
    lines: Sequence[LineActivity] = (LineActivity(Location(FILE, 1), 40, 1280, 1280),),
    branches: Sequence[Branch] = (),
) -> Execution:
    return Execution(
        kernel,
        (4, 1, 1),
        (32, 1, 1),
        Counters(),
        tuple(sites),
        tuple(faults),
        tuple(unsupported),
        not stopped,
        Coverage(done, 4, "blocks"),
        1000,
        checked,
        stopped,
        lines=tuple(lines),
        branches=tuple(branches),
    )


def trial(*executions: Execution, role: str = "judge", inputs: str = "declared", **more: Any) -> Trial:
    return Trial(role, {"n": 128 if role == "judge" else 33}, inputs, executions, **more)


def case(*executions: Execution, **more: Any) -> Case:
    """A case whose judged shape ran `executions`."""
    return Case(trials=(trial(*executions),), **more)


def strided(step: int, count: int = 32, start: int = 0) -> tuple[int, ...]:
    return tuple(start + step * lane for lane in range(count))
