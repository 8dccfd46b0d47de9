"""Run every instruction case on a GPU through the CUDA driver and write the digests of what it answered.

Of floating-point sums of tensor cores it writes the largest error, as a share of the stated bound.

Usage, from the checkout on a machine with a GPU: `python -m tests.oracle.read_device OUT.json`.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from . import truth
from .cases import CASES, KERNEL, inputs_for, ptx_for
from .driver import Driver
from .sums import worst_error


def as_lines(device: str, date: str, cases: dict[str, dict[str, str]]) -> str:
    """JSON with one line a case, so that a changed reading is a changed line."""
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in cases.items())
    return f'{{"device": {json.dumps(device)},\n"date": {json.dumps(date)},\n"cases": {{\n{rows}\n}}}}\n'


def main(path: Path) -> None:
    driver = Driver()
    cases = {}
    for case in filter(truth.readable, CASES):
        buffers = inputs_for(case)
        answer = driver.run(
            ptx_for(case), KERNEL, buffers, grid=case.grid, block=case.block, dynamic_shared=case.dynamic_shared
        )
        cases[case.id] = {"inputs": truth.inputs_digest(buffers), **truth.digests(case, answer)}
        if case.sums and not case.device_may_differ:
            # (Whether hardware and engines agree to the bit is worth knowing, though nothing asks it of them.)
            cases[case.id]["sums"] = truth.digest(answer["d"], case.output)
            cases[case.id]["error"] = f"{worst_error(case, buffers, answer['d']):.3g}"
    date = datetime.now(UTC).date().isoformat()
    path.write_text(as_lines(driver.name, date, cases))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
