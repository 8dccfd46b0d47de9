"""A fixed slice of the fuzzer's kernels on every change; `make fuzz` runs many more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fuzz.compare import OTHER_MODES, differences, run_engine
from tests.fuzz.kernel import Kernel
from tests.fuzz.session import Batch, notes, run_batch

KERNELS = 6


@pytest.mark.parametrize("number", range(900_001, 900_006))
def test_engines_and_modes_agree(number: int) -> None:
    batch = Batch(number, KERNELS, len(OTHER_MODES))
    ran, kernel, text = run_batch(batch, False, lambda kernel: None)
    assert kernel is None, f"python -m tests.fuzz --seed {number} --kernels {KERNELS} --batch {KERNELS} --modes 3\n" + (
        notes(batch, kernel, text) + kernel.text
    )
    assert ran == KERNELS


def _some_kernel() -> Kernel:
    seen: list[Kernel] = []
    run_batch(Batch(900_006, 3, 0), False, seen.append)
    return seen[-1]


def test_a_wrong_bit_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself: one flipped bit in one output, one request more at one site."""
    kernel = _some_kernel()
    assert differences(kernel, ()) == []
    execution, buffers = run_engine(kernel, "count")
    name = next(n for n in buffers if n.startswith(("out_b", "flags")))
    flipped = {**buffers, name: buffers[name] ^ (buffers[name].dtype.type(1))}
    monkeypatch.setattr("tests.fuzz.compare.run_engine", lambda *given, **more: (execution, flipped))
    assert any(name in line for line in differences(kernel, ()))
    site = replace(execution.sites[0], requests=execution.sites[0].requests + 1)
    counted = replace(execution, sites=(site, *execution.sites[1:]))
    monkeypatch.setattr("tests.fuzz.compare.run_engine", lambda *given, **more: (counted, buffers))
    assert any(f"line {site.ptx_line} " in line for line in differences(kernel, ()))
