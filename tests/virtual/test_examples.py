"""Each example gives exactly the verdicts that its README's table promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.candidate import load_candidate
from warpgauge.evaluate import evaluate
from warpgauge.problem import load_problem

FOLDER = Path(__file__).parents[2] / "examples"
CONTRACTS = ("memory access", "bank conflicts", "numerics", "safety", "registers")


def promised() -> list[tuple[Path, str, dict[str, str]]]:
    """(example, candidate, verdict by contract) of every table row."""
    out = []
    for readme in sorted(FOLDER.glob("*/README.md")):
        lines = [line for line in readme.read_text().splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
        header = rows[0]
        for row in rows[2:]:
            cells = dict(zip(header, row, strict=True))
            name = cells[header[0]].strip("`").split("]")[0].lstrip("[").strip("`")
            out.append((readme.parent, name, {c: cells[c] for c in CONTRACTS}))
    return out


@pytest.mark.parametrize(("folder", "name", "verdicts"), promised(), ids=lambda v: v if isinstance(v, str) else "")
def test_example_keeps_its_promise(folder: Path, name: str, verdicts: dict[str, str]) -> None:
    problem = load_problem(folder)
    result = evaluate(problem, load_candidate(folder / "candidates" / f"{name}.toml"))
    found = {row.name: row.verdict for row in result.contracts}
    assert {c: found[c.replace(" ", "_")] for c in CONTRACTS} == {c: v.split()[0] for c, v in verdicts.items()}
    assert result.exit_code == (1 if "FAIL" in {v.split()[0] for v in verdicts.values()} else 0)


def test_there_are_good_and_bad_candidates() -> None:
    rows = promised()
    assert {folder.name for folder, _, _ in rows} == {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert any("FAIL" in " ".join(v.values()) for _, _, v in rows)
