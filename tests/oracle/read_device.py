"""Run every instruction case on a GPU through the CUDA driver and write the digests of what it answered.

Of floating-point sums of tensor cores it writes the largest error, as a share of the stated bound.

Usage, from the checkout on a machine with a GPU: `python -m tests.oracle.read_device OUT.json`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from . import truth
from .cases import CASES, KERNEL, Case, inputs_for, ptx_for
from .driver import Driver
from .sums import worst_error

READABLE = tuple(filter(truth.readable, CASES))


def as_lines(device: str, date: str, cases: dict[str, dict[str, str]]) -> str:
    """JSON with one line a case, so that a changed reading is a changed line."""
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in cases.items())
    return f'{{"device": {json.dumps(device)},\n"date": {json.dumps(date)},\n"cases": {{\n{rows}\n}}}}\n'


def read(driver: Driver, case: Case) -> dict[str, str]:
    buffers = inputs_for(case)
    answer = driver.run(
        ptx_for(case), KERNEL, buffers, grid=case.grid, block=case.block, dynamic_shared=case.dynamic_shared
    )
    row = {"inputs": truth.inputs_digest(buffers), **truth.digests(case, answer)}
    if case.sums and not case.device_may_differ:
        # (Whether hardware and engines agree to the bit is worth knowing, though nothing asks it of them.)
        row |= {"sums": truth.digest(answer["d"], case.output)}
        row |= {"error": f"{worst_error(case, buffers, answer['d']):.3g}"}
    return row


def read_from(first: int) -> None:
    """Print a line per case from `first` on; a fault ends the process, as it has ended its context."""
    driver = Driver()
    print(json.dumps(driver.name), flush=True)
    for case in READABLE[first:]:
        print(json.dumps(read(driver, case)), flush=True)


def main(path: Path) -> None:
    cases: dict[str, dict[str, str]] = {}
    done, device = 0, ""
    while done < len(READABLE):
        me = [sys.executable, "-m", __spec__.name, "--from", str(done)]
        child = subprocess.run(me, capture_output=True, text=True, check=False)
        lines = child.stdout.splitlines()
        if not lines:
            raise SystemExit(child.stderr)
        device = json.loads(lines[0])
        answers = [json.loads(line) for line in lines[1:]]
        cases |= {case.id: row for case, row in zip(READABLE[done:], answers, strict=False)}
        done += len(answers)
        if child.returncode:
            # A case that the GPU refuses has no reading, and is told.
            print(f"{READABLE[done].id}: {child.stderr.strip().splitlines()[-1]}", flush=True)
            done += 1
    path.write_text(as_lines(device, datetime.now(UTC).date().isoformat(), cases))


if __name__ == "__main__":
    if sys.argv[1] == "--from":
        read_from(int(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
