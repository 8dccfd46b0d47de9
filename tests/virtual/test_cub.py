"""Real code that is not ours: right to the bit, without a finding, in both modes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.virtual.cub.case import FOLDER, Case, build, launch
from tests.virtual.cub.tables import CASES, REUSED, entries
from warpgauge.diagnostics.faults import fault_diagnostic
from warpgauge.vgpu import GlobalMemory, execute


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_right_and_clean(case: Case) -> None:
    built = build(case.source, entries(case.source))
    checked, outputs = launch(built, case, "shadow")
    for execution in checked:
        assert execution.completed, execution.stopped
        assert {f.code for f in execution.faults} == {case.finding} - {""}, [f.message for f in execution.faults]
    _, bare = launch(built, case, "run")
    for name, want in case.expected.items():
        assert outputs[name].tobytes() == want.tobytes(), (name, outputs[name], want)
        assert bare[name].tobytes() == want.tobytes(), f"{name}: run mode gives other bits"


def test_merge_sorts_read_one_key_too_many() -> None:
    """CUB says so where `SerialMerge` takes its counts: "One more item may be read but is not used"."""
    source = "sort.cu"
    case = next(c for c in CASES if c.finding)
    (execution,), _ = launch(build(source, entries(source)), case, "shadow")
    (fault,) = execution.faults
    assert "Sort(" in (FOLDER / source).read_text().splitlines()[fault.location.line - 1]
    innermost = fault.inlined[0]
    assert innermost.file.endswith("cub/block/block_merge_sort.cuh")
    with open(innermost.file, encoding="utf-8") as header:
        assert "keys_shared[" in header.read().splitlines()[innermost.line - 1]


@pytest.mark.parametrize("barrier", [False, True])
def test_a_fault_inside_a_header_is_at_our_line(barrier: bool) -> None:
    built = build("scan.cu", entries("scan.cu"))
    memory = GlobalMemory()
    data = memory.add("in", np.arange(128, dtype=np.int32))
    out = memory.add("out", np.zeros(1, np.int32))
    entry = REUSED[barrier]
    run = execute(built, entry, grid=(1, 1, 1), block=(128, 1, 1), arguments=[data, out], memory=memory)
    assert memory.read("out") == 127 * 126 // 2
    if barrier:
        assert run.faults == ()
        return
    source = FOLDER / "scan.cu"
    text = source.read_text().splitlines()
    assert run.faults and {f.code for f in run.faults} == {"SAF601"}
    for fault in run.faults:
        assert fault.location.file == str(source)
        assert "Reduce(storage.reduce)" in text[fault.location.line - 1]
        assert "Scan(storage.scan)" in text[fault.related[0][0].line - 1]
        chain = [span.location.file for span in fault_diagnostic(fault).related if span.label == "inlined here"]
        assert chain and all("/cub/" in file for file in chain)
