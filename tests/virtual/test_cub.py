"""Real code that is not ours: right to the bit, without a finding, in both modes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.virtual.cub.case import Case, build, launch
from tests.virtual.cub.tables import CASES, entries


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_right_and_clean(case: Case) -> None:
    built = build(case.source, entries(case.source))
    checked, outputs = launch(built, case, "shadow")
    for execution in checked:
        assert execution.completed, execution.stopped
        assert execution.faults == (), [f"{f.code} {f.location.file}:{f.location.line} {f.message}" for f in execution.faults]
    _, bare = launch(built, case, "run")
    for name, want in case.expected.items():
        if case.rtol:
            np.testing.assert_allclose(outputs[name].astype(np.float64), want.astype(np.float64), rtol=case.rtol)
        else:
            assert outputs[name].tobytes() == want.tobytes(), (name, outputs[name], want)
        assert bare[name].tobytes() == outputs[name].tobytes(), f"{name}: run mode gives other bits"
