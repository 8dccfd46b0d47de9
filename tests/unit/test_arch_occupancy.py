"""Occupancy against the driver's answers and its own steps (the known examples are facts: tests/virtual/facts)."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpgauge.arch import LIMITS, Demand, Occupancy, block_ladder, limits, occupancy, register_ladder, steps

TRUTH = Path(__file__).parents[1] / "truth" / "occupancy_h200.csv"
ROWS = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(TRUTH.open())]


def test_there_are_readings_of_every_kind() -> None:
    assert len(ROWS) == 436
    limited = {name for row in ROWS for name in of_row(row).limited_by}
    assert limited == {"warps", "registers", "shared memory", "blocks"}


def of_row(row: dict[str, int]) -> Occupancy:
    return occupancy(
        limits("sm_90"),
        Demand(row["block_threads"], row["registers_per_thread"], dynamic_shared=row["dynamic_shared_bytes"]),
    )


def test_every_reading_of_the_h200() -> None:
    differing = [(row, of_row(row).blocks_per_sm) for row in ROWS if of_row(row).blocks_per_sm != row["blocks_per_sm"]]
    assert differing == []


@pytest.mark.parametrize(
    ("arch", "demand", "blocks", "limited"),
    [
        ("sm_90", Demand(32, 16), 32, ("blocks",)),
        ("sm_86", Demand(32, 16), 16, ("blocks",)),
        ("sm_89", Demand(32, 16), 24, ("blocks",)),
        ("sm_90", Demand(1024, 32), 2, ("warps", "registers")),
        ("sm_90", Demand(128, 32, dynamic_shared=100 * 1024), 2, ("shared memory",)),
        # The system takes 1 KB of every block from sm_80 on: four times 57 KB do not fit in 228, four times 56 do.
        ("sm_90", Demand(128, 32, dynamic_shared=57 * 1024), 3, ("shared memory",)),
        ("sm_90", Demand(128, 32, dynamic_shared=56 * 1024), 4, ("shared memory",)),
        ("sm_75", Demand(64, 32, static_shared=16 * 1024), 4, ("shared memory",)),
        ("sm_75", Demand(64, 32, static_shared=16 * 1024 + 1), 3, ("shared memory",)),
        ("sm_80", Demand(64, 24, 1024, 1024), 32, ("warps", "blocks")),
        ("sm_90", Demand(64, 24, barriers=4), 16, ("barriers",)),
        ("sm_120", Demand(64, 24, barriers=2), 12, ("barriers",)),
        ("sm_80", Demand(64, 24, barriers=16), 32, ("warps", "blocks")),
    ],
)
def test_the_limiting_resource(arch: str, demand: Demand, blocks: int, limited: tuple[str, ...]) -> None:
    found = occupancy(limits(arch), demand)
    assert (found.blocks_per_sm, found.limited_by) == (blocks, limited)


def test_what_does_not_fit_has_no_blocks_and_says_why() -> None:
    registers = occupancy(limits("sm_90"), Demand(1024, 72))
    assert (registers.blocks_per_sm, registers.limited_by) == (0, ("registers",))
    assert "32 warps of 2,304 registers" in registers.refused
    shared = occupancy(limits("sm_90"), Demand(32, 32, 1024, 227 * 1024))
    assert (shared.blocks_per_sm, shared.limited_by) == (0, ("shared memory",))
    assert "232,448" in shared.refused
    assert occupancy(limits("sm_90"), Demand(32, 32, 0, 227 * 1024)).refused == ""


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        (Demand(0, 32), "threads per block: 0"),
        (Demand(1025, 32), "threads per block: 1025"),
        (Demand(32, 0), "registers per thread: 0"),
        (Demand(32, 256), "registers per thread: 256"),
        (Demand(32, 32, -1), "static shared memory: -1"),
        (Demand(32, 32, 49153), "static shared memory: 49153"),
        (Demand(32, 32, 0, 227 * 1024 + 1), "dynamic shared memory"),
        (Demand(32, 32, barriers=17), "barriers: 17"),
    ],
)
def test_impossible_values(demand: Demand, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        occupancy(limits("sm_90"), demand)


DEMANDS = st.builds(
    Demand,
    threads=st.integers(1, 1024),
    registers=st.integers(1, 255),
    static_shared=st.integers(0, 4096),
    dynamic_shared=st.integers(0, 48 * 1024),
)


@given(st.sampled_from(sorted(LIMITS)), DEMANDS)
@settings(max_examples=60, deadline=None)
def test_steps_are_the_nearest_changes(arch: str, demand: Demand) -> None:
    """Each step against a search that tries every value."""
    limit = limits(arch)
    now = occupancy(limit, demand).blocks_per_sm
    found = {(s.quantity, s.direction): s for s in steps(limit, demand)}
    for quantity, field, values in (
        ("registers", "registers", range(1, 256)),
        ("threads", "threads", range(1, 1025)),
    ):
        blocks = {v: occupancy(limit, replace(demand, **{field: v})).blocks_per_sm for v in values}
        here = getattr(demand, field)
        up = max((v for v in values if v < here and blocks[v] > now), default=None)
        down = min((v for v in values if v > here and blocks[v] < now), default=None)
        for direction, value in (("up", up), ("down", down)):
            step = found.get((quantity, direction))
            assert (step.value if step else None) == value
            if step:
                assert (step.change, step.blocks_per_sm) == (step.value - here, blocks[step.value])


@given(st.sampled_from(sorted(LIMITS)), DEMANDS)
@settings(max_examples=60, deadline=None)
def test_a_step_of_shared_memory_is_the_last_byte(arch: str, demand: Demand) -> None:
    limit = limits(arch)

    def blocks(shared: int) -> int:
        static = min(demand.static_shared, shared)
        return occupancy(limit, replace(demand, static_shared=static, dynamic_shared=shared - static)).blocks_per_sm

    now = occupancy(limit, demand).blocks_per_sm
    for step in steps(limit, demand):
        if step.quantity != "shared memory":
            continue
        if step.direction == "up":
            assert blocks(step.value) > now and blocks(step.value + 1) == now
        else:
            assert blocks(step.value) < now and blocks(step.value - 1) == now


def test_the_ladders() -> None:
    limit = limits("sm_80")
    # requirements R77: 65,536 registers for 2,048 threads are 32 each.
    rungs = {rung.warps_per_sm: rung.demand.registers for rung in register_ladder(limit, Demand(256, 50))}
    assert rungs == {8: 255, 16: 128, 24: 80, 32: 64, 40: 48, 48: 40, 64: 32}
    sizes = {rung.demand.threads: rung.warps_per_sm for rung in block_ladder(limit, Demand(100, 41))}
    assert sizes == {32: 32, 64: 40, 128: 40, 256: 40, 512: 32, 1024: 32}
