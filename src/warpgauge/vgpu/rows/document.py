"""The instruction table as a page: `python -m warpgauge.vgpu.rows.document > docs/instructions.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType

from warpgauge.ptx import SUB_BYTE, TYPE_BYTES

from . import MODULES, ROWS, Row

_HEAD = """# Instructions of the virtual GPU

<!-- Written by `python -m warpgauge.vgpu.rows.document`; a test compares. Change the rows, not this page. -->

One line is one row of the table that the virtual GPU is generated from; at least one test case executes it on this
engine and on an independent second one. A PTX instruction is executed if its opcode and modifiers are those of a row,
its type is one of the row's (where the results column is filled: its first type one of the results, its second one of
the types; slashes separate the second type from the third and the third from the fourth), and every other modifier is
an optional one.

Anything else is *unsupported*: a kernel that contains it still runs, and stops with a diagnostic at the line only if
execution gets there. Besides these rows, the code generator itself handles `bra`, `brx.idx`, `ret`,
`exit`, `trap` and calls of functions, recursive ones and those through a pointer included.
"""
_TYPES = [*TYPE_BYTES, *sorted(SUB_BYTE)]


def page() -> str:
    """The whole page, Markdown."""
    return "\n".join((_HEAD, *(line for module in MODULES for line in _section(module)))) + "\n"


def _section(module: ModuleType) -> Iterator[str]:
    title, _, rest = (module.__doc__ or "").strip().partition("\n")
    yield f"## {title.rstrip('.')}\n"
    if rest.strip():
        yield " ".join(rest.split()) + "\n"
    yield "| instruction | types | results | optional | notes |"
    yield "| --- | --- | --- | --- | --- |"
    for row in (row for rows in ROWS.values() for row in rows):
        if row.home == module.__name__:
            yield _line(row)
    yield ""


def _line(row: Row) -> str:
    cells = (
        f"`{row.id}`",
        " / ".join(_words(sorted(x, key=_TYPES.index)) for x in (row.middle, row.third, row.types) if x),
        _words(sorted(row.to, key=_TYPES.index)),
        _words(sorted(row.allow)),
        " ".join((row.emit.__doc__ or "").replace("|", "\\|").split()),
    )
    return "| " + " | ".join(cells) + " |"


def _words(names: Iterable[str]) -> str:
    return " ".join(names)


if __name__ == "__main__":
    print(page(), end="")
