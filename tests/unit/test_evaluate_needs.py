"""What built candidates need: constructs with their lines, and which of the known architectures hold them."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.arch import LIMITS
from warpgauge.build import compile_source
from warpgauge.contracts.case import LaunchShape
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evaluate.needs import Needs, needs_of
from warpgauge.report.needs import needs_lines

HEAD = 'extern "C" __global__ void k(float* out, const float* in) {\n'
PLAIN = HEAD + "  out[threadIdx.x] = in[threadIdx.x];\n}\n"
ASYNC = """\
#include <cuda_pipeline.h>
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float s[128];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(in));
  out[threadIdx.x] = s[threadIdx.x];
}
"""
# The toolkit's own function copies without cp.async where there is none.
PIPELINE = ASYNC.replace(
    'asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(in));',
    "__pipeline_memcpy_async(s, in, 16);",
)
BF16_SUM = """\
#include <cuda_bf16.h>
extern "C" __global__ void k(__nv_bfloat16* out, const __nv_bfloat16* in) {
  out[0] = __hadd(in[0], in[1]);
}
"""
CLUSTER = """\
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(unsigned* out, const float* in) {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  out[threadIdx.x] = rank;
}
"""
WGMMA = HEAD + '  asm volatile("wgmma.fence.sync.aligned;");\n  out[0] = in[0];\n}\n'
BESIDE = PLAIN + WGMMA.replace(" k(", " other(")
CALLED = """\
__device__ __noinline__ int sum(int x) { return __reduce_add_sync(0xffffffff, x); }
extern "C" __global__ void k(int* out, const int* in) {
  out[threadIdx.x] = sum(in[threadIdx.x]);
}
"""


def needs(folder: Path, source: str, arch: str = "sm_90", **launch: int) -> Needs:
    (folder / "k.cu").write_text(source)
    build = compile_source(folder / "k.cu", arch=arch, entries=["k"], sass=False)
    shape = {"threads": 128} | launch
    found = needs_of(build, ["k"], [LaunchShape("k", **shape)])  # type: ignore[arg-type]
    assert found is not None
    return found


def holding(found: Needs) -> list[str]:
    return [fit.target for fit in found.fits if not fit.reason]


FROM_80 = [arch for arch in LIMITS if int(arch[3:]) >= 80]
FROM_90 = [arch for arch in LIMITS if int(arch[3:]) >= 90]


def test_a_plain_kernel_runs_everywhere_and_is_not_worth_a_line(tmp_path: Path) -> None:
    found = needs(tmp_path, PLAIN)
    assert (found.constructs, holding(found), needs_lines(found)) == ((), list(LIMITS), [])


def test_a_line_of_a_header_names_the_header(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text('__device__ void f(float* o) { asm volatile("cp.async.commit_group;"); o[0] = 1; }\n')
    source = '#include "h.h"\n' + HEAD + '  f(out);\n  asm volatile("cp.async.wait_all;");\n}\n'
    assert needs_lines(needs(tmp_path, source))[0] == "needs sm_80 or newer: cp.async (line 4; line 1 of h.h)"


@pytest.mark.parametrize(
    ("source", "arch", "name", "line", "archs"),
    [
        (ASYNC, "sm_90", "cp.async", 4, FROM_80),
        (CLUSTER, "sm_90", "cluster register", 3, FROM_90),
        (WGMMA, "sm_90a", "wgmma", 2, ["sm_90a"]),
        (CALLED, "sm_80", "redux.sync", 1, FROM_80),
    ],
)
def test_a_construct_has_its_line_and_its_architectures(
    tmp_path: Path, source: str, arch: str, name: str, line: int, archs: list[str]
) -> None:
    found = needs(tmp_path, source, arch)
    construct = next(c for c in found.constructs if c.need.name == name)
    assert (Path(construct.location.file).name, construct.location.line) == ("k.cu", line)
    assert holding(found) == archs and found.lowest and found.lowest.target == archs[0]
    assert any(f"{name} (line {line})" in text for text in needs_lines(found))
    # The claim, put to the test: it builds for the lowest, and not for the one before.
    compile_source(tmp_path / "k.cu", arch=archs[0], sass=False)
    before = list(LIMITS)[list(LIMITS).index(found.lowest.arch) - 1]
    with pytest.raises(WarpgaugeError):
        compile_source(tmp_path / "k.cu", arch=before, sass=False)


def test_cluster_dimensions_are_a_need(tmp_path: Path) -> None:
    found = needs(tmp_path, CLUSTER)
    assert {c.need.name for c in found.constructs} == {"cluster dimensions", "cluster register"}


@pytest.mark.parametrize(("source", "name"), [(PIPELINE, "cp.async"), (BF16_SUM, "bf16 add, mul or compare")])
def test_what_a_header_chose_ties_nobody(tmp_path: Path, source: str, name: str) -> None:
    found = needs(tmp_path, source)
    assert [(c.need.name, c.chosen) for c in found.constructs if c.need.name == name] == [(name, True)]
    assert holding(found) == list(LIMITS)
    compile_source(tmp_path / "k.cu", arch="sm_75", sass=False)


def test_kernels_that_the_plan_does_not_launch_do_not_count(tmp_path: Path) -> None:
    assert needs(tmp_path, BESIDE, "sm_90a").constructs == ()


@pytest.mark.parametrize(
    ("bytes_", "archs", "asked"),
    [
        (48 * 1024, list(LIMITS), False),
        (48 * 1024 + 4, list(LIMITS), True),
        (64 * 1024 + 4, FROM_80, True),
        (99 * 1024 + 4, ["sm_80", "sm_87", "sm_90", "sm_100", "sm_103"], True),
        (163 * 1024 + 4, ["sm_90", "sm_100", "sm_103"], True),
        (227 * 1024 + 4, [], True),
    ],
)
def test_shared_memory_against_the_default_and_each_limit(
    tmp_path: Path, bytes_: int, archs: list[str], asked: bool
) -> None:
    found = needs(tmp_path, PLAIN, dynamic_shared=bytes_)
    assert holding(found) == archs
    assert [f"{bytes_:,} bytes" in text for text in found.launches] == [True] * asked
    if not archs:
        assert found.lowest is None and "no known architecture holds it" in needs_lines(found)[0]


def test_clusters_threads_and_cooperative_launches(tmp_path: Path) -> None:
    found = needs(tmp_path, PLAIN, cluster=4)
    assert holding(found) == FROM_90 and "no clusters" in found.fits[0].reason
    assert "clusters of 4 blocks" in found.launches[0]
    assert holding(needs(tmp_path, PLAIN, cluster=16)) == []
    assert holding(needs(tmp_path, PLAIN, threads=1025)) == []
    found = needs(tmp_path, PLAIN, cooperative=True)
    assert holding(found) == list(LIMITS) and "cooperative" in found.launches[0]


def test_registers_of_a_whole_block(tmp_path: Path) -> None:
    arrays = "".join(f"  float a{n} = in[threadIdx.x + {n}];\n" for n in range(100))
    sums = "".join(f"  out[{n} * 1024 + threadIdx.x] = a{n} + a{(n * 7 + 3) % 100};\n" for n in range(100))
    found = needs(tmp_path, HEAD + arrays + "  __syncthreads();\n" + sums + "}\n", threads=1024)
    assert holding(found) == [] and "registers" in found.fits[0].reason
    assert holding(needs(tmp_path, HEAD + arrays + "  __syncthreads();\n" + sums + "}\n", threads=128)) == list(LIMITS)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('asm volatile("elect.sync _|p, 0xffffffff;");', "elect.sync"),
        ("cuda::ptx::cp_async_bulk_commit_group();", "cp.async.bulk"),
    ],
)
def test_what_the_author_wrote_ties_the_source(tmp_path: Path, body: str, name: str) -> None:
    asm = body.replace('asm volatile("', 'asm volatile("{.reg .pred p; ').replace(';");', ';}");')
    source = "#include <cuda/ptx>\n" + HEAD + f"  {asm}\n  out[0] = in[0];\n}}\n"
    found = needs(tmp_path, source)
    assert [(c.need.name, c.chosen, c.location.line) for c in found.constructs] == [(name, False, 3)]
    assert holding(found) == FROM_90
