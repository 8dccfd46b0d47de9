"""`#pragma unroll` in source text: the loop that each stands before, the lines of that loop, the factor asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warpgauge.build.text import blank_comments, line_and_column

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+unroll\b(?P<rest>.*)$", re.MULTILINE)
_OPERATOR = re.compile(r'_Pragma\s*\(\s*"unroll\b(?P<rest>[^"]*)"\s*\)')
_OTHER_LINE = re.compile(r"\s*#[^\n]*\n")
_LOOP = re.compile(r"\b(?:for|while|do)\b")
_HEADED = re.compile(r"(?:for|while|if(?:\s+constexpr)?|switch)\b")
_CONSTANT = (
    r"(?:#[ \t]*define[ \t]+{0}[ \t]+|\b(?:const|constexpr)[ \t]+(?:\w+[ \t]+)*{0}[ \t]*=[ \t]*)\(?(\d+)\)?\s*(?:;|$)"
)
_OPENING = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


@dataclass(frozen=True)
class UnrollPragma:
    """`line` of the pragma; `keyword` (for, while or do) and the lines of its loop, the first being the keyword's.

    `factor` is None without one, and 0 where its value cannot be told. `crowded`: other loops start on the same line.
    """

    file: str
    line: int
    column: int
    keyword: str
    first: int
    last: int
    factor: int | None
    crowded: bool


def unroll_pragmas(file: str, text: str, macros: Mapping[str, object]) -> Iterator[UnrollPragma]:
    """Those that stand before a loop, in order; comments have none. `macros` are defined before the first line."""
    if "unroll" not in text:
        return
    code = blank_comments(text)
    found = [*_PRAGMA.finditer(code), *_OPERATOR.finditer(blank_comments(text, strings=False))]
    lines = code.split("\n")
    for match in sorted(found, key=lambda m: m.start()):
        at = match.end()
        # Another pragma, or a line of the preprocessor, may stand between.
        while other := _OTHER_LINE.match(code, at):
            at = other.end()
        at = _skip(code, at)
        keyword = _LOOP.match(code, at)
        in_macro = lines[code.count("\n", 0, at)].lstrip().startswith("#")
        if keyword is None or in_macro:
            continue
        first, last = line_and_column(code, at)[0], line_and_column(code, _statement_end(code, at))[0]
        line, column = line_and_column(code, match.start() + len(match[0]) - len(match[0].lstrip()))
        crowded = len(_LOOP.findall(lines[first - 1])) > 1
        yield UnrollPragma(file, line, column, keyword[0], first, last, _factor(match["rest"], text, macros), crowded)


def _factor(rest: str, text: str, macros: Mapping[str, object]) -> int | None:
    word = rest.strip()
    while word.startswith("(") and word.endswith(")"):
        word = word[1:-1].strip()
    if not word:
        return None
    if not re.fullmatch(r"[A-Za-z_]\w*", word):
        return int(word) if word.isdigit() else 0
    value = macros.get(word)
    if isinstance(value, int):
        return int(value)
    defined = {int(number) for number in re.findall(_CONSTANT.format(word), text, re.MULTILINE)}
    return defined.pop() if len(defined) == 1 else 0


def _skip(code: str, at: int) -> int:
    while at < len(code) and code[at].isspace():
        at += 1
    return at


def _statement_end(code: str, at: int) -> int:
    """Offset of the last character of the statement that begins at `at`."""
    at = _skip(code, at)
    if code.startswith("{", at):
        return _closing(code, at)
    if headed := _HEADED.match(code, at):
        opening = code.find("(", headed.end())
        if opening < 0:
            return len(code) - 1
        end = _statement_end(code, _closing(code, opening) + 1)
        following = _skip(code, end + 1)
        if headed[0].startswith("if") and re.compile(r"else\b").match(code, following):
            return _statement_end(code, following + len("else"))
        return end
    if match := re.compile(r"do\b").match(code, at):
        end = _statement_end(code, match.end())
        return max(end, code.find(";", end))
    depth = 0
    while at < len(code):
        depth += _OPENING.get(code[at], 0)
        if depth < 0 or (depth == 0 and code[at] == ";"):
            return at
        at += 1
    return len(code) - 1


def _closing(code: str, at: int) -> int:
    """Offset of the bracket that closes the one at `at`."""
    depth = 0
    for position in range(at, len(code)):
        depth += _OPENING.get(code[position], 0)
        if depth == 0:
            return position
    return len(code) - 1
