"""Names of kernels: in PTX, in source text, and mangled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from warpgauge.evidence import Location

from .text import blank_comments, line_and_column

_PTX_ENTRY = re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.entry\s+([\w$.]+)", re.MULTILINE)
_PTX_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_GLOBAL = re.compile(r"\b__global__\b")
_ATTRIBUTE = re.compile(
    r"\b(?:__launch_bounds__|__cluster_dims__|__maxnreg__|__block_size__|__attribute__|alignas)\s*\("
)
_DECLARATOR = re.compile(r"([A-Za-z_]\w*)\s*\(")
_LENGTH = re.compile(r"L?(\d+)")


def ptx_entries(ptx: str) -> list[str]:
    """Symbols of the kernels in a PTX file, in file order."""
    return list(dict.fromkeys(_PTX_ENTRY.findall(_PTX_COMMENT.sub("", ptx))))


def readable(symbol: str) -> str:
    """`_ZN2ns5plainEPf` -> `ns::plain`; a symbol that is not a plain function's (a template's, say) as it is."""
    if not symbol.startswith("_Z"):
        return symbol
    nested = symbol.startswith("_ZN")
    at, parts = (3 if nested else 2), []
    while match := _LENGTH.match(symbol, at):
        length = int(match[1])
        part = symbol[match.end() : match.end() + length]
        parts.append("(anonymous)" if part.startswith("_GLOBAL__N_") else part)
        at = match.end() + length
        if not nested:
            break
    if not parts or symbol[at : at + 1] == "I" or (nested and symbol[at : at + 1] != "E"):
        return symbol
    return "::".join(part for part in parts if part != "(anonymous)")


def entry_names(ptx: str) -> dict[str, str]:
    """Readable name -> symbol for each kernel in `ptx`; overloads and template instances go by their symbol."""
    symbols = ptx_entries(ptx)
    names = [readable(symbol) for symbol in symbols]
    return {(name if names.count(name) == 1 else symbol): symbol for name, symbol in zip(names, symbols, strict=True)}


@dataclass(frozen=True)
class DeclaredKernel:
    """A `__global__` function in source text, template or not."""

    name: str
    location: Location


def source_kernels(sources: Mapping[str, str]) -> list[DeclaredKernel]:
    """Each kernel once, where it is first declared, in file order."""
    found: dict[tuple[str, str], DeclaredKernel] = {}
    for file, text in sources.items():
        code = blank_comments(text)
        for match in _GLOBAL.finditer(code):
            at = match.end()
            while (name := _DECLARATOR.search(code, at)) and _ATTRIBUTE.match(code, name.start()):
                at = _closing(code, name.end())
            if name and not re.search(r"[;{}]", code[at : name.start()]):
                location = Location(file, *line_and_column(code, name.start()))
                found.setdefault((file, name[1]), DeclaredKernel(name[1], location))
    return list(found.values())


def _closing(code: str, at: int) -> int:
    """Offset after the parenthesis that closes the one just before `at`."""
    depth = 1
    while depth and at < len(code):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        at += 1
    return at
