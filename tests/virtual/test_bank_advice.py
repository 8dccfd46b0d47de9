"""The help of SHM201 on an executed kernel: arrays are told apart, and what it names holds when it is done."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.unit.hand import case
from warpgauge.build import compile_source
from warpgauge.contracts.bank_conflicts import judge
from warpgauge.evidence import Execution
from warpgauge.problem.settings import CONTRACTS
from warpgauge.vgpu import GlobalMemory, execute

KERNEL = """\
#include <cuda_fp16.h>
#ifndef AT
#define AT(r, c) r][c
#endif
extern "C" __global__ void fragments(const half* a, unsigned* out) {
  __shared__ float other[32][33];
  __shared__ __align__(16) half tile[32][PITCH];
  int t = threadIdx.x;
  other[t % 32][t / 32] = t;
  for (int v = t; v < 256; v += 128) {
    int r = v / 8, c = v % 8 * 8;
    *reinterpret_cast<uint4*>(&tile[AT(r, c)]) = reinterpret_cast<const uint4*>(a)[v];  // row
  }
  __syncthreads();
  int r = t / 32 % 2 * 16 + t % 16, c = t / 64 * 32 + t % 32 / 16 * 8;
  unsigned from = (unsigned)__cvta_generic_to_shared(&tile[AT(r, c)]), v[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(from) : "memory");
  out[t] = v[0] ^ v[1] ^ v[2] ^ v[3] ^ (unsigned)other[t % 32][t / 32];
}
"""


def launched(folder: Path, **defines: object) -> Execution:
    source = folder / "fragments.cu"
    source.write_text(KERNEL)
    build = compile_source(source, defines=defines)
    memory = GlobalMemory()
    arguments = [memory.add("a", np.arange(2048, dtype=np.uint16)), memory.add("out", np.zeros(128, np.uint32))]
    return execute(build, "fragments", grid=(1, 1, 1), block=(128, 1, 1), arguments=arguments, memory=memory)


def test_the_help_names_what_then_holds(tmp_path: Path) -> None:
    execution = launched(tmp_path, PITCH=64)
    arrays = {(site.worst.buffer, site.worst.extent) for site in execution.sites if site.worst and site.worst.extent}
    assert {name for name, _ in arrays} == {"tile", "other"}
    assert {size for _, (_, size) in arrays if size} == {32 * 64 * 2, 32 * 33 * 4}
    (finding,) = judge(case(execution), CONTRACTS["bank_conflicts"].sound).diagnostics
    for words in (
        "rows of tile are 32 words apart",
        "pad each row from 128 to 144 bytes (1 more element of 16 bytes, 512 bytes in all)",
        "keep the 16-byte element of row r and column c at column c ^ (r % 8)",
        "tried on the worst requests of line 17, line 12 by the wavefront rule",
    ):
        assert words in finding.help, finding.help


@pytest.mark.parametrize("defines", [{"PITCH": 72}, {"PITCH": 64, "AT(r, c)": "r][(c) ^ ((r) % 8) * 8"}])
def test_both_ways_free_the_kernel(tmp_path: Path, defines: dict[str, object]) -> None:
    execution = launched(tmp_path, **defines)
    assert not judge(case(execution), CONTRACTS["bank_conflicts"].sound).diagnostics
    assert not execution.counters.shared_load_conflicts and not execution.counters.shared_store_conflicts
