"""Where a number comes from, and how much of the execution it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: The caveat of a site whose instruction moves a tile when nothing says which lane touches which bytes of it.
BY_TILE = "by tile, lanes unknown"
ProvenanceKind = Literal["measured", "counted", "predicted", "quoted"]


@dataclass(frozen=True)
class Provenance:
    """`measured` on a device, `counted` by the virtual GPU, `predicted` by a model, `quoted` from a document.

    A measured number also carries device, date (ISO 8601) and protocol. `detail` names a caveat,
    such as "rule assumed" for a wavefront count on an architecture without calibration.
    """

    kind: ProvenanceKind
    detail: str = ""
    device: str | None = None
    date: str | None = None
    protocol: str | None = None

    def __post_init__(self) -> None:
        if self.kind == "measured" and not (self.device and self.date and self.protocol):
            raise ValueError("a measured number needs device, date and protocol")

    def __str__(self) -> str:
        return f"{self.kind}, {self.detail}" if self.detail else self.kind


@dataclass(frozen=True)
class Coverage:
    """The share a verdict rests on: `done` of `total` units ("blocks", "accesses", "elements", ...)."""

    done: int
    total: int
    unit: str

    @property
    def complete(self) -> bool:
        return self.total > 0 and self.done == self.total

    def __str__(self) -> str:
        share = "100 %" if self.complete else f"{100 * self.done / self.total:.1f} %" if self.total else "none"
        return f"{share} of {self.total:,} {self.unit}"
