"""One instruction case: a few PTX lines, their inputs, and how results of two engines are compared."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from warpgauge.ptx import TYPE_BYTES

from . import inputs

KERNEL = "case"
BUFFERS = ("a", "b", "c", "d", "scratch")
SCRATCH_COUNT = 512


@dataclass(frozen=True)
class Case:
    """`body` reads %a %b %c (operand types and domains in `operands`) and writes %d of type `output`.

    Also at hand: predicates %p %q %r, %h0-7 (16 bit), %t0-7 (32 bit), %u0-7 (64 bit), the element number %i
    (32 bit), element addresses %pa %pb %pc %pd and the base address %ps of `scratch` (64 bit).
    A type may carry a count ("f32*4"): then the body loads or stores that operand itself.
    `ulp` and `absolute` say how far two right answers may lie apart (approximations only).
    `sums` marks floating-point sums of a tensor core, whose order and width are the machine's own (see `bounds`);
    `ordered` marks results that depend on the order of atomics, which this project fixes and a GPU does not;
    `device_may_differ` those that PTX leaves to the machine (addresses, warp numbers).
    """

    id: str
    body: tuple[str, ...]
    output: str
    operands: tuple[tuple[str, str], ...]
    module_lines: tuple[str, ...] = ()
    lines_before: tuple[str, ...] = ()
    scratch: tuple[str, str] = ("u32", "zero")
    grid: tuple[int, int, int] = (3, 1, 1)
    block: tuple[int, int, int] = (128, 1, 1)
    dynamic_shared: int = 0
    ulp: int = 0
    absolute: float = 0.0
    ordered: bool = False
    sums: bool = False
    device_may_differ: bool = False
    target: str = "sm_90"
    version: str = "8.6"

    @property
    def elements(self) -> int:
        return int(np.prod(self.grid)) * int(np.prod(self.block))


def split_type(kind: str) -> tuple[str, int]:
    """("f32", 4) for "f32*4"."""
    base, _, count = kind.partition("*")
    return base, int(count or 1)


def _register_type(kind: str) -> str:
    return f"b{max(16, 8 * TYPE_BYTES[kind])}"


def _memory_type(kind: str) -> str:
    return f"b{8 * TYPE_BYTES[kind]}"


def ptx_for(case: Case) -> str:
    """A complete module whose kernel `case` handles one element per thread. Parameters: a, b, c, d, scratch."""
    kinds = {name: split_type(kind) for name, (kind, _) in zip("abc", case.operands, strict=False)}
    kinds["d"] = split_type(case.output)
    declare = [f".reg .{_register_type(base)} %{name};" for name, (base, count) in kinds.items() if count == 1]
    flat = case.grid[1:] == (1, 1) and case.block[1:] == (1, 1)
    index = [
        "mov.u32 %x0, %ctaid.x;",
        "mov.u32 %x1, %ntid.x;",
        "mov.u32 %x2, %tid.x;",
    ]
    if not flat:
        index = _linear_index()
    lines = [*index, "mad.lo.u32 %i, %x0, %x1, %x2;"]
    for name in (*kinds, "s"):
        lines.append(f"ld.param.u64 %p{name}, [param_{name}];")
    for name, (base, count) in kinds.items():
        size = TYPE_BYTES[base] * count
        lines.append(f"mul.wide.u32 %x, %i, {size};")
        lines.append(f"add.u64 %p{name}, %p{name}, %x;")
        if name != "d" and count == 1:
            lines.append(f"ld.global.{_memory_type(base)} %{name}, [%p{name}];")
    lines += case.body
    if kinds["d"][1] == 1:
        lines.append(f"st.global.{_memory_type(kinds['d'][0])} [%pd], %d;")
    lines.append("ret;")
    header = [f".version {case.version}", f".target {case.target}", ".address_size 64", *case.module_lines]
    params = ",\n".join(f"    .param .u64 param_{name}" for name in "abcds")
    registers = [
        ".reg .pred %p, %q, %r;",
        ".reg .b16 %h<8>;",
        ".reg .b32 %t<8>, %i, %x0, %x1, %x2, %x3, %x4;",
        ".reg .b64 %u<8>, %x, %pa, %pb, %pc, %pd, %ps;",
        *declare,
        *case.lines_before,
    ]
    text = "\n".join("    " + line for line in [*registers, *lines])
    return "\n".join(header) + f"\n.visible .entry {KERNEL}(\n{params}\n)\n{{\n{text}\n}}\n"


def _linear_index() -> list[str]:
    """%x0 = linear block, %x1 = threads per block, %x2 = linear thread, x fastest."""
    out = []
    for target, place, extent in (("%x0", "ctaid", "nctaid"), ("%x2", "tid", "ntid")):
        out += [
            f"mov.u32 {target}, %{place}.z;",
            f"mov.u32 %x3, %{extent}.y;",
            f"mov.u32 %x4, %{place}.y;",
            f"mad.lo.u32 {target}, {target}, %x3, %x4;",
            f"mov.u32 %x3, %{extent}.x;",
            f"mov.u32 %x4, %{place}.x;",
            f"mad.lo.u32 {target}, {target}, %x3, %x4;",
        ]
    return [
        *out,
        "mov.u32 %x1, %ntid.x;",
        "mov.u32 %x3, %ntid.y;",
        "mul.lo.u32 %x1, %x1, %x3;",
        "mov.u32 %x3, %ntid.z;",
        "mul.lo.u32 %x1, %x1, %x3;",
    ]


def inputs_for(case: Case, seed: int = 0) -> dict[str, np.ndarray]:
    """Raw unsigned arrays for the five buffers, in parameter order; `d` is filled with 0xA5 bytes."""
    rng = np.random.default_rng([seed, zlib.crc32(case.id.encode())])
    out = {}
    for position, name in enumerate("abc"):
        if position < len(case.operands):
            kind, domain = case.operands[position]
            base, count = split_type(kind)
            out[name] = inputs.make(base, domain, position, case.elements * count, rng)
        else:
            out[name] = np.zeros(1, np.uint32)
    base, count = split_type(case.output)
    out["d"] = np.full(case.elements * count * TYPE_BYTES[base], 0xA5, np.uint8).view(inputs.raw_dtype(base))
    out["scratch"] = inputs.make(case.scratch[0], case.scratch[1], 0, SCRATCH_COUNT, rng)
    return out


def _as_float(bits: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    return bits.view({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]).astype(np.float64)


def _ulps_apart(got: np.ndarray, want: np.ndarray, kind: str) -> np.ndarray:
    """Representable values between the two, as float64 (so huge distances do not wrap)."""
    bits = np.uint64(sum(inputs.FLOATS[kind]))
    places = []
    for raw in (got.astype(np.uint64), want.astype(np.uint64)):
        size = (raw & np.uint64((1 << int(bits)) - 1)).astype(np.int64)
        places.append(np.where(raw >> bits != 0, -size, size))
    return np.abs(places[0].astype(np.float64) - places[1].astype(np.float64))


def differing(kind: str, got: np.ndarray, want: np.ndarray, ulp: int = 0, absolute: float = 0.0) -> np.ndarray:
    """Indices at which two raw arrays of one PTX type differ. Any NaN equals any other NaN of a float type."""
    base = split_type(kind)[0]
    if base in inputs.PACKED and inputs.PACKED[base] in inputs.FLOATS:
        part = inputs.PACKED[base]
        low, high = (
            differing(part, (got >> s).astype(np.uint16), (want >> s).astype(np.uint16), ulp, absolute)
            for s in (np.uint32(0), np.uint32(16))
        )
        return np.union1d(low, high)
    equal = got == want
    if base in inputs.FLOATS:
        with np.errstate(invalid="ignore"):
            x, y = _as_float(got, base), _as_float(want, base)
        equal |= np.isnan(x) & np.isnan(y)
        if ulp or absolute:
            with np.errstate(invalid="ignore"):
                near = (_ulps_apart(got, want, base) <= ulp) | (np.abs(x - y) <= absolute)
            equal |= near & ~np.isnan(x) & ~np.isnan(y)
    return np.nonzero(~equal)[0]
