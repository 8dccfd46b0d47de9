"""Values and registers while a kernel becomes LLVM IR.

A PTX register is one `<32 x iN>` vector, or a scalar where every lane is known to hold the same value. Within a basic
block registers are SSA values; those that live across blocks are kept in the warp's state, merged by the lane mask.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from warpgauge import ptx
from warpgauge.ptx.cfg import CARRY

from .frame import Frame, SiteKey
from .layout import BLK, CTX, LANES, SITE_SLOTS
from .restricted import Library
from .runtime import barrier as rt_barrier

_INT = {1: "i8", 2: "i16", 4: "i32", 8: "i64", 16: "i128"}
_FLOAT = {"f32": "float", "f64": "double", "f16": "half"}
_PACKED = {"f16x2": "half", "u16x2": "i16", "s16x2": "i16"}
_CLOCKS = ("clock", "clock64", "globaltimer", "globaltimer_lo")
_HIGH_CLOCKS = ("clock_hi", "globaltimer_hi")


class Unsupported(Exception):
    """The table has no row for an instruction, or a row cannot do this form of it."""


def element(kind: str) -> str:
    """LLVM element type of a PTX type, as plain bits for types that LLVM need not know (bf16)."""
    if kind == "pred":
        return "i1"
    return _FLOAT.get(kind) or _INT[ptx.TYPE_BYTES[kind]]


def llvm_type(kind: str, uniform: bool) -> str:
    if kind in _PACKED:
        return f"<{2 if uniform else 2 * LANES} x {_PACKED[kind]}>"
    return element(kind) if uniform else f"<{LANES} x {element(kind)}>"


def raw(kind: str) -> str:
    """The register's bits: pred is one bit, everything else an integer of its width."""
    return "pred" if kind == "pred" else {1: "b8", 2: "b16", 4: "b32", 8: "b64", 16: "b128"}[ptx.TYPE_BYTES[kind]]


@dataclass(frozen=True)
class Val:
    """An LLVM value of PTX type `kind`; `uniform` means one scalar for all lanes."""

    name: str
    kind: str
    uniform: bool = False

    @property
    def type(self) -> str:
        return llvm_type(self.kind, self.uniform)


@dataclass(frozen=True)
class Row:
    """Memory that holds a register's value of every lane, as type `kind`: `offset` bytes into `area`."""

    area: str
    offset: int
    kind: str


