"""`trace --json` against its schema."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from tests.unit.hand import strided
from tests.unit.hand_evaluation import FAULT, TRACE
from warpgauge.evaluate.trace import TraceResult
from warpgauge.report.trace_json import trace_json

SCHEMA = json.loads(files("warpgauge").joinpath("schemas/trace.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(result: TraceResult = TRACE) -> dict[str, Any]:
    return json.loads(json.dumps(trace_json(result, {"out": "dir/out.npy"}), allow_nan=False))


def test_a_trace_fits_and_says_what_was_counted() -> None:
    VALIDATOR.validate(document())
    assert set(document()) == {"kernel", "counters", "sites", "faults", "outputs"}
    first, second = document()["sites"]
    assert (first["line"], first["op"], first["sectors"], first["ideal_sectors"]) == (3, "load", 4, 4)
    assert (second["space"], second["wavefronts"], second["conflicts"]) == ("shared", 32, 31)
    assert first["worst"] == {"block": [0, 0, 0], "warp": 0, "lanes": list(strided(4))}
    assert document()["faults"] == [
        {"code": "SAF603", "file": "k.cu", "line": 4, "message": FAULT.message, "block": [1, 0, 0], "thread": [3, 0, 0]}
    ]


@pytest.mark.parametrize("name", [*document(), "counters/shared_load_conflicts", "sites/0/worst", "faults/0/message"])
def test_no_key_can_go_missing(name: str) -> None:
    broken = document()
    *steps, last = name.split("/")
    holder: Any = broken
    for step in steps:
        holder = holder[int(step) if step.isdigit() else step]
    del holder[last]
    assert not VALIDATOR.is_valid(broken)


def test_an_efficiency_finding_is_no_fault() -> None:
    broken = document()
    broken["faults"][0]["code"] = "MEM101"
    assert not VALIDATOR.is_valid(broken)


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (TRACE, 1),
        (replace(TRACE, faults=()), 0),
        (replace(TRACE, faults=(replace(FAULT, code="SAF610", warning=True),)), 0),
        (replace(TRACE, faults=(), completed=False, stopped="unsupported"), 3),
        (replace(TRACE, completed=False, stopped="deadlock"), 1),
    ],
)
def test_the_exit_code(result: TraceResult, code: int) -> None:
    assert result.exit_code == code
