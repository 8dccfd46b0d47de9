"""Sources that are too new for their architecture: the error names the construct, since when it exists, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.diagnostics import Diagnostic, WarpgaugeError

ASYNC = """\
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float s[128];
  unsigned a = __cvta_generic_to_shared(s);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(a), "l"(in));
  out[threadIdx.x] = s[threadIdx.x];
}
"""
REDUX = """\
extern "C" __global__ void k(int* out) {
  out[0] = __reduce_add_sync(0xffffffff, out[1]);
}
"""
WGMMA = 'extern "C" __global__ void k() {\n  asm volatile("wgmma.fence.sync.aligned;");\n}\n'
BF16_FRAGMENT = """\
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(float* out, __nv_bfloat16* in) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
  wmma::load_matrix_sync(a, in, 16);
  out[0] = a.x[0];
}
"""
SHAPE = """\
extern "C" __global__ void k(unsigned* out) {
  unsigned r = out[0];
  asm volatile("mma.sync.aligned.m16n16k16.row.col.f16.f16.f16.f16 {%0,%0},{%0,%0,%0,%0},{%0,%0},{%0,%0};" : "+r"(r));
  out[1] = r;
}
"""
BF16_SUMS = SHAPE.replace("m16n16k16", "m16n8k16").replace("f16.f16.f16.f16", "bf16.bf16.bf16.bf16")
GUARDED = """\
#if __CUDA_ARCH__ < 900
#error "this kernel is written for Hopper"
#endif
extern "C" __global__ void k(int* out) { out[0] = 1; }
"""


def errors(folder: Path, source: str, arch: str, name: str = "k.cu") -> tuple[Diagnostic, ...]:
    (folder / name).write_text(source)
    with pytest.raises(WarpgaugeError) as caught:
        compile_source(folder / name, arch=arch, cache=False)
    assert {d.code for d in caught.value.diagnostics} == {"SRC801"}
    return caught.value.diagnostics


@pytest.mark.parametrize(
    ("source", "arch", "line", "message", "help"),
    [
        (ASYNC, "sm_75", 4, "cp.async needs sm_80 or newer; this is built for sm_75", '"sm_80"'),
        (REDUX, "sm_75", 2, "redux.sync needs sm_80 or newer; this is built for sm_75", "#if __CUDA_ARCH__ >= 800"),
        (WGMMA, "sm_90", 2, "wgmma needs sm_90a; this is built for sm_90", 'arch = "sm_90a"'),
        (WGMMA, "sm_100a", 2, "wgmma needs sm_90a; this is built for sm_100a", 'arch = "sm_90a"'),
    ],
)
def test_a_construct_that_is_too_new(
    tmp_path: Path, source: str, arch: str, line: int, message: str, help: str
) -> None:
    (error,) = errors(tmp_path, source, arch)
    assert error.message == message and help in error.help
    assert error.primary and (Path(error.primary.location.file).name, error.primary.location.line) == ("k.cu", line)
    assert error.evidence["arch"] == arch and error.evidence["construct"] in message
    compile_source(tmp_path / "k.cu", arch=error.evidence["targets"][0] if error.evidence["targets"] else "sm_80")


def test_what_the_compiler_said_stays(tmp_path: Path) -> None:
    (error,) = errors(tmp_path, BF16_FRAGMENT, "sm_75")
    assert error.message.startswith("bf16 mma needs sm_80 or newer") and error.primary.location.line == 5
    said = [span for span in error.related if span.label.startswith("the compiler says")]
    assert [span.location.line for span in said] == [4] and "incomplete type" in said[0].label


def test_a_guard_of_the_author(tmp_path: Path) -> None:
    (error,) = errors(tmp_path, GUARDED, "sm_80")
    assert "written for Hopper" in error.message and "the same source compiles for sm_90" in error.help


@pytest.mark.parametrize("slip", ["out[0] = undeclared;", "out[0] = 1"])
def test_an_ordinary_mistake_keeps_its_words(tmp_path: Path, slip: str) -> None:
    (error,) = errors(tmp_path, f'extern "C" __global__ void k(int* out) {{\n  {slip}\n}}\n', "sm_80")
    assert ("undeclared" in error.message or "expected" in error.message) and not error.help and not error.evidence


def test_a_shape_that_mma_does_not_have(tmp_path: Path) -> None:
    (error,) = errors(tmp_path, SHAPE, "sm_90")
    assert "Illegal matrix shape '.m16n16k16'" in error.message and error.primary.location.line == 3
    assert "m16n8k16 (sm_80 or newer); m16n16k16 is a shape of wmma" in error.help


def test_an_accumulator_that_mma_does_not_have(tmp_path: Path) -> None:
    (error,) = errors(tmp_path, BF16_SUMS, "sm_90")
    assert error.primary.location.line == 3 and error.help == "mma.sync of bf16 accumulates in f32 only"


def test_a_ptx_file_is_held_to_its_own_target(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(ASYNC)
    ptx = compile_source(tmp_path / "k.cu", arch="sm_80", cache=False).ptx
    line = next(n for n, text in enumerate(ptx.splitlines(), 1) if "cp.async" in text)
    (error,) = errors(tmp_path, ptx.replace(".target sm_80", ".target sm_75"), "sm_90", "k.ptx")
    assert error.message == "cp.async needs sm_80 or newer; this is built for sm_75"
    assert error.primary.location.line == line and ".target sm_80 in this file" in error.help


@pytest.mark.parametrize(
    ("arch", "reason"),
    [
        ("sm_70", "Volta; CUDA 12.9 was the last toolkit to build for it"),
        ("sm_35", "Kepler; CUDA 11.8 was the last toolkit to build for it"),
        ("sm_80a", "the suffix a exists from sm_90a on"),
        ("sm_90f", "the suffix f exists from sm_100f on"),
        ("sm_999", "does not know it"),
        ("hopper", "an architecture is written sm_NN"),
    ],
)
def test_an_architecture_that_nothing_builds_for(tmp_path: Path, arch: str, reason: str) -> None:
    (tmp_path / "k.cu").write_text(REDUX)
    with pytest.raises(WarpgaugeError) as caught:
        compile_source(tmp_path / "k.cu", arch=arch)
    (error,) = caught.value.diagnostics
    assert error.code == "PRB901" and reason in error.message and "sm_75, sm_80" in error.help
