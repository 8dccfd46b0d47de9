"""The table of needs as a page: `python -m warpgauge.ptx.needs_document > docs/needs.md`."""

from __future__ import annotations

from .mma_shapes import MMA_SHAPES
from .needs_table import DIRECTIVES, NEEDS

_HEAD = """# What a kernel needs of an architecture

<!-- Written by `python -m warpgauge.ptx.needs_document`; a test compares. Change the rows, not this page. -->

`warpgauge check` says which architectures can hold a candidate, and why the others cannot:

```
needs sm_80 or newer: cp.async (line 12), bf16 mma (lines 30, 31)
gemm: 98,304 bytes of shared memory per block, above the default of 49,152: a host program has to set
  cudaFuncAttributeMaxDynamicSharedMemorySize
as built for sm_80, these can hold it: sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_120, sm_121
```

`--json` has it under `needs`: every construct with its line, and a row per known architecture with the reason why it
cannot hold the candidate (a construct, shared memory per block, registers, clusters). It is read off the build for
the problem's architecture. Code behind a test of `__CUDA_ARCH__` may need something else elsewhere, and registers
differ between architectures: to be sure, check with `--arch`.

A build that fails because the architecture is too old says so in the same words (SRC801), with the line and what to
change.

## Constructs

Every row is assembled by the tests for every target, and assembles exactly where it says. A suffix `a` marks code
that runs on that one architecture only, `f` code that runs on its family. Where the last column names somebody, the
compiler or a header of the toolkit writes other instructions for an older target: then only inline assembly by the
author needs the architecture.

| construct | needs | elsewhere replaced by |
| --- | --- | --- |
"""
_SHAPES = """
## Shapes of mma.sync

Dense products; `m16n16k16` is a shape of `wmma`, not of `mma`.

| factors | shape (since) | accumulators |
| --- | --- | --- |
"""


def page() -> str:
    """The whole page, Markdown."""
    rows = sorted((*NEEDS, next(iter(DIRECTIVES.values()))), key=lambda row: (row.since, bool(row.targets)))
    lines = [f"| {row.name} | {row.words} | {f'the {row.writer}' if row.writer else '-'} |" for row in rows]
    shapes = [
        f"| {name} | {', '.join(f'{shape} (sm_{since})' for shape, since in row.shapes.items())} | "
        f"{', '.join(row.accumulators)} |"
        for name, row in MMA_SHAPES.items()
    ]
    return _HEAD + "\n".join(lines) + "\n" + _SHAPES + "\n".join(shapes) + "\n"


if __name__ == "__main__":
    print(page(), end="")
