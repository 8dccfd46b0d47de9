"""Cases: mov, cvt, cvta and the packing forms. Conversions to several types share a kernel that stores eight words."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case
from .table_arithmetic import ROUNDINGS, plain

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
# The register class that holds a result, and the suffix of its scratch registers.
HOLDER = {"8": ("b16", "h"), "16": ("b16", "h"), "32": ("b32", "t"), "64": ("b64", "u")}


def _slots(results: list[tuple[str, str]]) -> tuple[str, ...]:
    """Lines that run each `(opcode, type)` into a register of that type's size and store it in its own 8 bytes."""
    lines = []
    for n, (opcode, kind) in enumerate(results):
        bits = kind.lstrip("usbf")
        holder, letter = HOLDER[bits]
        lines += [f"{opcode} %{letter}{n}, %a;", f"st.global.{holder} [%pd+{8 * n}], %{letter}{n};"]
    return tuple(lines)


def _blank() -> tuple[str, ...]:
    """Slots are wider than some results: clear them so that both engines store whole words."""
    return ("mov.b64 %u0, 0;", *(f"st.global.b64 [%pd+{8 * n}], %u0;" for n in range(8)))


def _holds(t: str, source: str) -> bool:
    """Whether every value of `source` fits `t`: PTX refuses .sat there."""
    bits, source_bits = int(t[1:]), int(source[1:])
    return bits >= source_bits if t[0] == source[0] else t[0] == "s" and bits > source_bits


def integer_to_integer() -> Iterator[Case]:
    """8-bit sources sit in 16-bit registers with rubbish above: only the low byte may count."""
    for source in INTEGERS:
        held = "b16" if source in ("u8", "s8") else source
        for sat in ("", ".sat"):
            results = [
                (f"cvt{sat}.{t}.{source}", t) for t in INTEGERS if t != source and not (sat and _holds(t, source))
            ]
            yield Case(f"cvt{sat}.*.{source}", (*_blank(), *_slots(results)), "b64*8", ((held, "any"),))
    yield Case("cvt.s32.s8 wide", ("cvt.s32.s8 %d, %a;",), "s32", (("b32", "any"),))
    yield Case("cvt.u64.u8 wide", ("cvt.u64.u8 %d, %a;",), "u64", (("b64", "any"),))
    yield Case("cvt.u8.u32 wide", ("cvt.u8.u32 %d, %a;",), "b32", (("u32", "any"),))
    yield Case("cvt.s8.s64 wide", ("cvt.s8.s64 %d, %a;",), "b64", (("s64", "any"),))
    yield Case("cvt.sat.s8.s32 wide", ("cvt.sat.s8.s32 %d, %a;",), "b32", (("s32", "any"),))


def float_to_integer() -> Iterator[Case]:
    for source in ("f16", "bf16", "f32", "f64"):
        for r in ("rni", "rzi", "rmi", "rpi"):
            results = [(f"cvt.{r}.{t}.{source}", t) for t in INTEGERS if source != "bf16" or t[1:] != "8"]
            yield Case(f"cvt.{r}.*.{source}", (*_blank(), *_slots(results)), "b64*8", ((source, "magnitudes"),))
    for r in ("rni", "rzi", "rmi", "rpi"):
        yield plain(f"cvt.{r}.ftz.s32.f32", "s32", ("f32", "any"))
    yield plain("cvt.rzi.sat.u32.f32", "u32", ("f32", "magnitudes"))


def integer_to_float() -> Iterator[Case]:
    for t in ("f16", "bf16", "f32", "f64"):
        for r in ROUNDINGS:
            for source in INTEGERS[2:]:
                yield plain(f"cvt.{r}.{t}.{source}", t, source)
    for source in ("u8", "s8"):
        yield Case(f"cvt.rn.f32.{source}", (f"cvt.rn.f32.{source} %d, %a;",), "f32", (("b16", "any"),))
    yield plain("cvt.rn.sat.f32.s32", "f32", ("s32", "few"))


