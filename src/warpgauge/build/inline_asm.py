"""Inline assembly that names registers of the compiler: what it overwrites is anybody's guess.

An `asm` statement gets values through its operand list (`%0`, `%1`, ...) and may declare registers of its own inside
braces. A name such as `%r1` that it does neither get nor declare is a register that the compiler numbered for itself,
and the assembler takes it without a word. The PTX decides: only text that was compiled into a kernel counts, and only
a name that the compiler declared there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Location
from warpgauge.ptx import Instruction, Kernel, PtxError, definitions, locate, parsed

from .text import blank_comments, line_and_column

_ASM = re.compile(r"\b(?:asm|__asm__|__asm)\b(?:\s*\b(?:volatile|__volatile__)\b)?\s*\(")
_STRING = re.compile(r'R"(?P<raw>[^\s()\\]{0,16})\((?P<text>.*?)\)(?P=raw)"|"(?P<plain>(?:[^"\\\n]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "\n": ""}
_SECTION = re.compile(r"// begin inline asm\n(.*?)// end inline asm", re.DOTALL)
_DECLARED = re.compile(r"\.reg\s+(?:\.v\d\s+)?\.\w+\s+([^;]*)")
_RANGE = re.compile(r"(%?[A-Za-z_$][\w$]*)<(\d+)>")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BRACES = re.compile(r"\{.*\}", re.DOTALL)
_NUMBERED = re.compile(r"%[A-Za-z]+\d+\b")
# An operand of the template: %0, %[name], and a letter between for some constraints.
_OPERAND = re.compile(r"%[a-zA-Z]?\d+|%\[\w+\]")
# A register's letters before a piece that a macro pastes behind them.
_LETTERS = re.compile(r"%[A-Za-z]+$")
_HELP = (
    "pass values through operands (%0, %1, ... and their constraints), and declare registers of the statement's own "
    'inside braces: asm volatile("{ .reg .b32 t; mov.b32 t, %0; ... }" :: "r"(value))'
)


@dataclass(frozen=True)
class AsmStatement:
    """An `asm` statement: its place, and its strings joined with escapes resolved. `extended` if it has operands.

    Pieces that are no string literals (macros) stand in `template` as NUL.
    """

    line: int
    column: int
    template: str
    extended: bool

    @property
    def assembly(self) -> str:
        """The template as PTX shows it, with NUL in place of operands."""
        if not self.extended:
            return self.template
        return "%".join(_OPERAND.sub("\0", part) for part in self.template.split("%%"))

    @property
    def code(self) -> str:
        """The same without PTX's own comments, which name nothing."""
        return _COMMENT.sub(" ", self.assembly)

    @property
    def numbered(self) -> list[str]:
        """Registers by a letter and a number, such as %r1, that are no operands."""
        return list(dict.fromkeys(_NUMBERED.findall(self.code)))

    @property
    def pastes(self) -> bool:
        """Whether a macro may write the number of a register."""
        return any(_LETTERS.search(part) for part in self.assembly.split("\0")[:-1])

    def pasted(self, pieces: Sequence[str]) -> list[str]:
        """Registers whose number is one of the `pieces` that stand where the template does not say what does."""
        return [
            letters[0] + number[0]
            for part, piece in zip(self.assembly.split("\0"), pieces, strict=False)
            if (letters := _LETTERS.search(part)) and (number := re.match(r"\d+", piece))
        ]

    @property
    def declared(self) -> set[str]:
        """Registers that the statement declares anywhere."""
        return _registers(self.code)

    @property
    def shared(self) -> set[str]:
        """Registers that it declares outside braces, for other statements to use."""
        return _registers(_BRACES.sub(" ", self.code))


def _registers(assembly: str) -> set[str]:
    names: set[str] = set()
    for declaration in _DECLARED.findall(assembly):
        for name in (part.strip() for part in declaration.split(",")):
            ranged = _RANGE.fullmatch(name)
            names |= {f"{ranged[1]}{n}" for n in range(int(ranged[2]))} if ranged else {name}
    return names


