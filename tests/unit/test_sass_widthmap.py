"""Width maps of real compiles: what ptxas did to each kernel's accesses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from warpgauge import ptx
from warpgauge.build import compile_source
from warpgauge.evidence import BuildArtifact
from warpgauge.sass import WidthMap, parse_sass, width_map
from warpgauge.sass.access import sass_accesses
from warpgauge.sass.ptx_access import ptx_accesses

KERNELS = r"""
template <int PAD> __device__ void tile_product(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[16][16 + PAD], Bs[16][16 + PAD];
  int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float acc = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    As[ty][tx] = (r < M && k0 + tx < K) ? A[r * K + k0 + tx] : 0.f;
    Bs[ty][tx] = (k0 + ty < K && c < N) ? B[(k0 + ty) * N + c] : 0.f;
    __syncthreads();
    for (int k = 0; k < 16; k++) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (r < M && c < N) C[r * N + c] = acc;
}
#define GEMM const float *A, const float *B, float *C, int M, int N, int K
extern "C" __global__ void tiled_pad0(GEMM) { tile_product<0>(A, B, C, M, N, K); }
extern "C" __global__ void tiled_pad1(GEMM) { tile_product<1>(A, B, C, M, N, K); }

#define LANES __shared__ __align__(16) float s[32][8]; int t = threadIdx.x; \
  for (int i = 0; i < 8; i++) s[t][i] = in[i * 32 + t]; __syncthreads(); const float* r = s[31 - t];