def float_to_float() -> Iterator[Case]:
    for t, source in (("f32", "f16"), ("f64", "f16"), ("f64", "f32"), ("f32", "bf16")):
        yield plain(f"cvt.{t}.{source}", t, source)
    for r in ROUNDINGS:
        yield plain(f"cvt.{r}.f16.f32", "f16", "f32")
        yield plain(f"cvt.{r}.f32.f64", "f32", "f64")
        yield plain(f"cvt.{r}.f16.f64", "f16", "f64")
        yield plain(f"cvt.{r}.bf16.f32", "bf16", "f32")
    yield plain("cvt.rn.bf16.f64", "bf16", "f64")
    yield plain("cvt.rn.bf16.f16", "bf16", "f16")
    yield plain("cvt.rn.f16.bf16", "f16", "bf16")
    yield plain("cvt.ftz.f32.f16", "f32", "f16")
    yield plain("cvt.rn.ftz.f16.f32", "f16", "f32")
    yield plain("cvt.rn.ftz.f32.f64", "f32", "f64")
    yield plain("cvt.ftz.f64.f32", "f64", "f32")
    body = ("cvt.f64.f32 %u0, %a;", "cvt.f64.f32 %u1, %b;", "mul.f64 %u0, %u0, %u1;", "cvt.rn.ftz.f32.f64 %d, %u0;")
    yield Case("cvt.rn.ftz.f32.f64 boundary", body, "f32", (("f32", "near one"), ("f32", "near tiny")))
    yield plain("cvt.rn.sat.f16.f32", "f16", "f32")
    yield plain("cvt.rn.sat.f32.f64", "f32", "f64")
    yield plain("cvt.sat.f32.f32", "f32", "f32")
    yield plain("cvt.ftz.f32.f32", "f32", "f32")
    yield plain("cvt.ftz.sat.f32.f32", "f32", "f32")
    yield plain("cvt.rn.relu.f16.f32", "f16", "f32")
    yield plain("cvt.rn.relu.bf16.f32", "bf16", "f32")
    yield plain("cvt.rz.relu.bf16.f32", "bf16", "f32")
    yield plain("cvt.rna.tf32.f32", "b32", ("f32", "moderate"))
    yield plain("cvt.rna.satfinite.tf32.f32", "f32", "f32")
    for r in ("rn", "rz"):
        for how in ("", ".relu"):
            yield plain(f"cvt.{r}{how}.tf32.f32", "f32", "f32")
            yield plain(f"cvt.{r}{how}.satfinite.tf32.f32", "f32", "f32", target="sm_100")
    for t in ("u16", "s16"):
        yield plain(f"cvt.pack.sat.{t}.s32", "b32", "s32", "s32")
    for t in ("u8", "s8"):
        yield plain(f"cvt.pack.sat.{t}.s32.b32", "b32", "s32", "s32", "b32")
    for t in ("f16", "f32", "f64"):
        for r in ("rni", "rzi", "rmi", "rpi"):
            yield plain(f"cvt.{r}.{t}.{t}", t, (t, "magnitudes"))
    yield plain("cvt.rni.ftz.f32.f32", "f32", "f32")
    yield plain("cvt.rzi.sat.f32.f32", "f32", "f32")
    for t in ("f16x2", "bf16x2"):
        for r in ("rn", "rz"):
            yield plain(f"cvt.{r}.{t}.f32", t, "f32", "f32")
        yield plain(f"cvt.rn.relu.{t}.f32", t, "f32", "f32")


def move_cases() -> Iterator[Case]:
    for t in ("b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"):
        yield plain(f"mov.{t}", t, t)
    yield Case("mov.f32 immediate", ("mov.f32 %d, 0fC0490FDB;",), "f32", ())
    yield Case("mov.f64 immediate", ("mov.f64 %d, 0d400921FB54442D18;",), "f64", ())
    yield Case("mov.b32 immediate", ("mov.b32 %d, -7;",), "b32", ())
    yield Case("mov.u64 immediate", ("mov.u64 %d, 0xFEDCBA9876543210;",), "u64", ())
    yield Case("mov.b16 immediate", ("mov.b16 %d, 0x3C00;",), "b16", ())
    yield Case(
        "mov.pred",
        ("setp.lt.u32 %p, %a, %b;", "mov.pred %q, %p;", "selp.b32 %d, 1, 2, %q;"),
        "b32",
        (("u32", "any"), ("u32", "any")),
    )
    yield Case("mov.b32 pack", ("mov.b32 %d, {%a, %b};",), "b32", (("b16", "any"), ("b16", "any")))
    yield Case("mov.b64 pack", ("mov.b64 %d, {%a, %b};",), "b64", (("b32", "any"), ("b32", "any")))
    yield Case("mov.b64 pack 4", ("mov.b64 %d, {%a, %b, %c, %a};",), "b64", (("b16", "any"),) * 3)
    yield Case(
        "mov.b32 unpack",
        ("mov.b32 {%h0, %h1}, %a;", "mov.b32 %d, {%h1, %h0};"),
        "b32",
        (("b32", "any"),),
    )
    yield Case(
        "mov.b64 unpack",
        ("mov.b64 {%t0, %t1}, %a;", "mov.b64 %d, {%t1, %t0};"),
        "b64",
        (("b64", "any"),),
    )
    yield Case(
        "mov.b64 unpack 4",
        ("mov.b64 {%h0, %h1, %h2, %h3}, %a;", "mov.b64 %d, {%h2, %h3, %h1, %h0};"),
        "b64",
        (("b64", "any"),),
    )
    yield Case("mov.b64 unpack sink", ("mov.b64 {_, %t1}, %a;", "mov.b32 %d, %t1;"), "b32", (("b64", "any"),))


CASES = (
    *integer_to_integer(),
    *float_to_integer(),
    *integer_to_float(),
    *float_to_float(),
    *move_cases(),
)
