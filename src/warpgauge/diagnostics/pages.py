"""The page of each code, as it ships with the package: `docs/codes` is linked in as `code_pages`."""

from __future__ import annotations

import re
from importlib.resources import files

from .codes import CODES

_FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def page(code: str) -> str:
    """The Markdown page of a code; KeyError for one that is not in the table."""
    return files(__package__).joinpath("code_pages", f"{CODES[code].code}.md").read_text(encoding="utf-8")


def with_file_names(markdown: str) -> str:
    """The page with the name of each example file in a line of its own: renderers drop it from the fence."""
    return _FENCE.sub(r"**\2**\n\n```\1", markdown)


def sections(code: str) -> dict[str, str]:
    """The page's sections by their heading, without surrounding blank lines; KeyError as `page`."""
    return {heading: body.strip() for heading, body in _SECTION.findall(page(code))}
