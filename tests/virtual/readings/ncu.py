"""Nsight Compute as a function: the counters of every launch that a command makes."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any


def counters(command: Sequence[str], names: Sequence[str], kernels: Sequence[str]) -> list[list[int]]:
    """One row of the counters called `names` per launch; `kernels` are those that the command launches, in order.

    Clocks are left alone. SystemExit says what is missing or went wrong.
    """
    if shutil.which("ncu") is None:
        raise SystemExit("ncu (Nsight Compute) is not on PATH: there is nothing to read counters with")
    flags = ["--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(names)]
    done = subprocess.run(["ncu", *flags, *command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"ncu ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return table(done.stdout, names, kernels)


def table(text: str, names: Sequence[str], kernels: Sequence[str]) -> list[list[int]]:
    """The same from what ncu prints: its own lines, then CSV with a row of units."""
    records = list(csv.DictReader(io.StringIO(text[text.index('"ID"') :])))[1:]
    if [r["Kernel Name"].split("(")[0] for r in records] != list(kernels):
        raise SystemExit(f"ncu reports {len(records)} launches, not the {len(kernels)} expected ones")
    return [[round(float(r[name].replace(",", "") or 0)) for name in names] for r in records]


def _version() -> str:
    lines = subprocess.run(["ncu", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    return next(line for line in lines if "Version" in line).strip()


def as_json(device: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """JSON with one line a launch."""
    head = {
        "device": device,
        "date": datetime.now(UTC).date().isoformat(),
        "protocol": f"Nsight Compute ({_version()}), --clock-control none, one block of 32 threads per row",
        "counters": list(names),
    }
    return json.dumps(head)[:-1] + ',\n"rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n"
