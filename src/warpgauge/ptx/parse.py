"""PTX text -> Module. Covers what NVRTC, nvcc and hand-written PTX contain; unknown directives are skipped."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache

from .cfg import build_blocks
from .model import (
    TYPE_BYTES,
    Guard,
    Instruction,
    Kernel,
    Module,
    Operand,
    SourcePoint,
    Symbol,
    Variable,
    Vector,
)
from .operands import parse_number, parse_operand, split_operands

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.M)
_HEAD = re.compile(r"\.(entry|func)\b\s*(?:\(([^)]*)\)\s*)?([\w$.]+)\s*(?:\(([^)]*)\))?([^{;]*)([{;])", re.S)
_PARAM = re.compile(
    r"\.(?:param|reg)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)(?:\s+\.ptr(?:\s+\.(?!align)\w+)?(?:\s+\.align\s+\d+)?)?"
    r"\s+([\w$%]+)(?:\s*\[\s*(\d*)\s*\])?"
)
_VARIABLE = re.compile(
    r"((?:\.(?:visible|extern|weak|common|static)\s+)*)\.(shared|global|const|local)\s+(?:\.align\s+(\d+)\s+)?"
    r"(?:\.v(\d)\s+)?\.(\w+)\s+([\w$.]+)((?:\s*\[\s*\d*\s*\])*)\s*(?:=\s*(.*))?$",
    re.S,
)
_LABEL = re.compile(r"([$\w%]+)\s*:(?!:)")
_LOC = re.compile(
    r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:\s*,\s*function_name\s+[^,]+,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?[^\n]*"
)
_REG = re.compile(r"\.reg\s*(?:\.v\d\s*)?\.(\w+)\s+(.*)$", re.S)
_RANGE = re.compile(r"([%\w$]+)<(\d+)>$")
_DIRECTIVE = re.compile(r"\.(maxntid|reqntid|minnctapersm|maxnreg|reqnctapercluster|maxclusterrank)\s+([\d,\s]+)")


class PtxError(ValueError):
    """Text that is not PTX; carries the line in the PTX."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"PTX line {line}: {message}")
        self.line = line


def parse(text: str) -> Module:
    """Parse a whole PTX file. Raises PtxError with the line when the text cannot be PTX."""
    clean = _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    lines = [i for i, c in enumerate(clean) if c == "\n"]
    version = re.search(r"^\s*\.version\s+(\S+)", clean, re.M)
    target = re.search(r"^\s*\.target\s+([\w]+)", clean, re.M)
    if not version or not target:
        raise PtxError("no .version and .target: this is not PTX", 1)
    files = {int(n): name for n, name in _FILE.findall(clean)}
    module = Module(version.group(1), target.group(1), files, {}, {}, {}, text)
    position = 0
    spans: list[tuple[re.Match[str], int, int]] = []
    outside: list[str] = []
    while match := _HEAD.search(clean, position):
        outside.append(clean[position : match.start()])
        end = match.end()
        if match.group(6) == "{":
            end = _closing_brace(clean, match.end(), lines)
            spans.append((match, match.end(), end - 1))
        position = end
    outside.append(clean[position:])
    for statement in ";".join(outside).split(";"):
        if variable := _variable(_drop_directives(statement)):
            module.variables[variable.name] = variable
    for match, start, end in spans:
        kernel = _body(module, match, clean, start, end, lines)
        (module.kernels if kernel.is_entry else module.functions)[kernel.name] = kernel
    return module


@lru_cache(maxsize=64)
def parsed(text: str) -> Module:
    """`parse`, once per text; the module is shared, so nobody changes it."""
    return parse(text)


def _closing_brace(text: str, start: int, lines: list[int]) -> int:
    depth, position = 1, start
    while depth:
        found = min((p for p in (text.find("{", position), text.find("}", position)) if p >= 0), default=-1)
        if found < 0:
            raise PtxError("a function body is not closed", bisect_right(lines, start - 1) + 1)
        depth += 1 if text[found] == "{" else -1
        position = found + 1
    return position