def asm_statements(text: str) -> Iterator[AsmStatement]:
    """Every `asm` statement of a source text, in order; those in comments and strings are none."""
    code, strings = blank_comments(text), blank_comments(text, strings=False)
    for match in _ASM.finditer(code):
        parts, at = [], match.end()
        while at < len(strings) and strings[at] not in ":)":
            if literal := _STRING.match(strings, at):
                plain = literal["plain"]
                parts.append(
                    literal["text"] if plain is None else _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), plain)
                )
                at = literal.end()
                continue
            # A line that a backslash continues is no piece of its own.
            if not strings[at].isspace() and strings[at] != "\\" and parts[-1:] != ["\0"]:
                parts.append("\0")
            at += 1
        yield AsmStatement(*line_and_column(text, match.start()), "".join(parts), strings[at : at + 1] == ":")


@dataclass(frozen=True)
class _Section:
    """Inline assembly in PTX: its text and its first and last line."""

    text: str
    first: int
    last: int

    def holds(self, i: Instruction) -> bool:
        return self.first <= i.ptx_line <= self.last


def own_registers(ptx: str, sources: Mapping[str, str], kernels: Collection[str]) -> list[Diagnostic]:
    """SRC804 for each statement that was compiled into one of `kernels` (symbols) and names a register of the compiler.

    The kernels' functions count as well. Nothing for PTX that cannot be read.
    """
    statements = ((file, s) for file, text in sources.items() if "asm" in text for s in asm_statements(text))
    found = [(file, s) for file, s in statements if s.numbered or s.pastes]
    try:
        module = parsed(ptx) if found else None
    except PtxError:
        return []
    if module is None:
        return []
    shared = {name for _, statement in found for name in statement.shared}
    sections = [
        _Section(m[1], ptx.count("\n", 0, m.start()) + 1, ptx.count("\n", 0, m.end()) + 1)
        for m in _SECTION.finditer(ptx)
    ]
    bodies = [*(module.kernels[k] for k in kernels if k in module.kernels), *module.functions.values()]
    places = [(section, body) for section in sections if (body := _body_of(section, bodies))]
    diagnostics = []
    for file, statement in found:
        for section, body in places:
            operands = _operands(statement, section.text)
            if operands is None:
                continue
            own = statement.declared | shared
            names = dict.fromkeys([*statement.numbered, *statement.pasted(operands)])
            named = [name for name in names if name not in own and name in body.registers]
            hidden = sorted(statement.declared & set(operands))
            if named or hidden:
                uses = _uses(body, named or hidden, sections)
                spans = [Span(place, label=text) for i, text in uses if (place := locate(module, i, sources)[0]).line]
                place = Location(file, statement.line, statement.column)
                diagnostics.append(_diagnostic(place, named, hidden, body.name, tuple(spans[:4])))
                break
    return diagnostics


def _operands(statement: AsmStatement, text: str) -> list[str] | None:
    """What stands for the operands of a statement in a stretch of inline assembly; None if it is not its own."""
    parts = [r"\s+".join(map(re.escape, part.split())) for part in statement.assembly.split("\0")]
    match = re.fullmatch(r"\s*" + r"\s*(.*?)\s*".join(parts) + r"\s*", text, re.DOTALL)
    return list(match.groups()) if match else None


def _body_of(section: _Section, bodies: Collection[Kernel]) -> Kernel | None:
    return next((body for body in bodies if any(map(section.holds, body.instructions))), None)


def _uses(body: Kernel, names: Collection[str], sections: Collection[_Section]) -> Iterator[tuple[Instruction, str]]:
    """Where the compiler fills these registers itself: the values that are at stake."""
    for i in body.instructions:
        if set(definitions(i)) & set(names) and not any(section.holds(i) for section in sections):
            yield i, f"the compiler's own use: {i.text}"


def _diagnostic(
    place: Location, named: list[str], hidden: list[str], kernel: str, related: tuple[Span, ...]
) -> Diagnostic:
    words = ", ".join(named or hidden)
    if named:
        message = f"register corruption: inline assembly names {words}, which the compiler numbered for itself"
    else:
        message = f"register corruption: inline assembly declares {words} anew, and hides an operand of that name"
    evidence = {"registers": named or hidden, "kernel": kernel, "hidden": bool(hidden and not named)}
    return Diagnostic("SRC804", "error", message, Span(place, len("asm")), related, _HELP, evidence)
