"""Looking at C++ source as text, without a compiler: comments and strings blanked, positions kept."""

from __future__ import annotations

import re

_TOKENS = re.compile(
    r"""//(?:[^\\\n]|\\.|\\\n)*        # line comment, which a backslash continues
      | /\*.*?(?:\*/|\Z)               # block comment
      | R"(?P<raw>[^\s()\\]{0,16})\(.*?\)(?P=raw)"
      | "(?:[^"\\\n]|\\.)*"
      | '(?:[^'\\\n]|\\.)+'
    """,
    re.DOTALL | re.VERBOSE,
)
_INCLUDE_LINE = re.compile(r"\s*#\s*include\b")


def blank_comments(text: str, *, strings: bool = True) -> str:
    """`text` with comments (and, unless `strings` is False, strings) turned into spaces; same length, same lines."""

    def blank(match: re.Match[str]) -> str:
        token = match[0]
        if not token.startswith("/"):
            line_start = text.rfind("\n", 0, match.start()) + 1
            if not strings or _INCLUDE_LINE.match(text, line_start, match.start()):
                return token
        return re.sub(r"[^\n]", " ", token)

    return _TOKENS.sub(blank, text)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1
