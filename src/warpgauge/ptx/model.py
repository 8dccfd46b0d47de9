"""PTX as data: module, kernel, basic block, instruction, operand.

Registers are untyped bits of a width; an instruction's modifiers say how it reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_BYTES: dict[str, int] = {
    **dict.fromkeys(("b8", "u8", "s8", "e4m3", "e5m2"), 1),
    **dict.fromkeys(("b16", "u16", "s16", "f16", "bf16", "e4m3x2", "e5m2x2"), 2),
    **dict.fromkeys(("b32", "u32", "s32", "f32", "f16x2", "bf16x2", "tf32", "u16x2", "s16x2"), 4),
    **dict.fromkeys(("b64", "u64", "s64", "f64", "f32x2"), 8),
    "pred": 1,
    "b128": 16,
}
#: Elements of tensor-core products that are smaller than a byte.
SUB_BYTE = frozenset({"s4", "u4", "b1"})


@dataclass(frozen=True)
class SourcePoint:
    """A `.loc`: file index, line, column (from 1; line 0 is unknown)."""

    file: int
    line: int
    column: int


@dataclass(frozen=True)
class Register:
    name: str
    negated: bool = False


@dataclass(frozen=True)
class Immediate:
    """`kind` is "int" (value is a Python int), "f32" or "f64" (value is the bit pattern)."""

    kind: str
    value: int


@dataclass(frozen=True)
class Symbol:
    """A variable, parameter, label or function name, plus a byte offset."""

    name: str
    offset: int = 0


@dataclass(frozen=True)
class Special:
    """A special register without its `%`, such as `tid.x` or `laneid`."""

    name: str


@dataclass(frozen=True)
class Address:
    """`[base + offset]`; base None is an absolute address."""

    base: Register | Symbol | None
    offset: int = 0


@dataclass(frozen=True)
class Vector:
    """`{a, b, ...}`."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """`a|b`, two destinations."""

    first: Register
    second: Register


Operand = Register | Immediate | Symbol | Special | Address | Vector | Pair


@dataclass(frozen=True)
class Guard:
    register: str
    negated: bool


@dataclass(frozen=True)
class Instruction:
    """`chain` holds the source points, innermost first: the line itself, then each inlined-at place."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Guard | None
    chain: tuple[SourcePoint, ...]
    ptx_line: int
    text: str
    index: int

    @property
    def types(self) -> tuple[str, ...]:
        """The type modifiers in order, e.g. ("f32", "s32") of `cvt.rn.f32.s32`."""
        return tuple(m for m in self.modifiers if m in TYPE_BYTES or m in SUB_BYTE)


@dataclass(frozen=True)
class Variable:
    """A `.shared`, `.global`, `.const`, `.local` or `.param` variable; size and align in bytes.

    `size` 0 with `extern` is the dynamic shared array. `init` is None or the initial bytes;
    `relocations` are (byte offset, symbol) pairs inside them. `offset` is a parameter's place in its block.
    """

    name: str
    space: str
    type: str
    size: int
    align: int
    extern: bool = False
    init: bytes | None = None
    offset: int = 0
    relocations: tuple[tuple[int, str], ...] = ()


@dataclass(eq=False)
class Block:
    """A basic block. `successors` are block indices (taken target first for a guarded branch)."""

    index: int
    instructions: tuple[Instruction, ...]
    successors: tuple[int, ...]
    defs: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    live_in: frozenset[str] = frozenset()
    live_out: frozenset[str] = frozenset()


@dataclass(eq=False)
class Kernel:
    """An `.entry` (or `.func`) with its control flow. `registers` maps each name to its declared type.

    `shared` and `local` are the variables of those spaces that the body names, in declaration order.
    `returns` are a function's result parameters. `directives` holds e.g. {"maxntid": (256, 1, 1)}.
    """

    name: str
    params: tuple[Variable, ...]
    registers: dict[str, str]
    shared: tuple[Variable, ...]
    local: tuple[Variable, ...]
    blocks: tuple[Block, ...]
    directives: dict[str, tuple[int, ...]]
    is_entry: bool = True
    branch_targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    returns: tuple[Variable, ...] = ()

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        return tuple(i for b in self.blocks for i in b.instructions)

    @property
    def param_bytes(self) -> int:
        return max((p.offset + p.size for p in self.params), default=0)


@dataclass(eq=False)
class Module:
    """`files` maps a file index to the name the compiler was given; `variables` module-scope variables."""

    version: str
    target: str
    files: dict[int, str]
    kernels: dict[str, Kernel]
    functions: dict[str, Kernel]
    variables: dict[str, Variable]
    text: str
