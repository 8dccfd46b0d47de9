"""Scheduling, memory and faults of the oracle, on small hand-written and compiled kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.oracle import engine
from warpgauge.build import compile_source
from warpgauge.ptx import Module, parse

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>;"


def module(body: str, before: str = "") -> Module:
    """A kernel `k(out)` with %rd1 = out and %r0 = the thread's number in its block."""
    start = "ld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;"
    head = f".version 8.6\n.target sm_90\n.address_size 64\n{before}\n.entry k(.param .u64 out)"
    return parse(f"{head}\n{{\n{REGISTERS}\n{start}\n{body}\nret;\n}}\n")


STORE = "mul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r1;"


def launch(body: str, *, count: int = 64, block: int = 64, grid: int = 1, before: str = "") -> engine.OracleResult:
    buffers = {"out": np.zeros(count, np.uint32)}
    place = engine.layout(buffers)["out"]
    return engine.run(
        module(body, before), "k", grid=(grid, 1, 1), block=(block, 1, 1), arguments=[place], buffers=buffers
    )


def test_layout_leaves_red_zones():
    buffers = {"a": np.zeros(100, np.uint8), "b": np.zeros(1 << 17, np.uint8), "c": np.zeros(1, np.float64)}
    first = 0x7F0000000000 + 256
    second = first + 256 + (1 << 16)  # 100 bytes and the least red zone, rounded up
    assert engine.layout(buffers) == {"a": first, "b": second, "c": second + 2 * (1 << 17)}


def test_arguments_are_packed_by_size():
    text = ".version 8.6\n.target sm_90\n.entry k(.param .u16 h, .param .f32 f, .param .f64 d, .param .s64 n,"
    kernel = parse(text + " .param .align 4 .b8 s[6]) { ret; }").kernels["k"]
    block = engine.pack_arguments(kernel, [1.5, 2.5, -1.0, -3, b"abcdef"])
    want = np.float16(1.5).tobytes() + bytes(2) + np.float32(2.5).tobytes() + np.float64(-1).tobytes()
    assert block == want + (-3 & (2**64 - 1)).to_bytes(8, "little") + b"abcdef"


def test_blocks_are_counted_by_entering_lanes():
    """Four instructions for all 64 threads, then two for half of them, then the rest for all."""
    body = f"setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra JOIN;\nmov.u32 %r1, 5;\nadd.u32 %r1, %r1, 1;\nJOIN:\n{STORE}"
    result = launch(body)
    assert result.thread_instructions == 64 * 4 + 32 * 2 + 64 * 4
    assert result.buffers["out"].tolist() == [6] * 32 + [0] * 32


def test_instructions_whose_guard_is_false_still_count_but_cost_no_request():
    body = "setp.lt.u32 %p1, %r0, 0;\n@%p1 st.global.u32 [%rd1], %r0;"
    result = launch(body)
    assert result.thread_instructions == 64 * 5
    assert result.totals.global_store_requests == 0


def test_diverged_lanes_meet_again_at_the_join():
    body = f"""
and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0;
@%p1 bra EVEN;
mov.u32 %r3, 1; bra JOIN;
EVEN: mov.u32 %r3, 2;
JOIN: activemask.b32 %r1;
{STORE}"""
    assert set(launch(body).buffers["out"].tolist()) == {0xFFFFFFFF}


def test_a_warp_sync_waits_for_the_lanes_it_names():
    """Lanes 0-15 reach the shuffle first in block order, but the others come from a later block."""
    body = f"""
setp.lt.u32 %p1, %r0, 16;
mov.u32 %r2, %r0;
@!%p1 bra LATER;
SYNC: shfl.sync.idx.b32 %r1, %r2, 31, 31, -1;
{STORE}
ret;
LATER: add.u32 %r2, %r2, 100; bra SYNC;"""
    assert launch(body, block=32, count=32).buffers["out"].tolist() == [131] * 32


def test_blocks_run_in_linear_order_and_warps_in_order():
    """An atomic counter shows who came when."""
    body = """
mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
atom.global.add.u32 %r1, [%rd1], 1;
mad.lo.u32 %r2, %r3, %r4, %r0; add.u32 %r2, %r2, 1;
mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1;"""
    result = launch(body, count=193, grid=3)
    assert result.buffers["out"].tolist() == [192, *range(192)]


def test_barrier_separates_warps():
    before = ".shared .align 4 .b8 s[256];"
    body = f"""
shl.b32 %r2, %r0, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r0;
bar.sync 0;
xor.b32 %r5, %r2, 252; add.u32 %r5, %r3, %r5; ld.shared.u32 %r1, [%r5];
{STORE}"""
    assert launch(body, before=before).buffers["out"].tolist() == list(range(63, -1, -1))


