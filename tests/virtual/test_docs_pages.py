"""The pages of docs/codes: one form for all, and examples that do what they say (docs/codes/README.md has the form)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from warpgauge.contracts import ContractResult, Verdict
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.diagnostics.codes import CODES
from warpgauge.evaluate import check_files, load_launch, trace_kernel
from warpgauge.vgpu import Budget

FOLDER = Path(__file__).parents[2] / "docs" / "codes"
SECTIONS = ("What it means", "Why it matters", "How to fix it", "Limits of this finding", "Bad", "Good")
HEADER = "| severity | contract | points at | may come with |"
LANGUAGES = {".toml": "toml", ".py": "python", ".cu": "cuda"}
POINTS_AT = ("line", "kernel", "tensor", "file")
CONTRACTS = {
    "MEM": "memory access",
    "SHM": "bank conflicts",
    "OCC": "occupancy",
    "OCC301": "registers",
    "UTL401": "divergence",
    "UTL402": "-",
    "NUM": "numerics",
    "SAF": "safety",
    "SRC": "-",
    "PRB": "-",
    # Findings of the review, which belong to no contract.
    **dict.fromkeys(("MEM103", "MEM104", "OCC304", "OCC305", "UTL403"), "-"),
}

_SECTION = re.compile(r"^## (.+)$", re.M)
_FENCE = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.S | re.M)
_MARK = re.compile(r"(?://|#) <- ([A-Z]{3}\d{3})$")
_NOT_OF_A_CONTRACT = "-"
# Warnings that name the parts of what a contract fails as a whole.
FAILS_BY_THEIR_SUM = ("UTL401",)


@dataclass(frozen=True)
class Page:
    """One page as its tests need it; `bad` and `good` map a file's name to its text."""

    code: str
    title: str
    severity: str
    contract: str
    points_at: str
    company: frozenset[str]
    sections: dict[str, str]

    def files(self, section: str) -> dict[str, str]:
        return {name: text for _, name, text in _FENCE.findall(self.sections[section])}


def read(code: str) -> Page:
    text = (FOLDER / f"{code}.md").read_text(encoding="utf-8")
    head, *rest = _SECTION.split(text)
    lines = head.splitlines()
    severity, contract, points_at, company = (cell.strip() for cell in lines[4].strip("|").split("|"))
    names = frozenset() if company == "-" else frozenset(company.split(", "))
    return Page(code, lines[0], severity, contract, points_at, names, dict(zip(rest[::2], rest[1::2], strict=True)))


@dataclass(frozen=True)
class Outcome:
    """What the files of an example give, in the order in which they are found."""

    diagnostics: tuple[Diagnostic, ...]
    contracts: tuple[ContractResult, ...] = ()
    exit_code: int = 2

    def of(self, code: str) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.code == code]

    @property
    def story(self) -> str:
        return "\n".join(
            f"{d.code} {d.primary.location if d.primary else '-'} {[s.location.line for s in d.related]} {d.message}"
            for d in self.diagnostics
        )


