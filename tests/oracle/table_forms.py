"""Cases: forms of instructions that compilers rarely write, so that every row of an engine's table has a case."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case
from .table_arithmetic import INTEGERS, ROUNDINGS, plain
from .table_bits import ORDERED, UNORDERED
from .table_block import EXCHANGE, SHARED
from .table_memory import CONST, GLOBAL, OWN_SHARED

U32 = (("u32", "any"),)
ELEMENTS = ("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")


def rounded_cases() -> Iterator[Case]:
    """Rounding modes together with .ftz and .sat; mad in f32 and f64, which is fma."""
    f = "f32"
    for r in ROUNDINGS:
        for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("div", 2), ("rcp", 1), ("sqrt", 1)):
            if r != "rn":
                yield plain(f"{op}.{r}.ftz.f32", f, *([f] * count))
        for op in ("add", "sub", "mul"):
            yield plain(f"{op}.{r}.ftz.sat.f32", f, f, f)
        if r != "rn":
            yield plain(f"fma.{r}.ftz.sat.f32", f, f, f, f)
        yield plain(f"mad.{r}.ftz.sat.f32", f, f, f, f)
        if r != "rn":
            yield plain(f"mad.{r}.f32", f, f, f, f)
            yield plain(f"mad.{r}.f64", "f64", "f64", "f64", "f64")
            operands = ((f, "near one"), (f, "near tiny"))
            yield Case(f"mul.{r}.ftz.f32 boundary", (f"mul.{r}.ftz.f32 %d, %a, %b;",), f, operands)
    for r in ("rz", "rm", "rp"):
        yield plain(f"cvt.{r}.ftz.f32.f64", f, "f64")
        yield plain(f"cvt.{r}.sat.f32.f64", f, "f64")
    yield plain("cvt.rn.sat.f64.s64", "f64", "s64")


def half_cases() -> Iterator[Case]:
    for t in ("f16", "f16x2", "bf16", "bf16x2"):
        yield plain(f"sub.rn.{t}", t, t, t)
        yield plain(f"mul.rn.{t}", t, t, t)
    for t in ("f16", "f16x2"):
        yield plain(f"abs.ftz.{t}", t, t)
        yield plain(f"neg.ftz.{t}", t, t)
        for op in ("min", "max"):
            yield plain(f"{op}.ftz.NaN.xorsign.abs.{t}", t, t, t)


def _compare(kind: str, compare: str, combine: str) -> Case:
    body = (
        "setp.lt.u32 %q, %c, 9;",
        f"setp.{compare}.{combine}.{kind} %p, %a, %b, %q;",
        "selp.b32 %d, 1, 0, %p;",
    )
    return Case(f"setp.{compare}.{combine}.{kind}", body, "b32", ((kind, "any"), (kind, "any"), ("u32", "any")))


def compare_cases() -> Iterator[Case]:
    for combine in ("and", "or", "xor"):
        for kind in ("f32", "f64", "f16", "u32"):
            yield _compare(kind, "lt", combine)
            body = ("setp.lt.u32 %q, %c, 9;", f"set.lt.{combine}.u32.{kind} %d, %a, %b, %q;")
            yield Case(f"set.lt.{combine}.u32.{kind}", body, "u32", ((kind, "any"), (kind, "any"), ("u32", "any")))
        body = ("setp.lt.u32 %q, %c, 9;", f"set.lt.{combine}.f16x2.f16x2 %d, %a, %b, %q;")
        yield Case(f"set.lt.{combine}.f16x2.f16x2", body, "f16x2", (("f16x2", "any"), ("f16x2", "any"), ("u32", "any")))
    for kind, elsewhere in (("f32", "gtu"), ("f16", "gt"), ("f16x2", "")):
        for compare in ORDERED + UNORDERED:
            if compare == elsewhere:
                continue
            yield plain(f"set.{compare}.u32.{kind}", "u32", kind, kind)
    for compare in (*ORDERED, "lo", "ls", "hi", "hs"):
        yield plain(f"set.{compare}.s32.u64", "s32", "u64", "u64")
    yield plain("set.lt.f32.s16", "f32", "s16", "s16")
    for result in ("u16", "s16", "s32"):
        yield plain(f"set.ge.ftz.{result}.f16", result, "f16", "f16")
    for result in ("u16", "s16", "u32", "s32", "bf16"):
        yield plain(f"set.ge.{result}.bf16", result, "bf16", "bf16")
    yield plain("set.ge.ftz.f16x2.f16x2", "f16x2", "f16x2", "f16x2")
    yield plain("set.ge.s32.f64", "s32", "f64", "f64")
    yield plain("set.ge.s32.f16x2", "s32", "f16x2", "f16x2")
    for result in ("u32", "s32"):
        yield plain(f"set.ge.{result}.bf16x2", result, "bf16x2", "bf16x2")
    for t in (*INTEGERS, "b16", "b32", "b64", "f32", "f64"):
        yield _choice(t, "s32")
        yield _choice(t, "f32")


def _choice(kind: str, sign: str) -> Case:
    body = (f"slct.{kind}.{sign} %d, %b, %a, %c;",)
    return Case(f"slct.{kind}.{sign} swapped", body, kind, ((kind, "any"), (kind, "any"), (sign, "any")))


def memory_cases() -> Iterator[Case]:
    """%u0 is wide enough for every type. Parameters are addresses, which differ between machines."""
    for t in ELEMENTS:
        bits = max(16, int(t.lstrip("busf")))
        out = f"b{bits}"
        yield Case(f"ld.param.{t} form", (f"ld.param.{t} %d, [param_c];",), out, (), device_may_differ=True)
        yield Case(f"ldu.global.{t}", (f"ldu.global.{t} %d, [%ps+8];",), out, (), scratch=("u32", "any"))
    body = ("ld.param.v4.u16 {%h0, %h1, %h2, %h3}, [param_a];", "mov.b64 %d, {%h3, %h2, %h1, %h0};")
    yield Case("ld.param.v4.u16", body, "b64", (), device_may_differ=True)
    body = ("ldu.global.v2.u32 {%t0, %t1}, [%ps+8];", "add.u32 %d, %t0, %t1;")
    yield Case("ldu.global.v2.u32", body, "u32", (), scratch=("u32", "any"))
    for what in ("discard.global.L2 [%ps], 128", "applypriority.global.L2::evict_normal [%ps], 128"):
        yield Case(what.split(" ")[0], (f"{what};", "mov.u32 %d, %a;"), "u32", U32, device_may_differ=True)
    for what in ("fence.proxy.alias", "fence.acq_rel.cluster", "fence.sc.cta", "pmevent 7", "pmevent.mask 255"):
        yield Case(f"{what} form", (f"{what};", "mov.u32 %d, %a;"), "u32", U32)
    for window in ("cta", "cluster"):
        test = f"isspacep.shared::{window} %q, %u1;"
        body = ("mov.u64 %u0, sm;", "cvta.shared.u64 %u1, %u0;", test, "selp.u32 %d, 1, 0, %q;")
        yield Case(f"isspacep.shared::{window}", body, "u32", (), module_lines=SHARED)
    body = ("mov.u64 %u0, param_c;", "cvta.param.u64 %u1, %u0;", "ld.u64 %d, [%u1];")
    yield Case("cvta.param.u64", body, "u64", (), device_may_differ=True)
    for space, lines in (("const", CONST), ("global", GLOBAL)):
        name = {"const": "words", "global": "half"}[space]
        body = (
            f"mov.u64 %u0, {name};",
            f"cvta.{space}.u64 %u1, %u0;",
            f"cvta.to.{space}.u64 %u2, %u1;",
            f"ld.{space}.u32 %d, [%u2];",
        )
        yield Case(f"cvta.to.{space}.u64 variable", body, "u32", (), module_lines=lines)


def matrix_cases() -> Iterator[Case]:
    """Row addresses that collide: a stride of all banks, and neighbours that share a row (matrices stay apart)."""
    for name, place in (("stride 128", "shl.b32 %t1, %t1, 7;"), ("shared rows", "and.b32 %t1, %t1, 30;")):
        scale = () if name == "stride 128" else ("shl.b32 %t1, %t1, 5;",)
        for form in ("x4", "x2.trans"):
            targets = "%t4, %t5, %t6, %t7" if form == "x4" else "%t4, %t5"
            body = (
                *OWN_SHARED,
                "mov.b64 %u0, {%a, %b};",
                "st.shared.v2.b64 [%t0], {%u0, %u0};",
                "bar.sync 0;",
                "mov.u32 %t1, %laneid;",
                place,
                *scale,
                "and.b32 %t1, %t1, 2032;",
                "mov.u32 %t0, sm;",
                "add.u32 %t0, %t0, %t1;",
                f"ldmatrix.sync.aligned.m8n8.{form}.shared::cta.b16 {{{targets}}}, [%t0];",
                "mov.b32 %d, 0;",
                *(f"mad.lo.u32 %d, %d, 31, {t};" for t in targets.split(", ")),
            )
            yield Case(f"ldmatrix.{form} {name}", body, "u32", (*U32, *U32), module_lines=SHARED)


def barrier_cases() -> Iterator[Case]:
    for op in ("and", "or"):
        body = (
            "setp.lt.u32 %p, %a, 3;",
            f"barrier.cta.red.{op}.aligned.pred %q, 0, %p;" if op == "and" else f"barrier.red.{op}.pred %q, 0, %p;",
            f"bar.cta.red.{op}.pred %r, 0, !%p;",
            "selp.b32 %t0, 1, 0, %q;",
            "selp.b32 %t1, 2, 0, %r;",
            "or.b32 %d, %t0, %t1;",
        )
        yield Case(f"barrier.red.{op}.pred", body, "u32", (("u32", "few"),))
    body = ("setp.lt.u32 %p, %a, 2;", "barrier.red.popc.u32 %d, 1, 128, %p;")
    yield Case("barrier.red.popc.u32", body, "u32", (("u32", "few"),))
    for arrive in ("barrier.arrive", "barrier.cta.arrive", "bar.cta.arrive"):
        body = (
            *EXCHANGE,
            "setp.lt.u32 %p, %t0, 64;",
            "mov.u32 %d, 0;",
            "@%p bra PRODUCE;",
            "barrier.sync 1, 128;",
            "ld.shared.u32 %d, [%t2];",
            "bra JOIN;",
            "PRODUCE:",
            f"{arrive} 1, 128;",
            "JOIN:",
            "bar.sync 0;",
        )
        yield Case(f"{arrive} form", body, "u32", U32, module_lines=SHARED)


CASES = (*rounded_cases(), *half_cases(), *compare_cases(), *memory_cases(), *matrix_cases(), *barrier_cases())
