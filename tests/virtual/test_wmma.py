"""The wmma API on the virtual GPU: right products, exact costs, and findings at the line of the call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.oracle.counting import sectors, wavefronts
from tests.oracle.tile_machine import TileRun, machine_code
from tests.oracle.tile_probes import Probe
from warpgauge.build import compile_source
from warpgauge.evidence import BY_TILE, BuildArtifact, Execution
from warpgauge.ptx import parse
from warpgauge.sass import tile_accesses
from warpgauge.vgpu import GlobalMemory, execute

SOURCE = Path(__file__).parent / "kernels" / "wmma.cu"
N = 64
PROBES = [
    Probe("a", "m16n16k16", "f16", "row", "shared"),
    Probe("b", "m16n16k16", "f16", "col", "shared"),
    Probe("d", "m16n16k16", "f32", "row", "global"),
]


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


def gemm(build: BuildArtifact, mode: str) -> tuple[Execution, np.ndarray, np.ndarray]:
    """(execution, C as computed, C as it should be)."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-8, 9, (N, N)).astype(np.float16) for _ in range(2))
    memory = GlobalMemory()
    arguments = [memory.add("a", a), memory.add("b", b), memory.add("c", np.zeros((N, N), np.float32)), N]
    grid = (N // 32, N // 32, 1)
    done = execute(build, "gemm", grid=grid, block=(128, 1, 1), arguments=arguments, memory=memory, mode=mode)
    return done, memory.read("c").reshape(N, N), 2 * a.astype(float) @ b.astype(float).T + 1


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Operand -> the accesses that the machine code of a probe makes, each with (major, minor) per lane."""
    code = machine_code(PROBES, "sm_90", tmp_path_factory.mktemp("probes"))
    return {p.what: TileRun(p, code[p.name], "sm_90").requests() for p in PROBES}


def costs(requests: list[Any], bases: Iterator[int], stride: int, size: int) -> np.ndarray:
    """[requests, sectors, wavefronts, conflicts] over tiles that start at `bases` bytes, lines `stride` bytes apart."""
    total = np.zeros(4, int)
    for base in bases:
        for op, width, places in requests:
            at = [base + major * stride + minor * size for major, minor in places]
            given = tuple(at + [None] * (32 - len(at)))
            passes = wavefronts(given, width, "rows" if op.startswith("matrix") else op)
            total += [1, sectors(given, width), *passes]
    return total


@pytest.mark.parametrize("stride", [32, 40, 56])
def test_a_gemm_is_right_and_costs_what_its_lanes_say(stride: int, lanes: dict[str, list[Any]]) -> None:
    build = compile_source(SOURCE, entries=["gemm"], defines={"LDA": stride, "LDB": stride})
    execution, got, want = gemm(build, "shadow")
    assert execution.faults == ()
    assert np.array_equal(got, want)
    blocks = (N // 32) ** 2
    starts = {
        name: [
            at + (w * stride + k) * 2
            for _ in range(blocks * (N // 32))
            for warp in range(4)
            for w in ((warp // 2 if name == "a" else warp % 2) * 16,)
            for k in (0, 16)
        ]
        for name, at in (("a", 0), ("b", 32 * stride * 2))
    }
    tiles = [4 * (m * N + n) for m in range(0, N, 16) for n in range(0, N, 16)]
    for name, call, space in (("a", "left, as", "shared"), ("b", "right, bs", "shared"), ("d", "(c + (m0", "global")):
        size, rows = (2, stride * 2) if space == "shared" else (4, N * 4)
        each, moved, passes, lost = costs(lanes[name], iter(starts.get(name, tiles)), rows, size)
        sites = [s for s in execution.sites if s.location.line == line_of(call)]
        assert {s.provenance.detail for s in sites} == {""}
        assert sum(s.requests for s in sites) == each
        if space == "global":
            assert sum(s.sectors for s in sites) == moved
        else:
            assert (sum(s.wavefronts for s in sites), sum(s.conflicts for s in sites)) == (passes, lost)
            assert bool(lost) == (stride == 32)


def test_without_machine_code_the_count_is_by_tile_and_says_so() -> None:
    build = compile_source(SOURCE, entries=["gemm"])
    execution, got, want = gemm(replace(build, sass="", key=build.key + "bare"), "count")
    assert np.array_equal(got, want)
    assert {s.provenance.detail for s in execution.sites if s.location.line == line_of("left, as")} == {BY_TILE}
    # The stored tiles are whole and aligned: whatever the lanes, each sector moves once.
    store = [s for s in execution.sites if s.location.line == line_of("(c + (m0")]
    assert [(s.requests, s.sectors) for s in store] == [(16, N * N // 8)]


def test_machine_code_that_is_not_in_the_table_leaves_the_lanes_unknown() -> None:
    """Whole copies of the accesses are those of an unrolled loop; a missing one is none of ours."""
    build = compile_source(SOURCE, entries=["fill"])
    code = parse(build.ptx).kernels["fill"].instructions
    rows = build.sass.splitlines()
    start = next(n for n, row in enumerate(rows) if ".text.fill," in row)
    stores = [n for n, row in enumerate(rows) if "STG.E.64" in row and n > start][:4]

    def unknown(text: list[str]) -> list[str]:
        return [found.unknown for found in tile_accesses(code, "\n".join(text), "fill", "sm_90").values()]

    assert unknown(rows) == [""]
    copied = [row for n, row in enumerate(rows) for _ in range(2 if n in stores else 1)]
    assert unknown(copied) == [""]
    (reason,) = unknown(rows[: stores[0]] + rows[stores[0] + 1 :])
    assert "3 accesses (STG.E.64)" in reason


def test_a_tile_past_the_end_is_found_at_its_line() -> None:
    n = 24
    memory = GlobalMemory()
    c = memory.add("c", np.zeros((n, n), np.float32))
    build = compile_source(SOURCE, entries=["fill"])
    done = execute(build, "fill", grid=(2, 2, 1), block=(32, 1, 1), arguments=[c, n], memory=memory)
    found = [f for f in done.faults if f.code == "SAF603"]
    assert [f.location.line for f in found] == [line_of("c + blockIdx.y * 16 * n")]
    # In pairs of elements: eight rows of both lower tiles, and half a row more of the right one.
    assert found[0].count == 8 * 8 + 8 * 8 + 4


@pytest.mark.parametrize("together", [0, 1])
def test_a_stored_tile_that_another_warp_loads_needs_a_barrier(together: int) -> None:
    memory = GlobalMemory()
    c = memory.add("c", np.zeros(256, np.float32))
    build = compile_source(SOURCE, entries=["hand_over"])
    done = execute(build, "hand_over", grid=(1, 1, 1), block=(64, 1, 1), arguments=[c, together], memory=memory)
    if together:
        assert done.faults == ()
        assert set(memory.read("c").tolist()) == {3.0}
        return
    (race,) = [f for f in done.faults if f.code == "SAF601"]
    assert race.location.line == line_of("load_matrix_sync(sum, tile")
    assert [place.line for place, _ in race.related] == [line_of("store_matrix_sync(tile")]


@pytest.mark.parametrize("output", ["d", "a"])
def test_tiles_are_read_from_inputs_and_written_to_outputs(output: str) -> None:
    memory = GlobalMemory()
    one, zero = np.ones(256, np.float16), np.zeros(256, np.float32)
    given = {"a": one, "b": one, "c": zero, "d": zero}
    arguments = [memory.add(n, v, writable=n == output) for n, v in given.items()]
    build = compile_source(SOURCE, entries=["straight"])
    done = execute(build, "straight", grid=(1, 1, 1), block=(32, 1, 1), arguments=arguments, memory=memory)
    assert set(memory.read("d").tolist()) == {16.0}
    wrong = [] if output == "d" else [("SAF614", line_of("store_matrix_sync(d, sum"))]
    assert [(f.code, f.location.line) for f in done.faults] == wrong
