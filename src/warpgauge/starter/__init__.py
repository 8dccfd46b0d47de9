"""The first problem of a new user: three commented files, which pass as they are."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from warpgauge.problem.place import fail

FILES = ("problem.toml", "candidate.toml", "kernel.cu")


def write_starter(folder: Path) -> list[Path]:
    """Writes the files into `folder`, which is made if need be, and returns their paths.

    WarpgaugeError PRB907, and nothing is written, if one of them is there already or the folder cannot be written.
    """
    if there := [name for name in FILES if (folder / name).exists()]:
        raise fail("PRB907", f"{folder} already holds {', '.join(there)}: nothing was written", "")
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            text = files(__package__).joinpath(name).read_text(encoding="utf-8")
            # "x" never overwrites, even a file that appeared since it was looked for.
            with (folder / name).open("x", encoding="utf-8") as file:
                written.append(folder / name)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise fail("PRB907", f"cannot write {error.filename or folder}: {error.strerror or error}", "") from None
    return written
