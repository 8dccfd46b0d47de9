"""A drawn program as a kernel that can be launched: its PTX, buffers and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from tests.oracle import inputs
from warpgauge.ptx import TYPE_BYTES

from .tree import Index3, Program
from .write_block import BLOCK_RULES, share
from .write_control import CONTROL_RULES, GROUP_RULES, Body
from .write_memory import COUNTERS, INPUT_ELEMENTS, LOCAL_BYTES, MEMORY_RULES, SLOT_BYTES, at, at32, chosen_atomic
from .write_values import VALUE_RULES
from .write_warp import WARP_RULES
from .writer import BYTES, DECLARED, Picks, Writer

NAME = "fuzz"
LEAF_RULES = {**VALUE_RULES, **MEMORY_RULES, **WARP_RULES, **BLOCK_RULES, **CONTROL_RULES}
FILL = 0xA5
RAW = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True)
class Kernel:
    """`kinds` gives the PTX type that each buffer's elements have; the arrays hold raw bits."""

    text: str
    grid: Index3
    block: Index3
    buffers: dict[str, np.ndarray]
    kinds: dict[str, str]
    scalars: tuple[int, ...]
    dynamic_shared: int


def render(w: Writer, body: Body) -> None:
    for s in body:
        pick = Picks(s.picks)  # type: ignore[attr-defined]
        if s.rule in GROUP_RULES:
            GROUP_RULES[s.rule](w, pick, s.bodies, render)
        else:
            LEAF_RULES[s.rule](w, pick)


def build(program: Program) -> Kernel:
    threads, blocks = prod(program.block), prod(program.grid)
    w = Writer(threads, blocks, kernel_picks=program.picks)
    w.full = threads % 32 == 0
    if not w.full and program.picks[5] % 2:
        w.members = "%members"
    elif not w.full:
        w.exact = False
    render(w, program.body)
    _epilogue(w)
    body, w.lines = w.lines, []
    _prologue(w, program)
    dynamic = program.picks[4] % 3 == 2 and "slots" in w.used
    buffers, kinds = _buffers(w, program)
    scalars = sorted(name for name in w.used if name.startswith("scalar_"))
    parameters = [f".param .u64 {name}" for name in buffers]
    parameters += [f".param .b{8 * BYTES[name[7:]]} {name}" for name in scalars]
    text = _text(w, [*w.lines, *body, *w.tail], parameters, threads, dynamic)
    values = tuple(_values(name[7:], program.picks[6], INPUT_ELEMENTS)[program.picks[7] % 64] for name in scalars)
    dynamic_shared = threads * share(w) if dynamic else 0
    return Kernel(text, program.grid, program.block, buffers, kinds, tuple(map(int, values)), dynamic_shared)


def _values(kind: str, seed: int, count: int) -> np.ndarray:
    """Edge values and random ones of a pool."""
    return inputs.any_values(kind, seed % 3, count, np.random.default_rng([seed, *kind.encode()]))[:count]


