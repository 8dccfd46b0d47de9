"""Cases: products and moves of small matrices that lie spread over a warp."""

from __future__ import annotations

from collections.abc import Iterator

from warpgauge.ptx.mma_shapes import MMA_SHAPES

from .case import Case
from .table_block import SHARED
from .table_memory import OWN_SHARED
from .tensor import BITS, Form, form

# How the elements of a fragment are stored as inputs: PTX type of a register and domain of its values.
_INPUTS = {
    "f16": ("f16x2", "unit"), "bf16": ("bf16x2", "unit"), "tf32": ("f32", "unit"), "f32": ("f32", "unit"),
    "f64": ("f64", "unit"), "s32": ("s32", "any"), "e4m3": ("u32", "small fp8"), "e5m2": ("u32", "small fp8"),
    **dict.fromkeys(("s8", "u8", "s4", "u4", "b1"), ("u32", "bits")),
}  # fmt: skip


def _counts(f: Form) -> tuple[int, int, int, int]:
    """Registers of A, B, C and D."""
    copies = 4 if f.volta else 1
    sizes = ((f.m * f.k, f.a), (f.k * f.n, f.b), (f.m * f.n, f.c), (f.m * f.n, f.d))
    return tuple(copies * size * BITS[kind] // (32 * max(32, BITS[kind])) for size, kind in sizes)  # type: ignore[return-value]


def _moves(op: str, registers: list[str], place: str, bits: int) -> Iterator[str]:
    """Loads or stores of a lane's neighbouring registers, up to 16 bytes at a time."""
    step = min(len(registers), 128 // bits)
    for at in range(0, len(registers), step):
        group = ", ".join(registers[at : at + step])
        group, width = (f"{{{group}}}", f"v{step}.") if step > 1 else (group, "")
        where = f"[{place}+{at * bits // 8}]"
        operands = f"{group}, {where}" if op == "ld" else f"{where}, {group}"
        yield f"{op}.global.{width}b{bits} {operands};"


def product_case(modifiers: str, domains: dict[str, str] | None = None, suffix: str = "", **more: object) -> Case:
    """mma.sync.aligned with its four operands in memory: registers of a lane one after the other."""
    f = form(tuple(modifiers.split(".")))
    counts = dict(zip("abcd", _counts(f), strict=True))
    bits = 64 if f.d == "f64" else 32
    names = {x: [f"%m{x}{n}" for n in range(count)] if count > 1 else [f"%{x}"] for x, count in counts.items()}
    body = [line for x in "abc" if counts[x] > 1 for line in _moves("ld", names[x], f"%p{x}", bits)]
    group = {x: "{" + ", ".join(registers) + "}" for x, registers in names.items()}
    body.append(f"mma.sync.aligned.{modifiers} {group['d']}, {group['a']}, {group['b']}, {group['c']};")
    body += _moves("st", names["d"], "%pd", bits)
    kinds = {}
    for x, kind in zip("abcd", (f.a, f.b, f.c, f.d), strict=True):
        base, domain = _INPUTS[kind]
        kinds[x] = (base + (f"*{counts[x]}" if counts[x] > 1 else ""), (domains or {}).get(x, domain))
    declare = tuple(f".reg .b{bits} %m{x}<{count}>;" for x, count in counts.items() if count > 1)
    return Case(
        f"mma.{modifiers}{suffix}", tuple(body), kinds["d"][0], (kinds["a"], kinds["b"], kinds["c"]),
        lines_before=declare, grid=(1, 1, 1), block=(64, 1, 1), sums=f.d != "s32",
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def float_cases() -> Iterator[Case]:
    for a_layout in ("row", "col"):
        for b_layout in ("row", "col"):
            for d, c in (("f16", "f16"), ("f32", "f32"), ("f32", "f16")):
                yield product_case(f"m8n8k4.{a_layout}.{b_layout}.{d}.f16.f16.{c}")
    for kind in ("f16", "bf16", "tf32", "f64"):
        row = MMA_SHAPES[kind]
        for shape in row.shapes:
            for sums in row.accumulators:
                if (kind, shape) != ("f16", "m8n8k4"):
                    yield product_case(f"{shape}.row.col.{sums}.{kind}.{kind}.{sums}")
    for shape, rounding in (("m8n8k4", "rn"), ("m8n8k4", "rz"), ("m16n8k4", "rp"), ("m16n8k8", "rm")):
        yield product_case(f"{shape}.row.col.{rounding}.f64.f64.f64.f64")
    for n, (a, b) in enumerate((("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e5m2", "e5m2"))):
        # f16 sums of FP8 factors came with PTX 8.6 (m16n8k32) and 8.7 (m16n8k16).
        for shape in MMA_SHAPES["e4m3"].shapes:
            for sums in ("f32", "f16") if n in (1, 2) else ("f32",):
                yield product_case(f"{shape}.row.col.{sums}.{a}.{b}.{sums}", version="8.7")


def special_cases() -> Iterator[Case]:
    """NaN, infinities, subnormals and values far apart: what hardware makes of sums with them is its own."""
    everything = dict.fromkeys("abc", "any")
    for form_ in ("m16n8k16.row.col.f32.f16.f16.f32", "m16n8k16.row.col.f32.bf16.bf16.f32"):
        yield product_case(form_, everything, " any", device_may_differ=True)
    yield product_case("m16n8k8.row.col.f32.tf32.tf32.f32", everything, " any", device_may_differ=True)
    bytes_ = {"a": "bits", "b": "bits"}
    yield product_case("m16n8k32.row.col.f32.e4m3.e5m2.f32", bytes_, " any", device_may_differ=True)


def integer_cases() -> Iterator[Case]:
    """Signs mixed in every way, wrapping and clamping."""
    for signed, unsigned in (("s8", "u8"), ("s4", "u4")):
        for shape in MMA_SHAPES[signed].shapes:
            for a, b, how in (
                (signed, signed, ""), (unsigned, signed, ".satfinite"), (signed, unsigned, ""),
                (unsigned, unsigned, ".satfinite"),
            ):  # fmt: skip
                yield product_case(f"{shape}.row.col{how}.s32.{a}.{b}.s32")
    for shape in MMA_SHAPES["b1"].shapes:
        for how in ("xor", "and"):
            yield product_case(f"{shape}.row.col.s32.b1.b1.s32.{how}.popc")


def move_cases() -> Iterator[Case]:
    two = (("u32", "any"), ("u32", "any"))
    yield Case("movmatrix", ("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;",), "u32", (("u32", "any"),))
    for count in (1, 2, 4):
        registers = ["%a", "%b", "%t5", "%t6"][:count]
        for trans, space in (("", ".shared"), (".trans", ".shared::cta"), (".trans", "")):
            address = "%u1" if not space else "%t0"
            body = (
                *OWN_SHARED,
                "mov.b64 %u0, {%a, %b};",
                "st.shared.v2.b64 [%t0], {%u0, %u0};",
                "cvt.u64.u32 %u1, %t0;",
                "cvta.shared.u64 %u1, %u1;",
                "xor.b32 %t5, %a, 0x12345678;",
                "add.u32 %t6, %b, %a;",
                "bar.sync 0;",
                f"stmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 [{address}], {{{', '.join(registers)}}};",
                "bar.sync 0;",
                "ld.shared.v2.b64 {%u0, %u2}, [%t0];",
                "mov.b64 {%t1, %t2}, %u0;",
                "mad.lo.u32 %d, %t1, 31, %t2;",
                "mov.b64 {%t1, %t2}, %u2;",
                "mad.lo.u32 %d, %d, 31, %t1;",
                "mad.lo.u32 %d, %d, 31, %t2;",
            )
            yield Case(f"stmatrix.x{count}{trans}{space}", body, "u32", two, module_lines=SHARED)


def byte_cases() -> Iterator[Case]:
    """FP8: every byte, and what rounds to each of them, ties and sizes beyond the largest number included."""
    for kind in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            to, back = f"cvt.rn.satfinite{relu}.{kind}", f"cvt.rn{relu}.f16x2.{kind}"
            for domain in ("any", "fp8 ties"):
                name = f"{to}.f32 {domain}"
                yield Case(name, (f"{to}.f32 %d, %a, %b;",), "b16", (("f32", domain), ("f32", domain)))
            yield Case(f"{to}.f16x2", (f"{to}.f16x2 %d, %a;",), "b16", (("f16x2", "any"),))
            body = (f"{back} %d, %a;",)
            yield Case(back, body, "f16x2", (("b16", "bits"),), grid=(8, 1, 1))


CASES = (*byte_cases(), *float_cases(), *special_cases(), *integer_cases(), *move_cases())
