"""ldmatrix under the safety checks: each supplying lane reads a row of 16 bytes of shared memory."""

from __future__ import annotations

import numpy as np
import pytest

from tests.virtual.engines import artifact
from warpgauge.vgpu import GlobalMemory, execute

# 64 threads fill 1024 bytes; both warps load matrices whose rows the other warp wrote.
KERNEL = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 sm[1024];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 4;
    mov.u32 %r3, sm;
    add.u32 %r2, %r2, %r3;
    setp.lt.u32 %p, %r1, {writers};
    @%p st.shared.v4.b32 [%r2], {{%r1, %r1, %r1, %r1}};
    {wait}
    xor.b32 %r4, %r1, 63;
    shl.b32 %r4, %r4, 4;
    add.u32 %r4, %r4, %r3;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r5}}, [%r4+{offset}];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r5;
    ret;
}}
"""


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, set()),
        ({"wait": ""}, {"SAF601", "SAF605"}),  # warp 0 comes before warp 1's stores, warp 1 after warp 0's
        ({"writers": 30}, {"SAF605"}),
        ({"offset": 16}, {"SAF604"}),
        ({"offset": -8}, {"SAF607"}),
    ],
    ids=["clean", "no barrier", "rows never written", "past the end", "misaligned"],
)
def test_matrix_rows_are_checked(changes: dict[str, object], codes: set[str]) -> None:
    text = KERNEL.format(**{"writers": 64, "wait": "bar.sync 0;", "offset": 0, **changes})
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(64, np.uint32))
    execution = execute(artifact(text), "k", grid=(1, 1, 1), block=(64, 1, 1), arguments=[out], memory=memory)
    line = next(n for n, words in enumerate(text.splitlines(), 1) if "ldmatrix" in words)
    assert {f.code for f in execution.faults} == codes, [f.message for f in execution.faults]
    assert all(s.bytes_per_lane == 16 and s.requests == 2 for s in execution.sites if s.ptx_line == line)
    if not codes:
        want = [63 - 32 * (t // 32) - t % 32 // 4 for t in range(64)]
        assert memory.read("out").tolist() == want
