"""The table of facts, row by row, and the page that states them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.virtual.facts import FACTS, Fact

PAGE = Path(__file__).parents[2] / "docs" / "corrections.md"
COVERED = {f"F-{number}" for number in (*range(1, 11), *range(12, 15), *range(16, 23), 24, 25, 44, 45, 46)}
_ROW = re.compile(r"^\| (F-\d+(?:, F-\d+)*) \| .+ \| .+ \|$", re.M)


@pytest.mark.parametrize("fact", FACTS, ids=[f"{fact.id}: {fact.claim}" for fact in FACTS])
def test_fact(fact: Fact) -> None:
    assert fact.figure() == fact.expected


def numbers_on_the_page() -> set[str]:
    return {number for row in _ROW.findall(PAGE.read_text()) for number in row.split(", ")}


def test_the_page_and_the_table_have_the_same_facts() -> None:
    table = {fact.id for fact in FACTS}
    assert table == COVERED
    assert table <= numbers_on_the_page()
    # What the page says beyond is a fact that no row of this table can execute.
    assert {number for number in numbers_on_the_page() - table if number in COVERED} == set()


def test_every_row_of_the_page_has_a_number() -> None:
    body = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    rows = [line for line in body if not line.startswith(("| ---", "| no. |"))]
    assert rows and all(_ROW.match(line) for line in rows)
