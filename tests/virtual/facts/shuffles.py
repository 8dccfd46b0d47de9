"""Warp masks: who must be named, who must come, which lanes may be read, and which widths there are (F-19)."""

from __future__ import annotations

import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np

from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact
from warpgauge.vgpu import GlobalMemory, execute

from .record import Fact

FULL = "0xffffffffu"
_HALVES = "t < 16 ? 0xffffu : 0xffff0000u"
_PARITY = "t % 2 ? 0xaaaaaaaau : 0x55555555u"

# (claim, statements with v, t and n = 12, threads, what is found: "" nothing, "error" or "warning" of SAF608)
ROWS: tuple[tuple[str, str, int, str], ...] = (
    ("a full warp names itself", f"v += __shfl_xor_sync({FULL}, v, 1);", 32, ""),
    ("0x3f leaves 26 callers out", "v += __shfl_xor_sync(0x3fu, v, 1);", 32, "error"),
    ("0xff leaves 24 callers out", "v += __shfl_xor_sync(0xffu, v, 1);", 32, "error"),
    ("0x1ff leaves 23 callers out", "v += __shfl_sync(0x1ffu, v, 0);", 32, "error"),
    ("0x3f where six lanes call", "if (t < 6) v += __shfl_sync(0x3fu, v, 0);", 32, ""),
    ("a mask with holes is fine", "if (t % 2) v += __shfl_xor_sync(0xaaaaaaaau, v, 2);", 32, ""),
    ("two masks at once are fine", f"v += __shfl_xor_sync({_PARITY}, v, 2);", 32, ""),
    ("a mask by ballot is fine",
     f"unsigned m = __ballot_sync({FULL}, t > 7); if (t > 7) v += __shfl_sync(m, v, 9);", 32, ""),
    # A warning where the others end right after it: merged with an early return's, the machine code is the same.
    ("a full mask in divergent code", f"if (t % 2) v += __shfl_xor_sync({FULL}, v, 2);", 32, "warning"),
    (
        "a full mask in divergent code, and more behind it",
        f"if (t % 2) v += __shfl_xor_sync({FULL}, v, 2); __syncwarp(); v += 1;",
        32,
        "error",
    ),
    ("lanes that have exited may be named", f"if (t > 20) return; v += __shfl_sync({FULL}, v, 3);", 32, ""),
    ("lanes that never were may be named", f"v += __shfl_sync({FULL}, v, 3);", 20, ""),
    ("a source that has exited", f"if (t > 20) return; v += __shfl_sync({FULL}, v, 25);", 32, "warning"),
    ("a source that never was", f"v += __shfl_sync({FULL}, v, 25);", 20, "warning"),
    ("a source outside the mask, though it is active", f"v += __shfl_sync({_HALVES}, v, 20);", 32, "warning"),
    ("a source inside the mask", f"v += __shfl_sync({_HALVES}, v, t < 16 ? 3 : 20);", 32, ""),
    ("a source past the segment is the lane itself", f"v += __shfl_down_sync({FULL}, v, 9, 16);", 32, ""),
    *((f"a width of {w}", f"v += __shfl_sync({FULL}, v, 3, {w});", 32, "") for w in (1, 2, 4, 8, 16, 32)),
    *((f"a width of {w}", f"v += __shfl_sync({FULL}, v, 3, {w});", 32, "error") for w in (0, 3, 12, 24, 33, 64)),
    ("a width that is only known at run time", f"v += __shfl_xor_sync({FULL}, v, 1, n);", 32, "error"),
    ("widths of shuffles up", f"v += __shfl_up_sync({FULL}, v, 1, 8);", 32, ""),
    ("odd widths of shuffles up", f"v += __shfl_up_sync({FULL}, v, 1, 10);", 32, "error"),
    ("a vote that leaves callers out", "v += __any_sync(0x3fu, t > 2);", 32, "error"),
    ("a warp barrier that leaves callers out", "__syncwarp(0x3fu);", 32, "error"),
)  # fmt: skip


@cache
def build() -> BuildArtifact:
    head, tail = "(float* p, int n) {\n  int t = threadIdx.x;\n  float v = p[t];\n  ", "\n  p[t] = v;\n}\n"
    kernels = [f'extern "C" __global__ void k{number}{head}{row[1]}{tail}' for number, row in enumerate(ROWS)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "shuffles.cu"
        source.write_text("".join(kernels))
        return compile_source(source, sass=False, cache=False)


def found(number: int) -> set[tuple[str, str]]:
    """(code, "error" or "warning") of what a checked execution of one row finds."""
    memory = GlobalMemory()
    p = memory.add("p", np.arange(32, dtype=np.float32))
    threads = ROWS[number][2]
    execution = execute(build(), f"k{number}", grid=(1, 1, 1), block=(threads, 1, 1), arguments=[p, 12], memory=memory)
    assert execution.completed
    return {(fault.code, "warning" if fault.warning else "error") for fault in execution.faults}


FACTS = tuple(
    Fact("F-19", claim, partial(found, number), {("SAF608", severity)} if severity else set())
    for number, (claim, _, _, severity) in enumerate(ROWS)
)
