"""Every instruction case on both engines, and the oracle against an H200 (digests in tests/oracle/h200.json).

Results to the bit, request costs, executed instructions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.oracle import truth
from tests.oracle.cases import CASES, KERNEL, Case, differing, inputs_for, ptx_for
from tests.oracle.sums import worst_error
from tests.virtual.engines import divergence_differences, run_both
from warpgauge.evidence import Counters

READINGS = truth.readings()
# Whether hardware counts a generic load from constant or parameter memory as a global one was never read.
GENERIC_CONSTANT = {"cvta.const.u64", "cvta.param.u64"}


def comparable(case: Case, counters: Counters) -> Counters:
    """Shared atomics were calibrated for 32-bit lanes on words of their own; other patterns stay out."""
    if case.id in GENERIC_CONSTANT:
        counters = replace(counters, global_load_requests=0, global_load_sectors=0)
    if "own slot" in case.id and case.output.endswith("32"):
        return counters
    return replace(counters, shared_atomic_wavefronts=0, shared_atomic_conflicts=0)


def check_reading(case: Case, inputs: dict[str, np.ndarray], results: dict[str, np.ndarray]) -> None:
    reading = READINGS[case.id]
    assert truth.inputs_digest(inputs) == reading["inputs"], "the inputs changed: read the case again on a GPU"
    if "error" in reading:
        assert 0 <= float(reading["error"]) <= 1, "the hardware is outside the bound that is stated for it"
        assert worst_error(case, inputs, results["d"]) <= 1
    assert truth.digests(case, results) == {name: reading[name] for name in truth.fixed_outputs(case)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_engines_agree_with_each_other_and_with_hardware(case: Case) -> None:
    buffers = inputs_for(case)
    both = run_both(
        ptx_for(case), KERNEL, buffers, grid=case.grid, block=case.block, dynamic_shared=case.dynamic_shared
    )
    if case.id in READINGS:
        check_reading(case, buffers, both.oracle.buffers)
    assert both.execution.completed, f"{case.id}: {both.execution.stopped}"
    assert both.execution.faults == (), case.id
    for name, kind in (("d", case.output), ("scratch", case.scratch[0])):
        got, want = both.buffers[name], both.oracle.buffers[name]
        at = differing(kind, got, want, case.ulp, case.absolute)
        given = [{n: hex(int(buffers[n][k])) for n in "abc" if k < len(buffers[n])} for k in at[:3]]
        shown = [(int(k), hex(int(got[k])), hex(int(want[k]))) for k in at[:3]]
        assert not len(at), f"{case.id}: {len(at)} of {name} differ (element, engine, oracle): {shown}; inputs {given}"
    assert both.execution.thread_instructions == both.oracle.thread_instructions, case.id
    assert divergence_differences(both.execution, both.oracle) == [], case.id
    assert comparable(case, both.execution.counters) == comparable(case, both.oracle.totals), case.id
