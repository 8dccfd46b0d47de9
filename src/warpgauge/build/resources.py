"""ptxas's `-v` report -> one `KernelResources` per kernel."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from warpgauge.evidence import KernelResources

_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_PROPERTIES = re.compile(r"Function properties for (\S+)")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
#: Figures of the "Used ..." line: field name -> pattern. A figure that the line leaves out is zero.
_FIGURES = {
    "barriers": re.compile(r"used (\d+) barriers"),
    "static_shared": re.compile(r"(\d+) bytes smem"),
    "constant": re.compile(r"(\d+) bytes cmem\[\d+\]"),
    "stack_frame": re.compile(r"(\d+) bytes cumulative stack size"),
}
_TIMES = re.compile(r"^ptxas info\s*: Compile time = .*\n?", re.MULTILINE)


def parse_resources(log: str) -> dict[str, KernelResources]:
    """Keyed by symbol. Spills of functions that ptxas did not inline are not attributed to the kernels that call them;
    the stack frame is the cumulative one where ptxas prints it."""
    found: dict[str, KernelResources] = {}
    entry = owner = ""
    for line in log.splitlines():
        if not line.startswith("ptxas"):
            continue
        if match := _ENTRY.search(line):
            entry = owner = match[1]
            found[entry] = KernelResources(entry, 0, 0, 0, 0, 0)
        elif match := _PROPERTIES.search(line):
            owner = match[1]
        elif owner not in found:
            continue
        elif match := _FRAME.search(line):
            frame, stores, loads = map(int, match.groups())
            found[owner] = replace(found[owner], stack_frame=frame, spill_stores=stores, spill_loads=loads)
        elif match := _USED.search(line):
            figures: dict[str, Any] = {name: sum(map(int, pattern.findall(line))) for name, pattern in _FIGURES.items()}
            figures["stack_frame"] = max(figures["stack_frame"], found[owner].stack_frame)
            found[owner] = replace(found[owner], registers=int(match[1]), **figures)
    return found


def without_times(log: str) -> str:
    """The log without ptxas's own timings, so that equal builds give equal logs."""
    return _TIMES.sub("", log + "\n").rstrip()
