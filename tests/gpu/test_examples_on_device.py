"""The good tensor-core examples compute on a GPU what the problem allows and the virtual GPU computed."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tests.gpu.examples_on_device import compared, on_device
from tests.gpu.prepare_examples import prepare
from tests.gpu.prepared import cases
from tests.oracle.driver import Driver
from warpgauge.build.toolchain import find_toolchain
from warpgauge.diagnostics import WarpgaugeError

try:
    ctypes.CDLL("libcuda.so.1")
    MISSING = ""
except OSError as error:
    MISSING = f"no CUDA driver on this machine: {error}"

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


# Where `python -m tests.gpu.prepare_examples` may have written the cases, on a machine that has the compiler.
PREPARED = Path(__file__).parents[2] / "out" / "device"


def case_folder(example: str, fresh: Path) -> Path:
    try:
        find_toolchain()
    except WarpgaugeError as error:
        if not PREPARED.is_dir():
            pytest.skip(f"no compiler here ({error}), and no cases in {PREPARED.parent.name}/{PREPARED.name}")
        return PREPARED
    assert prepare(fresh, frozenset({example})) > 0
    return fresh


@pytest.mark.parametrize("example", ["gemm_mma", "flash_attention"])
def test_device_and_virtual_gpu_are_both_within_the_tolerance(example: str, tmp_path: Path) -> None:
    driver = Driver()
    found = [case for case in cases(case_folder(example, tmp_path)) if case.name.startswith(f"{example}/")]
    assert found
    rows = [row for case in found for row in compared(case, on_device(driver, case))]
    wrong = [row for row in rows if not row.right or row.virtual > row.rel_l2_allowed]
    assert wrong == []
