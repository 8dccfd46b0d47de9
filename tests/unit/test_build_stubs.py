"""The headers that NVRTC lacks, as ordinary kernels use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.build.toolchain import STUBS

#: header -> statements of a kernel `k(float* p, double* d, long long* q, int m)` that need it.
USES = {
    "stdint.h": "static_assert(sizeof(uint64_t) == 8 && sizeof(int8_t) == 1); q[0] = uintptr_t(p) + INT32_MAX;",
    "cstdint": "std::uint32_t a = 5u; q[0] = a; static_assert(UINT32_MAX == 4294967295u);",
    "inttypes.h": "q[0] = int64_t(m);",
    "cinttypes": "q[0] = std::int64_t(m);",
    "limits.h": "static_assert(INT_MAX == 2147483647 && CHAR_BIT == 8); q[0] = LLONG_MIN;",
    "climits": "q[0] = INT_MIN; q[1] = UINT_MAX;",
    "float.h": "p[0] = FLT_MAX; p[1] = -FLT_MAX; d[0] = DBL_EPSILON;",
    "cfloat": "p[0] = FLT_EPSILON; d[0] = DBL_MAX;",
    "stddef.h": """struct S { char c; double x; };
        static_assert(offsetof(S, x) == 8);
        size_t n = sizeof(S); q[0] = n; if (p == NULL) q[1] = 0;""",
    "cstddef": "std::size_t n = 3; std::ptrdiff_t e = d - d; q[0] = n + e;",
    "stdbool.h": "bool yes = true; q[0] = yes;",
    "math.h": """p[0] = INFINITY; p[1] = NAN; p[2] = sqrtf(fabsf(p[3])) + rsqrtf(p[4]);
        d[0] = M_PI; d[1] = HUGE_VAL; q[0] = isinf(p[5]);""",
    "cmath": """p[0] = std::sqrt(p[1]) + std::exp(p[2]) + std::abs(p[3]) + std::fmaxf(p[4], p[5]);
        d[0] = std::pow(d[1], 2.0); q[0] = std::isnan(p[6]);""",
    "assert.h": "assert(m > 3);",
    "cassert": 'assert(m > 3 && "message");',
    "stdio.h": 'printf("%d\\n", m);',
    "cstdio": 'std::printf("%d\\n", m);',
    "stdlib.h": "q[0] = abs(m);",
    "cstdlib": "q[0] = std::abs(m);",
    "string.h": "memset(p, 0, 16); memcpy(d, p, 16);",
    "cstring": "std::memset(p, 0, 16); std::memcpy(d, p, 16);",
    "algorithm": """p[0] = std::min(p[1], p[2]) + std::max(p[3], p[4]) + std::clamp(p[5], 0.f, 1.f);
        std::swap(p[6], p[7]);""",
    "utility": "float a = p[0]; p[1] = std::move(a); std::swap(p[2], p[3]);",
    "limits": """constexpr double e = std::numeric_limits<double>::epsilon(); d[0] = e;
        static_assert(std::numeric_limits<unsigned char>::max() == 255 && !std::numeric_limits<unsigned>::is_signed);
        p[0] = std::numeric_limits<float>::max(); p[1] = -std::numeric_limits<float>::infinity();
        q[0] = std::numeric_limits<int>::lowest();""",
    "type_traits": """static_assert(std::is_same_v<std::decay_t<const float&>, float>);
        static_assert(std::is_integral_v<long> && !std::is_floating_point<int>::value);
        static_assert(std::is_unsigned_v<std::make_unsigned_t<int>> && !std::is_signed_v<float*>);
        std::conditional_t<(sizeof(float) > 4), int, double> x = 1; d[0] = x;""",
    "cuda.h": "static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) == 64); q[0] = cuuint64_t(1);",
    "cudaTypedefs.h": "static_assert(sizeof(CUtensorMap) == 128); q[0] = 1;",
    "warpgauge_prelude.h": "q[0] = INT_MAX;",
}

KERNEL = 'extern "C" __global__ void k(float* p, double* d, long long* q, int m) {{ {} }}\n'


def test_every_stub_has_a_use() -> None:
    assert set(USES) == {stub.name for stub in STUBS.iterdir()}


@pytest.mark.parametrize("header", USES)
def test_header(tmp_path: Path, header: str) -> None:
    source = tmp_path / "k.cu"
    source.write_text(f"#include <{header}>\n#include <{header}>\n" + KERNEL.format(USES[header]))
    built = compile_source(source, sass=False, cache=False)
    assert "redefin" not in built.log


def test_what_nvcc_brings_without_an_include(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    body = "p[0] = -INFINITY; p[1] = NAN; uint32_t u = 1; q[0] = INT_MAX + size_t(u); p[2] = fmaxf(p[3], -FLT_MAX);"
    source.write_text(KERNEL.format(body))
    ptx = compile_source(source, sass=False, cache=False).ptx
    assert str(int("ff800000", 16) - 2**32) in ptx or "0fFF800000" in ptx


def test_all_together_with_the_toolkit_headers(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    toolkit = [
        "cuda_runtime.h",
        "device_launch_parameters.h",
        "cuda_fp16.h",
        "cuda_bf16.h",
        "cuda_fp8.h",
        "mma.h",
        "math_constants.h",
    ]
    lines = [f"#include <{header}>\n" for header in [*USES, *toolkit]]
    source.write_text("".join(lines) + KERNEL.format("p[0] = __half2float(__float2half(p[1])) + CUDART_INF_F;"))
    assert compile_source(source, sass=False, cache=False).lowered == {"k": "k"}


@pytest.mark.parametrize("first", ["cstdint", "cuda/std/cstdint"])
def test_stubs_agree_with_the_cuda_standard_library(tmp_path: Path, first: str) -> None:
    second = {"cstdint": "cuda/std/cstdint", "cuda/std/cstdint": "cstdint"}[first]
    source = tmp_path / "k.cu"
    source.write_text(
        f"#include <{first}>\n#include <{second}>\n" + KERNEL.format("q[0] = cuda::std::uint64_t(m) + uint64_t(m);")
    )
    assert compile_source(source, sass=False, cache=False).lowered == {"k": "k"}


def test_assert_vanishes_with_ndebug(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("#include <cassert>\n" + KERNEL.format("assert(m > 3); p[0] = 1;"))
    assert "__assertfail" in compile_source(source, sass=False, cache=False).ptx
    assert "__assertfail" not in compile_source(source, defines={"NDEBUG": 1}, sass=False, cache=False).ptx
