"""`bar.red` gives its result to the lanes that executed it, not to those that reach the next block by a branch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.virtual.engines import run_both

HEAD = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %d<4>;
ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;
setp.lt.u32 %p0, %r0, 16; mov.u32 %r3, 77;
"""
TAIL = "L: st.global.u32 [%d2], %r3; ret;\n}\n"
BODIES = {
    "all branch past": "mov.u32 %r2, 5; setp.eq.u32 %p1, %r2, 5; @%p1 bra L; bar.red.popc.u32 %r3, 0, %p0;\n",
    "one warp branches past": "setp.ge.u32 %p1, %r0, 32; @%p1 bra L; bar.red.popc.u32 %r3, 1, 32, %p0;\n",
    "nobody branches": "bar.red.popc.u32 %r3, 0, %p0;\n",
    "guarded": "setp.lt.u32 %p1, %r0, 32; @%p1 bar.red.popc.u32 %r3, 1, 32, %p0;\n",
}
WANT = {
    "all branch past": [77] * 64,
    "one warp branches past": [16] * 32 + [77] * 32,
    "nobody branches": [16] * 64,
    "guarded": [16] * 32 + [77] * 32,
}


@pytest.mark.parametrize("name", BODIES)
def test_only_comers_take_the_result(name: str) -> None:
    buffers = {"out": np.zeros(64, np.uint32)}
    both = run_both(HEAD + BODIES[name] + TAIL, "k", buffers, grid=(1, 1, 1), block=(64, 1, 1))
    assert both.buffers["out"].tolist() == WANT[name]
    assert np.array_equal(both.oracle.buffers["out"], both.buffers["out"])
