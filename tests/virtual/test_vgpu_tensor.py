"""Matrix instructions under the safety checks: whole warps only, rows of shared memory, fragments in their place."""

from __future__ import annotations

import numpy as np
import pytest

from tests.virtual.engines import artifact
from warpgauge.arch import short_sums
from warpgauge.build.nvdisasm import disassemble
from warpgauge.build.nvjitlink import assemble
from warpgauge.evidence import Execution
from warpgauge.sass import parse_sass
from warpgauge.vgpu import GlobalMemory, execute

# Each warp multiplies ones with the number of each row; `before` and `guard` decide which lanes take part.
PRODUCT = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p;
    .reg .b32 %r<16>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 16;
    add.u64 %rd1, %rd1, %rd2;
    mov.b32 %r2, 0x3c003c00;
    mov.f32 %f0, 0f00000000;
    mov.f32 %f1, %f0;
    mov.f32 %f2, %f0;
    mov.f32 %f3, %f0;
    setp.lt.u32 %p, %r1, {limit};
    {before}
    {guard} mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f0, %f1, %f2, %f3}}, {{%r2, %r2, %r2, %r2}}, {{%r2, %r2}}, {{%f0, %f1, %f2, %f3}};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f0, %f1, %f2, %f3}}, {{%r2, %r2, %r2, %r2}}, {{%r2, %r2}}, {{%f0, %f1, %f2, %f3}};
AFTER:
    st.global.v4.f32 [%rd1], {{%f0, %f1, %f2, %f3}};
    ret;
}}
"""  # noqa: E501


def launch(text: str, threads: int, count: int, mode: str = "shadow") -> tuple[Execution, np.ndarray]:
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(count, np.uint32))
    execution = execute(
        artifact(text), "k", grid=(1, 1, 1), block=(threads, 1, 1), arguments=[out], memory=memory, mode=mode
    )
    assert execution.completed, execution.stopped
    return execution, memory.read("out")


@pytest.mark.parametrize(
    ("threads", "changes", "lacks"),
    [
        (64, {}, False),
        (64, {"guard": "@%p", "limit": 32}, False),  # one warp or the other as a whole
        (64, {"guard": "@%p", "limit": 40}, True),
        (64, {"before": "@!%p bra AFTER;", "limit": 40}, True),
        (64, {"before": "@!%p exit;", "limit": 63}, True),
        (40, {}, True),
        (64, {"before": "bra.uni NEXT;\nNEXT:"}, False),
        (64, {"before": "@!%p bra NEXT; add.u32 %r3, %r1, 1;\nNEXT:", "limit": 9}, False),  # parted, and together again
    ],
    ids=["whole", "whole by guard", "guard", "branch", "exit", "part of a warp", "jump", "parted before"],
)
def test_a_product_needs_its_whole_warp(threads: int, changes: dict[str, object], lacks: bool) -> None:
    text = PRODUCT.format(**{"before": "", "guard": "", "limit": 1000, **changes})
    execution, out = launch(text, threads, 4 * 64)
    assert [(f.code, f.count) for f in execution.faults] == [("SAF608", 1)] * lacks, execution.faults
    assert all("of its warp only" in f.message for f in execution.faults)
    if not lacks and "guard" not in changes:
        assert set(out.view(np.float32)[: 4 * threads].tolist()) == {32.0}


# Warp w stores its number's matrix at 256 w; then every warp reads the other's.
STORE = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<16>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 sm[256];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, sm;
    and.b32 %r3, %r1, 7;
    shl.b32 %r3, %r3, 4;
    add.u32 %r2, %r2, %r3;
    shr.u32 %r4, %r1, 5;
    mad.lo.u32 %r5, %r4, {stride}, %r2;
    stmatrix.sync.aligned.m8n8.x1{trans}.shared.b16 [%r5+{offset}], {{%r1}};
    {wait}
    xor.b32 %r4, %r4, 1;
    mad.lo.u32 %r5, %r4, {stride}, %r2;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r6}}, [%r5+{read}];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r6;
    ret;
}}
"""


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, set()),
        ({"trans": ".trans"}, set()),
        ({"wait": ""}, {"SAF601", "SAF605"}),
        ({"stride": 64}, {"SAF601"}),  # rows 4 to 7 of one warp are rows 0 to 3 of the other
        ({"offset": 8}, {"SAF607"}),
        ({"offset": 144}, {"SAF604", "SAF605"}),
        ({"read": 8}, {"SAF607"}),
    ],
    ids=["clean", "transposed", "no barrier", "two writers", "misaligned", "past the end", "misaligned load"],
)
def test_stored_rows_are_checked(changes: dict[str, object], codes: set[str]) -> None:
    text = STORE.format(**{"stride": 128, "offset": 0, "read": 0, "wait": "bar.sync 0;", "trans": "", **changes})
    execution, out = launch(text, 64, 64)
    assert {f.code for f in execution.faults} >= codes, [f.message for f in execution.faults]
    assert bool(execution.faults) == bool(codes), [f.message for f in execution.faults]
    line = next(n for n, words in enumerate(text.splitlines(), 1) if "stmatrix" in words)
    (site,) = [s for s in execution.sites if s.ptx_line == line]
    assert (site.op, site.bytes_per_lane, site.requests) == ("store", 16, 2)
    if codes:
        return
    words = np.arange(64, dtype=np.uint32).reshape(2, 32)[::-1].copy()
    halves = words.view(np.uint16).reshape(2, 8, 8)
    want = halves.transpose(0, 2, 1) if changes else halves
    assert np.array_equal(out.view(np.uint16).reshape(2, 8, 8), want)


