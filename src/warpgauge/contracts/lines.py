"""Access sites gathered by source line.

The compiler makes several PTX instructions of one line (unrolling, vector splits, templates). A reader thinks in lines,
so they share a row; but a row must not hide its worst member behind its good ones, nor may a line escape a traffic
threshold because unrolling cut it into many small sites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from warpgauge.evidence import BY_TILE, Coverage, Location, Provenance, Site


@dataclass(frozen=True)
class Line:
    """The sites of one launch at one source line with one operation in one space."""

    location: Location
    space: str
    op: str
    sites: tuple[Site, ...]

    def total(self, field: str) -> int:
        return sum(getattr(site, field) for site in self.sites)

    @property
    def widths(self) -> str:
        return "/".join(str(width) for width in sorted({site.bytes_per_lane for site in self.sites}))

    @property
    def provenance(self) -> Provenance:
        """That of the site with the strongest caveat."""
        return max((site.provenance for site in self.sites), key=lambda p: (bool(p.detail), p.detail))


def by_line(sites: Iterable[Site], space: str) -> tuple[Line, ...]:
    """The lines of one launch that touch `space`, in source order."""
    groups: dict[tuple[Location, str], list[Site]] = {}
    for site in sites:
        if site.space == space and site.requests:
            # The column tells apart two accesses on a line only where the compiler kept it; the line is the unit.
            groups.setdefault((Location(site.location.file, site.location.line), site.op), []).append(site)
    return tuple(
        Line(min(site.location for site in members), space, op, tuple(members))
        for (_, op), members in sorted(groups.items())
    )


def deciding(line: Line, weight: str, badness: Callable[[Site], float], least: float) -> Site | None:
    """The site that decides for its line: the worst one such that it and all worse ones together carry `least`.

    `weight` names the field that counts as traffic, `badness` orders sites (larger is worse). One bad site that carries
    enough decides by itself; many small bad ones add up. None if the whole line carries less than `least`.
    """
    carried = 0
    for site in sorted(line.sites, key=lambda s: (-badness(s), s.ptx_line)):
        carried += getattr(site, weight)
        if carried and carried >= least:
            return site
    return None


def by_tile(site: Site) -> bool:
    """Whether a site's counts stand for a tile as a whole: what its lanes cost is then not known."""
    return site.provenance.detail == BY_TILE


def unknown_lanes(lines: Iterable[Line]) -> str:
    """Why lines cannot pass: one of them moves a tile whose lanes are not known. Empty if there is none."""
    for line in lines:
        if any(map(by_tile, line.sites)):
            return (
                f"{line.location}: which lane of a wmma {line.op} touches which bytes is not known here, so its "
                f"{line.space} accesses are counted by tile"
            )
    return ""


def exact_requests(lines: Sequence[Line]) -> Coverage | None:
    """The share of requests whose lanes are known, where that is not all of them."""
    sites = [site for line in lines for site in line.sites]
    exact, total = (sum(s.requests for s in sites if not (known and by_tile(s))) for known in (True, False))
    return Coverage(exact, total, "requests with known lanes") if exact < total else None
