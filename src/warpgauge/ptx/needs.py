"""What the kernels of a PTX module need of an architecture, each construct with the line that asks for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from warpgauge.evidence import Location

from .locate import locate
from .model import Instruction, Kernel, Module, Symbol
from .needs_table import DIRECTIVES, Need, need_of

# Headers that do nothing but name one instruction each: whoever calls them asks for that instruction.
_WRAPPERS = "/__ptx/"
_ASM_MARK = re.compile(r"//\s*(begin|end) inline asm")


@dataclass(frozen=True)
class Construct:
    """One construct at one source line. `count` PTX instructions come from it, the first at `ptx_line`.

    `chosen` marks one that the compiler, or a header of the toolkit, wrote for this target: built for an older one, the
    same source gets other instructions. Only what is not chosen ties the source to an architecture.
    """

    need: Need
    location: Location
    ptx_line: int
    inlined: tuple[Location, ...] = ()
    count: int = 1
    chosen: bool = False


class _Asm:
    """Which PTX lines are inline assembly. The compiler marks them with comments."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> frozenset[int]:
        inside, found = False, set()
        for number, line in enumerate(self._text.splitlines(), 1):
            if mark := _ASM_MARK.search(line):
                inside = mark[1] == "begin"
            elif inside:
                found.add(number)
        return frozenset(found)

    def __contains__(self, line: int) -> bool:
        return line in self._lines


def _called(module: Module, kernel: Kernel) -> Iterable[Kernel]:
    """The kernel and the functions that its code names, directly or through another one."""
    waiting, seen = [kernel], {kernel.name}
    while waiting:
        current = waiting.pop()
        yield current
        for i in current.instructions:
            for operand in i.operands:
                if isinstance(operand, Symbol) and operand.name in module.functions and operand.name not in seen:
                    seen.add(operand.name)
                    waiting.append(module.functions[operand.name])


def constructs(module: Module, symbols: Collection[str], user_files: Mapping[str, str]) -> tuple[Construct, ...]:
    """Every construct that the named kernels, and what they call, need, strictest first, then in source order.

    `user_files` are the author's files by path with their texts. Hand-written PTX has no line table: its constructs
    stand at their PTX line, with an empty file name.
    """
    asm = _Asm(module.text)
    by_hand = ".loc" not in module.text
    found: dict[tuple[str, Location], Construct] = {}
    for symbol in symbols:
        for body in _called(module, module.kernels[symbol]):
            for construct in _constructs(module, body, user_files, asm, by_hand):
                key = (construct.need.name, construct.location)
                old = found.get(key)
                found[key] = (
                    replace(old, count=old.count + 1, chosen=old.chosen and construct.chosen) if old else construct
                )
    return tuple(sorted(found.values(), key=_order))


def _order(construct: Construct) -> tuple[object, ...]:
    targets, since = construct.need.strictness
    return (not targets, -since, construct.location, construct.ptx_line, construct.need.name)


def _constructs(
    module: Module, body: Kernel, user_files: Mapping[str, str], asm: _Asm, by_hand: bool
) -> Iterable[Construct]:
    for directive in body.directives.keys() & DIRECTIVES.keys():
        yield Construct(DIRECTIVES[directive], _start(module, body, user_files), 0)
    for i in body.instructions:
        need = need_of(i)
        if need is None:
            continue
        location, inlined = locate(module, i, user_files)
        location = location if location.line else Location("", i.ptx_line)
        authors = by_hand or _authors(i, _innermost(module, i), user_files, i.ptx_line in asm, need.writer)
        yield Construct(need, location, i.ptx_line, inlined, chosen=bool(need.writer) and not authors)


def _authors(i: Instruction, innermost: str, user_files: Mapping[str, str], in_asm: bool, writer: str) -> bool:
    """Whether the author of the source asked for this instruction, and not a header or the compiler.

    Functions of some headers leave no trace in the line table, so inline assembly on a line of the author's counts only
    if the author's text has the instruction, or the name of the wrapper function that is called after it.
    """
    if not in_asm:
        return writer != "compiler" and innermost in user_files
    if innermost not in user_files:
        return _WRAPPERS in innermost
    head, wrapper = i.text.split()[1 if i.guard else 0], "_".join((i.opcode, *i.modifiers[:1]))
    return any(head in text or wrapper in text for text in user_files.values())


def _innermost(module: Module, i: Instruction) -> str:
    return next((module.files.get(point.file, "") for point in i.chain if point.line), "")


def _start(module: Module, body: Kernel, user_files: Mapping[str, str]) -> Location:
    """The first line of a kernel's code: where a directive, which has no line of its own, is shown."""
    for i in body.instructions:
        if (place := locate(module, i, user_files)[0]).line:
            return place
    return Location("", 0)


def lacking(found: Iterable[Construct], target: str) -> tuple[Construct, ...]:
    """Those that `target` does not have and that no other instructions would replace there."""
    return tuple(c for c in found if not c.chosen and not c.need.on(target))