def _drop_directives(statement: str) -> str:
    """Cut line directives that end without a semicolon (.version, .file, section data) before a variable."""
    match = re.search(r"(?:\.(?:visible|extern|weak|common|static)\s+)*\.(?:shared|global|const|local)\b", statement)
    return statement[match.start() :].strip() if match else ""


def _variable(statement: str) -> Variable | None:
    match = _VARIABLE.match(statement.strip())
    if not match:
        return None
    linkage, space, align, vector, kind, name, dims, init = match.groups()
    unit = TYPE_BYTES[kind] * int(vector or 1)
    counts = [int(d) if d else 0 for d in re.findall(r"\[\s*(\d*)\s*\]", dims)]
    data, relocations = _initial_bytes(init, TYPE_BYTES[kind]) if init else (None, ())
    size = unit
    for count in counts:
        size *= count
    if data is not None:
        size = max(size, len(data))
        data = data.ljust(size, b"\0")
    return Variable(name, space, kind, size, int(align or unit), ".extern" in linkage, data, 0, relocations)


def _initial_bytes(text: str, unit: int) -> tuple[bytes, tuple[tuple[int, str], ...]]:
    out, relocations = bytearray(), []
    for token in re.findall(r"[^\s,{}]+", text):
        if float_match := re.match(r"0[fFdD]([0-9a-fA-F]+)$", token):
            value = int(float_match.group(1), 16)
        elif re.match(r"[-+]?\d", token):
            value = parse_number(token)
        else:
            relocations.append((len(out), re.sub(r"^generic\(|\)$", "", token)))
            value = 0
        out += (value & ((1 << 8 * unit) - 1)).to_bytes(unit, "little")
    return bytes(out), tuple(relocations)


