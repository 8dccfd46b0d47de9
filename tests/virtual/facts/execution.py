"""How the facts execute their kernels: one file of kernels built once, one launch at a time, plain buffers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact, Execution, Site
from warpgauge.problem.dtypes import Array
from warpgauge.vgpu import GlobalMemory, execute

FOLDER = Path(__file__).parent / "kernels"
INPUT = np.arange(1 << 16, dtype=np.uint8)
OUTPUT_BYTES = 1 << 16


@cache
def built(
    file: str, entries: tuple[str, ...], defines: tuple[tuple[str, int], ...] = (), arch: str = "sm_90"
) -> BuildArtifact:
    """The file's kernels, `entries` where they are templates; disassembled, so that widths are those of the machine."""
    return compile_source(FOLDER / file, entries=entries, defines=dict(defines), arch=arch)


def launched(
    build: BuildArtifact,
    entry: str,
    *more: Array | int,
    block: tuple[int, int, int] = (32, 1, 1),
    grid: tuple[int, int, int] = (1, 1, 1),
    mode: Any = "count",
    a: Array = INPUT,
) -> Execution:
    """One launch with the arguments a (bytes unless given), `more` (arrays become buffers) and out, or a, out, numbers.

    Kernels take `(a, tables..., out, numbers...)`.
    """
    memory = GlobalMemory()
    arguments: list[int] = [memory.add("a", a)]
    arguments += [memory.add(f"table{n}", array) for n, array in enumerate(more) if isinstance(array, np.ndarray)]
    arguments.append(memory.add("out", np.zeros(OUTPUT_BYTES, np.uint8)))
    arguments += [value for value in more if not isinstance(value, np.ndarray)]
    return execute(build, entry, grid=grid, block=block, arguments=arguments, memory=memory, mode=mode)


def marked(build: BuildArtifact, execution: Execution, mark: str) -> Site:
    """The one shared-memory site of a launch at a line that ends in `// mark`."""
    found = [site for site in execution.sites if site.space == "shared" and _line(build, site).endswith(f"// {mark}")]
    (site,) = found
    return site


def _line(build: BuildArtifact, site: Site) -> str:
    return build.sources[site.location.file].splitlines()[site.location.line - 1]


def of_buffer(execution: Execution, buffer: str, op: str = "load") -> Site:
    """The one global site that touches a buffer."""
    (site,) = [
        s for s in execution.sites if s.op == op and s.worst and s.worst.buffer == buffer and s.space == "global"
    ]
    return site
