"""Where something happened in the user's source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Location:
    """A place in a source file. `line` and `column` count from 1; 0 means unknown.

    `file` is the path as the compiler was given it, so renderers can open it.
    """

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


def helper_file(location: Location, inlined: tuple[Location, ...]) -> str:
    """The name of a header that an inlined line lies in; empty for a line of the file that the kernel itself is in."""
    return location.file.rsplit("/", 1)[-1] if inlined and inlined[-1].file != location.file else ""
