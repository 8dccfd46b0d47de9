"""The readings of instruction cases on an H200 (tests/oracle/h200.json): which there are, and how they are compared.

tests/virtual/test_vgpu_rows.py compares the oracle with them, on the run that it compares the engines on.
"""

from __future__ import annotations

import numpy as np

from tests.oracle import truth
from tests.oracle.cases import CASES, inputs_for

READINGS = truth.readings()


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
    quiet, payload = np.array([0x7FC00000, 1], np.uint32), np.array([0xFFC12345, 1], np.uint32)
    assert truth.digest(quiet, "f32") == truth.digest(payload, "f32")
    assert truth.digest(quiet, "u32") != truth.digest(payload, "u32")
    halves = np.array([0x7E003C00], np.uint32), np.array([0xFE013C00], np.uint32)
    assert truth.digest(halves[0], "f16x2") == truth.digest(halves[1], "f16x2")
