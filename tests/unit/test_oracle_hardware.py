"""The oracle answers every instruction case as an H200 did (digests in tests/oracle/h200.json)."""

from __future__ import annotations

import pytest

from tests.oracle import engine, truth
from tests.oracle.cases import BUFFERS, CASES, KERNEL, Case, inputs_for, ptx_for
from tests.oracle.sums import worst_error
from warpgauge.ptx import parse

READINGS = truth.readings()


@pytest.mark.parametrize("case", [case for case in CASES if case.id in READINGS], ids=lambda case: case.id)
def test_case_equals_the_reading(case: Case):
    reading = READINGS[case.id]
    buffers = inputs_for(case)
    assert truth.inputs_digest(buffers) == reading["inputs"], "the inputs changed: read the case again on a GPU"
    places = engine.layout(buffers)
    result = engine.run(
        parse(ptx_for(case)),
        KERNEL,
        grid=case.grid,
        block=case.block,
        dynamic_shared=case.dynamic_shared,
        arguments=[places[name] for name in BUFFERS],
        buffers=buffers,
    )
    if "error" in reading:
        assert 0 <= float(reading["error"]) <= 1, "the hardware is outside the bound that is stated for it"
        assert worst_error(case, buffers, result.buffers["d"]) <= 1
    expected = {name: reading[name] for name in truth.fixed_outputs(case)}
    assert truth.digests(case, result.buffers) == expected


def test_only_these_cases_have_no_reading():
    unread = {case.id for case in CASES if truth.readable(case) and case.id not in READINGS}
    assert not {name for name in unread if not any(word in name for word in truth.AWAITED)}
    idle = [word for word in truth.AWAITED if not any(word in name for name in unread)]
    assert not idle, "read already: take these words off the list"


def test_a_wrong_bit_and_a_wrong_order_change_the_digest():
    case = next(c for c in CASES if c.id == "add.f32")
    values = inputs_for(case)["a"]
    changed = values.copy()
    changed[5] ^= 1
    assert len({truth.digest(v, "f32") for v in (values, changed, values[::-1])}) == 3


def test_all_nans_have_one_digest():
    import numpy as np

    quiet, payload = np.array([0x7FC00000, 1], np.uint32), np.array([0xFFC12345, 1], np.uint32)
    assert truth.digest(quiet, "f32") == truth.digest(payload, "f32")
    assert truth.digest(quiet, "u32") != truth.digest(payload, "u32")
    halves = np.array([0x7E003C00], np.uint32), np.array([0xFE013C00], np.uint32)
    assert truth.digest(halves[0], "f16x2") == truth.digest(halves[1], "f16x2")
