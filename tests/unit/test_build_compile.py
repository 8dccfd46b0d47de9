"""One source file to PTX, cubin, SASS, resources and entry symbols."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source, find_toolchain
from warpgauge.diagnostics import WarpgaugeError

SOURCE = """\
#include "scale.h"
template <int A, int B> __global__ void gemm(float* p) { p[threadIdx.x] = A * 1000 + B; }
namespace inner { __global__ void plain(float* p) { p[threadIdx.x] = SCALE; } }
static __global__ void hidden(float* p) { p[threadIdx.x] = 2; }
__global__ void shares(float* p, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = n;
  __syncthreads();
  p[threadIdx.x] = s[31 - threadIdx.x];
}
extern "C" __global__ void exported(float* p) { p[threadIdx.x] = scaled(p[threadIdx.x]); }
"""
HEADER = "#pragma once\n#define SCALE 3\n__device__ inline float scaled(float x) {\n  return x * SCALE + 1;\n}\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "kernels.cu").write_text(SOURCE)
    (tmp_path / "scale.h").write_text(HEADER)
    return tmp_path / "kernels.cu"


def test_no_entries_lists_every_kernel_that_was_emitted(source: Path) -> None:
    built = compile_source(source, sass=False, cache=False)
    assert built.lowered == {
        "inner::plain": "_ZN5inner5plainEPf",
        "hidden": "_Z6hiddenPf",
        "shares": "_Z6sharesPfi",
        "exported": "exported",
    }
    assert set(built.resources) == set(built.lowered.values())
    assert built.ptx.count(".entry") == len(built.lowered)
    assert built.cubin[:4] == b"\x7fELF"
    assert built.sass == ""
    assert built.compiler == f"NVRTC {find_toolchain().versions['nvidia-cuda-nvrtc']}"


def test_entries_by_every_kind_of_name(source: Path) -> None:
    names = ["gemm<BM, BN>", "gemm<64, 2 * BN>", "hidden", "inner::plain", "exported", "_Z6sharesPfi"]
    built = compile_source(source, entries=names, defines={"BM": 128, "BN": 64}, sass=False, cache=False)
    assert list(built.lowered) == names
    assert built.lowered["gemm<BM, BN>"] == "_Z4gemmILi128ELi64EEvPf"
    assert built.lowered["gemm<64, 2 * BN>"] == "_Z4gemmILi64ELi128EEvPf"
    assert built.lowered["hidden"] == "_Z6hiddenPf"
    assert built.lowered["exported"] == "exported"
    assert all(f".entry {symbol}(" in built.ptx for symbol in built.lowered.values())


def test_defines_reach_the_code(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        'extern "C" __global__ void k(int* p) { p[0] = WIDTH; p[1] = ON; p[2] = OFF; p[3] = sizeof(T); }\n'
    )
    defines = {"WIDTH": 77, "ON": True, "OFF": False, "T": "double"}
    ptx = compile_source(source, defines=defines, sass=False, cache=False).ptx
    stored = [line.split()[-1].rstrip(";") for line in ptx.splitlines() if "mov" in line and line.strip()[-2].isdigit()]
    assert stored == ["77", "1", "0", "8"]


def test_user_headers_are_sources_and_own_their_lines(source: Path) -> None:
    built = compile_source(source, sass=False, cache=False)
    header = str(source.parent / "scale.h")
    assert built.sources[str(source)] == SOURCE
    assert built.sources[header] == HEADER


def test_include_folders_come_from_the_caller(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "c.h").write_text("#define VALUE 5\n")
    (tmp_path / "own").mkdir()
    source = tmp_path / "own" / "k.cu"
    source.write_text('#include <c.h>\nextern "C" __global__ void k(int* p) { p[0] = VALUE; }\n')
    built = compile_source(source, include=[tmp_path / "own" / ".." / "common"], sass=False, cache=False)
    assert set(built.sources) == {str(source), str(tmp_path / "common" / "c.h")}
    with pytest.raises(WarpgaugeError) as error:
        compile_source(source, sass=False, cache=False)
    assert [d.code for d in error.value.diagnostics] == ["SRC801"]


def test_sass_notes_the_ptx_line_of_each_instruction(source: Path) -> None:
    built = compile_source(source, entries=["shares"], cache=False)
    sass = built.sass[built.sass.index(".text._Z6sharesPfi:") :].splitlines()
    at = next(i for i, line in enumerate(sass) if " STS " in line)
    note = next(line for line in reversed(sass[:at]) if "//## File" in line)
    ptx_line = int(note.rsplit(" ", 1)[1])
    assert "st.shared.f32" in built.ptx.splitlines()[ptx_line - 1]


def test_resources(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        """
extern "C" __global__ void shared_1k(float* p) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[255 - threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float* a, float* b) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; i++) v[i] = a[threadIdx.x + i * 1024];
#pragma unroll
  for (int i = 0; i < 64; i++) b[threadIdx.x + i * 1024] = v[63 - i] * v[(i * 7) % 64];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; i++) b[threadIdx.x + i * 2048] = v[i];
}
extern "C" __global__ void stacked(float* p, int n) {
  float a[100];
  for (int i = 0; i < 100; i++) a[i] = p[i];
  p[0] = a[n % 100];
}
"""
    )
    resources = compile_source(source, sass=False, cache=False).resources
    assert resources["shared_1k"].static_shared == 1024
    assert resources["shared_1k"].barriers == 1
    assert resources["shared_1k"].spill_stores == 0
    assert resources["spills"].registers == 32
    assert resources["spills"].spill_stores > 0
    assert resources["spills"].spill_loads > 0
    assert resources["stacked"].stack_frame == 400
    assert all(row.registers >= 4 for row in resources.values())


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120"])
def test_architectures(source: Path, arch: str) -> None:
    built = compile_source(source, arch=arch, sass=False, cache=False)
    assert f".target {arch}" in built.ptx
    assert built.arch == arch


def test_equal_inputs_give_equal_artifacts(source: Path) -> None:
    first, second = (compile_source(source, entries=["shares", "gemm<1, 2>"], cache=False) for _ in range(2))
    assert first == second
