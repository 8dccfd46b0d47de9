"""Kernel signatures in the text of one source file, and the text with some of their words changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from warpgauge.build.text import blank_comments

_BOUNDS = re.compile(r"\b(?:__launch_bounds__|__maxnreg__)\s*\(")
_SPOKEN_FOR = re.compile(r"\b(?:__restrict__|__restrict|restrict|volatile)\b")


@dataclass(frozen=True)
class Head:
    """A `__global__` function's head: offsets of `__global__`, of its name, and of what is between its parentheses."""

    name: str
    start: int
    name_at: int
    opening: int
    closing: int


def heads(text: str) -> Iterator[Head]:
    """Every declaration and definition of a kernel, in order."""
    code = blank_comments(text)
    for match in re.finditer(r"\b__global__\b", code):
        at = match.end()
        while call := re.compile(r"([A-Za-z_]\w*)\s*\(").search(code, at):
            closing = _closing(code, call.end() - 1)
            if not re.match(r"__\w+__$|alignas$", call[1]):
                if not re.search(r"[;{}]", code[at : call.start()]):
                    yield Head(call[1], match.start(), call.start(), call.end() - 1, closing)
                break
            at = closing + 1


def without_bounds(text: str, names: frozenset[str]) -> str:
    """The text without `__launch_bounds__` and `__maxnreg__` on these kernels; lines stay where they are."""
    code = blank_comments(text)
    for head in reversed(list(heads(text))):
        if head.name in names:
            for match in _BOUNDS.finditer(code, head.start, head.name_at):
                end = _closing(code, match.end() - 1) + 1
                text = text[: match.start()] + re.sub(r"[^\n]", " ", text[match.start() : end]) + text[end:]
    return text


def bounds(text: str, name: str) -> str:
    """What the head of a kernel asks of its registers, as written; empty where it asks nothing."""
    code = blank_comments(text)
    for head in heads(text):
        if head.name == name and (match := _BOUNDS.search(code, head.start, head.name_at)):
            return " ".join(text[match.start() : _closing(code, match.end() - 1) + 1].split())
    return ""


def parameters(text: str, head: Head) -> list[tuple[int, int]]:
    """(start, end) of each parameter, as offsets in the text; the code there has no comments."""
    code, found, depth, start = blank_comments(text), [], 0, head.opening + 1
    for at in range(start, head.closing + 1):
        depth += {**dict.fromkeys("(<[{", 1), **dict.fromkeys(")>]}", -1)}.get(code[at], 0)
        if (code[at] == "," and depth == 0) or at == head.closing:
            found.append((start, at))
            start = at + 1
    return found


def open_pointers(text: str, head: Head) -> list[tuple[int, str, int]]:
    """(index, name, offset behind its last `*`) of each pointer parameter without `__restrict__` or `volatile`.

    Only those written as a plain pointer: an array, a pointer to a function or a macro is left alone.
    """
    code, found = blank_comments(text), []
    for index, (start, end) in enumerate(parameters(text, head)):
        part = code[start:end]
        match = re.fullmatch(r"\s*[\w:<>,\s]+\*(?P<rest>\s*(?:const\s+)?(?P<name>[A-Za-z_]\w*)\s*)", part)
        if match and not _SPOKEN_FOR.search(part):
            found.append((index, match["name"], start + match.start("rest")))
    return found


def restricted(text: str, name: str, indices: frozenset[int]) -> str:
    """The text with `__restrict__` on these parameters of every declaration of a kernel."""
    places = [at for head in heads(text) if head.name == name for i, _, at in open_pointers(text, head) if i in indices]
    for at in sorted(places, reverse=True):
        text = f"{text[:at]} __restrict__ {text[at:].lstrip(' ')}"
    return text


def _closing(code: str, at: int) -> int:
    """Offset of the parenthesis that closes the one at `at`."""
    depth = 0
    for position in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code) - 1