extern "C" __global__ void stores_become_wide(const float* in, float* out) {
  __shared__ float s[32][4];
  int t = threadIdx.x;
  s[t][0] = in[t]; s[t][1] = in[t + 32]; s[t][2] = in[t + 64]; s[t][3] = in[t + 96];
  __syncthreads();
  out[t] = s[31 - t][0] + s[t ^ 1][3];
}
extern "C" __global__ void doubles_in_pairs(const double* in, double* out) {
  __shared__ double s[32][4];
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++) s[t][i] = in[t + 32 * i];
  __syncthreads();
  double a = 0;
  for (int i = 0; i < 4; i++) a += s[31 - t][i] * (i + 1);
  out[t] = a;
}
extern "C" __global__ void more_than_asked(const float* in, float* out) {
  LANES out[t] = r[1] + r[2] * r[3];
}
extern "C" __global__ void apart_again(const float* in, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int k = 2 * d * t;
    if (k < 256) s[k] += s[k + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}
extern "C" __global__ void trimmed(const float4* in, float* out) {
  float x, y, z, w;
  asm("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(in + threadIdx.x));
  out[threadIdx.x] = z + w;
}
extern "C" __global__ void one_by_one(const float* in, float* out) {
  __shared__ volatile float s[32][4];
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++) s[t][i] = in[t + 32 * i];
  __syncthreads();
  out[t] = s[31 - t][0] + s[31 - t][1] + s[31 - t][2] + s[31 - t][3];
}
extern "C" __global__ void atomics(float* out, int* h) {
  __shared__ double d;
  __shared__ int c[32];
  int t = threadIdx.x;
  if (t == 0) d = 0;
  c[t] = 0;
  __syncthreads();
  atomicAdd(&d, 1.0);
  atomicAdd(&c[t / 2], 1);
  atomicMax(h + t, t);
  __syncthreads();
  out[t] = c[t] + d;
}
extern "C" __global__ void promoted(const int* in, int* out, int n) {
  int a[4];
  for (int i = 0; i < 4; i++) a[i] = in[i];
  out[threadIdx.x] = a[n & 3];
}
__device__ __noinline__ float quad(const float* p) { return p[0] + p[1] * p[2] - p[3]; }
extern "C" __global__ void calls(const float* in, float* out) {
  __shared__ __align__(16) float s[132];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = quad(s + threadIdx.x * 4) + quad(in);
}
"""


@dataclass
class Compiled:
    artifact: BuildArtifact
    module: ptx.Module

    def map(self, name: str) -> WidthMap:
        return width_map(self.module.kernels[name], self.artifact.sass, name)

    def text(self, line: int) -> str:
        return self.artifact.ptx.splitlines()[line - 1].strip()

    def counted(self, name: str) -> list[tuple[str, str, int, int]]:
        """(op, space, bytes per lane, byte offset in its place) of each PTX access that counts, in program order."""
        entries = self.map(name).entries
        found = []
        for access in sorted(ptx_accesses(self.module.kernels[name]), key=lambda access: access.line):
            entry = entries.get(access.line)
            if entry is None:
                found.append((access.op, access.space, access.width, access.offset))
            elif entry.counted:
                found.append((access.op, access.space, entry.bytes_per_lane, access.offset + entry.offset_delta))
        return found

    def executed(self, name: str) -> list[tuple[str, int]]:
        instructions = parse_sass(self.artifact.sass, name)
        return sorted((access.op, access.width) for access in sass_accesses(instructions))


def build(folder: Path, text: str, arch: str, name: str = "k.cu") -> Compiled:
    (folder / name).write_text(text)
    artifact = compile_source(folder / name, arch=arch, cache=False)
    return Compiled(artifact, ptx.parse(artifact.ptx))


@pytest.fixture(scope="module", params=["sm_80", "sm_90"])
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return build(tmp_path_factory.mktemp("widths"), KERNELS, request.param)


def test_tiled_gemm_without_pad_loads_its_rows_wide(compiled: Compiled) -> None:
    counted = compiled.counted("tiled_pad0")
    shared = [access for access in counted if access[:2] == ("load", "shared")]
    assert [width for *_, width, _ in shared].count(4) == 16
    assert [(width, offset) for *_, width, offset in shared if width != 4] == [(16, 0), (16, 16), (16, 32), (16, 48)]
    assert [access[2] for access in counted if access[:2] != ("load", "shared")] == [4] * 5
    assert sum(not entry.counted for entry in compiled.map("tiled_pad0").entries.values()) == 12


def test_tiled_gemm_with_pad_is_not_fused(compiled: Compiled) -> None:
    assert compiled.map("tiled_pad1") == WidthMap()
    assert len(compiled.counted("tiled_pad1")) == 37


@pytest.mark.parametrize(
    "name",
    ["tiled_pad0", "tiled_pad1", "stores_become_wide", "doubles_in_pairs", "apart_again", "trimmed", "one_by_one"],
)
def test_counted_accesses_are_those_that_sass_has(compiled: Compiled, name: str) -> None:
    assert sorted((op, width) for op, _, width, _ in compiled.counted(name)) == compiled.executed(name)
    assert compiled.map(name).ambiguous == ()
    assert compiled.map(name).unexplained == ()


def test_adjacent_stores(compiled: Compiled) -> None:
    stores = [access for access in compiled.counted("stores_become_wide") if access[:2] == ("store", "shared")]
    assert stores == [("store", "shared", 16, 0)]


def test_pairs_of_doubles(compiled: Compiled) -> None:
    shared = [access for access in compiled.counted("doubles_in_pairs") if access[1] == "shared"]
    assert [(op, width, offset) for op, _, width, offset in shared] == [
        ("store", 16, 0),
        ("store", 16, 16),
        ("load", 16, 0),
        ("load", 16, 16),
    ]


def test_wider_than_all_that_is_asked_for(compiled: Compiled) -> None:
    """r[1] to r[3] come as one aligned access that also reads r[0]."""
    loads = [access for access in compiled.counted("more_than_asked") if access[:2] == ("load", "shared")]
    assert loads == [("load", "shared", 16, 0)]


def test_fused_and_taken_apart_again_counts_every_access(compiled: Compiled) -> None:
    """ptxas leaves both halves of such a pair at the PTX line of one of them."""
    instructions = parse_sass(compiled.artifact.sass, "apart_again")
    spots: dict[int, set[int]] = {}
    for access in sass_accesses(instructions):
        spots.setdefault(access.instruction.ptx_line, set()).add(access.offset)
    if compiled.artifact.arch == "sm_90":
        assert any(len(offsets) == 2 for offsets in spots.values())
    assert len(compiled.counted("apart_again")) == len(compiled.executed("apart_again"))
    assert compiled.map("apart_again").ambiguous == ()


def test_vector_elements_that_nothing_reads(compiled: Compiled) -> None:
    (entry,) = compiled.map("trimmed").entries.values()
    assert (entry.counted, entry.bytes_per_lane, entry.offset_delta) == (True, 8, 8)


def test_volatile_accesses_stay_as_they_are(compiled: Compiled) -> None:
    assert compiled.map("one_by_one") == WidthMap()


def test_atomics_keep_their_width(compiled: Compiled) -> None:
    found = compiled.map("atomics")
    assert found.unexplained == ()
    assert [access[2] for access in compiled.counted("atomics") if access[0] == "atomic"] == [8, 4, 4]


def test_arrays_in_registers_do_not_count(compiled: Compiled) -> None:
    assert not any(space == "local" for _, space, *_ in compiled.counted("promoted"))
    for line, entry in compiled.map("promoted").entries.items():
        assert ".local." in compiled.text(line)
        assert entry.reason == "eliminated by ptxas"


def test_called_functions_are_mapped_against_their_caller(compiled: Compiled) -> None:
    caller = compiled.map("calls")
    assert len(caller.unexplained) >= 4
    (function,) = compiled.module.functions.values()
    assert width_map(function, compiled.artifact.sass, "calls").ambiguous == ()
    assert len(list(ptx_accesses(function))) == 4


def test_without_sass_or_without_lines_nothing_is_known(compiled: Compiled) -> None:
    kernel = compiled.module.kernels["tiled_pad0"]
    assert width_map(kernel, "", "tiled_pad0") == WidthMap()
    assert width_map(kernel, compiled.artifact.sass, "absent") == WidthMap()
    no_notes = "\n".join(row for row in compiled.artifact.sass.splitlines() if "//##" not in row)
    assert width_map(kernel, no_notes, "tiled_pad0") == WidthMap()


def test_equal_inputs_give_equal_maps(compiled: Compiled) -> None:
    first, second = compiled.map("tiled_pad0"), compiled.map("tiled_pad0")
    assert first == second
    assert list(first.entries) == sorted(first.entries)


PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{{
	.reg .pred %p<4>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 16;
	add.s64 %rd3, %rd1, %rd2;
	setp.lt.u32 %p1, %r2, %r1;
{body}
	ret;
}}
"""


def assembled(folder: Path, body: str) -> Compiled:
    return build(folder, PTX.format(body=body), "sm_90", "k.ptx")


def test_a_load_that_nothing_needs_is_eliminated(tmp_path: Path) -> None:
    made = assembled(tmp_path, "ld.global.u32 %r5, [%rd3];\nadd.u32 %r6, %r5, 1;\nst.global.u32 [%rd3+4], %r1;")
    (entry,) = made.map("k").entries.values()
    assert (entry.counted, entry.reason) == (False, "eliminated by ptxas")
    assert made.counted("k") == [("store", "global", 4, 4)]


def test_a_repeated_load_is_eliminated(tmp_path: Path) -> None:
    body = (
        "ld.global.u32 %r5, [%rd3];\nld.global.u32 %r6, [%rd3];\nadd.u32 %r7, %r5, %r6;\nst.global.u32 [%rd3+4], %r7;"
    )
    made = assembled(tmp_path, body)
    assert (
        sorted((op, width) for op, _, width, _ in made.counted("k"))
        == made.executed("k")
        == [("load", 4), ("store", 4)]
    )


def test_an_overwritten_store_is_eliminated(tmp_path: Path) -> None:
    made = assembled(tmp_path, "st.global.u32 [%rd3], %r1;\nst.global.u32 [%rd3], %r2;")
    assert len(made.counted("k")) == len(made.executed("k"))
    assert made.map("k").ambiguous == ()


def test_addresses_through_other_registers_are_followed(tmp_path: Path) -> None:
    body = """ld.shared.u32 %r5, [s];
mov.u32 %r6, s;
add.u32 %r7, %r6, 4;
add.u32 %r8, %r7, 4;
ld.shared.u32 %r9, [%r7];
ld.shared.v2.u32 {%r10, %r11}, [%r8];
add.u32 %r5, %r5, %r9;
xor.b32 %r5, %r5, %r10;
add.u32 %r5, %r5, %r11;
st.global.u32 [%rd3], %r5;"""
    made = assembled(tmp_path, ".shared .align 16 .b8 s[64];\n" + body)
    assert made.executed("k") == [("load", 16), ("store", 4)]
    assert made.counted("k") == [("load", "shared", 16, 0), ("store", "global", 4, 0)]
