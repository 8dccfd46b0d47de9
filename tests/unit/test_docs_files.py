"""docs/files.md names every key of problem and candidate files, every builtin, and every threshold of a contract."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from warpgauge.candidate.model import Constant, Header, Launch, Workspace
from warpgauge.candidate.model import Parameters as Choices
from warpgauge.candidate.tensor_map import TensorMap
from warpgauge.problem.builtin import BUILTINS
from warpgauge.problem.dtypes import DTYPES
from warpgauge.problem.expr import RESERVED
from warpgauge.problem.parts import ContractOverride, ExecutionRules, ReferenceSource, Shape, Target, Tolerance
from warpgauge.problem.parts import Header as ProblemHeader
from warpgauge.problem.settings import CONTRACTS, ContractRow
from warpgauge.problem.tensor import _PLAIN, Tensor

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text()
WORDS = set(re.findall(r"[A-Za-z_0-9]+", " ".join(re.findall(r"`[^`]+`", PAGE))))
# Fields that fold the names that a user chooses.
FOLDED = {"dims", "values", "thresholds"}
RECORDS: tuple[type[BaseModel], ...] = (
    ProblemHeader, Shape, Tensor, ReferenceSource, Tolerance, Target, ExecutionRules, ContractOverride,
    Header, Choices, Workspace, Launch, Constant, TensorMap,
)  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record.__module__}.{record.__name__}")
def test_every_key_is_on_the_page(record: Any) -> None:
    assert set(record.model_fields) - FOLDED <= WORDS


def test_builtins_functions_and_fills_are_on_the_page() -> None:
    assert set(BUILTINS) | set(RESERVED) | set(_PLAIN) <= WORDS
    assert {"u8", "u64", "i8", "i64", "bool", "f16", "bf16", "f32", "f64", "e4m3", "e5m2"} <= WORDS & set(DTYPES)


def _written(key: str, row: ContractRow) -> str:
    """A threshold as the page has it: its default, and that of the preset `literal` where it is another."""
    default, literal = row.sound.get(key), row.literal[key]
    shown = "none" if default is None else str(default).lower() if isinstance(default, bool) else f"{default:g}"
    return f"`{key}` ({shown})" if default == literal else f"`{key}` ({shown}; {literal:g})"


@pytest.mark.parametrize("row", CONTRACTS.values(), ids=lambda row: row.name)
def test_contracts_and_their_thresholds_are_on_the_page(row: ContractRow) -> None:
    binds = "always" if row.fixed else "yes" if row.binds else "no"
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{row.name}` | {binds} |"))
    assert all(_written(key, row) in line for key in row.literal)
    assert len(re.findall(r"`[a-z_]+` \(", line)) == len(row.literal)
