"""Loops of machine code, on listings whose loops are plain to see and on compiled kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.sass import innermost, loops_of, parse_sass


def listing(code: str) -> str:
    """nvdisasm's form; a line that ends in a colon is a label."""
    rows, address = ['\t.section\t.text.k,"ax",@progbits', ".text.k:"], 0
    for row in map(str.strip, code.strip().splitlines()):
        if row.endswith(":"):
            rows.append(row)
            continue
        rows.append(f"        /*{address:04x}*/                   {row} ;")
        address += 16
    return "\n".join(rows) + "\n"


def found(code: str) -> list[tuple[int, int, int, int | None]]:
    """(head, branch, depth, parent) of each loop."""
    return [(loop.head, loop.branch, loop.depth, loop.parent) for loop in loops_of(listing(code), "k")]


def test_nested_loops() -> None:
    code = """
        MOV R1, RZ
        .L_x_0:
        MOV R2, RZ
        .L_x_1:
        FADD R3, R3, R2
        @P0 BRA `(.L_x_1)
        IADD3 R1, R1, 0x1, RZ
        @P1 BRA `(.L_x_0)
        EXIT
        .L_x_2:
        BRA `(.L_x_2)
    """
    assert found(code) == [(1, 5, 1, None), (2, 3, 2, 0)]
    loops = loops_of(listing(code), "k")
    assert innermost(loops) == (loops[1],)
    assert (loops[0].body, loops[1].body) == ((1, 2, 3, 4, 5), (2, 3))


def test_a_continue_is_the_same_loop() -> None:
    code = """
        .L_x_0:
        FADD R3, R3, R2
        @P0 BRA `(.L_x_0)
        FADD R4, R4, R2
        @P1 BRA `(.L_x_0)
        EXIT
    """
    assert found(code) == [(0, 3, 1, None)]


def test_the_way_back_from_code_behind_the_end_is_no_loop() -> None:
    """A slow path that a branch leads to, and one that only lanes that came apart take, in and outside of a loop."""
    slow = """
        @P0 BRA `(.L_x_1)
        FADD R3, R3, R2
        .L_x_0:
        STG.E [R4.64], R3
        EXIT
        .L_x_1:
        FMUL R3, R3, R2
        BRA `(.L_x_0)
    """
    assert found(slow) == []
    apart = """
        .L_x_3:
        BRA.DIV UR4, `(.L_x_1)
        SHFL.DOWN PT, R3, R3, 0x1, 0x1f
        .L_x_0:
        FADD R3, R3, R2
        @P0 BRA `(.L_x_3)
        EXIT
        .L_x_1:
        WARPSYNC.COLLECTIVE R5, `(.L_x_2)
        .L_x_2:
        SHFL.DOWN P0, R3, R3, R4, R5
        BRA `(.L_x_0)
    """
    (loop,) = loops_of(listing(apart), "k")
    assert loop.body == (0, 1, 2, 3)


@pytest.mark.parametrize(
    "branch", ["@P0 BRA `(.L_x_0)", "BRA.U UP0, `(.L_x_0)", '@P1 BRX R4 -0x80 (*"BRANCH_TARGETS .L_x_0,.L_x_1"*)']
)
def test_every_kind_of_branch(branch: str) -> None:
    assert found(f".L_x_0:\nFADD R3, R3, R2\n{branch}\n.L_x_1:\nEXIT") == [(0, 1, 1, None)]


def test_loops_of_a_subroutine() -> None:
    code = """
        CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div)
        EXIT
        $__internal_0_$__cuda_sm3x_div:
        FADD R3, R3, R2
        .L_x_0:
        FADD R3, R3, R2
        @P0 BRA `(.L_x_0)
        RET.REL.NODEC R2 `(k)
        .L_x_1:
        BRA `(.L_x_1)
    """
    assert found(code) == [(3, 4, 1, None)]


def test_a_label_before_what_never_executes() -> None:
    assert found(".L_x_0:\n@!PT LDS RZ, [RZ]\nFADD R3, R3, R2\n@P0 BRA `(.L_x_0)\nEXIT") == [(0, 1, 1, None)]


SOURCE = """
__global__ void nested(float* x, const float* y, int n, int m) {
    for (int i = 0; i < n; ++i) {
        float s = 0.f;
        int k = 0;
        #pragma unroll 1
        do s += y[k * n + i]; while (++k < m);
        x[i] = s;
    }
}
__global__ void unrolled(float* x) {
    float s = 0.f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) s += x[k];
    x[0] = s;
}
__global__ void apart(float* x, int n) {
    float s = x[threadIdx.x];
    if (threadIdx.x < n) {
        #pragma unroll
        for (int o = 16; o >= 1; o /= 2) s += __shfl_down_sync(~0u, s, o);
    }
    x[threadIdx.x] = s / x[n];
}
"""


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120"])
def test_loops_of_compiled_kernels(tmp_path: Path, arch: str) -> None:
    source = tmp_path / "k.cu"
    source.write_text(SOURCE)
    build = compile_source(source, arch=arch, entries=["nested", "unrolled", "apart"])
    symbol = build.lowered["nested"]
    code = list(parse_sass(build.sass, symbol))
    nested = loops_of(build.sass, symbol)
    assert [loop.depth for loop in nested] == [1, 2]
    assert any(code[n].opcode == "LDG" for n in nested[1].body)
    assert not any(code[n].opcode == "STG" for n in nested[1].body)
    assert all(loops_of(build.sass, build.lowered[name]) == () for name in ("unrolled", "apart"))
