"""Gathers the lines of one kernel: registers, variables of each pool, operands, and which lanes come along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

DECLARED = {"f16": "b16", "bf16": "b16", "f16x2": "b32", "bf16x2": "b32"}
BYTES = {"b16": 2, "b32": 4, "b64": 8, "f16": 2, "bf16": 2, "f16x2": 4, "bf16x2": 4, "f32": 4, "f64": 8}
VARIABLES = {"b32": 3}
WHOLE = (0, 1, 2, 3, 5, 7, 16, 31, 32, 33, 63, 64, 255, 4096, 0x7FFF, 0x8000, 0xFFFF)
WIDE = (0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xDEADBEEF)
LITERALS: dict[str, tuple[str, ...]] = {
    "b16": tuple(str(v) for v in WHOLE[:-2]),
    "b32": tuple(hex(v) for v in (*WHOLE, *WIDE)),
    "b64": tuple(hex(v) for v in (*WHOLE, *WIDE, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)),
    "f32": ("0f3F800000", "0f00000000", "0f80000000", "0f40490FDB", "0fBF000000", "0f7F800000", "0f00000001"),
    "f64": ("0d3FF0000000000000", "0d0000000000000000", "0d400921FB54442D18", "0dBFE0000000000000"),
}
SPECIALS = ("%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%laneid")
BLOCK_WIDE = ("%ctaid.x", "%ctaid.y", "%nctaid.x", "%ntid.x", "%ctaid.z")


class Picks:
    """A statement's numbers, taken one by one; zeros when they run out."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.rest = list(numbers)

    def __call__(self, below: int = 1024) -> int:
        return (self.rest.pop(0) if self.rest else 0) % below


@dataclass
class Writer:
    """`members`: operand naming the lanes of the warp that are here (exited ones may still be named), or None.

    `exact`: it names no exited lane. `full`: it names all 32. `together`: all of the warp's lanes are here.
    `lets` are registers written once, readable in the scope that wrote them; `uniform` those of 32 bits that are the
    same in the whole block.
    """

    threads: int
    blocks: int
    lines: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    pools: dict[str, list[str]] = field(default_factory=dict)
    lets: dict[str, list[str]] = field(default_factory=lambda: {"b32": ["%lin", "%gid"]})
    uniform: list[str] = field(default_factory=lambda: list(BLOCK_WIDE))
    used: set[str] = field(default_factory=set)
    members: str | None = "0xffffffff"
    exact: bool = True
    full: bool = True
    together: bool = True
    kernel_picks: tuple[int, ...] = ()
    breaks: list[tuple[str, str | None]] = field(default_factory=list)

    def emit(self, *lines: str) -> None:
        self.lines += lines

    def new(self, kind: str) -> str:
        declared = DECLARED.get(kind, kind)
        number = self.counts.get(declared, 0)
        self.counts[declared] = number + 1
        return f"%{declared}_{number}"

    def label(self) -> str:
        self.counts["label"] = self.counts.get("label", 0) + 1
        return f"L{self.counts['label']}"

    def variables(self, kind: str) -> list[str]:
        if kind not in self.pools:
            self.pools[kind] = [self.new(kind) for _ in range(VARIABLES.get(kind, 2))]
        return self.pools[kind]

    def variable(self, kind: str, pick: int) -> str:
        return self.variables(kind)[pick % len(self.variables(kind))]

    def operand(self, kind: str, pick: int) -> str:
        """A variable, a parameter, a literal, a register of an enclosing scope or a special register."""
        what, which = pick % 8, pick // 8
        if what == 3:
            return self.parameter(kind)
        if what == 4 and kind in LITERALS:
            return LITERALS[kind][which % len(LITERALS[kind])]
        if what in (5, 6) and self.lets.get(kind):
            return self.lets[kind][-1 - which % len(self.lets[kind])]
        if what == 7 and kind == "b32":
            return self.special(SPECIALS[which % len(SPECIALS)])
        return self.variable(kind, what)

    def same_in_block(self, kind: str, pick: int) -> str:
        """An operand that is the same in all threads of the block."""
        if kind == "b32" and pick % 3 == 1:
            return self.block_value(pick // 3)
        if kind in LITERALS and pick % 3 == 2:
            return LITERALS[kind][pick // 3 % len(LITERALS[kind])]
        return self.parameter(kind)

    def block_value(self, pick: int) -> str:
        name = self.uniform[-1 - pick % len(self.uniform)]
        return self.special(name) if name in BLOCK_WIDE else name

    def special(self, name: str) -> str:
        out = self.new("b32")
        self.emit(f"mov.u32 {out}, {name};")
        return out

    def parameter(self, kind: str) -> str:
        """The scalar argument of that kind."""
        self.used.add(f"scalar_{kind}")
        out = self.new(kind)
        self.emit(f"ld.param.b{8 * BYTES[kind]} {out}, [scalar_{kind}];")
        return out

    def base(self, name: str) -> str:
        """Address of a global buffer."""
        self.used.add(name)
        out = self.new("b64")
        self.emit(f"ld.param.u64 {out}, [{name}];", f"cvta.to.global.u64 {out}, {out};")
        return out

    def let(self, kind: str) -> str:
        """A register that is written once, right now, in all lanes that are here."""
        out = self.new(kind)
        self.lets.setdefault(kind, []).append(out)
        return out

    def guard(self, pick: int) -> str:
        """Mostly nothing, else a predicate in front of an instruction."""
        if pick % 4 != 3:
            return ""
        return f"@{'!' if pick // 4 % 2 else ''}{self.variable('pred', pick // 8)} "

    def plain(self, kind: str, value: str) -> str:
        """A float with every NaN replaced by 1, so that its bits may be looked at."""
        if kind not in ("f32", "f64"):
            return value
        p, out = self.new("pred"), self.new(kind)
        self.emit(f"setp.nan.{kind} {p}, {value}, {value};", f"selp.{kind} {out}, {LITERALS[kind][0]}, {value}, {p};")
        return out

    @contextmanager
    def scope(self, **lanes: object) -> Iterator[None]:
        """Inside, other lanes may be here; afterwards everything is as before, but exits are remembered."""
        names = ("members", "exact", "full", "together")
        before = {name: getattr(self, name) for name in names}
        lets = {kind: list(found) for kind, found in self.lets.items()}
        uniform = list(self.uniform)
        for name, value in lanes.items():
            setattr(self, name, value)
        left = self.counts.get("exits", 0)
        yield
        for name, value in before.items():
            setattr(self, name, value)
        self.lets, self.uniform = lets, uniform
        if self.counts.get("exits", 0) != left:
            self.exact = self.full = False

    def exits(self) -> None:
        """Some lanes of the kernel have ended."""
        self.counts["exits"] = self.counts.get("exits", 0) + 1
        self.exact = self.full = False

    def here(self) -> str | None:
        """The lanes that are here, and none that has exited."""
        if self.members is None or self.exact:
            return self.members
        true, out = self.new("pred"), self.new("b32")
        self.emit(f"setp.eq.u32 {true}, 0, 0;", f"vote.sync.ballot.b32 {out}, {true}, {self.members};")
        return out
