"""Preprocessor directives in a text, without preprocessing it.

What this finds can only be too much: whatever the compiler may take for a directive is here, and so are directives in
comments and behind an `#if` that does not hold. A closer reading would need the compiler's own idea of where comments
and strings end, and a text that two readers take differently could hide an `#include` from one of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

# White space other than a line end, and what compilers skip beside it: NUL, byte order mark, bytes that are not UTF-8.
_BLANK = re.compile(r"(?:(?!\n)[\s\0\ufffd\ufeff])*")
# Only white space and whole comments stand before a directive in its line; of the comments, the end is enough.
_START = re.compile(r"(?:^|\*/)(?:(?!\n)[\s\0\ufffd\ufeff])*(?:#|%:)", re.MULTILINE)
_SPLICE = re.compile(r"\\\r?\n")
_WORD = re.compile(r"[^\W\d]\w*")
_LINE = re.compile(r"[^\n]*")
_HAS_INCLUDE = re.compile(r'__has_include(?:_next)?\s*\(\s*(?:"([^"\n]+)"|<([^>\n]+)>)')


@dataclass(frozen=True)
class Directive:
    """`#word rest`: `rest` starts after white space and comments. `line` and `column` of the `#`, from 1."""

    word: str
    rest: str
    line: int
    column: int


class _Text:
    """A text with its continued lines joined, and the way back to the original positions."""

    def __init__(self, original: str) -> None:
        self.original = original
        splices = list(_SPLICE.finditer(original))
        self.joined = _SPLICE.sub("", original)
        removed = 0
        # Offsets in the joined text from which on so many characters are missing.
        self.starts, self.removed = [0], [0]
        for splice in splices:
            self.starts.append(splice.start() - removed)
            removed += splice.end() - splice.start()
            self.removed.append(removed)

    @cached_property
    def comment_ends(self) -> list[int]:
        return [match.start() for match in re.finditer(r"\*/", self.joined)]

    @cached_property
    def line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.original))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of an offset in the joined text."""
        at = offset + self.removed[bisect_right(self.starts, offset) - 1]
        line = bisect_right(self.line_starts, at)
        return line, at - self.line_starts[line - 1] + 1

    def skip(self, offset: int) -> int:
        """The first offset that is neither white space nor inside a comment; line ends count as text."""
        while True:
            blank = _BLANK.match(self.joined, offset)
            offset = blank.end() if blank else offset
            if not self.joined.startswith("/*", offset):
                return offset
            end = bisect_left(self.comment_ends, offset + 2)
            if end == len(self.comment_ends):
                return offset
            offset = self.comment_ends[end] + 2


def directives(text: str) -> Iterator[Directive]:
    """Every directive that the text may hold, in order."""
    read = _Text(text)
    for start in _START.finditer(read.joined):
        word = _WORD.match(read.joined, read.skip(start.end()))
        if word is None:
            continue
        rest = _LINE.match(read.joined, read.skip(word.end()))
        mark = start.end() - (1 if start[0].endswith("#") else 2)
        yield Directive(word[0], rest[0] if rest else "", *read.position(mark))


def probed_names(text: str) -> list[str]:
    """What `__has_include` asks for, as far as it is spelled out."""
    return [match[1] or match[2] for match in _HAS_INCLUDE.finditer(_SPLICE.sub("", text))]
