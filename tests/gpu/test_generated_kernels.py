"""Generated kernels and instruction cases write on a GPU what the virtual GPU writes."""

from __future__ import annotations

import ctypes

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.compare import differences
from tests.fuzz.kernel import build
from tests.fuzz.tree import Program, programs
from tests.oracle import engine, truth
from tests.oracle.cases import BUFFERS, CASES, KERNEL, inputs_for, ptx_for
from tests.oracle.driver import Driver
from tests.oracle.sums import worst_error
from warpgauge.ptx import parse

try:
    ctypes.CDLL("libcuda.so.1")
    MISSING = ""
except OSError as error:
    MISSING = f"no CUDA driver on this machine: {error}"

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@seed(20261201)
@settings(
    max_examples=100,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(programs)
def test_generated_kernels_write_the_same_bits(program: Program) -> None:
    assert differences(build(program), (), device=True) == []


def test_instruction_cases_answer_as_the_oracle_says() -> None:
    driver = Driver()
    wrong = []
    for case in filter(truth.readable, CASES):
        shape = {"grid": case.grid, "block": case.block, "dynamic_shared": case.dynamic_shared}
        buffers = inputs_for(case)
        places = engine.layout(buffers)
        said = engine.run(
            parse(ptx_for(case)), KERNEL, buffers=buffers, arguments=[places[n] for n in BUFFERS], **shape
        )
        answer = driver.run(ptx_for(case), KERNEL, inputs_for(case), **shape)
        exact = truth.digests(case, answer) == truth.digests(case, said.buffers)
        near = not case.sums or case.device_may_differ or worst_error(case, buffers, answer["d"]) <= 1
        if not (exact and near):
            wrong.append(case.id)
    assert wrong == []
