"""The recorded findings: one JSON line per kernel, so that a changed finding is a changed line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from .judge import Judged
from .labels import Labelled, corpus

FILE = Path(__file__).with_name("results.json")


def read() -> dict[Labelled, Judged]:
    data = json.loads(FILE.read_text())
    return {kernel: Judged.of(data[kernel.id]) for kernel in corpus() if kernel.id in data}


def write(results: Mapping[Labelled, Judged]) -> None:
    rows = ",\n".join(
        f"{json.dumps(k.id)}: {json.dumps(results[k].as_json())}" for k in sorted(results, key=lambda k: k.id)
    )
    FILE.write_text("{" + rows + "}\n")