def test_a_fragment_in_the_wrong_registers_changes_the_result() -> None:
    """The halves of A's rows swapped: each row of the result lies eight rows off."""
    text = PRODUCT.format(before="mul.lo.u32 %r3, %r2, 2;", guard="", limit=0)
    right = text.replace("{%r2, %r2, %r2, %r2}", "{%r2, %r3, %r2, %r3}")
    wrong = text.replace("{%r2, %r2, %r2, %r2}", "{%r3, %r2, %r3, %r2}")
    first, second = (launch(t, 32, 128, "count")[1].view(np.float32).reshape(32, 4) for t in (right, wrong))
    assert np.array_equal(first[:, :2], second[:, 2:]) and np.array_equal(first[:, 2:], second[:, :2])
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("arch", "types", "words"),
    [
        ("sm_89", "f32.e4m3.e5m2.f32", "sm_89 may keep about 14 bits"),
        ("sm_90", "f32.e4m3.e5m2.f32", ""),
        ("sm_90", "s32.s8.s8.s32", ""),
    ],
)
def test_sums_that_hardware_keeps_shorter_are_said(arch: str, types: str, words: str) -> None:
    text = PRODUCT.format(before="", guard="", limit=0).replace("m16n8k16", "m16n8k32")
    text = text.replace("f32.f16.f16.f32", types)
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(128, np.uint32))
    execution = execute(
        artifact(text, arch), "k", grid=(1, 1, 1), block=(32, 1, 1), arguments=[out], memory=memory, mode="run"
    )
    assert execution.completed and (words in execution.caveat) and bool(execution.caveat) == bool(words)


@pytest.mark.parametrize(("arch", "own"), [("sm_89", True), ("sm_90a", False), ("sm_100a", False), ("sm_120", True)])
def test_the_bound_of_fp8_sums_is_that_of_the_instruction_that_ptxas_uses(arch: str, own: bool) -> None:
    """Without one of its own, FP8 becomes f16 and is summed as f16 is."""
    text = PRODUCT.format(before="", guard="", limit=0).replace("m16n8k16", "m16n8k32")
    text = (
        text.replace("f32.f16.f16.f32", "f32.e4m3.e5m2.f32")
        .replace("sm_90", arch)
        .replace(".version 8.6", ".version 9.0")
    )
    made = assemble(text.encode(), "product.ptx", [f"-arch={arch}"])
    assert made.ok, made.log
    opcodes = {i.opcode for i in parse_sass(disassemble(made.cubin)) if "MMA" in i.opcode}
    assert opcodes == ({"QMMA"} if own else {"HMMA"})
    assert short_sums(int(arch.removeprefix("sm_").rstrip("a")), "e4m3") is own
