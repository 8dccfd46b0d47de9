"""Every relative link of the project's pages leads to a file, and to a heading where it names one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page for part in ("*.md", "docs/**/*.md", "examples/**/*.md", "tests/*/*.md") for page in ROOT.glob(part)
)


def _text(page: Path) -> str:
    """The page without its fenced blocks, in which `](` is code."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def _anchors(page: Path) -> set[str]:
    """Headings as a link names them: lower case, hyphens for spaces, nothing but letters, digits, - and _."""
    titles = re.findall(r"^#+ +(.+)$", _text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", _text(page)):
        if link.startswith(("https:", "http:")):
            continue
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (heading and heading not in _anchors(target)):
            lost.append(link)
    assert not lost


def test_every_page_of_docs_can_be_reached_from_the_readme() -> None:
    reached, ahead = set[Path](), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop().resolve()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            links = re.findall(r"\]\(([^)#\s]+)", _text(page))
            ahead += [page.parent / link for link in links if (page.parent / link).exists()]
    assert not [page for page in (ROOT / "docs").rglob("*.md") if page.resolve() not in reached]
