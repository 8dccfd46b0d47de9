"""Cases: integer and floating-point arithmetic."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
ROUNDINGS = ("rn", "rz", "rm", "rp")


def plain(opcode: str, output: str, *operands: str | tuple[str, str], **more: object) -> Case:
    """One instruction with operands %a, %b, %c as far as given."""
    typed = tuple(o if isinstance(o, tuple) else (o, "any") for o in operands)
    names = "".join(f", %{n}" for n, _ in zip("abc", typed, strict=False))
    return Case(opcode, (f"{opcode} %d{names};",), output, typed, **more)  # type: ignore[arg-type]


def integer_cases() -> Iterator[Case]:
    for t in INTEGERS:
        for op in ("add", "sub", "min", "max", "mul.lo", "mul.hi"):
            yield plain(f"{op}.{t}", t, t, t)
        for op in ("div", "rem"):
            yield plain(f"{op}.{t}", t, t, (t, "nonzero"))
        yield plain(f"mad.lo.{t}", t, t, t, t)
        yield plain(f"mad.hi.{t}", t, t, t, t)
        yield plain(f"sad.{t}", t, t, t, t)
        if t in WIDER:
            yield plain(f"mul.wide.{t}", WIDER[t], t, t)
            yield plain(f"mad.wide.{t}", WIDER[t], t, t, WIDER[t])
        if t[0] == "s":
            yield plain(f"abs.{t}", t, t)
            yield plain(f"neg.{t}", t, t)
    yield plain("add.sat.s32", "s32", "s32", "s32")
    yield plain("sub.sat.s32", "s32", "s32", "s32")
    yield plain("mad.hi.sat.s32", "s32", "s32", "s32", "s32")
    yield plain("min.relu.s32", "s32", "s32", "s32")
    yield plain("max.relu.s32", "s32", "s32", "s32")
    for t in ("u32", "s32"):
        for half in ("lo", "hi"):
            yield plain(f"mul24.{half}.{t}", t, t, t)
            yield plain(f"mad24.{half}.{t}", t, t, t, t)
        for u in ("u32", "s32"):
            out = "u32" if t == u == "u32" else "s32"
            yield plain(f"dp4a.{t}.{u}", out, t, u, out)
            yield plain(f"dp2a.lo.{t}.{u}", out, t, u, out)
            yield plain(f"dp2a.hi.{t}.{u}", out, t, u, out)
    yield plain("mad24.hi.sat.s32", "s32", "s32", "s32", "s32")
    for op in ("vabsdiff2", "vabsdiff4"):
        for how in ("", ".add"):
            yield plain(f"{op}.u32.u32.u32{how}", "u32", "u32", "u32", "u32")
    for t in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            yield plain(f"{op}.{t}", t, t, t)
    yield plain("min.relu.s16x2", "s16x2", "s16x2", "s16x2")
    yield plain("max.relu.s16x2", "s16x2", "s16x2", "s16x2")


def carry_cases() -> Iterator[Case]:
    """The carry flag is only visible through a second instruction."""
    for t in ("u32", "s32", "u64", "s64"):
        bits = int(t[1:])
        v = "t" if bits == 32 else "u"
        three = ((t, "any"), (t, "any"), (t, "any"))
        for first, second in (("add", "addc"), ("sub", "subc")):
            body = (
                f"{first}.cc.{t} %{v}0, %a, %b;",
                f"{second}.cc.{t} %{v}1, %c, %a;",
                f"{second}.{t} %{v}2, %b, %c;",
                f"xor.b{bits} %{v}3, %{v}0, %{v}1;",
                f"add.{t} %d, %{v}3, %{v}2;",
            )
            yield Case(f"{first}.cc.{t}", body, t, three)
        body = (
            f"sub.cc.{t} %{v}0, %a, %b;",
            f"addc.{t} %{v}1, %c, 0;",
            f"add.cc.{t} %{v}2, %a, %c;",
            f"subc.{t} %{v}3, %b, %c;",
            f"shl.b{bits} %{v}1, %{v}1, 1;",
            f"xor.b{bits} %d, %{v}1, %{v}3;",
        )
        yield Case(f"sub.cc.{t} before addc", body, t, three)
        for half in ("lo", "hi"):
            body = (
                f"mad.{half}.cc.{t} %{v}0, %a, %b, %c;",
                f"madc.{half}.cc.{t} %{v}1, %c, %a, %b;",
                f"madc.{half}.{t} %{v}2, %a, %b, %c;",
                f"addc.{t} %{v}3, 0, 0;",
                f"xor.b{bits} %{v}4, %{v}0, %{v}1;",
                f"xor.b{bits} %{v}4, %{v}4, %{v}3;",
                f"add.{t} %d, %{v}4, %{v}2;",
            )
            yield Case(f"mad.{half}.cc.{t}", body, t, three)


def float_cases() -> Iterator[Case]:
    for t in ("f32", "f64"):
        for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)):
            for r in ROUNDINGS:
                yield plain(f"{op}.{r}.{t}", t, *([t] * count))
        for op in ("add", "sub", "mul", "min", "max"):
            yield plain(f"{op}.{t}", t, t, t)
        yield plain(f"mad.rn.{t}", t, t, t, t)
        yield plain(f"copysign.{t}", t, t, t)
    for t in ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2"):
        yield plain(f"abs.{t}", t, t)
        yield plain(f"neg.{t}", t, t)
    for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3), ("div.rn", 2), ("rcp.rn", 1), ("sqrt.rn", 1)):
        yield plain(f"{op}.ftz.f32", "f32", *(["f32"] * count))
    for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3)):
        yield plain(f"{op}.sat.f32", "f32", *(["f32"] * count))
        yield plain(f"{op}.ftz.sat.f32", "f32", *(["f32"] * count))
    for op in ("min", "max"):
        for modifier in ("ftz", "NaN", "ftz.NaN", "xorsign.abs", "ftz.NaN.xorsign.abs"):
            yield plain(f"{op}.{modifier}.f32", "f32", "f32", "f32")
    for t in ("f32", "f16"):
        operands = ((t, "near one"), (t, "near tiny"))
        yield Case(f"mul.ftz.{t} boundary", (f"mul.ftz.{t} %d, %a, %b;",), t, operands)
        operands = (*operands, (t, "zero"))
        yield Case(f"fma.rn.ftz.{t} boundary", (f"fma.rn.ftz.{t} %d, %a, %b, %c;",), t, operands)
    yield plain("abs.ftz.f32", "f32", "f32")
    yield plain("neg.ftz.f32", "f32", "f32")


def literal_cases() -> Iterator[Case]:
    yield Case("add.f32 decimal literal", ("add.f32 %d, %a, -2.5e-1;",), "f32", (("f32", "any"),))
    yield Case("mul.f32 rounded literal", ("mul.f32 %d, %a, 0.1;",), "f32", (("f32", "any"),))
    yield Case("mul.f64 decimal literal", ("mul.f64 %d, %a, .1;",), "f64", (("f64", "any"),))


def pair_cases() -> Iterator[Case]:
    """Two f32 in a 64-bit register; the halves come out one by one, because NaNs may differ in their bits."""
    for op in ("add", "sub", "mul", "fma"):
        for r in ROUNDINGS:
            for ftz in ("", ".ftz"):
                form = f"{op}.{r}{ftz}.f32x2"
                third = ", %u2" if op == "fma" else ""
                body = (
                    "mov.b64 %u0, {%a, %b};",
                    "mov.b64 %u1, {%b, %c};",
                    "mov.b64 %u2, {%c, %a};",
                    f"{form} %u3, %u0, %u1{third};",
                    "mov.b64 {%t0, %t1}, %u3;",
                    "st.global.v2.b32 [%pd], {%t0, %t1};",
                )
                yield Case(form, body, "f32*2", (("f32", "any"),) * 3, target="sm_100")
    yield Case(
        "add.f32x2",
        ("mov.b64 %u0, {%a, %b};", "add.f32x2 %u3, %u0, %u0;", "st.global.b64 [%pd], %u3;"),
        "f32*2",
        (("f32", "any"),) * 2,
        target="sm_100",
    )


def half_cases() -> Iterator[Case]:
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        for op in ("add", "sub", "mul"):
            yield plain(f"{op}.{t}", t, t, t)
        yield plain(f"add.rn.{t}", t, t, t)
        yield plain(f"fma.rn.{t}", t, t, t, t)
        yield plain(f"fma.rn.relu.{t}", t, t, t, t)
        for op in ("min", "max"):
            for modifier in ("", ".NaN", ".xorsign.abs"):
                yield plain(f"{op}{modifier}.{t}", t, t, t)
    for t in ("f16", "f16x2"):
        for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma.rn", 3)):
            yield plain(f"{op}.ftz.{t}", t, *([t] * count))
            yield plain(f"{op}.sat.{t}", t, *([t] * count))
        yield plain(f"min.ftz.{t}", t, t, t)
        yield plain(f"max.ftz.NaN.{t}", t, t, t)
        yield plain(f"ex2.approx.{t}", t, (t, "half exponent"), ulp=4)
        yield plain(f"tanh.approx.{t}", t, (t, "unit"), ulp=2, absolute=6e-4)
    for t in ("bf16", "bf16x2"):
        yield plain(f"ex2.approx.ftz.{t}", t, (t, "exponent"), ulp=1)
        yield plain(f"tanh.approx.{t}", t, (t, "unit"), ulp=1, absolute=4e-3)


def approximate_cases() -> Iterator[Case]:
    """Specified by an error bound only; special values are exact."""
    f = "f32"
    for ftz in ("", ".ftz"):
        yield plain(f"rcp.approx{ftz}.f32", f, f, ulp=2, absolute=2e-38)
        yield plain(f"sqrt.approx{ftz}.f32", f, f, ulp=4)
        yield plain(f"rsqrt.approx{ftz}.f32", f, f, ulp=4)
        yield plain(f"ex2.approx{ftz}.f32", f, (f, "exponent"), ulp=4)
        yield plain(f"lg2.approx{ftz}.f32", f, (f, "positive"), ulp=4, absolute=3e-7)
        yield plain(f"sin.approx{ftz}.f32", f, (f, "circle"), absolute=1e-6)
        yield plain(f"cos.approx{ftz}.f32", f, (f, "circle"), absolute=1e-6)
        yield plain(f"div.approx{ftz}.f32", f, (f, "moderate"), (f, "positive"), ulp=4)
        yield plain(f"div.full{ftz}.f32", f, (f, "moderate"), (f, "positive"), ulp=4)
    yield plain("tanh.approx.f32", f, (f, "moderate"), absolute=6e-4)
    yield plain("sin.approx.2pi.ftz.f32", f, (f, "moderate"), absolute=1e-6, version="9.5")
    yield plain("cos.approx.2pi.ftz.f32", f, (f, "moderate"), absolute=1e-6, version="9.5")
    yield Case("ex2.approx.ftz.f32 edges", ("ex2.approx.ftz.f32 %d, %a;",), f, ((f, "any"),), ulp=4)
    yield Case("lg2.approx.ftz.f32 edges", ("lg2.approx.ftz.f32 %d, %a;",), f, ((f, "any"),), ulp=4, absolute=3e-7)
    yield plain("rcp.approx.ftz.f64", "f64", ("f64", "positive"), absolute=1e-3)
    yield plain("rsqrt.approx.ftz.f64", "f64", ("f64", "positive"), absolute=1e-4)
    yield plain("rsqrt.approx.f64", "f64", ("f64", "positive"), ulp=1 << 24)


CASES = (
    *integer_cases(),
    *carry_cases(),
    *float_cases(),
    *literal_cases(),
    *pair_cases(),
    *half_cases(),
    *approximate_cases(),
)
