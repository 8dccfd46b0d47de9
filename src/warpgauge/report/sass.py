"""What machine code says, for a terminal and as the data of `schemas/sass.schema.json`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from warpgauge.diagnostics.source import shown_path
from warpgauge.diagnostics.terminal import show, wrapped
from warpgauge.evaluate.machine import KernelCode, SassReport
from warpgauge.evidence import LoadUse, Location, MachineCode, Stretch
from warpgauge.sass import SOURCES

PREDICTED = "predicted"


def _place(place: Location) -> dict[str, Any]:
    return {"file": shown_path(place.file), "line": place.line}


def _stretch(kernel: KernelCode, n: int) -> dict[str, Any]:
    stretch = kernel.code.stretches[n]
    cycles, bound = stretch.time(kernel.blocks_per_sm, kernel.warps_of_block)
    return {
        "kind": "loop" if stretch.depth else "outside of loops",
        "first_address": stretch.head,
        "last_address": stretch.end,
        "depth": stretch.depth,
        "parent": stretch.parent,
        "lines": [_place(place) for place in stretch.lines],
        "instructions": stretch.instructions,
        "mix": dict(stretch.mix),
        "issue_cycles": stretch.issue_cycles,
        "pipe_cycles": stretch.pipes,
        "latency_cycles": stretch.latency_cycles,
        "barriers": len(stretch.segments) - 1,
        "loads_in_flight": stretch.in_flight,
        "cycles": cycles,
        "bound": bound,
        "passes": kernel.time.times[n].passes if kernel.time else None,
        "loads": [
            {
                "opcode": load.opcode,
                "space": load.space,
                "address": load.address,
                **_place(load.location),
                "instructions_to_use": load.instructions,
                "cycles_to_use": load.cycles,
            }
            for load in stretch.loads
        ],
    }


def _kernel(kernel: KernelCode, clock_hz: float | None) -> dict[str, Any]:
    code, time, cache = kernel.code, kernel.time, kernel.code.instruction_cache
    return {
        "name": code.entry,
        "registers": kernel.resources.registers if kernel.resources else None,
        "spill_bytes": kernel.resources.spill_stores + kernel.resources.spill_loads if kernel.resources else None,
        "code_bytes": code.code_bytes,
        "instruction_cache_bytes": cache[0] if cache else None,
        "instruction_cache_source": cache[1] if cache else None,
        "mix": code.mix,
        "tensor": list(code.tensor),
        "local": [{**_place(row.location), "loads": row.loads, "stores": row.stores} for row in code.local],
        "blocks_per_sm": kernel.blocks_per_sm,
        "warps_per_scheduler": kernel.blocks_per_sm * kernel.warps_of_block,
        "stretches": [_stretch(kernel, n) for n in range(len(code.stretches))],
        "time": None
        if time is None
        else {
            "cycles": time.cycles,
            "seconds": time.cycles / clock_hz if clock_hz else None,
            "bound": time.bound,
            "waves": time.waves,
            "memory_bytes": time.memory_bytes,
            "memory_cycles": time.memory_cycles,
        },
        "no_time": kernel.no_time,
    }


def sass_json(report: SassReport) -> dict[str, Any]:
    """The document of one report. Everything in it is predicted."""
    return {
        "schema": 1,
        "provenance": {"kind": PREDICTED, "detail": "loop model"},
        "source": shown_path(report.source),
        "arch": report.arch,
        "chip": report.chip or None,
        "shape": dict(report.shape),
        "tensor": report.tensor,
        "kernels": [_kernel(kernel, report.clock_hz) for kernel in report.kernels],
        "sources": SOURCES,
    }


def line_ranges(places: Iterable[Location], known: str = "") -> str:
    """`a.cu: 3-7, 12`: the lines of one file after another; without the name of the one that is `known`."""
    files: dict[str, list[int]] = {}
    for place in places:
        lines = files.setdefault(shown_path(place.file), [])
        if place.line not in lines:
            lines.append(place.line)
    out = []
    for file, lines in files.items():
        runs: list[list[int]] = []
        for line in sorted(lines):
            if runs and line == runs[-1][1] + 1:
                runs[-1][1] = line
            else:
                runs.append([line, line])
        name = "" if file == known else file.rsplit("/", 1)[-1] + ": "
        out.append(name + ", ".join(f"{a}-{b}" if b > a else f"{a}" for a, b in runs))
    return "; ".join(out) or "-"


def _line(place: Location, known: str) -> str:
    file = shown_path(place.file)
    return f"line {place.line}" + ("" if file == known else f" of {file.rsplit('/', 1)[-1]}")


def _names(code: MachineCode) -> list[str]:
    """ "-" for the code outside of loops, then 1, 2, 2.1, ...: how loops lie in one another."""
    names, counts = ["-"], dict[str, int]()
    for stretch in code.loops:
        outer = names[stretch.parent] + "." if stretch.parent else ""
        counts[outer] = counts.get(outer, 0) + 1
        names.append(f"{outer}{counts[outer]}")
    return names


def _table(kernel: KernelCode, file: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="underline")
    table.add_column("loop")
    lines = [line_ranges(stretch.lines, file) for stretch in kernel.code.stretches]
    table.add_column("lines", overflow="fold", min_width=min(20, max(len(w) for text in lines for w in text.split())))
    for heading in ("instr", "issue", "busiest pipe", "alone", "in flight", "passes", "cycles", "bound"):
        table.add_column(heading, justify="right")
    for n, (name, stretch) in enumerate(zip(_names(kernel.code), kernel.code.stretches, strict=True)):
        pipe, busy = max(stretch.pipes.items(), key=lambda row: row[1], default=("-", 0.0))
        cycles, bound = stretch.time(kernel.blocks_per_sm, kernel.warps_of_block)
        table.add_row(
            name,
            lines[n],
            str(stretch.instructions),
            f"{stretch.issue_cycles:,}",
            f"{pipe} {busy:,.0f}",
            f"{stretch.latency_cycles:,.0f}",
            str(stretch.in_flight),
            "-" if kernel.time is None else f"{kernel.time.times[n].passes:,.4g}",
            f"{cycles:,.0f}",
            bound,
        )
    return table


def _uses(name: str, stretch: Stretch, file: str) -> list[str]:
    """The nearest use of what each line of a loop loads, a sentence per line."""
    nearest: dict[tuple[Location, str], LoadUse] = {}
    for load in stretch.loads:
        known = nearest.get((load.location, load.space))
        if load.instructions is not None and (known is None or load.instructions < (known.instructions or 0)):
            nearest[load.location, load.space] = load
    return [
        f"loop {name}, {_line(place, file)}: {load.opcode}, first use after {load.instructions} other "
        f"instructions ({load.cycles} cycles of issue)"
        for (place, _), load in nearest.items()
    ]


def _kernel_words(console: Console, report: SassReport, kernel: KernelCode) -> None:
    code, time = kernel.code, kernel.time
    show(console, (code.entry, "bold"), f"  {report.arch}, everything below is predicted")
    cache = code.instruction_cache
    size = f"{cache[0]:,} bytes ({cache[1]})" if cache else "unknown, no source"
    registers = f"{kernel.resources.registers} registers, " if kernel.resources else ""
    lines = [
        f"{registers}{code.code_bytes:,} bytes of code; instruction cache of {report.arch}: {size}",
        "mix: " + ", ".join(f"{name} {count}" for name, count in code.mix.items()),
    ]
    if time is not None:
        at = f" = {1e6 * time.cycles / report.clock_hz:,.3g} us at {report.clock_hz / 1e6:,.0f} MHz"
        lines.append(
            f"{time.cycles:,.0f} cycles{at if report.clock_hz else ''} on {report.chip}, bound by {time.bound}: "
            f"{time.blocks_per_sm} block{'s' * (time.blocks_per_sm > 1)} per SM, "
            f"{time.warps_per_scheduler:.3g} warps per scheduler, {time.waves:.3g} waves"
        )
    elif kernel.no_time:
        lines.append(f"no time of the whole kernel: {kernel.no_time}")
    for text in lines:
        for line in wrapped(text, console.width, "", "  "):
            show(console, line)
    console.print()
    # One file is named once.
    files = list(dict.fromkeys(shown_path(place.file) for stretch in code.stretches for place in stretch.lines))
    file = files[0] if len(files) == 1 else ""
    if file:
        show(console, file)
    console.print(_table(kernel, file))
    uses = [row for n, s in zip(_names(code), code.stretches, strict=True) if s.depth for row in _uses(n, s, file)]
    local = [f"{_line(r.location, file)}: {r.loads} loads, {r.stores} stores" for r in code.local]
    for title, rows in (("From load to use", uses), ("Local memory, in instructions", local)):
        if rows:
            console.print()
            show(console, (title, "bold"))
            for row in rows:
                show(console, f"  {row}")


def render_sass(console: Console, report: SassReport) -> None:
    """Every kernel: size and mix, a row per loop, how far uses are from loads, local traffic."""
    for kernel in report.kernels:
        _kernel_words(console, report, kernel)
        console.print()
    show(console, report.tensor)
