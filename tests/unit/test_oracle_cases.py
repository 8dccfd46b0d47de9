"""The table of instruction cases itself: unique, executable, and complete for the oracle's own rows."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.oracle import access, floating, program, warp
from tests.oracle.case import split_type
from tests.oracle.cases import BUFFERS, CASES, by_id, differing, inputs_for, instructions_of, ptx_for

EXECUTED = frozenset().union(*(instructions_of(case) for case in CASES))


def test_ids_are_unique():
    assert [name for name, count in Counter(c.id for c in CASES).items() if count > 1] == []


def test_every_row_of_the_oracle_is_executed_by_a_case():
    rows = {*program.VALUE_ROWS, *access.ROWS, *warp.ROWS, *floating.OPCODES, *program.CONTROL, "mov", "bar", "barrier"}
    opcodes = {name.split(".")[0] for name in EXECUTED}
    # trap has no result (test_oracle_engine stops on it).
    assert rows - opcodes == {"trap"}


def test_inputs_are_reproducible_and_depend_on_the_seed():
    case = by_id("add.f32")
    first, again, other = inputs_for(case, 1), inputs_for(case, 1), inputs_for(case, 2)
    assert tuple(first) == BUFFERS
    assert all((first[name] == again[name]).all() for name in BUFFERS)
    assert (first["a"] != other["a"]).any()


def test_buffers_fit_the_launch():
    for case in CASES:
        buffers = inputs_for(case)
        kind, count = split_type(case.output)
        assert len(buffers["d"]) == case.elements * count, case.id
        assert (buffers["d"].view(np.uint8) == 0xA5).all(), kind


def test_kernels_take_their_parameters_in_buffer_order():
    text = ptx_for(by_id("fma.rn.f32"))
    assert [text.index(f"param_{name}") for name in "abcds"] == sorted(text.index(f"param_{name}") for name in "abcds")


def test_differing_knows_nan_ulp_and_halves():
    one = np.array([0x3F800000, 0x7FC00000, 0x3F800000, 0x80000000], np.uint32)
    two = np.array([0x3F800001, 0x7FFFFFFF, 0x3F800003, 0x00000000], np.uint32)
    assert differing("f32", one, two).tolist() == [0, 2, 3]
    assert differing("f32", one, two, ulp=1).tolist() == [2]
    assert differing("f32", one, two, ulp=3).tolist() == []
    assert differing("u32", one, two).tolist() == [0, 1, 2, 3]
    halves = np.array([0x7E003C00, 0x3C003C00], np.uint32), np.array([0x7FFF3C00, 0x3C013C00], np.uint32)
    assert differing("f16x2", *halves).tolist() == [1]
    assert differing("f32", one[:1], two[:1], absolute=1e-6).tolist() == []
