"""Problem files in and out. Loading reads and checks text; it runs nothing that the file names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .model import Problem
from .place import fail
from .record import checked
from .toml_file import read_toml, write_toml

FILE_NAME = "problem.toml"


def problem_path(path: Path) -> Path:
    """The problem file for a path that the user gave: the file itself, or the `problem.toml` of a folder."""
    if not path.is_dir():
        return path
    if not (path / FILE_NAME).is_file():
        raise fail("PRB907", f"the folder {path} holds no {FILE_NAME}", "")
    return path / FILE_NAME


def load_problem(path: Path) -> Problem:
    """Reads a problem file, or the one in a folder.

    WarpgaugeError: PRB907 if it cannot be read, PRB901 for each mistake in it (with file, line and key, and the nearest
    known key for an unknown one), PRB902 for an expression that has no integer value.
    """
    file = read_toml(problem_path(Path(path)), "problem file")
    return checked(Problem, file.data, file)


def dump_problem(problem: Problem) -> str:
    """TOML text that loads as the same problem; values equal to their default are left out."""
    data: dict[str, Any] = {"schema": problem.schema_version}
    return write_toml(data | problem.model_dump(by_alias=True, exclude_defaults=True, exclude_none=True))


def problem_schema() -> dict[str, Any]:
    """JSON schema of the problem file as its models hold it."""
    return Problem.model_json_schema(by_alias=True)
