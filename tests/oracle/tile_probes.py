"""PTX kernels that load or store one wmma fragment and nothing else: what ptxas makes of them shows which lane touches
which bytes.

A load kernel writes every register of its fragment to `out`, 64 bytes per lane; a store kernel reads its fragment
from there.
"""

from __future__ import annotations

from dataclasses import dataclass

_HEAD = """.version 8.7
.target {arch}
.address_size 64
.extern .shared .align 128 .b8 tile[];
"""
_ENTRY = """
.visible .entry {name}(.param .u64 .ptr .align 128 memory, .param .u64 .ptr .align 128 out, .param .u32 stride)
{{
    .reg .b32 %r<40>;
    .reg .b64 %rd<24>;
    ld.param.u64 %rd1, [memory];
    ld.param.u64 %rd2, [out];
    {base}
    {stride}
    mov.u32 %r2, %laneid;
    mul.wide.u32 %rd3, %r2, 64;
    add.u64 %rd3, %rd2, %rd3;
    {body}
    ret;
}}
"""


@dataclass(frozen=True)
class Probe:
    """One fragment of one instruction: `what` is a, b, c (a load) or d (a store); `stride` 0 is a run-time value."""

    what: str
    shape: str
    type: str
    layout: str
    space: str
    stride: int = 0

    @property
    def name(self) -> str:
        return f"{self.what}_{self.shape}_{self.type}_{self.layout}_{self.space or 'generic'}_{self.stride}"

    @property
    def registers(self) -> int:
        return fragment_registers(self.what, self.shape, self.type)

    @property
    def wide(self) -> bool:
        return self.type == "f64"

    @property
    def instruction(self) -> str:
        space = f".{self.space}" if self.space else ""
        tail = f"sync.aligned.{self.layout}.{self.shape}{space}.{self.type}"
        return f"wmma.store.d.{tail}" if self.what == "d" else f"wmma.load.{self.what}.{tail}"


def fragment_registers(what: str, shape: str, kind: str) -> int:
    """PTX registers of a fragment (PTX ISA, wmma.load)."""
    if what in "cd":
        if shape in ("m8n8k4", "m8n8k32", "m8n8k128"):
            return 2
        return 4 if kind == "f16" else 8
    if kind == "f16":
        return 8
    if kind == "tf32":
        return 4
    if kind in ("bf16", "s8", "u8"):
        unit = 4 if kind == "bf16" else 2
        return {"m16n16k16": unit, "m8n32k16": {"a": unit // 2, "b": 2 * unit}[what],
                "m32n8k16": {"a": 2 * unit, "b": unit // 2}[what]}[shape]  # fmt: skip
    return 1


def module(probes: list[Probe], arch: str) -> str:
    return _HEAD.format(arch=arch) + "".join(_entry(p) for p in probes)


def _entry(p: Probe) -> str:
    register, kind = ("%rd", "b64") if p.wide else ("%r", "b32")
    size = 8 if p.wide else 4
    names = [f"{register}{8 + n}" for n in range(p.registers)]
    base = "mov.u64 %rd4, tile;" if p.space == "shared" else "mov.b64 %rd4, %rd1;"
    if p.space == "global":
        base += "\n    cvta.to.global.u64 %rd4, %rd4;"
    stride = f"mov.u32 %r1, {p.stride};" if p.stride else "ld.param.u32 %r1, [stride];"
    group = "{" + ", ".join(names) + "}"
    if p.what == "d":
        moves = [f"ld.global.{kind} {n}, [%rd3+{size * k}];" for k, n in enumerate(names)]
        body = [*moves, f"{p.instruction} [%rd4], {group}, %r1;"]
    else:
        moves = [f"st.global.{kind} [%rd3+{size * k}], {n};" for k, n in enumerate(names)]
        body = [f"{p.instruction} {group}, [%rd4], %r1;", *moves]
    return _ENTRY.format(name=p.name, base=base, stride=stride, body="\n    ".join(body))


def all_probes(space: str, stride: int = 0) -> list[Probe]:
    """Every fragment of every legal shape and type, from or to one space ("": generic)."""
    found = []
    for shape in ("m16n16k16", "m8n32k16", "m32n8k16"):
        factors, sums = ("f16", "bf16", "s8", "u8"), ("f16", "f32", "s32")
        found += _family(shape, factors, sums, ("row", "col"), space, stride)
    found += _family("m16n16k8", ("tf32",), ("f32",), ("row", "col"), space, stride)
    found += _family("m8n8k4", ("f64",), ("f64",), ("row", "col"), space, stride)
    for shape, kinds in (("m8n8k32", ("s4", "u4")), ("m8n8k128", ("b1",))):
        for kind in kinds:
            found += [Probe("a", shape, kind, "row", space, stride), Probe("b", shape, kind, "col", space, stride)]
        found += [Probe(w, shape, "s32", layout, space, stride) for w in "cd" for layout in ("row", "col")]
    return found


def _family(
    shape: str, factors: tuple[str, ...], sums: tuple[str, ...], layouts: tuple[str, ...], space: str, stride: int
) -> list[Probe]:
    return [Probe(w, shape, t, o, space, stride) for w in "ab" for t in factors for o in layouts] + [
        Probe(w, shape, t, o, space, stride) for w in "cd" for t in sums for o in layouts
    ]
