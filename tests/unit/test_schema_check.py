"""`check --json` against its schema: what is printed fits, and the schema notices a slip."""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.unit.hand_evaluation import evaluation, row
from warpgauge.commands.main import main
from warpgauge.contracts import Verdict
from warpgauge.evaluate.record import Evaluation
from warpgauge.report.check_json import check_json

SCHEMA = json.loads(files("warpgauge").joinpath("schemas/check.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(*evaluations: Evaluation) -> dict[str, Any]:
    """The document as a reader of stdout gets it."""
    return json.loads(json.dumps(check_json(evaluations), allow_nan=False))


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "evaluations",
    [
        (evaluation(),),
        (evaluation(row(Verdict.PASS)), evaluation(row(Verdict.UNKNOWN), candidate="other")),
        (Evaluation("p", "broken", diagnostics=evaluation().diagnostics[:1], unusable=True),),
    ],
)
def test_every_evaluation_fits(evaluations: tuple[Evaluation, ...]) -> None:
    VALIDATOR.validate(document(*evaluations))


def test_a_problem_that_cannot_be_read_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "problem.toml").write_text('[problem]\nname = "p"\nnam = 1\n')
    assert main(["check", str(tmp_path), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(found)
    assert found["candidates"] == [] and {d["code"] for d in found["diagnostics"]} == {"PRB901"}
    assert any(Path(d["primary"]["file"]).name == "problem.toml" and d["primary"]["line"] for d in found["diagnostics"])
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(found | {"diagnostics": []})


def test_the_document_says_what_the_evaluation_says() -> None:
    (candidate,) = document(evaluation())["candidates"]
    assert (candidate["name"], candidate["verdict"]) == ("lanes_over_rows", "FAIL")
    rows = {row["name"]: row for row in candidate["contracts"]}
    assert rows["memory_access"] == {
        "name": "memory_access",
        "verdict": "FAIL",
        "binds": True,
        "measured": 0.125,
        "asked": 0.75,
        "unit": "efficiency",
        "provenance": {"kind": "counted", "detail": "", "device": None, "date": None, "protocol": None},
        "coverage": {"done": 256, "total": 256, "unit": "blocks"},
        "silenced": 0,
    }
    assert rows["target"]["verdict"] == "NOT ASKED"
    assert rows["numerics"]["measured"] is None  # infinite: JSON has no such number
    memory = next(d for d in candidate["diagnostics"] if d["code"] == "MEM101")
    assert memory["primary"] == {"file": "kernel.cu", "line": 5, "column": 0}
    assert memory["evidence"]["worst"]["lanes"][1] == 4096
    race = next(d for d in candidate["diagnostics"] if d["code"] == "SAF601")
    assert race["related"] == [{"file": "kernel.cu", "line": 6, "column": 3, "label": "earlier write"}]


def test_equal_evaluations_give_equal_bytes() -> None:
    texts = {json.dumps(check_json([evaluation()])) for _ in range(3)}
    assert len(texts) == 1


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every key of every object, evidence left out: its keys belong to the codes."""
    if isinstance(value, dict):
        return [
            p
            for key, item in value.items()
            for p in ([(*path, key)] + ([] if key == "evidence" else paths(item, (*path, key))))
        ]
    if isinstance(value, list):
        return [p for index, item in enumerate(value) for p in paths(item, (*path, index))]
    return []


@pytest.mark.parametrize("path", paths(document(evaluation())), ids=str)
def test_no_key_can_go_missing_and_none_can_be_added(path: tuple[Any, ...]) -> None:
    broken = document(evaluation())
    holder: Any = broken
    for step in path[:-1]:
        holder = holder[step]
    extra = copy.deepcopy(broken)
    del holder[path[-1]]
    assert not VALIDATOR.is_valid(broken)
    holder = extra
    for step in path[:-1]:
        holder = holder[step]
    holder["surprise"] = 1
    assert not VALIDATOR.is_valid(extra)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), 2),
        (("candidates", 0, "verdict"), "NOT ASKED"),
        (("candidates", 0, "contracts", 0, "verdict"), "MAYBE"),
        (("candidates", 0, "contracts", 0, "coverage"), None),
        (("candidates", 0, "contracts", 0, "provenance", "kind"), "guessed"),
        (("candidates", 0, "diagnostics", 0, "code"), "XYZ1"),
        (("candidates", 0, "diagnostics", 0, "severity"), "fatal"),
    ],
)
def test_wrong_values_are_noticed(path: tuple[Any, ...], value: object) -> None:
    broken = document(evaluation())
    holder: Any = broken
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert not VALIDATOR.is_valid(broken)
