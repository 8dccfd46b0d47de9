"""Predicted and read counters as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from warpgauge.diagnostics.terminal import show, wrapped
from warpgauge.evaluate.truth import Reading


def render_truth(console: Console, rows: Sequence[Reading], *, differences_only: bool = False) -> None:
    """A line per counter (kernel, counter, predicted, read), then how many are equal."""
    shown = [row for row in rows if not (differences_only and row.equal)]
    kernel = max([len(row.kernel) for row in shown] + [len("kernel")])
    counter = max([len(row.counter) for row in shown] + [len("counter")])
    show(console, (f"{'kernel':<{kernel}} {'counter':<{counter}} {'predicted':>12} {'read':>12}", "bold"))
    for row in shown:
        predicted = "-" if row.predicted is None else f"{row.predicted:,}"
        text = f"{row.kernel:<{kernel}} {row.counter:<{counter}} {predicted:>12} {row.read:>12,}"
        show(console, text, *(() if row.equal else (("  differs", "bold red"),)))
    for kernel_name, stopped in dict.fromkeys((row.kernel, row.stopped) for row in rows if row.stopped):
        for line in wrapped(f"{kernel_name} was not executed: {stopped}", console.width, "", "  "):
            show(console, (line, "yellow"))
    equal = sum(row.equal for row in rows)
    kernels = len({(row.group, row.kernel) for row in rows})
    show(console, f"{equal} of {len(rows)} readings of {kernels} kernels are equal")
