"""Counters of 2,073 launches on an H200: every width, 39 address patterns, seven lane masks, seven kinds of atomic."""

from __future__ import annotations

import numpy as np
import pytest

from tests.virtual.patterns import COMPARED, LOOPS, differences, launched


@pytest.mark.parametrize("kernel", COMPARED)
def test_every_reading_of_a_kernel_is_predicted(kernel: str) -> None:
    assert differences(kernel) == []


def test_a_looping_atomic_is_marked_as_assumed() -> None:
    execution = launched(LOOPS[0], np.arange(32, dtype=np.int32), 0xFFFFFFFF)
    (atomic,) = [s for s in execution.sites if s.op == "atomic"]
    assert atomic.provenance.detail == "rule assumed"
