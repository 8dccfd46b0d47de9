"""`warpgauge tiles` for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from warpgauge.diagnostics.terminal import show, wrapped
from warpgauge.tiling import Estimate, Fit, Score, Shift, Solution
from warpgauge.tiling.gemm import L2_SOURCE

_HEADINGS = ("BMxBNxBK", "stages", "warps", "shared", "regs", "blocks/SM", "of peak", "waves", "limited by")


def _estimate_json(found: Estimate) -> dict[str, Any]:
    fit, held = found.fit, found.fit.occupancy
    return {
        **asdict(fit.tile),
        "warp_tile": [fit.warp_m, fit.warp_n],
        "shared": fit.shared,
        "registers": fit.registers,
        "blocks_per_sm": held.blocks_per_sm if held else 0,
        "occupancy": held.occupancy if held else 0.0,
        "residency_limited_by": ", ".join(held.limited_by) if held else "",
        "clocks_per_step": found.clocks,
        "limited_by": found.limited_by,
        "efficiency": found.efficiency,
        "seconds": found.seconds,
        "edges": found.edges,
        "spread": found.spread,
        "blocks": found.waves.blocks,
        "waves": found.waves.waves,
        "l2_intensity": found.l2_intensity,
        "dram_intensity": found.dram_intensity,
        "provenance": "predicted",
    }


def _fit_json(fit: Fit) -> dict[str, Any]:
    return {
        **asdict(fit.tile),
        "shared": fit.shared,
        "registers": fit.registers,
        "reasons": [asdict(reason) for reason in fit.reasons],
    }


def _score_json(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    fits = {"fits": score.estimate is not None, "rank": score.rank, "time_over_best": score.slower}
    return fits | (_estimate_json(score.estimate) if score.estimate else _fit_json(score.fit))


def _solution_json(solution: Solution, top: int) -> dict[str, Any]:
    gemm = solution.gemm
    return {
        "chip": gemm.chip.name,
        "arch": gemm.chip.arch,
        "feasible": len(solution.ranked),
        "rejected": len(solution.rejected),
        "rejected_by": solution.limits,
        "ridge": {"l2": gemm.l2_ridge, "dram": gemm.dram_ridge, "l2_assumed": gemm.l2_assumed},
        "best": [_estimate_json(found) for found in solution.ranked[:top]],
        "score": _score_json(solution.score),
    }


def tiles_json(solution: Solution, shifts: Sequence[Shift], top: int) -> dict[str, Any]:
    """Plain data: the best tiles, every rejected one with its reasons, the score, and the other chips."""
    gemm = solution.gemm
    return {
        "gemm": {"m": gemm.m, "n": gemm.n, "k": gemm.k, "dtype": gemm.dtype, "accumulate": gemm.accumulate},
        **_solution_json(solution, top),
        "rejections": [_fit_json(fit) for fit in solution.rejected],
        "also": [{**_solution_json(s.solution, top), "lost": s.lost, "moved": s.moved, "of": s.of} for s in shifts],
    }


def _paragraph(console: Console, text: str, indent: str = "  ") -> None:
    for line in wrapped(text, console.width, indent, indent + "  "):
        show(console, line)


def _row(found: Estimate) -> tuple[str, ...]:
    fit, tile = found.fit, found.fit.tile
    return (
        f"{tile.bm}x{tile.bn}x{tile.bk}",
        str(tile.stages),
        str(tile.warps),
        f"{fit.shared:,}",
        str(fit.registers),
        str(fit.occupancy.blocks_per_sm if fit.occupancy else 0),
        f"{100 * found.efficiency:.1f} %",
        f"{found.waves.waves:.2f}",
        found.limited_by,
    )


def _table(console: Console, rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[n]) for row in [_HEADINGS, *rows]) for n in range(len(_HEADINGS))]
    for row in [_HEADINGS, *rows]:
        cells = [f"{cell:>{width}}" for cell, width in zip(row[:-1], widths, strict=False)]
        show(console, "  " + " ".join([*cells, row[-1]]))


def reasons(found: Estimate, solution: Solution) -> str:
    """Why a tile is where it is: the clocks of a step by resource, and what edges and waves leave unused."""
    top = max(found.clocks.values())
    clocks = ", ".join(f"{name} {value:,.0f}" for name, value in found.clocks.items())
    waiting = found.clocks["barrier"] == top and found.limited_by != "barrier"
    why = f", {found.limited_by} and the waiting at a barrier" if waiting else ""
    gemm = solution.gemm
    return (
        f"clocks of a step: {clocks} (the largest, {top:,.0f}, decides{why}); "
        f"{found.l2_intensity:.3g} operations per byte of L2 (ridge {gemm.l2_ridge:.3g}), "
        f"{found.dram_intensity:,.0f} per byte of device memory (ridge {gemm.dram_ridge:.3g}); "
        f"edges use {100 * found.edges:.3g} % of the tiles, blocks {100 * found.spread:.3g} % of the SMs' time"
    )


def _score(console: Console, score: Score, solution: Solution) -> None:
    show(console, (f"{score.fit.tile}", "bold"))
    if score.estimate is None:
        for reason in score.fit.reasons:
            _paragraph(console, f"does not fit, {reason.limit}: {reason.words}")
        return
    found, held = score.estimate, score.fit.occupancy
    assert score.slower is not None and held is not None
    _paragraph(
        console,
        f"rank {score.rank} of {len(solution.ranked)}, limited by {found.limited_by}: {100 * found.efficiency:.1f} % "
        f"of peak, {score.slower:.3g} times the time of the first; {held.blocks_per_sm} blocks per SM (limited by "
        f"{', '.join(held.limited_by)})",
    )
    _paragraph(console, reasons(found, solution))


def _answer(console: Console, solution: Solution, top: int) -> None:
    total = len(solution.ranked) + len(solution.rejected)
    by = ", ".join(f"{name} {count:,}" for name, count in sorted(solution.limits.items(), key=lambda i: -i[1]))
    _paragraph(console, f"{len(solution.ranked):,} of {total:,} tiles fit; rejected by {by or 'nothing'}", "")
    if solution.ranked:
        _table(console, [_row(found) for found in solution.ranked[:top]])
        _paragraph(console, f"the first: {reasons(solution.ranked[0], solution)}")
    if solution.score:
        _score(console, solution.score, solution)


def render_tiles(console: Console, solution: Solution, shifts: Sequence[Shift], top: int) -> None:
    """The best tiles with the reasons of the first, the proposed one, and the same on other chips."""
    gemm = solution.gemm
    what = f"{gemm.m} x {gemm.n} x {gemm.k}, {gemm.dtype} with sums in {gemm.accumulate}"
    show(console, (f"{what}, on {gemm.chip.name} ({gemm.chip.arch})", "bold"))
    _answer(console, solution, top)
    for other in shifts:
        chip = other.solution.gemm.chip
        show(console, (f"on {chip.name} ({chip.arch})", "bold"))
        moved = f"{other.moved:,} are worth twice or half as much beside the first tile"
        lost = f"{other.lost:,} of the {other.of:,} tiles that fit on {gemm.chip.name} do not fit here"
        _paragraph(console, f"{lost}, {moved}", "")
        _answer(console, other.solution, top)
    assumed = [s.gemm.chip.name for s in (solution, *(s.solution for s in shifts)) if s.gemm.l2_assumed]
    note = f"; L2 of {', '.join(assumed)} assumed to deliver per SM and clock what the A100's does" if assumed else ""
    _paragraph(console, f"Times and registers are predicted, rates quoted (L2: {L2_SOURCE}{note}).", "")
    _paragraph(console, "Tiles within 5 % are not told apart: the one that asks L2 for least comes first.", "")
