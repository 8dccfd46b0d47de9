"""The table of what a construct needs: every row is assembled for every architecture, right where the row says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.unit.needs_samples import DIRECTIVE_SAMPLES, EVERYWHERE, FIRST_LINE, SAMPLES, kernel
from warpgauge.build.nvjitlink import assemble
from warpgauge.build.nvrtc import supported_archs
from warpgauge.ptx import parse
from warpgauge.ptx.needs_document import page
from warpgauge.ptx.needs_table import DIRECTIVES, NEEDS, Need, need_of

ROWS = {row.name: row for row in NEEDS}
STATEMENTS = [(ROWS[name], text) for name, texts in SAMPLES.items() for text in texts]


def targets() -> list[str]:
    """Every architecture that the assembler knows, with the suffixes that it has there."""
    numbers = supported_archs()
    suffixed = [f"sm_{n}a" for n in numbers if n >= 90] + [f"sm_{n}f" for n in numbers if n >= 100]
    return [*(f"sm_{n}" for n in numbers), *suffixed]


@cache
def refused_lines(target: str, text: str) -> frozenset[int]:
    """The lines that the assembler names in its errors; empty if it takes the whole text."""
    result = assemble(text.encode(), "k.ptx", [f"-arch={target}"])
    lines = frozenset(int(n) for n in re.findall(r", line (\d+); error", result.log))
    assert result.ok or lines, result.log
    return frozenset() if result.ok else lines


def row_of(statement: str) -> Need | None:
    module = parse(kernel("sm_90", [statement]))
    (instruction,) = [i for i in module.kernels["k"].instructions if i.ptx_line == FIRST_LINE]
    return need_of(instruction)


def test_every_row_has_a_sample() -> None:
    assert SAMPLES.keys() == ROWS.keys() and DIRECTIVE_SAMPLES.keys() == DIRECTIVES.keys()


@pytest.mark.parametrize(("row", "statement"), STATEMENTS, ids=lambda value: getattr(value, "name", None))
def test_a_sample_is_recognised_as_its_row(row: Need, statement: str) -> None:
    assert row_of(statement) is row


@pytest.mark.parametrize("statement", EVERYWHERE)
def test_what_every_architecture_has_is_no_row(statement: str) -> None:
    assert row_of(statement) is None


@pytest.mark.parametrize("target", targets())
def test_the_assembler_agrees(target: str) -> None:
    """All that the table allows assembles together; of the rest, the assembler refuses each and every line."""
    allowed = [text for row, text in STATEMENTS if row.on(target)]
    assert refused_lines(target, kernel(target, [*allowed, *EVERYWHERE])) == frozenset()
    refused = [text for row, text in STATEMENTS if not row.on(target)]
    lines = refused_lines(target, kernel(target, refused))
    assert [text for n, text in enumerate(refused, FIRST_LINE) if n not in lines] == []


@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("directive", DIRECTIVES)
def test_the_assembler_agrees_about_directives(target: str, directive: str) -> None:
    text = kernel(target, [], DIRECTIVE_SAMPLES[directive])
    assert bool(refused_lines(target, text)) is not DIRECTIVES[directive].on(target)
    assert directive in parse(text).kernels["k"].directives


def test_the_page_is_the_table() -> None:
    file = Path(__file__).parents[2] / "docs" / "needs.md"
    assert file.read_text(encoding="utf-8") == page(), "python -m warpgauge.ptx.needs_document > docs/needs.md"