def test_exited_warps_do_not_hold_a_barrier():
    body = f"setp.ge.u32 %p1, %r0, 32;\n@%p1 exit;\nbar.sync 0;\nmov.u32 %r1, 9;\n{STORE}"
    assert launch(body).buffers["out"].tolist() == [9] * 32 + [0] * 32


def test_a_barrier_that_cannot_complete_stops_the_run():
    with pytest.raises(engine.OracleFault, match="no progress"):
        launch("bar.sync 1, 96;")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("ld.global.u32 %r1, [%rd1+256];", "outside every allocation"),
        ("st.global.u32 [%rd1+-4], %r0;", "outside every allocation"),
        ("ld.global.u32 %r1, [%rd1+2];", "not aligned"),
        ("ld.global.v2.u32 {%r1, %r2}, [%rd1+4];", "not aligned"),
        ("mov.u32 %r2, 0; ld.shared.u32 %r1, [%r2];", "outside every allocation"),
        ("trap;", "trap"),
    ],
)
def test_faults_stop_with_the_line(body: str, words: str):
    with pytest.raises(engine.OracleFault, match=words) as caught:
        launch(body)
    assert "PTX line" in str(caught.value)


def test_an_unknown_instruction_matters_only_when_it_is_reached():
    assert launch("bra SKIP;\ntex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r0}];\nSKIP:").thread_instructions
    with pytest.raises(engine.Unsupported, match="PTX line"):
        launch("tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, {%r0}];")


def test_the_last_lane_wins_a_store_race_inside_a_warp():
    assert launch("st.global.u32 [%rd1], %r0;", block=32).buffers["out"][0] == 31


GEMM = """
#define T 8
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T], b[T][T + 1];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0;
  for (int k = 0; k < K; k += T) {
    a[y][x] = row < M && k + x < K ? A[row * K + k + x] : 0;
    b[y][x] = k + y < K && column < N ? B[(k + y) * N + column] : 0;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
extern "C" __global__ void block_sum(const double* in, double* out, int n) {
  double v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
extern "C" __global__ void divide(const int* a, const unsigned long long* b, long long* q, float* s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  q[i] = (long long)a[i] / (long long)(b[i] % 97 + 1);
  s[i] = sqrtf(fabsf((float)a[i])) / 3.0f + expf(-(float)(i % 7));
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Module:
    source: Path = tmp_path_factory.mktemp("oracle") / "kernels.cu"
    source.write_text(GEMM)
    return parse(compile_source(source, arch="sm_90", sass=False, cache=False).ptx)


def run_compiled(module: Module, name: str, buffers: dict[str, np.ndarray], scalars: list[int], grid, block):
    places = engine.layout(buffers)
    return engine.run(module, name, grid=grid, block=block, arguments=[*places.values(), *scalars], buffers=buffers)


def test_compiled_tiled_gemm(compiled: Module):
    rng = np.random.default_rng(0)
    m, n, k = 11, 13, 18
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    buffers = {"A": a, "B": b, "C": np.full((m, n), np.nan, np.float32)}
    result = run_compiled(compiled, "gemm", buffers, [m, n, k], (2, 2, 1), (8, 8, 1))
    np.testing.assert_allclose(result.buffers["C"], a.astype(np.float64) @ b, rtol=1e-5, atol=1e-6)
    assert result.buffers["A"] is not a and (result.buffers["A"] == a).all()


def test_compiled_reduction_in_double(compiled: Module):
    values = np.random.default_rng(1).standard_normal(1000)
    buffers = {"in": values, "out": np.zeros(1)}
    result = run_compiled(compiled, "block_sum", buffers, [1000], (1, 1, 1), (96, 1, 1))
    assert result.buffers["out"][0] == pytest.approx(values.sum(), rel=1e-13)


def test_compiled_division_and_mathematics(compiled: Module):
    rng = np.random.default_rng(2)
    n = 90
    a = rng.integers(-(2**31), 2**31, n).astype(np.int32)
    b = rng.integers(0, 2**63, n).astype(np.uint64)
    buffers = {"a": a, "b": b, "q": np.zeros(n, np.int64), "s": np.zeros(n, np.float32)}
    result = run_compiled(compiled, "divide", buffers, [n], (3, 1, 1), (32, 1, 1))
    want = [int(np.trunc(int(x) / (int(y) % 97 + 1))) for x, y in zip(a, b, strict=True)]
    assert result.buffers["q"].tolist() == want
    index = np.arange(n)
    np.testing.assert_allclose(
        result.buffers["s"], np.sqrt(np.abs(a.astype(np.float64))) / 3 + np.exp(-(index % 7)), rtol=1e-6
    )
