"""Names of `#include` directives that a macro spells: `#include HEADER`, `#include STD_HEADER(cassert)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .directives import Directive

_WORD = re.compile(r"[^\W\d]\w*")
_USE = re.compile(r"([^\W\d]\w*)\s*(?:\(([^()]*)\))?\s*")
_DEFINITION = re.compile(r"([^\W\d]\w*)(?:\(([^()]*)\))?(.*)", re.DOTALL)
_QUOTED = re.compile(r'"[^"]+"')
_ANGLES = re.compile(r"<[^<>\s]+>")
_COMMENT = re.compile(r"/\*.*?\*/|//.*")
_DEPTH = 8
# Where `##` joins two names, until they have been replaced.
_JOINT = "\0"


@dataclass(frozen=True)
class Macro:
    """One definition; `parameters` is None for a macro that is used without parentheses."""

    parameters: tuple[str, ...] | None
    body: str


Macros = Mapping[str, Iterable[Macro]]


def definition(directive: Directive) -> tuple[str, Macro] | None:
    """The macro that a directive defines, None if it defines none."""
    found = _DEFINITION.match(directive.rest) if directive.word == "define" else None
    if found is None:
        return None
    name, listed, body = found.groups()
    parameters = None if listed is None else tuple(part.strip() for part in listed.split(",")) if listed.strip() else ()
    return name, Macro(parameters, _COMMENT.sub(" ", body).strip())


def spelled(text: str, macros: Macros) -> set[str] | None:
    """The header names, in their quotes or angles, that `#include text` may mean under any of the definitions.

    Empty where the compiler will refuse the directive by itself (or where it is a sentence in a comment); None where
    only the preprocessor can tell.
    """
    word = _WORD.match(text)
    if word is None:
        # A header name that another macro completes: `<name CLOSE`.
        return None if text.startswith("<") and _mentions(text, macros) else set()
    if word[0] not in macros:
        # Such as __FILE__, which a #line directive sets.
        return None if word[0].startswith("_") else set()
    return _expanded(_COMMENT.sub(" ", text).strip(), macros, _DEPTH)


def _expanded(text: str, macros: Macros, depth: int) -> set[str] | None:
    if _QUOTED.fullmatch(text):
        return {text}
    if _ANGLES.fullmatch(text):
        return None if _mentions(text, macros) else {text}
    use = _USE.fullmatch(text)
    if use is None or use[1] not in macros or not depth:
        return None
    found: set[str] = set()
    for macro in macros[use[1]]:
        body = _substituted(macro, use[2])
        names = None if body is None else _expanded(body, macros, depth - 1)
        if names is None:
            return None
        found |= names
    return found


def _mentions(text: str, macros: Macros) -> bool:
    return any(word in macros for word in _WORD.findall(text))


def _substituted(macro: Macro, listed: str | None) -> str | None:
    """The body with its arguments in place; None where number and kind of arguments do not fit."""
    if macro.parameters is None:
        return macro.body if listed is None else None
    arguments = [part.strip() for part in (listed or "").split(",")] if macro.parameters else []
    if listed is None or len(arguments) != len(macro.parameters):
        return None
    by_name = dict(zip(macro.parameters, arguments, strict=True))
    text = re.sub(r"\s*##\s*", _JOINT, macro.body)
    text = re.sub(r"#\s*(\w+)", lambda match: f'"{by_name.get(match[1], "")}"', text)
    return _WORD.sub(lambda match: by_name.get(match[0], match[0]), text).replace(_JOINT, "")
