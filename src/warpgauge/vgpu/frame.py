"""What generated code has to know about its launch, and the access sites that it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from warpgauge import ptx
from warpgauge.sass import TileAccess


@dataclass(frozen=True)
class SiteKey:
    """One access site: the instruction, its space and direction, and the bytes per lane that the PTX names.

    `merges`: a wide shared load whose neighbouring lanes agree takes fewer groups (ldmatrix does not). `by_tile`: lanes
    are not known, so each line of a tile in memory stands for one.
    """

    instruction: ptx.Instruction
    space: str
    op: str
    bytes_per_lane: int
    merges: bool = True
    by_tile: bool = False

    @property
    def asynchronous(self) -> bool:
        """Half of a cp.async: its global load, or its write to shared memory."""
        return self.instruction.opcode == "cp"


@dataclass
class Frame:
    """What rows need to know about the launch's code: mode, granules and address tables.

    `shared` and `local` map variables to byte offsets, `variables` module variables to slots of CTX[VARIABLES],
    `functions` names to the numbers that stand for their addresses. `tiles` maps the PTX lines of wmma.load and
    wmma.store to what they access.
    """

    count: bool
    shadow: bool
    trace: bool
    shared: dict[str, int]
    local: dict[str, int]
    variables: dict[str, int]
    params: dict[str, ptx.Variable]
    granule_shift: dict[str, int]
    functions: dict[str, int] = field(default_factory=dict)
    tiles: Mapping[int, TileAccess] = field(default_factory=dict)
    sites: list[SiteKey] = field(default_factory=list)