def _params(text: str) -> tuple[Variable, ...]:
    out, offset = [], 0
    for align, kind, name, count in _PARAM.findall(text or ""):
        size = TYPE_BYTES[kind] * int(count or 1)
        alignment = int(align or TYPE_BYTES[kind])
        offset = -(-offset // alignment) * alignment
        out.append(Variable(name, "param", kind, size, alignment, offset=offset))
        offset += size
    return tuple(out)


@dataclass
class _Scope:
    """Register names of the open `{ }` scopes, and everything gathered from a body."""

    names: list[dict[str, str]] = field(default_factory=lambda: [{}])
    registers: dict[str, str] = field(default_factory=dict)
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    label_scopes: dict[str, str] = field(default_factory=dict)
    targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    chains: dict[SourcePoint, tuple[SourcePoint, ...]] = field(default_factory=dict)
    serial: int = 0

    def rename(self, name: str) -> str | None:
        return self.names[-1].get(name)

    def declare(self, kind: str, name: str) -> None:
        unique = name
        if len(self.names) > 1 or name in self.registers:
            self.serial += 1
            unique = f"{name}@{self.serial}"
        self.names[-1][name] = unique
        self.registers[unique] = kind


def _body(module: Module, head: re.Match[str], text: str, start: int, end: int, lines: list[int]) -> Kernel:
    scope = _Scope()
    chain: tuple[SourcePoint, ...] = ()
    position, pending_label = start, None
    space = re.compile(r"\s+")
    while True:
        if gap := space.match(text, position):
            position = gap.end()
        if position >= end:
            break
        if text[position] == "{":
            scope.names.append(dict(scope.names[-1]))
            position += 1
            continue
        if text[position] == "}":
            scope.names.pop()
            position += 1
            continue
        if loc := _LOC.match(text, position):
            chain = _chain(scope, loc)
            position = loc.end()
            continue
        if label := _LABEL.match(text, position):
            pending_label = label.group(1)
            scope.labels[pending_label] = len(scope.instructions)
            position = label.end()
            continue
        stop = text.find(";", position, end)
        line = bisect_right(lines, position) + 1
        if stop < 0:
            raise PtxError("a statement does not end with a semicolon", line)
        statement = " ".join(text[position:stop].split())
        position = stop + 1
        if statement.startswith("."):
            _directive(scope, statement, pending_label)
        elif statement:
            scope.instructions.append(_instruction(scope, statement, chain, line))
    kind, returns, name, params, tail, _ = head.groups()
    used = {word for i in scope.instructions for word in re.findall(r"[\w$.]+", i.text)}
    known = {**module.variables, **scope.variables}
    named = [v for v in known.values() if v.name in used]
    blocks = build_blocks(scope.instructions, scope.labels, scope.targets, scope.registers)
    directives = {
        key: tuple(int(n) for n in numbers.replace(",", " ").split()) for key, numbers in _DIRECTIVE.findall(tail)
    }
    module.variables.update({v.name: v for v in scope.variables.values() if v.space in ("global", "const")})
    return Kernel(
        name,
        _params(params),
        scope.registers,
        tuple(v for v in named if v.space == "shared"),
        tuple(v for v in named if v.space == "local"),
        blocks,
        directives,
        kind == "entry",
        scope.targets,
        scope.labels,
        _params(returns or ""),
    )


def _chain(scope: _Scope, loc: re.Match[str]) -> tuple[SourcePoint, ...]:
    """The inlined-at place names an earlier `.loc`, which may itself be inlined: follow it outwards."""
    numbers = [int(g) for g in loc.groups() if g is not None]
    point = SourcePoint(*numbers[:3])
    if len(numbers) < 6:
        return scope.chains.setdefault(point, (point,)) if point not in scope.chains else (point,)
    outer = SourcePoint(*numbers[3:6])
    chain = (point, *scope.chains.get(outer, (outer,)))
    scope.chains[point] = chain
    return chain


def _directive(scope: _Scope, statement: str, label: str | None) -> None:
    if reg := _REG.match(statement):
        for name in reg.group(2).split(","):
            name = name.strip()
            if numbered := _RANGE.match(name):
                for number in range(int(numbered.group(2))):
                    scope.declare(reg.group(1), f"{numbered.group(1)}{number}")
            else:
                scope.declare(reg.group(1), name)
    elif statement.startswith(".branchtargets") and label:
        scope.targets[label] = tuple(t.strip() for t in statement.split(None, 1)[1].split(","))
    elif variable := _variable(statement):
        scope.variables[variable.name] = variable
    elif param := _PARAM.match(statement):
        align, kind, name, count = param.groups()
        size = TYPE_BYTES[kind] * int(count or 1)
        scope.variables[name] = Variable(name, "callparam", kind, size, int(align or TYPE_BYTES[kind]))


_CALL = re.compile(r"\s*(?:\(([^)]*)\)\s*,)?\s*([^,\s(]+)\s*(?:,\s*\(([^)]*)\))?\s*(?:,\s*([\w$]+))?\s*$")


def _call_operands(scope: _Scope, text: str) -> tuple[Operand, ...]:
    """(results, callee, arguments): parameter names as symbols, the callee a symbol or, called through, a register."""
    match = _CALL.match(text)
    assert match, text
    results, callee, arguments, _prototype = match.groups()
    lists = (
        Vector(tuple(Symbol(n.strip()) for n in (part or "").split(",") if n.strip())) for part in (results, arguments)
    )
    first, second = lists
    return first, parse_operand(callee, scope.rename), second


def _instruction(scope: _Scope, statement: str, chain: tuple[SourcePoint, ...], line: int) -> Instruction:
    guard, body = None, statement
    if statement.startswith("@"):
        flag, _, body = statement.partition(" ")
        name = flag.lstrip("@!")
        guard = Guard(scope.rename(name) or name, "!" in flag)
    head, _, rest = body.strip().partition(" ")
    opcode, *modifiers = head.split(".")
    try:
        if opcode == "call":
            operands = _call_operands(scope, rest)
        else:
            operands = tuple(parse_operand(t, scope.rename) for t in split_operands(rest))
    except (AssertionError, ValueError) as error:
        raise PtxError(f"cannot read the operands of '{statement}'", line) from error
    modifiers = [m for word in modifiers for m in word.split("::") if m] if opcode != "call" else modifiers
    return Instruction(opcode, tuple(modifiers), operands, guard, chain, line, statement, len(scope.instructions))
