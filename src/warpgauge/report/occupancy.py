"""`warpgauge occupancy` for a terminal, step by step, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console

from warpgauge.arch import ARITHMETIC_LATENCY, Occupancy, Residency, Step, warps_for
from warpgauge.diagnostics.terminal import show, wrapped

_MORE = {"up": "more", "down": "fewer"}
_WIDTHS = (4, 8, 16)
_LOADS = (1, 4)


def _rung(found: Occupancy) -> dict[str, Any]:
    return {
        "registers": found.demand.registers,
        "block": found.demand.threads,
        "blocks_per_sm": found.blocks_per_sm,
        "warps_per_sm": found.warps_per_sm,
        "occupancy": found.occupancy,
        "limited_by": ", ".join(found.limited_by),
    }


def _chip_json(answer: Residency) -> dict[str, Any] | None:
    product, needed = answer.chip, answer.in_flight
    if product is None or needed is None:
        return None
    return {
        "name": product.name,
        "sms": product.sms,
        "clock_hz": product.clock_hz,
        "memory_bandwidth": product.memory_bandwidth,
        "memory_latency": product.memory_latency,
        "fp32_flops": product.fp32_flops,
        "fp16_flops": product.fp16_flops,
        "tensor_flops": product.tensor_flops,
        "memory_bytes_in_flight_per_sm": needed.memory_bytes,
        "wavefronts_in_flight_per_sm": needed.wavefronts,
        "instructions_in_flight_per_sm": needed.instructions,
        "sources": {field: product.quote(field) for field in product.source},
    }


def _waves_json(answer: Residency) -> dict[str, Any] | None:
    found = answer.waves
    if found is None:
        return None
    return {
        "blocks": found.blocks,
        "waves": found.waves,
        "full": found.full,
        "tail": found.tail,
        "busy_sms_in_last_wave": found.busy_sms,
        "idle_lanes_per_block": found.idle_lanes,
        "idle_threads": found.idle_threads,
    }


def occupancy_json(answer: Residency) -> dict[str, Any]:
    """Plain data: the answer, its derivation, the steps, and the what-if tables."""
    found = answer.occupancy
    return {
        "arch": found.arch,
        "block": list(answer.block),
        **asdict(found.demand),
        "blocks_per_sm": found.blocks_per_sm,
        "warps_per_sm": found.warps_per_sm,
        "occupancy": found.occupancy,
        "limited_by": ", ".join(found.limited_by),
        "refused": found.refused,
        "warps_per_block": found.warps_per_block,
        "registers_per_warp": found.registers_per_warp,
        "shared_per_block": found.shared_per_block,
        "limits": {row.resource: row.blocks for row in found.limits},
        "steps": [asdict(step) for step in answer.steps],
        "by_registers": [_rung(rung) for rung in answer.by_registers],
        "by_block": [_rung(rung) for rung in answer.by_block],
        "chip": _chip_json(answer),
        "waves": _waves_json(answer),
    }


def derivation(answer: Residency) -> list[str]:
    """How many blocks each resource allows, a sentence each, in the order of the limits."""
    found, limit = answer.occupancy, answer.limit
    demand, each = found.demand, limit.registers_per_sm // limit.sub_partitions
    idle = found.warps_per_block * limit.warp_size - demand.threads
    tail = f", {idle} lanes idle" if idle else ""
    reserved = f" + {limit.shared_reserved:,} reserved by the system" if limit.shared_reserved else ""
    sentences = {
        "warps": f"{demand.threads} threads / {limit.warp_size} = {found.warps_per_block} warps per block{tail}; an SM "
        f"holds {limit.warps_per_sm}",
        "registers": f"{demand.registers} registers x {limit.warp_size} lanes = "
        f"{demand.registers * limit.warp_size:,}, handed out as {found.registers_per_warp:,} per warp (units of "
        f"{limit.register_unit}); each of {limit.sub_partitions} sub-partitions has {each:,}: "
        f"{each // found.registers_per_warp} warps, {each // found.registers_per_warp * limit.sub_partitions} per SM",
        "shared memory": f"{demand.static_shared:,} static + {demand.dynamic_shared:,} dynamic{reserved} = "
        f"{demand.shared + limit.shared_reserved:,} bytes, handed out as {found.shared_per_block:,} (units of "
        f"{limit.shared_unit}); an SM has {limit.shared_per_sm:,}",
        "blocks": f"an SM holds {limit.blocks_per_sm} blocks",
        "barriers": f"{demand.barriers} named barriers per block; an SM has {limit.barriers_per_sm}",
    }
    width = max(len(row.resource) for row in found.limits)
    return [f"{row.resource:<{width}}  {row.blocks:>3} per SM  {sentences[row.resource]}" for row in found.limits]


def _step_words(step: Step) -> str:
    unit = {"registers": "registers per thread", "shared memory": "bytes of shared memory", "threads": "threads"}
    side = "at most" if step.change < 0 else "from"
    return (
        f"{_MORE[step.direction]} blocks {side} {step.value:,} {unit[step.quantity]} ({step.change:+,}): "
        f"{_blocks(step.blocks_per_sm)}, {step.warps_per_sm} warps, {100 * step.occupancy:.3g} %"
    )


def _blocks(count: int) -> str:
    return f"{count} block" if count == 1 else f"{count} blocks"


def _paragraph(console: Console, text: str, indent: str = "  ") -> None:
    for line in wrapped(text, console.width, indent, indent + "    "):
        show(console, line)


def _ladder(console: Console, title: str, rungs: tuple[Occupancy, ...], by: str) -> None:
    show(console, (title, "bold"))
    for rung in rungs:
        value = rung.demand.registers if by == "registers" else rung.demand.threads
        limited = ", ".join(rung.limited_by)
        show(
            console,
            f"  {value:>5}  {rung.blocks_per_sm:>3} per SM  {rung.warps_per_sm:>3} warps  "
            f"{100 * rung.occupancy:>5.3g} %  {limited}",
        )


def _chip_words(console: Console, answer: Residency) -> None:
    product, needed = answer.chip, answer.in_flight
    if product is None or needed is None:
        return
    show(console, (f"In flight on each SM of {product.name} (Little's law: latency x throughput)", "bold"))
    if needed.memory_bytes is None or product.memory_latency is None:
        _paragraph(console, "bytes: not known, no source gives the memory latency of this chip")
    else:
        _paragraph(
            console,
            f"{needed.memory_bytes:,.0f} bytes of loads for full bandwidth: {1e9 * product.memory_latency:.0f} ns x "
            f"{product.memory_bandwidth / 1e9:,.0f} GB/s / {product.sms} SMs",
        )
        for loads in _LOADS:
            counts = [f"{warps_for(needed.memory_bytes, w, loads)} warps at {w} bytes per lane" for w in _WIDTHS]
            _paragraph(console, f"with {loads} load{'s' * (loads > 1)} before each wait: {', '.join(counts)}")
        _paragraph(console, f"latency: {product.quote('memory_latency_cycles')}")
    _paragraph(
        console,
        f"{needed.instructions} arithmetic instructions, dependent ones {ARITHMETIC_LATENCY} clocks apart: "
        f"{needed.instructions} warps, or fewer with independent instructions in each",
    )
    if (found := answer.waves) is not None:
        show(console, ("Launch", "bold"))
        idle = "" if found.idle_threads is None else f"; {found.idle_threads:,} threads have no element"
        _paragraph(
            console,
            f"{found.blocks:,} blocks / ({found.sms} SMs x {found.blocks_per_sm}) = {found.waves:.3g} waves: "
            f"{found.full} full, {found.tail:,} blocks in a last one on {found.busy_sms} SMs{idle}",
        )


def render_occupancy(console: Console, answer: Residency) -> None:
    """The answer, the derivation, the next steps, what-if tables, and with a chip what must be in flight."""
    found = answer.occupancy
    verdict = f"{_blocks(found.blocks_per_sm)}, {found.warps_per_sm} of {found.most_warps} warps per SM"
    limited = ", ".join(found.limited_by)
    show(console, (f"{found.arch}: {verdict}, occupancy {100 * found.occupancy:.3g} %", "bold"))
    show(console, f"limited by {limited}")
    if found.refused:
        _paragraph(console, f"does not launch: {found.refused}", "")
    show(console, ("Derivation", "bold"))
    for line in derivation(answer):
        _paragraph(console, line)
    if answer.block[1] * answer.block[2] > 1:
        first = answer.warps[0]
        _paragraph(console, f"lanes follow x + y * Dx + z * Dx * Dy: warp 0 covers {first.first} to {first.last}")
    show(console, ("Next steps, each alone", "bold"))
    for step in answer.steps:
        _paragraph(console, _step_words(step))
    if not any(step.direction == "up" for step in answer.steps):
        _paragraph(console, f"nothing alone gives more blocks: {limited} would have to change")
    _ladder(
        console, f"Registers per thread, at most, with {found.demand.threads} threads", answer.by_registers, "registers"
    )
    _ladder(console, f"Threads per block, with {found.demand.registers} registers", answer.by_block, "threads")
    _chip_words(console, answer)