class Emitter:
    """Emits instructions of one kernel. Rows (see `rows/`) use: src, put, op, call, mask, scratch, site."""

    def __init__(self, kernel: ptx.Kernel, frame: Frame, library: Library) -> None:
        self.kernel, self.frame, self.library = kernel, frame, library
        self.lines: list[str] = []
        self.declares: set[str] = set()
        self.serial = 0
        self.current: dict[str, Val] = {}
        self.lying: dict[str, Row] = {}  # where the same values lie, of registers that have not changed since
        self.origins: dict[str, Val] = {}  # what a value was before its bits were named anew
        self.last_use: dict[str, int] = {}
        self.index = 0
        self.areas: dict[str, int] = {}
        self.entry_values: dict[str, Val] = {}
        self.slots: dict[str, int] = {}
        self.mact = "%mact"
        self.guard: Val | None = None
        self.block_index = 0
        self.only_stored = _only_stored(kernel)
        self.unread = unread(kernel)
        self.swapped = {
            (i.operands[1], ptx.TYPE_BYTES[i.types[-1]])
            for i in kernel.instructions
            if i.opcode == "atom" and "cas" in i.modifiers
        }

    # -- text --------------------------------------------------------------------------------------------------
    def emit(self, text: str) -> None:
        self.lines.append("  " + text)

    def fresh(self, hint: str = "v") -> str:
        self.serial += 1
        return f"%{hint}{self.serial}"

    def let(self, text: str, kind: str, uniform: bool) -> Val:
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return Val(name, kind, uniform)

    def add_to(self, at: str, value: str) -> None:
        """Add to a 64-bit counter in memory."""
        old = self.let(f"load i64, ptr {at}", "b64", True)
        total = self.let(f"add i64 {old.name}, {value}", "b64", True)
        self.emit(f"store i64 {total.name}, ptr {at}")

    def declare(self, text: str) -> None:
        self.declares.add("declare " + text)

    def outline(self, text: str) -> None:
        """A helper function of the kernel's own module; the same text is kept once."""
        self.declares.add(text)

    # -- values ------------------------------------------------------------------------------------------------
    def vector(self, a: Val) -> Val:
        """`a` with one value per lane."""
        if not a.uniform:
            return a
        if a.kind in _PACKED:
            return self.cast(self.vector(self.cast(a, "b32")), a.kind)
        if a.name.lstrip("-").isdigit() or a.name in ("true", "false") or a.name.startswith("bitcast ("):
            return Val(f"splat ({element(a.kind)} {a.name})", a.kind)
        t = f"<{LANES} x {element(a.kind)}>"
        first = self.let(f"insertelement {t} poison, {element(a.kind)} {a.name}, i32 0", a.kind, False)
        zero = f"<{LANES} x i32> zeroinitializer"
        return self.let(f"shufflevector {t} {first.name}, {t} poison, {zero}", a.kind, False)

    def cast(self, a: Val, kind: str) -> Val:
        """The same bits as another type of the same width."""
        source, target = a.type, llvm_type(kind, a.uniform)
        if source == target:
            return Val(a.name, kind, a.uniform)
        if (origin := self.origins.get(a.name)) is not None and origin.type == target:
            return Val(origin.name, kind, a.uniform)
        made = self.let(f"bitcast {source} {a.name} to {target}", kind, a.uniform)
        self.origins[made.name] = a
        return made

    def resize(self, a: Val, kind: str, signed: bool = False) -> Val:
        """Integer bits truncated or extended to the width of `kind` (result is raw bits)."""
        have, want = ptx.TYPE_BYTES[a.kind], ptx.TYPE_BYTES[kind]
        a = self.cast(a, raw(a.kind))
        if have == want:
            return Val(a.name, raw(kind), a.uniform)
        how = "trunc" if want < have else "sext" if signed else "zext"
        return self.let(f"{how} {a.type} {a.name} to {llvm_type(raw(kind), a.uniform)}", raw(kind), a.uniform)

    def same(self, *values: Val) -> tuple[tuple[Val, ...], bool]:
        """All scalars, or all vectors."""
        uniform = all(v.uniform for v in values)
        return (values if uniform else tuple(self.vector(v) for v in values)), uniform

    def op(self, template: str, kind: str, *values: Val, out: str | None = None) -> Val:
        """Emit `template` with {T} the type of `kind`, {D} that of the result, {a}.. the operands."""
        values, uniform = self.same(*values)
        text = template.format(
            T=llvm_type(kind, uniform),
            D=llvm_type(out or kind, uniform),
            **dict(zip("abcdef", (v.name for v in values), strict=False)),
        )
        return self.let(text, out or kind, uniform)

    def intrinsic(self, name: str, kind: str, *values: Val, extra: str = "") -> Val:
        """An LLVM intrinsic overloaded on the type of `kind`; `extra` are constant arguments such as ", i1 true"."""
        values, uniform = self.same(*values)
        t = llvm_type(kind, uniform)
        full = f"llvm.{name}.{mangle(t)}"
        extra_types = "".join(", " + part.split()[0] for part in extra.split(",") if part.strip())
        self.declare(f"{t} @{full}({', '.join([t] * len(values))}{extra_types})")
        args = ", ".join(f"{t} {v.name}" for v in values)
        return self.let(f"call {t} @{full}({args}{extra})", kind, uniform)

    def const(self, value: int, kind: str) -> Val:
        if kind == "pred":
            return Val("true" if value else "false", kind, True)
        bits = 8 * ptx.TYPE_BYTES[kind]
        value &= (1 << bits) - 1
        value -= (1 << bits) if value >> (bits - 1) else 0
        if element(kind).startswith("i") and kind not in _PACKED:
            return Val(str(value), kind, True)
        return self.cast(Val(str(value), raw(kind), True), kind)

    def select(self, condition: Val, a: Val, b: Val) -> Val:
        (condition, a, b), uniform = self.same(condition, a, b)
        t = a.type
        if a.kind in _PACKED and not uniform:
            bits = self.select(condition, self.cast(a, "b32"), self.cast(b, "b32"))
            return self.cast(bits, a.kind)
        return self.let(f"select {condition.type} {condition.name}, {t} {a.name}, {t} {b.name}", a.kind, uniform)

    # -- registers ---------------------------------------------------------------------------------------------
    def get(self, name: str) -> Val:
        """Raw bits of a register."""
        if name in self.entry_values:
            return self.entry_values[name]
        if name not in self.current:
            kind = raw(self.kernel.registers[name])
            if name in self.lying:
                self.current[name] = self.read(self.lying[name])
                return self.current[name]
            if name not in self.slots:
                self.current[name] = Val("false" if kind == "pred" else "0", kind, True)
                return self.current[name]
            if kind == "pred":
                at = self.let(f"getelementptr i8, ptr %state, i64 {self.slots[name]}", "b64", True)
                bits = self.let(f"load i32, ptr {at.name}", "b32", True)
                self.current[name] = self.let(f"bitcast i32 {bits.name} to <{LANES} x i1>", kind, False)
            else:
                self.lying[name] = Row("%state", self.slots[name], kind)
                self.current[name] = self.read(self.lying[name])
        return self.current[name]

    def src(self, operand: ptx.Operand, kind: str) -> Val:
        """An operand read as `kind`; a wider register is truncated, a narrower one zero-extended."""
        match operand:
            case ptx.Register(name=name, negated=negated):
                value = self.get(name)
                if value.kind == "pred":
                    return self.op("xor {T} {a}, {b}", "pred", value, self.const(1, "pred")) if negated else value
                return self.cast(self.resize(value, kind), kind)
            case ptx.Immediate(kind="int", value=value):
                return self.const(value, kind)
            case ptx.Immediate(kind=float_kind, value=bits):
                if (float_kind, kind) == ("f64", "f32"):
                    # A literal of 64 bits takes the size of the place where it stands (PTX ISA, constants).
                    return self.const(int(np.uint64(bits).view(np.float64).astype(np.float32).view(np.uint32)), kind)
                if ptx.TYPE_BYTES[kind] != (4 if float_kind == "f32" else 8):
                    raise Unsupported(f"a {float_kind} literal where {kind} is read")
                return self.const(bits, kind)
            case ptx.Special(name=name):
                value = self.special(name)
                return self.cast(self.resize(value, kind), kind)
            case ptx.Symbol(name=name, offset=offset):
                value = self.symbol(name)
                if offset:
                    value = self.op("add {T} {a}, {b}", value.kind, value, self.const(offset, value.kind))
                return self.cast(self.resize(value, kind), kind)
        raise Unsupported(f"operand {operand} where a {kind} value is read")

    def symbol(self, name: str) -> Val:
        """Address of a variable in its own space."""
        if name in self.frame.shared:
            return self.const(self.frame.shared[name], "b64")
        if name in self.frame.local:
            return self.const(self.frame.local[name], "b64")
        if name in self.frame.variables:
            table = self.context("VARIABLES")
            at = self.let(f"inttoptr i64 {table.name} to ptr", "b64", True)
            cell = self.let(f"getelementptr i64, ptr {at.name}, i64 {self.frame.variables[name]}", "b64", True)
            return self.let(f"load i64, ptr {cell.name}", "b64", True)
        if name in self.frame.functions:
            return self.const(self.frame.functions[name], "b64")
        raise Unsupported(f"the address of {name}")

    def context(self, slot: str) -> Val:
        return self._load("%ctx", CTX[slot])

    def block(self, slot: str) -> Val:
        return self._load("%blk", BLK[slot])

    def _load(self, base: str, slot: int) -> Val:
        at = self.let(f"getelementptr i64, ptr {base}, i64 {slot}", "b64", True)
        return self.let(f"load i64, ptr {at.name}", "b64", True)

    def special(self, name: str) -> Val:
        """A special register, as raw bits."""
        head, _, axis = name.partition(".")
        if head == "tid":
            return Val(f"%tid{axis}", "b32")
        if head == "ntid":
            return self.context("B" + axis.upper())
        if head == "ctaid":
            return self.block("CTA" + axis.upper())
        if head == "nctaid":
            return self.context("G" + axis.upper())
        if head in ("clusterid",):
            return self.block("CTA" + axis.upper())
        if head in ("nclusterid",):
            return self.context("G" + axis.upper())
        if head == "cluster_ctaid":
            return self.const(0, "b32")
        if head == "cluster_nctaid":
            return self.const(1, "b32")
        if head.startswith("lanemask_"):
            return Val(_lane_constant(head), "b32")
        if name in _CLOCKS:
            return self.context("CLOCK")
        if name in _HIGH_CLOCKS:
            return self.op("lshr {T} {a}, {b}", "b64", self.context("CLOCK"), self.const(32, "b64"))
        if name in ("envreg1", "envreg2"):
            # The high and low half of the grid barrier's workspace, zero where the launch is not cooperative.
            place = self.context("GRID_WORKSPACE")
            return self.op("lshr {T} {a}, {b}", "b64", place, self.const(32, "b64")) if name == "envreg1" else place
        simple = {
            "laneid": lambda: Val(_lane_constant("laneid"), "b32"),
            "warpid": lambda: Val("%warp", "b32", True),
            "nwarpid": lambda: self.context("NWARPS"),
            "smid": lambda: self.const(0, "b32"),
            "nsmid": lambda: self.const(1, "b32"),
            "gridid": lambda: self.const(1, "b64"),
            "dynamic_smem_size": lambda: self.context("DYNAMIC_BYTES"),
            "total_smem_size": lambda: self.context("SHARED_BYTES"),
            "cluster_ctarank": lambda: self.const(0, "b32"),
            "cluster_nctarank": lambda: self.const(1, "b32"),
        }
        if name not in simple:
            raise Unsupported(f"special register %{name}")
        return simple[name]()

    def read(self, row: Row) -> Val:
        at = self.let(f"getelementptr i8, ptr {row.area}, i64 {row.offset}", "b64", True)
        return self.let(f"load {llvm_type(row.kind, False)}, ptr {at.name}, align 64", row.kind, False)

    def rows(self, count: int, kind: str) -> tuple[str, list[Row]]:
        """Memory for the values of `count` registers, one after the other: no value that is still wanted lies there."""
        held = {row.area for name, row in self.lying.items() if self.last_use.get(name, -1) >= self.index}
        area = next(name for name in map("%area{}".format, itertools.count()) if name not in held)
        size = LANES * ptx.TYPE_BYTES[kind]
        self.areas[area] = max(count * size, self.areas.get(area, 0))
        self.lying = {name: row for name, row in self.lying.items() if row.area != area}
        return area, [Row(area, n * size, kind) for n in range(count)]

    def together(self, registers: Sequence[ptx.Operand], kind: str, area: str) -> str:
        """Where the values of registers lie one after the other; if they do not, they are copied to `area`."""
        found = [self._row_of(register) for register in registers]
        first = found[0]
        size = LANES * ptx.TYPE_BYTES[kind]
        if first is not None and found == [Row(first.area, first.offset + n * size, kind) for n in range(len(found))]:
            return self.let(f"getelementptr i8, ptr {first.area}, i64 {first.offset}", "b64", True).name
        for n, register in enumerate(registers):
            self.store_row(area, n, self.src(register, kind))
        return area

    def _row_of(self, register: ptx.Operand) -> Row | None:
        if not isinstance(register, ptx.Register) or register.name in self.entry_values:
            return None
        name = register.name
        kind = raw(self.kernel.registers[name])
        if kind != "pred" and name not in self.current and name not in self.lying and name in self.slots:
            self.lying[name] = Row("%state", self.slots[name], kind)
        return self.lying.get(name)

    def put_row(self, register: ptx.Operand, row: Row) -> None:
        """Assign what lies in memory, which is then only read where something wants it."""
        assert isinstance(register, ptx.Register), register
        if self.guard is not None or register.name == "_" or raw(self.kernel.registers[register.name]) != row.kind:
            self.put(register, self.read(row))
            return
        self.current.pop(register.name, None)
        self.lying[register.name] = row

    def put(self, register: ptx.Operand, value: Val, signed: bool = False) -> None:
        """Assign to a register, extending or truncating to its width; under a guard lanes keep the old value."""
        assert isinstance(register, ptx.Register), register
        if register.name == "_":
            return
        kind = raw(self.kernel.registers[register.name])
        if kind != "pred":
            value = self.resize(value, kind, signed)
        if self.guard is not None:
            value = self.select(self.guard, value, self.get(register.name))
        self.current[register.name] = Val(value.name, kind, value.uniform)
        self.lying.pop(register.name, None)

    def keep(self, name: str) -> None:
        """Write a register to its place in the warp's state, active lanes only."""
        value = self.vector(self.get(name))
        at = self.let(f"getelementptr i8, ptr %state, i64 {self.slots[name]}", "b64", True)
        if value.kind == "pred":
            new = self.bits(value)
            old = self.let(f"load i32, ptr {at.name}", "b32", True)
            rest = self.let(f"xor i32 {self.mact}, -1", "b32", True)
            kept = self.let(f"and i32 {old.name}, {rest.name}", "b32", True)
            fresh = self.let(f"and i32 {new}, {self.mact}", "b32", True)
            both = self.let(f"or i32 {kept.name}, {fresh.name}", "b32", True)
            self.emit(f"store i32 {both.name}, ptr {at.name}")
            return
        old = self.let(f"load {value.type}, ptr {at.name}, align 64", value.kind, False)
        merged = self.select(self.lanes(self.mact), value, old)
        self.emit(f"store {merged.type} {merged.name}, ptr {at.name}, align 64")

    def param_base(self) -> Val:
        """Device address of the kernel's parameters, for code that takes their address."""
        return self.context("PARAM_ADDRESS")

    def fence(self, *, block_scope: bool = False) -> None:
        """What the active lanes have done and seen is released by their warp's next strong write (of block scope: only
        one in shared memory)."""
        symbol = self.library.need(rt_barrier.fence)
        self.call(
            symbol, "void", ["ptr %ctx", "ptr %blk", "i32 %warp", f"i32 {self.mask()}", f"i32 {int(block_scope)}"]
        )

    def set_carry(self, value: Val) -> None:
        """Assign the condition-code register, under the guard like any other."""
        self.put(ptx.Register(CARRY), value)

    # -- memory and calls --------------------------------------------------------------------------------------
    def mask(self) -> str:
        """Active lanes of this instruction as an i32: the block's mask and the guard."""
        if self.guard is None:
            return self.mact
        guard = self.vector(self.guard)
        bits = self.let(f"bitcast <{LANES} x i1> {guard.name} to i32", "b32", True)
        return self.let(f"and i32 {bits.name}, {self.mact}", "b32", True).name

    def lanes(self, mask: str) -> Val:
        return self.let(f"bitcast i32 {mask} to <{LANES} x i1>", "pred", False)

    def bits(self, predicate: Val) -> str:
        predicate = self.vector(predicate)
        return self.let(f"bitcast <{LANES} x i1> {predicate.name} to i32", "b32", True).name

    def site(self, key: SiteKey) -> str:
        """Pointer to the record of a new access site."""
        index = len(self.frame.sites)
        self.frame.sites.append(key)
        return self.let(f"getelementptr i64, ptr %sites, i64 {index * SITE_SLOTS}", "b64", True).name

    def row(self, at: str, position: int, kind: str) -> Val:
        """Load row `position` of 32 elements of `kind` from a scratch area."""
        size = ptx.TYPE_BYTES[kind]
        cell = self.let(f"getelementptr i8, ptr {at}, i64 {position * LANES * size}", "b64", True)
        return self.let(f"load {llvm_type(kind, False)}, ptr {cell.name}, align {size}", kind, False)

    def store_row(self, at: str, position: int, value: Val) -> None:
        value = self.vector(value)
        size = ptx.TYPE_BYTES[value.kind]
        cell = self.let(f"getelementptr i8, ptr {at}, i64 {position * LANES * size}", "b64", True)
        self.emit(f"store {value.type} {value.name}, ptr {cell.name}, align {size}")

    def call(self, symbol: str, returns: str, arguments: Sequence[str]) -> str:
        """Call a runtime function; returns the result's name ("" for void)."""
        text = f"call {returns} @{symbol}({', '.join(arguments)})"
        if returns == "void":
            self.emit(text)
            return ""
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return name


