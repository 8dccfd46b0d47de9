"""Instruction classes, on what the compiler makes of source that asks for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.sass import parse_sass
from warpgauge.sass.classes import CLASSES, class_of, mix, space_of
from warpgauge.sass.pipes import Machine

SOURCE = """
#include <cuda_pipeline.h>
extern "C" __global__ void plain(const float* x, float* y, int n) {
  __shared__ float s[256];
  float held[32];
  for (int i = 0; i < 32; ++i) held[i] = 0.f;
  for (int i = 0; i < n; ++i) held[(i * n) % 32] += x[i];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x ^ 1] * 2.f + held[n % 32] + held[(n + threadIdx.x) % 32];
}
extern "C" __global__ void toward_zero(float* x) { *x = __fmaf_rz(x[0], x[1], x[2]); }
extern "C" __global__ void copies(const float4* x, float4* y) {
  __shared__ float4 s[32];
  __pipeline_memcpy_async(s + threadIdx.x, x + threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = s[threadIdx.x ^ 1];
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("classes") / "k.cu"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_120"])
def test_spaces(source: Path, arch: str) -> None:
    """LDG and STG are global, LDS and STS shared, LDL and STL local; LDGSTS copies, and FFMA.RZ is a rounding mode."""
    sass = compile_source(source, arch=arch).sass
    found = {(i.opcode, space_of(i)) for i in parse_sass(sass, "plain") if class_of(i).pipes == ("lsu",)}
    assert {("LDG", "global"), ("STG", "global"), ("LDS", "shared"), ("STS", "shared"), ("LDL", "local")} <= found
    assert ("STL", "local") in found
    rounding = [str(i) for i in parse_sass(sass) if i.opcode == "FFMA" and "RZ" in i.modifiers]
    assert len(rounding) == 1
    assert any(i.opcode == "FFMA" and "RZ" in i.modifiers for i in parse_sass(sass, "toward_zero"))
    assert mix(parse_sass(sass, "copies"))["async copy"] >= 1


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120"])
def test_every_opcode_of_the_kernels_at_hand_has_a_row(arch: str) -> None:
    truth = Path(__file__).parents[1] / "truth"
    for name in ("realistic.cu", "micro_vector.cu", "micro.cu"):
        sass = compile_source(truth / name, arch=arch).sass
        assert {i.opcode for i in parse_sass(sass)} <= CLASSES.keys()


def _cycles(arch: str, text: str, pipe: str) -> float | None:
    (i,) = parse_sass(f'\t.section\t.text.k,"ax",@progbits\n        /*0000*/                   {text} ;\n')
    assert pipe in class_of(i).pipes
    return Machine.of(arch).interval(i, pipe)


@pytest.mark.parametrize(
    ("arch", "text", "pipe", "cycles"),
    [
        ("sm_80", "FFMA R1, R2, R3, R4", "fma", 2),
        ("sm_90a", "FFMA R1, R2, R3, R4", "fma", 1),
        ("sm_90a", "IMAD R1, R2, R3, R4", "imad", 2),
        ("sm_90a", "MUFU.SIN R1, R2", "xu", 8),
        ("sm_90a", "DFMA R2, R4, R6, R8", "fp64", 2),
        ("sm_120", "DFMA R2, R4, R6, R8", "fp64", 64),
        ("sm_87", "DFMA R2, R4, R6, R8", "fp64", None),
        ("sm_80", "HFMA2 R1, R2, R3, R4", "fp16", 1),
        ("sm_90a", "LDS R1, [R2]", "lsu", 4),
        ("sm_80", "HMMA.16816.F32 R4, R12, R22, R4", "tensor", 8),
        ("sm_90a", "HMMA.16816.F32 R4, R12, R22, R4", "tensor", 6),
        ("sm_80", "HMMA.1688.F32.TF32 R4, R12, R22, R4", "tensor", 8),
        ("sm_80", "IMMA.16832.S8.S8 R4, R12.ROW, R22.COL, R4", "tensor", 8),
        ("sm_90a", "HGMMA.64x128x16.F32 R24, gdesc[UR4], R24", "tensor", 64),
    ],
)
def test_issue_intervals(arch: str, text: str, pipe: str, cycles: float | None) -> None:
    assert _cycles(arch, text, pipe) == cycles
