"""How arrays lie in memory, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from warpgauge.diagnostics.terminal import show, wrapped
from warpgauge.problem.describe import Described

Answer = tuple[str, Described, tuple[str, ...]]


def layout_json(answers: Sequence[Answer]) -> dict[str, Any]:
    """A row per array; `objections` says why a kernel may not be given it."""
    return {
        "schema": 1,
        "tensors": [
            {
                "name": name,
                "verdict": "FAIL" if against else "PASS",
                "dtype": found.dtype,
                "shape": list(found.shape),
                "strides": list(found.strides),
                "order": found.order,
                "leading_dimension": found.leading_dimension,
                "alignment": found.alignment,
                "device": found.device,
                "objections": list(against),
                "fix": found.fix if against else "",
            }
            for name, found, against in answers
        ],
    }


def render_layout(console: Console, name: str, found: Described, against: Sequence[str]) -> None:
    """One array: verdict, numbers, what they amount to, why not, what to do."""
    style = "bold red" if against else "bold green"
    show(console, (f"{name}  ", "bold"), ("FAIL" if against else "PASS", style))
    lines = [
        f"{found.dtype}, shape {list(found.shape)}, strides {list(found.strides)} elements"
        + (f", on {found.device}" if found.device else ""),
        found.words,
    ]
    if found.leading_dimension is not None:
        lines.append(f"leading dimension {found.leading_dimension}")
    if found.alignment is not None:
        lines.append(f"every row starts aligned to {found.alignment} bytes: so wide may a vector be")
    lines += [f"not as asked: {reason}" for reason in against]
    if against and found.fix:
        lines.append(f"help: {found.fix}")
    for line in lines:
        for part in wrapped(line, console.width, "  ", "    "):
            show(console, part)