def reads_clock(kernel: ptx.Kernel) -> bool:
    return any(
        isinstance(o, ptx.Special) and o.name in _CLOCKS + _HIGH_CLOCKS for i in kernel.instructions for o in i.operands
    )


def _only_stored(kernel: ptx.Kernel) -> frozenset[str]:
    """Registers whose every use is as the value of a store."""
    stored: set[str] = set()
    used: set[str] = set()
    for i in kernel.instructions:
        if i.opcode == "st":
            stored.update(ptx.registers_of(i.operands[1]))
            used.update(ptx.registers_of(i.operands[0]))
            used.update({i.guard.register} if i.guard else ())
        else:
            used |= ptx.usages(i)
    return frozenset(stored - used)


def unread(kernel: ptx.Kernel) -> frozenset[str]:
    """Registers that no instruction takes a value from: a guard that leaves the old value in place takes none."""
    used: set[str] = set()
    for i in kernel.instructions:
        used |= ptx.usages(i) - (ptx.definitions(i) if i.guard else set())
        used.update(name for o in i.operands[1:] for name in ptx.registers_of(o))
    return frozenset(kernel.registers.keys() - used)


def mangle(t: str) -> str:
    """LLVM overload suffix of a type spelled in text."""
    if t.startswith("<"):
        count, _, inner = t[1:-1].split(" ")
        return f"v{count}{mangle(inner)}"
    return {"half": "f16", "float": "f32", "double": "f64"}.get(t, t)


def _lane_constant(name: str) -> str:
    rules = {
        "laneid": lambda i: i,
        "lanemask_eq": lambda i: 1 << i,
        "lanemask_lt": lambda i: (1 << i) - 1,
        "lanemask_le": lambda i: (2 << i) - 1,
        "lanemask_gt": lambda i: ~((2 << i) - 1),
        "lanemask_ge": lambda i: ~((1 << i) - 1),
    }
    values = ((rules[name](i) & 0xFFFFFFFF) for i in range(LANES))
    return "<" + ", ".join(f"i32 {v - (1 << 32) if v >> 31 else v}" for v in values) + ">"
