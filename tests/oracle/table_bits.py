"""Cases: logic, shifts, bit fields, byte permutation, comparison and selection."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case
from .table_arithmetic import INTEGERS, plain

SHIFT = ("u32", "shift")
# Beyond 255 the 64-bit field instructions of hardware do not follow the manual.
FIELD = ("u32", "bit place")
ORDERED = ("eq", "ne", "lt", "le", "gt", "ge")
UNORDERED = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def logic_cases() -> Iterator[Case]:
    for t in ("b16", "b32", "b64"):
        for op in ("and", "or", "xor"):
            yield plain(f"{op}.{t}", t, t, t)
        yield plain(f"not.{t}", t, t)
        yield plain(f"cnot.{t}", t, (t, "any"))
        yield plain(f"shl.{t}", t, t, SHIFT)
    for t in (*INTEGERS, "b16", "b32", "b64"):
        yield plain(f"shr.{t}", t, t, SHIFT)
    for direction in "lr":
        for mode in ("clamp", "wrap"):
            yield plain(f"shf.{direction}.{mode}.b32", "b32", "b32", "b32", SHIFT)
    for table in (0x00, 0x01, 0x3C, 0x6A, 0x80, 0x96, 0xB8, 0xCA, 0xE8, 0xFE):
        opcode = "lop3.b32"
        yield Case(f"{opcode} {table:#04x}", (f"{opcode} %d, %a, %b, %c, {table};",), "b32", (("b32", "any"),) * 3)
    for combine in ("or", "and"):
        body = (
            "setp.lt.u32 %q, %a, %b;",
            f"lop3.{combine}.b32 %t0|%p, %a, %b, %c, 0x80, %q;",
            "selp.b32 %t1, 1, 0, %p;",
            "xor.b32 %d, %t0, %t1;",
        )
        yield Case(f"lop3.{combine}.b32", body, "b32", (("b32", "any"), ("b32", "any"), ("b32", "signed small")))
    for op in ("and", "or", "xor"):
        body = (
            "setp.lt.u32 %p, %a, %b;",
            "setp.lt.s32 %q, %a, %b;",
            f"{op}.pred %r, %p, %q;",
            "selp.b32 %d, 1, 0, %r;",
        )
        yield Case(f"{op}.pred", body, "b32", (("b32", "any"), ("b32", "any")))
    yield Case(
        "not.pred",
        ("setp.lt.u32 %p, %a, %b;", "not.pred %q, %p;", "selp.b32 %d, 1, 0, %q;"),
        "b32",
        (("b32", "any"), ("b32", "any")),
    )


def field_cases() -> Iterator[Case]:
    yield plain("prmt.b32", "b32", "b32", "b32", "b32")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield plain(f"prmt.b32.{mode}", "b32", "b32", "b32", ("b32", "slot"))
    for t in ("u32", "s32", "u64", "s64"):
        yield plain(f"bfe.{t}", t, t, FIELD, FIELD)
        yield plain(f"bfind.{t}", "u32", t)
        yield plain(f"bfind.shiftamt.{t}", "u32", t)
    for t in ("b32", "b64"):
        body = (f"bfi.{t} %d, %a, %b, %c, 9;",)
        yield Case(f"bfi.{t} position", body, t, ((t, "any"), (t, "any"), FIELD))
        body = (f"bfi.{t} %d, %a, %b, 5, %c;",)
        yield Case(f"bfi.{t} length", body, t, ((t, "any"), (t, "any"), FIELD))
        yield plain(f"brev.{t}", t, t)
        yield plain(f"clz.{t}", "u32", t)
        yield plain(f"popc.{t}", "u32", t)
    yield plain("fns.b32", "b32", "b32", ("b32", "lane"), ("s32", "signed small"))
    for mode in ("clamp", "wrap"):
        yield plain(f"bmsk.{mode}.b32", "b32", SHIFT, SHIFT)
        for t in ("u32", "s32"):
            yield plain(f"szext.{mode}.{t}", t, t, SHIFT)


def _all_compares(kind: str, compares: tuple[str, ...], modifier: str = "") -> Case:
    """Bit n of %d is the outcome of compare n."""
    lines = ["mov.b32 %d, 0;"]
    for n, compare in enumerate(compares):
        lines += [
            f"setp.{compare}{modifier}.{kind} %p, %a, %b;",
            f"selp.b32 %t0, {1 << n}, 0, %p;",
            "or.b32 %d, %d, %t0;",
        ]
    return Case(f"setp.*{modifier}.{kind}", tuple(lines), "b32", ((kind, "any"), (kind, "any")))


def compare_cases() -> Iterator[Case]:
    for t in INTEGERS:
        yield _all_compares(t, (*ORDERED, "lo", "ls", "hi", "hs") if t[0] == "u" else ORDERED)
    for t in ("b16", "b32", "b64"):
        yield _all_compares(t, ("eq", "ne"))
    for t in ("f16", "bf16", "f32", "f64"):
        yield _all_compares(t, ORDERED + UNORDERED)
    yield _all_compares("f32", ORDERED + UNORDERED, ".ftz")
    yield _all_compares("f16", ORDERED + UNORDERED, ".ftz")
    for t in ("f16x2", "bf16x2"):
        body = (
            f"setp.lt.{t} %p|%q, %a, %b;",
            "selp.b32 %t0, 1, 0, %p;",
            "selp.b32 %t1, 2, 0, %q;",
            f"setp.neu.{t} %p|%q, %a, %b;",
            "selp.b32 %t2, 4, 0, %p;",
            "selp.b32 %t3, 8, 0, %q;",
            "or.b32 %t0, %t0, %t1;",
            "or.b32 %t2, %t2, %t3;",
            "or.b32 %d, %t0, %t2;",
        )
        yield Case(f"setp.{t} pair", body, "b32", ((t, "any"), (t, "any")))
    for combine in ("and", "or", "xor"):
        body = (
            "setp.lt.u32 %r, %b, %c;",
            f"setp.lt.{combine}.s32 %p|%q, %a, %b, %r;",
            "selp.b32 %t0, 1, 0, %p;",
            "selp.b32 %t1, 2, 0, %q;",
            f"setp.ge.{combine}.s32 %p|%q, %a, %b, !%r;",
            "selp.b32 %t2, 4, 0, %p;",
            "selp.b32 %t3, 8, 0, %q;",
            "or.b32 %t0, %t0, %t1;",
            "or.b32 %t2, %t2, %t3;",
            "or.b32 %d, %t0, %t2;",
        )
        yield Case(f"setp.{combine}.s32", body, "b32", (("s32", "any"),) * 3)
    yield from set_cases()


def set_cases() -> Iterator[Case]:
    yield plain("set.lt.u32.s32", "u32", "s32", "s32")
    yield plain("set.ge.s32.u32", "s32", "u32", "u32")
    yield plain("set.gtu.u32.f32", "u32", "f32", "f32")
    yield plain("set.le.ftz.u32.f32", "u32", "f32", "f32")
    yield plain("set.ne.f32.s32", "f32", "s32", "s32")
    yield plain("set.eq.f32.f32", "f32", "f32", "f32")
    yield plain("set.lt.u32.u16", "u32", "u16", "u16")
    yield plain("set.lt.s32.s64", "s32", "s64", "s64")
    yield plain("set.lt.u32.f64", "u32", "f64", "f64")
    yield plain("set.lt.f16.f16", "f16", "f16", "f16")
    yield plain("set.gt.u32.f16", "u32", "f16", "f16")
    yield plain("set.lt.f16x2.f16x2", "f16x2", "f16x2", "f16x2")
    yield plain("set.neu.bf16x2.bf16x2", "bf16x2", "bf16x2", "bf16x2")
    body = ("setp.lt.u32 %p, %b, %a;", "set.lt.and.u32.s32 %d, %a, %b, %p;")
    yield Case("set.lt.and.u32.s32", body, "u32", (("s32", "any"), ("s32", "any")))
    body = ("setp.lt.u32 %p, %b, %a;", "set.lt.xor.u32.s32 %d, %a, %b, !%p;")
    yield Case("set.lt.xor.u32.s32", body, "u32", (("s32", "any"), ("s32", "any")))


def selection_cases() -> Iterator[Case]:
    for t in ("b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"):
        body = ("setp.lt.s32 %p, %c, 3;", f"selp.{t} %d, %a, %b, %p;")
        yield Case(f"selp.{t}", body, t, ((t, "any"), (t, "any"), ("s32", "any")))
    body = ("setp.lt.s32 %p, %c, 3;", "not.pred %p, %p;", "selp.b32 %d, %a, 77, %p;")
    yield Case("selp.b32 negated", body, "b32", (("b32", "any"), ("b32", "any"), ("s32", "any")))
    for t in ("b16", "b32", "b64", "u32", "s64", "f32", "f64"):
        yield plain(f"slct.{t}.s32", t, t, t, "s32")
    yield plain("slct.b32.f32", "b32", "b32", "b32", "f32")
    yield plain("slct.ftz.f64.f32", "f64", "f64", "f64", "f32")
    for t in ("f32", "f64"):
        lines = ["mov.b32 %d, 0;"]
        for n, what in enumerate(("finite", "infinite", "number", "notanumber", "normal", "subnormal")):
            lines += [f"testp.{what}.{t} %p, %a;", f"selp.b32 %t0, {1 << n}, 0, %p;", "or.b32 %d, %d, %t0;"]
        yield Case(f"testp.*.{t}", tuple(lines), "b32", ((t, "any"),))


CASES = (*logic_cases(), *field_cases(), *compare_cases(), *selection_cases())