def run(files: dict[str, str], folder: Path) -> Outcome:
    """Traces or checks the files of an example, as the README of the pages says."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    try:
        if "launch.toml" in files:
            entry = tomllib.loads(files["launch.toml"])["entry"]
            budget = Budget(no_progress_seconds=1.0)
            traced = trace_kernel(folder / "kernel.cu", entry, load_launch(folder / "launch.toml"), budget=budget)
            return Outcome(traced.diagnostics, exit_code=traced.exit_code)
        (checked,) = check_files(folder / "problem.toml", [folder / "candidate.toml"])
        return Outcome(checked.diagnostics, checked.contracts, checked.exit_code)
    except WarpgaugeError as error:
        return Outcome(error.diagnostics)


def marked(files: dict[str, str], code: str) -> set[tuple[str, int]]:
    """(file, line) of every line that ends in a mark; a mark for another code is a mistake of the page."""
    found = [
        (name, number, mark[1])
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if (mark := _MARK.search(line))
    ]
    assert {of for _, _, of in found} <= {code}
    return {(name, number) for name, number, _ in found}


def places(diagnostics: Iterable[Diagnostic], *, main_only: bool = False) -> set[tuple[str, int]]:
    spans = [
        span
        for d in diagnostics
        for span in (d.primary, *(() if main_only else d.related))
        if span is not None and span.location.line
    ]
    return {(Path(span.location.file).name, span.location.line) for span in spans}


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} - {"README"} == CODES.keys()


def test_the_index_holds_the_code_table() -> None:
    index = (FOLDER / "README.md").read_text()
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \| (.+) \| (.+) \| (.+) \|$", index, re.M)
    assert [(code, link, severity, title) for code, link, severity, title, _ in rows] == [
        (row.code, row.code, row.severity, row.title) for row in CODES.values()
    ]
    assert {code: contract for code, *_, contract in rows} == {code: read(code).contract for code in CODES}


@pytest.mark.parametrize("code", CODES)
def test_page_has_the_common_form(code: str) -> None:
    page, lines = read(code), (FOLDER / f"{code}.md").read_text().splitlines()
    assert page.title == f"# {code}: {CODES[code].title}"
    assert lines[1:4] == ["", HEADER, "| --- | --- | --- | --- |"] and lines[5] == ""
    assert page.severity == CODES[code].severity
    assert page.contract == (CONTRACTS.get(code) or CONTRACTS[code[:3]])
    assert page.points_at in POINTS_AT
    assert page.company <= CODES.keys() - {code}
    assert tuple(page.sections) == SECTIONS
    assert all(text.strip() for text in page.sections.values())
    for section in SECTIONS:
        fences = _FENCE.findall(page.sections[section])
        assert page.sections[section].count("```") == 2 * len(fences), f"a fence of {section!r} names no file"
        assert all(LANGUAGES[Path(name).suffix] == language for language, name, _ in fences)
        assert bool(fences) == (section in ("Bad", "Good"))
    for files in (page.files("Bad"), page.files("Good")):
        assert "kernel.cu" in files
        assert ("launch.toml" in files) != {"problem.toml", "candidate.toml"}.issubset(files)
    assert bool(marked(page.files("Bad"), code)) == (page.points_at == "line")
    assert not marked(page.files("Good"), code)


@pytest.mark.parametrize("code", CODES)
def test_bad_example_gives_its_code(code: str, tmp_path: Path) -> None:
    page = read(code)
    files = page.files("Bad")
    outcome = run(files, tmp_path)
    found = outcome.of(code)
    assert found, f"{code} was not reported; found:\n{outcome.story}"
    assert {d.code for d in outcome.diagnostics} <= {code} | page.company, outcome.story
    assert {d.severity for d in found} == {page.severity}
    owners = [row for row in outcome.contracts if any(d.code == code for d in row.diagnostics)]
    if page.contract != _NOT_OF_A_CONTRACT and "problem.toml" in files:
        verdict = Verdict.FAIL if page.severity == "error" or code in FAILS_BY_THEIR_SUM else Verdict.PASS
        assert [(row.title, row.verdict) for row in owners] == [(page.contract, verdict)]
    advisory = page.severity != "error" or any(not row.binds for row in owners)
    assert advisory or outcome.exit_code, outcome.story
    lines = marked(files, code)
    if page.points_at == "line":
        assert lines <= places(found), outcome.story
        assert places(found, main_only=True) <= lines, outcome.story
    elif page.points_at == "tensor":
        tensors = tomllib.loads(files["problem.toml"])["tensors"]
        assert all(d.evidence["tensor"] in tensors for d in found)
        assert all(d.evidence["tensor"] in d.message for d in found)
    elif page.points_at == "kernel":
        (launch,) = tomllib.loads(files["candidate.toml"])["launch"]
        assert all(launch["entry"] in d.message for d in found)


@pytest.mark.parametrize("code", CODES)
def test_good_example_gives_nothing(code: str, tmp_path: Path) -> None:
    outcome = run(read(code).files("Good"), tmp_path)
    assert outcome.diagnostics == (), outcome.story
    assert outcome.exit_code == 0
