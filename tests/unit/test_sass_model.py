"""The loop model, on listings whose answer can be worked out by hand and on compiled kernels that are executed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpgauge.arch import CHIPS, Demand, occupancy
from warpgauge.build import compile_source
from warpgauge.evidence import Location, Segment, Stretch
from warpgauge.sass import parse_sass
from warpgauge.sass.control import Control
from warpgauge.sass.model import machine_code, parts_of
from warpgauge.sass.pipes import Machine
from warpgauge.sass.predict import costs_of, passes, predict
from warpgauge.sass.timing import first_uses, most_in_flight, walk
from warpgauge.vgpu import GlobalMemory, execute

NONE = (None, None, ())


def program(*rows: tuple[str, int, tuple[int | None, int | None, tuple[int, ...]]]) -> tuple[list, dict[int, Control]]:
    """Instructions and control bits of rows (text, stall, (write barrier, read barrier, waits))."""
    text = '\t.section\t.text.k,"ax",@progbits\n' + "".join(
        f"        /*{16 * n:04x}*/                   {row[0]} ;\n" for n, row in enumerate(rows)
    )
    bits = {16 * n: Control(stall, True, *barriers, 0) for n, (_, stall, barriers) in enumerate(rows)}
    return list(parse_sass(text)), bits


LOAD = ("LDG.E R4, desc[UR4][R2.64]", 2, (0, None, ()))
USE = ("FADD R6, R4, R6", 4, (None, None, (0,)))


def test_a_wait_takes_the_latency_and_independent_work_hides_it() -> None:
    plain = walk(*program(LOAD, USE), lambda i: 100)
    # Each turn: the load issues, 100 cycles later its use, which stalls 4.
    assert plain.cycles == 104
    work = [("FFMA R8, R9, R10, R8", 4, NONE)] * 10
    assert walk(*program(LOAD, *work, USE), lambda i: 100).cycles == 104
    assert walk(*program(LOAD, *work * 3, USE), lambda i: 100).cycles == 2 + 120 + 4


def test_a_load_of_the_next_turn_is_met_by_the_turn_after() -> None:
    """The value loaded in one turn is used in the next: the wait is what the work of a turn leaves of the latency."""
    code = program(("FADD R6, R4, R6", 4, (None, None, (0,))), *[("FFMA R8, R9, R10, R8", 4, NONE)] * 5, LOAD)
    assert walk(*code, lambda i: 100).cycles == 100 + 4 + 20
    assert walk(*code, lambda i: 10).cycles == 4 + 20 + 10


def test_copies_wait_for_all_but_the_last_groups() -> None:
    group = [("LDGSTS.E.128 [R4], desc[UR4][R2.64]", 2, NONE), ("LDGDEPBAR", 2, (0, None, ()))]
    one_left = program(*group, ("DEPBAR.LE SB0, 0x1", 2, NONE))
    none_left = program(*group, ("DEPBAR.LE SB0, 0x0", 2, NONE))
    # With one group left under way, a turn waits for the group of the turn before, issued one turn earlier.
    assert walk(*none_left, lambda i: 100).cycles == 2 + 100 + 2
    assert walk(*one_left, lambda i: 100).cycles < 100


def test_distance_from_a_load_to_its_first_use() -> None:
    code, _ = program(
        LOAD, ("LDS R5, [R7]", 2, NONE), ("FADD R9, R10, R11", 2, NONE), USE, ("LDG.E R20, desc[UR4][R2.64]", 2, NONE)
    )
    assert first_uses(code) == {0: 3, 1: None, 4: None}
    assert most_in_flight(code, 1) == 1
    assert most_in_flight([code[0], code[4], code[3]], 1) == 2


def test_what_bounds_a_pass() -> None:
    segment = Segment(10, {"fma": 8.0, "xu": 40.0}, 100.0)
    stretch = Stretch(0, 0, 1, None, (), 10, {}, 20, (segment,))
    assert stretch.time(1, 1) == (100.0, "latency")
    assert stretch.time(4, 1) == (160.0, "xu")
    busy = Stretch(0, 0, 1, None, (), 10, {}, 20, (Segment(10, {"fma": 8.0}, 100.0),))
    assert busy.time(16, 1) == (160.0, "issue")
    # A barrier: the warps of one block cannot hide the latency of one stretch with the work of the next.
    apart = Stretch(0, 0, 1, None, (), 20, {}, 40, (Segment(10, {}, 100.0), Segment(90, {}, 90.0)))
    assert apart.time(1, 4) == (100.0 + 360.0, "latency")
    assert apart.time(2, 4) == (800.0, "issue")


KERNEL = """
extern "C" __global__ void k(const float* x, float* y, int n, int m) {
  __shared__ float s[128];
  float a = 0.f;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = x[(i * 128 + threadIdx.x) * 2];
    __syncthreads();
    int j = 0;
#pragma unroll 1
    do a = a * 0.5f + s[j * 32 % 128 + threadIdx.x % 32]; while (++j < m);
    __syncthreads();
  }
  y[blockIdx.x * 128 + threadIdx.x] = a;
}
"""


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_passes_and_time_of_an_executed_kernel(tmp_path: Path, arch: str) -> None:
    source = tmp_path / "k.cu"
    source.write_text(KERNEL)
    build = compile_source(source, arch=arch, entries=["k"])
    memory = GlobalMemory()
    x = memory.add("x", np.ones(2 * 20 * 128, np.float32))
    y = memory.add("y", np.zeros(4 * 128, np.float32))
    execution = execute(
        build, "k", grid=(4, 1, 1), block=(128, 1, 1), arguments=[x, y, 20, 7], memory=memory, mode="count"
    )
    machine = Machine.of(arch, CHIPS["H200" if arch == "sm_90a" else "A100"])
    parts = parts_of(build.sass, build.cubin, "k")
    code = machine_code(
        build.sass, build.cubin, "k", machine, lambda n: Location("x", n), costs=costs_of(execution, machine)
    )
    assert code is not None
    turns = passes(parts, execution)
    # Every FFMA and every shared load that was executed is one that the model counts.
    count = lambda opcode: sum(  # noqa: E731
        often * sum(parts.code[p].opcode == opcode for p in stretch)
        for often, stretch in zip(turns, parts.stretches, strict=True)
    )
    assert count("FFMA") == pytest.approx(20 * 7)
    assert count("LDS") == pytest.approx(20 * 7)
    outer, inner = (next(s for s in code.loops if s.depth == depth) for depth in (1, 2))
    assert "global memory" in outer.mix and "global memory" not in inner.mix
    # One load of two bytes' stride: 8 sectors a request are two wavefronts of the memory pipe.
    assert outer.pipes["lsu"] == (2 + 1) * machine.limit.warp_size / 32 * machine.limit.sub_partitions
    assert outer.latency_cycles > machine.memory_latency > inner.latency_cycles
    found = occupancy(machine.limit, Demand(128, 32, 512, 0, 1))
    time = predict(code, turns, execution, found, machine)
    assert time.blocks_per_sm == 1 and time.warps_per_scheduler == 1
    assert time.cycles == pytest.approx(sum(t * s.time(1, 1)[0] for t, s in zip(turns, code.stretches, strict=True)))
    slow = predict(code, turns, execution, found, machine, memory_bytes=1e9)
    assert slow.bound == "device memory" and slow.cycles == slow.memory_cycles
    with pytest.raises(ValueError, match="chip"):
        predict(code, turns, execution, found, Machine.of(arch))


def test_no_code_no_model() -> None:
    assert machine_code("", b"", "k", Machine.of("sm_90"), lambda n: Location("x", n)) is None
