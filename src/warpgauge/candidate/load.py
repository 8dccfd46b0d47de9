"""Candidate files in and out, and where a problem's folder keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warpgauge.problem.place import fail
from warpgauge.problem.record import checked
from warpgauge.problem.toml_file import read_toml, write_toml

from .model import Candidate

FILE_NAME = "candidate.toml"
FOLDER_NAME = "candidates"


def load_candidate(path: Path) -> Candidate:
    """Reads a candidate file, or the `candidate.toml` of a folder.

    WarpgaugeError: PRB907 if it cannot be read, PRB901 for each mistake in it with file, line and key.
    """
    path = Path(path)
    file = read_toml(path / FILE_NAME if path.is_dir() else path, "candidate file")
    return checked(Candidate, file.data, file)


def find_candidates(folder: Path) -> list[Path]:
    """The candidate files of a problem's folder: its `candidate.toml`, else each one in `candidates/`, by name.

    In `candidates/` a candidate is a TOML file or a folder that holds a `candidate.toml`. PRB907 if there is none.
    """
    if (folder / FILE_NAME).is_file():
        return [folder / FILE_NAME]
    inside = folder / FOLDER_NAME
    found = [path for path in inside.glob("*.toml") if path.is_file()] + list(inside.glob(f"*/{FILE_NAME}"))
    if not found:
        raise fail("PRB907", f"the folder {folder} holds no {FILE_NAME} and no {FOLDER_NAME} folder with one in it", "")
    return sorted(found, key=lambda path: (path.parent.name if path.name == FILE_NAME else path.stem, str(path)))


def dump_candidate(candidate: Candidate) -> str:
    """TOML text that loads as the same candidate; values equal to their default are left out."""
    data: dict[str, Any] = {"schema": candidate.schema_version}
    return write_toml(data | candidate.model_dump(by_alias=True, exclude_defaults=True, exclude_none=True))


def candidate_schema() -> dict[str, Any]:
    """JSON schema of the candidate file as its models hold it."""
    return Candidate.model_json_schema(by_alias=True)
