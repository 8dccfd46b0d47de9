"""What generated code has to know about its launch, and the access sites that it counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from warpgauge import ptx


@dataclass(frozen=True)
class SiteKey:
    """One access site: the instruction, its space and direction, and the bytes per lane that the PTX names.

    `merges`: a wide shared load whose neighbouring lanes agree takes fewer groups (ldmatrix does not).
    """

    instruction: ptx.Instruction
    space: str
    op: str
    bytes_per_lane: int
    merges: bool = True

    @property
    def asynchronous(self) -> bool:
        """Half of a cp.async, which hardware counts apart from loads and stores."""
        return self.instruction.opcode == "cp"


@dataclass
class Frame:
    """What rows need to know about the launch's code: mode, granules and address tables.

    `shared` and `local` map variables to byte offsets, `variables` module variables to slots of CTX[VARIABLES],
    `functions` names to the numbers that stand for their addresses.
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
    sites: list[SiteKey] = field(default_factory=list)