def _buffers(w: Writer, program: Program) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    total = w.threads * w.blocks
    out, kinds = {}, {}
    for name in sorted(w.used):
        what, _, kind = name.partition("_")
        if what == "in":
            out[name] = _values(kind, program.picks[6], INPUT_ELEMENTS)
        elif what in ("own", "dense", "back", "out"):
            size = BYTES[kind]
            per_thread = {"own": SLOT_BYTES, "out": size * len(w.pools.get(kind, [0] * 8))}.get(what, size)
            out[name] = np.full(total * per_thread, FILL, np.uint8).view(RAW[size])
        elif name in ("sums", "lockers_g", "final", "flags"):
            kind, size = {"sums": ("b64", 1024 // 8), "lockers_g": ("b64", total)}.get(name, ("b32", 2 * total))
            low = name == "sums" and chosen_atomic(w, "g")[0] in ("min", "and")
            out[name] = np.full(size * TYPE_BYTES[kind], 255 * low, np.uint8).view(RAW[TYPE_BYTES[kind]])
        else:
            continue
        kinds[name] = kind
    return out, kinds


def _epilogue(w: Writer) -> None:
    """Every variable goes to memory, and the shared counters after a barrier."""
    for kind, names in sorted(w.pools.items()):
        name, size = ("flags", 4) if kind == "pred" else (f"out_{kind}", BYTES[kind])
        address = at(w, w.base(name), "%gid", size)
        for number, value in enumerate(names):
            if kind == "pred":
                flag = w.new("b32")
                w.emit(f"selp.b32 {flag}, 1, 0, {value};")
                value = flag
            w.emit(f"st.global.b{8 * size} [{address}+{number * w.threads * w.blocks * size}], {value};")
    if "counters" in w.used:
        _, kind, _, stride = chosen_atomic(w, "s")
        index, value = w.new("b32"), w.new(f"b{kind[1:]}")
        w.emit("bar.sync 0;", f"and.b32 {index}, %lin, {COUNTERS - 1};")
        size = int(kind[1:]) // 8
        w.emit(f"ld.shared.b{8 * size} {value}, [{at32(w, 'counters', index, stride)}];")
        address = at(w, w.base("final"), "%gid", size)
        w.emit(f"st.global.b{8 * size} [{address}], {value};")
    w.emit("ret;")


def _linear(target: str, place: str, extent: str, shape: Index3) -> list[str]:
    if shape[1:] == (1, 1):
        return [f"mov.u32 {target}, %{place}.x;"]
    out = [f"mov.u32 {target}, %{place}.z;"]
    for axis, wider in (("y", "y"), ("x", "x")):
        out += [
            f"mov.u32 %x0, %{extent}.{wider};",
            f"mov.u32 %x1, %{place}.{axis};",
            f"mad.lo.u32 {target}, {target}, %x0, %x1;",
        ]
    return out


def _prologue(w: Writer, program: Program) -> None:
    w.emit(*_linear("%lin", "tid", "ntid", program.block), *_linear("%gid", "ctaid", "nctaid", program.grid))
    w.emit(f"mad.lo.u32 %gid, %gid, {w.threads}, %lin;")
    if w.threads % 32:
        w.emit(
            "and.b32 %x0, %lin, 0xffffffe0;",
            f"sub.u32 %x0, {w.threads}, %x0;",
            "min.u32 %x0, %x0, 32;",
            "sub.u32 %x0, 32, %x0;",
            "shr.u32 %members, 0xffffffff, %x0;",
        )
    w.emit(f"and.b32 %x0, %gid, {INPUT_ELEMENTS // 2 - 1};")
    for kind, names in sorted(w.pools.items()):
        if kind == "pred":
            for number, name in enumerate(names):
                w.emit(f"and.b32 %x1, %gid, {1 + number};", f"setp.eq.u32 {name}, %x1, 0;")
            continue
        address = at(w, w.base(f"in_{kind}"), "%x0", BYTES[kind])
        for number, name in enumerate(names):
            w.emit(f"ld.global.b{8 * BYTES[kind]} {name}, [{address}+{7 * number * BYTES[kind]}];")
    if "loc" in w.used:
        w.emit("mov.b32 %x0, loc;")
        w.emit(*(f"st.local.b64 [%x0+{8 * n}], {n * 0x0101010101};" for n in range(LOCAL_BYTES // 8)))
    _prepare_shared(w)


def _prepare_shared(w: Writer) -> None:
    """Write all shared memory that may be read, then a barrier."""
    if "slots" in w.used:
        address = at32(w, "slots", "%lin", 16)
        zeros = "{0, 0, 0, 0}"
        w.emit(*(f"st.shared.v4.b32 [{address}+{16 * w.threads * n}], {zeros};" for n in range(share(w) // 16)))
    if "mail" in w.used:
        w.emit(f"st.shared.v2.b64 [{at32(w, 'mail', '%lin', 16)}], {{0, 0}};")
    if "lockers" in w.used:
        w.emit(f"st.shared.b64 [{at32(w, 'lockers', '%lin', 8)}], 0;")
    if "counters" in w.used:
        operation, _, _, stride = chosen_atomic(w, "s")
        start = -1 if operation in ("min", "and") else 0
        for first in range(0, COUNTERS, w.threads):
            p = w.new("pred")
            w.emit(f"add.u32 %x0, %lin, {first};", f"setp.lt.u32 {p}, %x0, {COUNTERS};")
            w.emit(f"@{p} st.shared.b64 [{at32(w, 'counters', '%x0', stride)}], {start};")
    if w.used & {"slots", "mail", "lockers", "counters"}:
        w.emit("bar.sync 0;")


def _text(w: Writer, lines: Sequence[str], parameters: list[str], threads: int, dynamic: bool) -> str:
    head = [".version 8.6", ".target sm_90", ".address_size 64"]
    if "table" in w.used:
        head.append(".const .align 4 .b32 table[16] = {" + ", ".join(str(n * n * 77773) for n in range(16)) + "};")
    if dynamic:
        head.append(".extern .shared .align 16 .b8 slots[];")
    registers = [
        f".reg .{kind} %{kind}_<{n}>;" for kind, n in sorted(w.counts.items()) if kind not in ("label", "exits")
    ]
    registers.append(".reg .b32 %lin, %gid, %members, %x0, %x1;")
    sizes = {"slots": 0 if dynamic else threads * share(w), "mail": -(-threads // 32) * 512, "lockers": threads * 8}
    sizes["counters"] = COUNTERS * chosen_atomic(w, "s")[3]
    shared = [f".shared .align 16 .b8 {name}[{size}];" for name, size in sizes.items() if size and name in w.used]
    local = [f".local .align 16 .b8 loc[{LOCAL_BYTES}];"] if "loc" in w.used else []
    body = "\n".join("    " + line for line in [*registers, *shared, *local, *lines])
    return "\n".join(head) + f"\n.visible .entry {NAME}(\n    " + ",\n    ".join(parameters) + f"\n)\n{{\n{body}\n}}\n"


__all__ = ["DECLARED", "NAME", "Kernel", "build"]
