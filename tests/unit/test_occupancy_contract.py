"""The occupancy contract on hand-made launches whose need and supply can be worked out on paper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.hand import global_site, shared_site, strided, trial
from warpgauge.arch import CHIPS
from warpgauge.contracts import Case, ContractResult, Verdict
from warpgauge.contracts.case import LaunchShape
from warpgauge.contracts.occupancy import SHORT, judge
from warpgauge.evidence import (
    BuildArtifact,
    Counters,
    Coverage,
    Execution,
    KernelResources,
    LoadBatch,
    Parallelism,
    Site,
)

H200 = CHIPS["H200"]
SOUND = {"in_flight_floor": 0.75, "min_warps": 0}
NEED = 700 / 1.98e9 * 4.8e12 / 132  # bytes of loads per SM for full bandwidth
REQUESTS = 200_000  # 25.6 MB at 128 bytes each: 5.3 us at full bandwidth


def load(line: int = 10, width: int = 4, requests: int = REQUESTS, **more: Any) -> Site:
    return global_site(strided(width), width, requests=requests, ptx_line=line, **more)


def launch(*sites: Site, blocks: int = 132 * 8, threads: int = 256, instructions: int = 1000) -> Execution:
    grid = (blocks, 1, 1)
    coverage = Coverage(blocks, blocks, "blocks")
    return Execution("k", grid, (threads, 1, 1), Counters(), sites, (), (), True, coverage, instructions)


def build(registers: int = 32, static: int = 0, arch: str = "sm_90") -> BuildArtifact:
    resources = {"_Zk": KernelResources("_Zk", registers, static, 0, 0, 0)}
    return BuildArtifact(arch, "", b"", "", {"k": "_Zk"}, resources, {}, "nvrtc", "key")


def case(
    execution: Execution, *batches: LoadBatch, registers: int = 32, ilp: float = 1.0, dynamic: int = 0, **more: Any
) -> Case:
    known = Case(
        build=build(registers),
        entries=("k",),
        trials=(trial(execution),),
        launches=(LaunchShape("k", execution.block[0], dynamic),),
        parallelism={"k": Parallelism(batches, ilp)},
        chip=H200,
    )
    return replace(known, **more)


def only(result: ContractResult, code: str) -> dict[str, Any]:
    (diagnostic,) = result.diagnostics
    assert diagnostic.code == code
    return diagnostic.evidence | {"message": diagnostic.message, "help": diagnostic.help}


def test_many_warps_with_one_load_each() -> None:
    """64 warps x 128 bytes are 8,192 of 12,856: bandwidth cannot pass 64 %."""
    result = judge(case(launch(load()), LoadBatch("global", (10,))), SOUND)
    assert (result.verdict, result.asked) == (Verdict.FAIL, 0.75)
    assert result.measured == pytest.approx(8192 / NEED)
    assert result.provenance is not None and result.provenance.kind == "predicted"
    found = only(result, "OCC302")
    assert found["class"] == "memory" and found["resident_warps"] == 64
    assert "8,192 bytes in flight per SM where 12,856" in found["message"]
    assert found["latency_source"] and found["bandwidth_source"]
    assert "1.6 times as much under way" in found["help"] and "or let more warps in" not in found["help"]


def test_few_warps_with_much_under_way_pass() -> None:
    """Occupancy 12.5 % with eight wide loads each: 8 x 8 x 512 bytes."""
    sites = [load(line, 16, REQUESTS // 8) for line in range(10, 18)]
    batch = LoadBatch("global", tuple(range(10, 18)))
    result = judge(case(launch(*sites, blocks=132), batch, registers=255), SOUND)
    assert result.verdict is Verdict.PASS
    assert result.measured == pytest.approx(8 * 8 * 512 / NEED)


def test_only_loads_wait() -> None:
    """A copy needs half of the bandwidth for its loads, a fill none."""
    copy = launch(load(), load(20, op="store"))
    result = judge(case(copy, LoadBatch("global", (10,))), SOUND)
    assert result.measured == pytest.approx(8192 / (NEED / 2)) and result.verdict is Verdict.PASS
    fill = judge(case(launch(load(op="store"))), SOUND)
    assert (fill.verdict, fill.measured) == (Verdict.PASS, 1.0)


def test_waits_are_averaged_by_what_they_bring() -> None:
    """Half of the bytes arrive four loads at a time, half one by one: the mean is 2 / (1/4 + 1/1) = 1.6 loads."""
    sites = [load(line, requests=REQUESTS // 4) for line in range(10, 14)] + [load(20)]
    known = case(launch(*sites), LoadBatch("global", (10, 11, 12, 13)), LoadBatch("global", (20,)))
    assert judge(known, SOUND).measured == pytest.approx(64 * 1.6 * 128 / NEED)
    # A load that the machine code does not show waits with the largest batch.
    unseen = case(launch(*sites), LoadBatch("global", (10, 11, 12, 13)))
    assert judge(unseen, SOUND).measured == pytest.approx(64 * 4 * 128 / NEED)


def test_a_grid_that_does_not_fill_the_chip() -> None:
    batch = LoadBatch("global", (10,))
    result = judge(case(launch(load(width=16), blocks=66), batch), SOUND)
    found = only(result, "OCC302")
    assert found["limited_by"] == "the grid" and found["resident_warps"] == 4
    assert "launch more blocks: 66 do not fill the 1,056 places of H200" in found["help"]


def test_the_step_that_would_help_is_named() -> None:
    result = judge(case(launch(load()), LoadBatch("global", (10,)), dynamic=60 * 1024), SOUND)
    found = only(result, "OCC302")
    assert found["limited_by"] == "shared memory" and found["blocks_per_sm"] == 3
    assert (
        "or let more warps in: at most 57,344 bytes of shared memory per block (now 61,440; 32 warps)" in found["help"]
    )
    by_registers = judge(case(launch(load()), LoadBatch("global", (10,)), registers=100), SOUND)
    assert "at most 80 registers per thread (now 100; 24 warps)" in only(by_registers, "OCC302")["help"]


@pytest.mark.parametrize(("registers", "ilp", "verdict"), [(32, 1, "PASS"), (255, 1, "FAIL"), (255, 2, "PASS")])
def test_instructions_need_16_in_flight(registers: int, ilp: float, verdict: str) -> None:
    """64 warps, 8 warps with dependent instructions, and 8 warps with two independent ones each."""
    known = case(launch(load(requests=10), instructions=2**34), registers=registers, ilp=ilp)
    result = judge(known, SOUND)
    assert str(result.verdict) == verdict
    assert result.measured == (64 if registers == 32 else 8) * ilp / 16
    if verdict == "FAIL":
        assert "independent work" in only(result, "OCC302")["help"]


def test_shared_memory_needs_a_wavefront_in_every_clock() -> None:
    """8 warps with one wavefront each of the 30 that its latency takes; four at a time are enough."""
    site = shared_site(strided(4), 4, requests=2_000_000, ptx_line=10)
    one = case(launch(site), LoadBatch("shared", (10,)), registers=255)
    result = judge(one, SOUND)
    assert result.measured == pytest.approx(8 / 30) and only(result, "OCC302")["class"] == "shared memory"
    sites = [shared_site(strided(4), 4, requests=500_000, ptx_line=line) for line in range(10, 14)]
    four = case(launch(*sites), LoadBatch("shared", (10, 11, 12, 13)), registers=255)
    assert judge(four, SOUND).measured == pytest.approx(32 / 30)


def test_a_launch_that_is_over_at_once_is_not_judged() -> None:
    result = judge(case(launch(load(requests=1000), blocks=1), LoadBatch("global", (10,))), SOUND)
    assert (result.verdict, result.measured, result.diagnostics) == (Verdict.PASS, None, ())
    assert result.reason == SHORT


def test_a_number_of_warps_is_judged_only_where_asked_and_needs_no_chip() -> None:
    known = case(launch(load()), LoadBatch("global", (10,)), registers=104, chip=None)
    result = judge(known, SOUND | {"min_warps": 32})
    assert (result.verdict, result.measured, result.asked) == (Verdict.FAIL, 16, 32)
    found = only(result, "OCC303")
    assert "16 warps per SM, asked 32: 2 blocks of 8 warps, limited by registers" in found["message"]
    assert "at most 80 registers per thread (now 104; 24 warps)" in found["help"]
    assert judge(known, SOUND | {"min_warps": 16}).verdict is Verdict.PASS
    # The same kernel without that wish and with a chip is asked for bytes.
    assert judge(replace(known, chip=H200), SOUND).unit == "of need in flight"


GOOD = case(launch(load(width=16)), LoadBatch("global", (10,)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"chip": None}, "names no chip"),
        ({"chip": CHIPS["A100"]}, "A100 is sm_80, the kernel is for sm_90"),
        ({"chip": CHIPS["H100 PCIe"]}, "no source gives the memory latency of H100 PCIe"),
        ({"build": None, "missing": {"build": "it did not compile"}}, "it did not compile"),
        ({"build": replace(build(), resources={})}, "no resources"),
        ({"trials": ()}, "not executed"),
        ({"launches": ()}, "no resources"),
        ({"launches": (*GOOD.launches, *GOOD.launches)}, "not every launch"),
        ({"parallelism": {}}, "no machine code"),
        ({"parallelism": {"k": Parallelism((), 1.0, bulk=True)}}, "in bulk"),
        ({"build": build(255), "launches": (LaunchShape("k", 1024),)}, "do not fit"),
    ],
)
def test_what_is_not_known_stays_unknown(change: dict[str, Any], words: str) -> None:
    assert judge(GOOD, SOUND).verdict is Verdict.PASS
    result = judge(replace(GOOD, **change), SOUND)
    assert result.verdict is Verdict.UNKNOWN and words in result.reason
    assert result.diagnostics == ()


def test_tensor_cores_leave_the_instructions_unknown_and_the_bytes_known() -> None:
    tensor = {"k": Parallelism((LoadBatch("global", (10,)),), 1.0, tensor=True)}
    assert judge(replace(GOOD, parallelism=tensor), SOUND).verdict is Verdict.PASS
    busy = case(launch(load(requests=10), instructions=2**34), parallelism=tensor)
    assert judge(busy, SOUND).verdict is Verdict.UNKNOWN


def test_one_bad_launch_of_several_decides() -> None:
    good, bad = launch(load(width=16)), launch(load(width=16), blocks=8)
    known = case(good, LoadBatch("global", (10,)))
    both = replace(known, trials=(trial(good, bad),), launches=known.launches * 2)
    result = judge(both, SOUND)
    assert result.verdict is Verdict.FAIL and len(result.diagnostics) == 1
    assert result.coverage == Coverage(132 * 8 + 8, 132 * 8 + 8, "blocks")
