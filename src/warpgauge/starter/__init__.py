"""First files of a new user: a problem that passes as it is, or a contract of their own with its test."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from warpgauge.problem.place import fail

FILES = ("problem.toml", "candidate.toml", "kernel.cu")
CHECK_FILES = (
    "README.md",
    "@NAME@.py",
    "test_@NAME@.py",
    "problem.toml",
    "candidates/good.toml",
    "candidates/good.cu",
    "candidates/bad.toml",
    "candidates/bad.cu",
)
# The templates are no Python yet: tools that read the package must not take them for some.
_TEMPLATE = ".in"
_MARK = "@NAME@"


def write_starter(folder: Path) -> list[Path]:
    """Writes the first problem into `folder`, which is made if need be, and returns the paths.

    WarpgaugeError PRB907, and nothing is written, if one of them is there already or the folder cannot be written.
    """
    return _write(folder, {name: _text(files(__package__), name) for name in FILES})


def write_check(folder: Path, name: str) -> list[Path]:
    """Writes the contract `name` with its test, its README and two candidates into `folder`; as `write_starter`."""
    own = files(__package__) / "new_check"
    texts = {file: _text(own, file + _TEMPLATE) for file in CHECK_FILES}
    return _write(folder, {file.replace(_MARK, name): text.replace(_MARK, name) for file, text in texts.items()})


def _text(package: Traversable, name: str) -> str:
    return package.joinpath(*name.split("/")).read_text(encoding="utf-8")


def _write(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """All of the files or none: what a failure left half-done is taken away again, folders included."""
    if there := [name for name in texts if (folder / name).exists()]:
        raise fail("PRB907", f"{folder} already holds {', '.join(there)}: nothing was written", "")
    made: list[Path] = []
    written: list[Path] = []
    try:
        for name, text in texts.items():
            path = folder / name
            for parent in reversed(path.parents):
                if not parent.exists():
                    parent.mkdir()
                    made.append(parent)
            # "x" never overwrites, even a file that appeared since it was looked for.
            with path.open("x", encoding="utf-8") as file:
                written.append(path)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        for parent in reversed(made):
            parent.rmdir()
        raise fail("PRB907", f"cannot write {error.filename or folder}: {error.strerror or error}", "") from None
    return written
