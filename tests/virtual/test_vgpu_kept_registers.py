"""Registers that a basic block writes for some lanes only, so many that calls write them to the warp's state."""

from __future__ import annotations

import numpy as np
import pytest

from tests.virtual.engines import artifact
from warpgauge.vgpu import GlobalMemory, execute
from warpgauge.vgpu.keep import MANY

COUNT = MANY + 3
KERNEL = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .{kind} %v<{count}>, %s;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    cvt.u{bits}.u32 %s, %r1;
    {before}
    and.b32 %r2, %r1, 3;
    setp.ne.u32 %p, %r2, 0;
    @%p bra JOIN;
    {inside}
JOIN:
    mov.{kind} %s, 0;
    {after}
    mul.wide.u32 %rd2, %r1, {size};
    add.u64 %rd1, %rd1, %rd2;
    st.global.{kind} [%rd1], %s;
    ret;
}}
"""


@pytest.mark.parametrize(("bits", "same"), [(32, True), (32, False), (64, True)])
def test_lanes_that_go_around_keep_their_values(bits: int, same: bool) -> None:
    """`same`: one constant for all registers, a run of one call; else one each."""
    values = [7 if same else 7 + 5 * n for n in range(COUNT)]
    text = KERNEL.format(
        kind=f"b{bits}",
        bits=bits,
        size=bits // 8,
        count=COUNT,
        before="\n    ".join(f"add.u{bits} %v{n}, %s, {n};" for n in range(COUNT)),
        inside="\n    ".join(f"mov.b{bits} %v{n}, {value};" for n, value in enumerate(values)),
        after="\n    ".join(f"mad.lo.u{bits} %s, %s, 3, %v{n};" for n in range(COUNT)),
    )
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(40, f"u{bits // 8}"))
    execution = execute(artifact(text), "k", grid=(1, 1, 1), block=(40, 1, 1), arguments=[out], memory=memory)
    assert execution.completed and not execution.faults
    expected = []
    for lane in range(40):
        total = 0
        for n in range(COUNT):
            total = 3 * total + (values[n] if lane % 4 == 0 else lane + n)
        expected.append(total % 2**bits)
    assert memory.read("out").tolist() == expected
