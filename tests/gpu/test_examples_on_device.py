"""The good tensor-core examples compute on a GPU what the problem allows and the virtual GPU computed."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tests.gpu.examples_on_device import compared, on_device
from tests.gpu.prepare_examples import prepare
from tests.gpu.prepared import cases
from tests.oracle.driver import Driver

try:
    ctypes.CDLL("libcuda.so.1")
    MISSING = ""
except OSError as error:
    MISSING = f"no CUDA driver on this machine: {error}"

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.mark.parametrize("example", ["gemm_mma", "flash_attention"])
def test_device_and_virtual_gpu_are_both_within_the_tolerance(example: str, tmp_path: Path) -> None:
    assert prepare(tmp_path, frozenset({example})) > 0
    driver = Driver()
    rows = [row for case in cases(tmp_path) for row in compared(case, on_device(driver, case))]
    wrong = [row for row in rows if not row.right or row.virtual > row.rel_l2_allowed]
    assert wrong == []
