"""nvdisasm text -> instructions with address, predicate, opcode, operands and PTX line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SECTION = re.compile(r"^\s*\.section\s+\.text\.([^,\s]+)")
_OTHER_SECTION = re.compile(r"^\s*\.section\s+(?!\.text\.)")
_ANY_SECTION = re.compile(r"^\s*\.section\s", re.MULTILINE)
_NOTE = re.compile(r'^\s*//## File "[^"]*", line (\d+)')
_CODE = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
# A place in a function, or a subroutine that ptxas adds to it.
_TARGET = re.compile(r"^(\.L_\w+|\$[\w$.]+):")
_SPLIT = re.compile(r",\s*(?![^\[]*\])")
#: Guards that are never true: ptxas leaves such instructions behind, and they never execute.
_NEVER = frozenset({"@!PT", "@!UPT"})


@dataclass(frozen=True)
class SassInstruction:
    """One SASS instruction of `function` (the symbol of its code section) at byte `address` in it.

    `predicate` is "" or a guard such as "@!P0"; `operands` are the texts between commas; `ptx_line` is the line of the
    PTX file that it came from, 0 where the cubin does not say.
    """

    function: str
    address: int
    predicate: str
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[str, ...]
    ptx_line: int

    def __str__(self) -> str:
        name = ".".join((self.opcode, *self.modifiers))
        return " ".join(filter(None, (self.predicate, name, ", ".join(self.operands))))


def parse_sass(text: str, symbol: str | None = None) -> Iterator[SassInstruction]:
    """Instructions in file order, of every function or of `symbol` alone, without those that can never execute."""
    if symbol is not None:
        text = _code_of(text, symbol)
    function, line = "", 0
    for row in text.splitlines():
        if section := _SECTION.match(row):
            function, line = section[1], 0
        elif _OTHER_SECTION.match(row):
            function = ""
        elif note := _NOTE.match(row):
            line = int(note[1])
        elif function and (code := _CODE.match(row)):
            address, predicate, name, operands = code.groups()
            if predicate in _NEVER:
                continue
            opcode, *modifiers = name.split(".")
            parts = tuple(_SPLIT.split(operands)) if operands else ()
            yield SassInstruction(function, int(address, 16), predicate or "", opcode, tuple(modifiers), parts, line)


def labels(text: str, symbol: str) -> dict[str, int]:
    """Byte address of the first instruction behind each label of one function."""
    waiting: list[str] = []
    found: dict[str, int] = {}
    for row in _code_of(text, symbol).splitlines():
        if label := _TARGET.match(row):
            waiting.append(label[1])
        elif code := _CODE.match(row):
            found.update(dict.fromkeys(waiting, int(code[1], 16)))
            waiting.clear()
    return found


def _code_of(text: str, symbol: str) -> str:
    """The code section of one function; "" if there is none."""
    head = re.search(rf"^\s*\.section\s+\.text\.{re.escape(symbol)},", text, re.MULTILINE)
    if head is None:
        return ""
    following = _ANY_SECTION.search(text, head.end())
    return text[head.start() : following.start() if following else len(text)]
