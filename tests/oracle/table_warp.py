"""Cases: control flow, special registers, warp exchange and votes, barriers, atomics."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case

U32 = (("u32", "any"),)
SPECIALS = ("laneid", "warpid", "nwarpid", "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge")


def special_cases() -> Iterator[Case]:
    for name in SPECIALS:
        chosen = name in ("warpid", "nwarpid")
        yield Case(f"mov %{name}", (f"mov.u32 %d, %{name};",), "u32", (), device_may_differ=chosen)
    lines = ["mov.b32 %d, 0;"]
    for name in ("tid", "ntid", "ctaid", "nctaid"):
        for axis in "xyz":
            lines += [f"mov.u32 %t0, %{name}.{axis};", "mad.lo.u32 %d, %d, 37, %t0;"]
    yield Case("mov %tid %ntid %ctaid %nctaid", tuple(lines), "u32", (), grid=(3, 2, 2), block=(8, 4, 3))
    yield Case("mov WARP_SZ", ("mov.u32 %d, WARP_SZ;",), "u32", ())
    yield Case("partial last warp", ("mov.u32 %t0, %laneid;", "add.u32 %d, %a, %t0;"), "u32", U32, block=(45, 1, 1))


def control_cases() -> Iterator[Case]:
    two = (("u32", "any"), ("u32", "any"))
    body = (
        "setp.lt.u32 %p, %a, %b;",
        "@%p bra LESS;",
        "sub.u32 %d, %a, %b;",
        "bra.uni DONE;",
        "LESS:",
        "add.u32 %d, %b, 7;",
        "DONE:",
        "add.u32 %d, %d, 1;",
    )
    yield Case("bra diverge", body, "u32", two)
    body = (
        "and.b32 %t0, %a, 15;",
        "mov.u32 %d, 0;",
        "LOOP:",
        "add.u32 %d, %d, %t0;",
        "setp.eq.u32 %p, %t0, 0;",
        "@%p bra OUT;",
        "sub.u32 %t0, %t0, 1;",
        "bra LOOP;",
        "OUT:",
        "add.u32 %d, %d, 100;",
    )
    yield Case("bra loop", body, "u32", U32)
    body = (
        "and.b32 %t0, %a, 3;",
        "TABLE: .branchtargets ZERO, ONE, TWO, ONE;",
        "brx.idx %t0, TABLE;",
        "ZERO:",
        "mov.u32 %d, 10;",
        "bra END;",
        "ONE:",
        "mov.u32 %d, 11;",
        "bra END;",
        "TWO:",
        "mov.u32 %d, 12;",
        "END:",
    )
    yield Case("brx.idx", body, "u32", U32)
    for stop in ("exit", "ret"):
        body = ("and.b32 %t0, %a, 1;", "setp.eq.u32 %p, %t0, 0;", f"@%p {stop};", "add.u32 %d, %a, 1;")
        yield Case(f"{stop} guarded", body, "u32", U32)
        body = ("and.b32 %t0, %a, 1;", "setp.eq.u32 %p, %t0, 0;", "@!%p bra GO;", f"{stop};", "GO:", "mov.u32 %d, 3;")
        yield Case(f"{stop} in a branch", body, "u32", U32)
    body = ("setp.lt.u32 %p, %a, %b;", "mov.u32 %d, 1;", "@%p add.u32 %d, %a, 2;", "@!%p mul.lo.u32 %d, %b, 3;")
    yield Case("guarded arithmetic", body, "u32", two)
    body = (
        "setp.lt.u32 %p, %a, %b;",
        "mov.u32 %d, 1;",
        "@%p ld.global.u32 %d, [%pa];",
        "@!%p st.global.u32 [%pb], %a;",
        "ld.global.u32 %t0, [%pb];",
        "add.u32 %d, %d, %t0;",
    )
    yield Case("guarded memory", body, "u32", two)


def shuffle_cases() -> Iterator[Case]:
    """%b is a lane number per lane; the third operand packs clamp (bits 0-4) and segment mask (bits 8-12)."""
    operands = (("b32", "any"), ("u32", "lane"))
    for mode in ("up", "down", "bfly", "idx"):
        edge = 0 if mode == "up" else 31
        for segment in (32, 16, 8, 1):
            control = ((32 - segment) << 8) | edge
            body = (
                f"shfl.sync.{mode}.b32 %t0|%p, %a, %b, {control}, -1;",
                "selp.b32 %t1, 1, 0, %p;",
                "xor.b32 %d, %t0, %t1;",
            )
            yield Case(f"shfl.sync.{mode}.b32 segment {segment}", body, "b32", operands)
        body = (f"shfl.sync.{mode}.b32 %d, %a, 3, {0x0707 if mode != 'up' else 0x1800}, 0xffffffff;",)
        yield Case(f"shfl.sync.{mode}.b32 clamp", body, "b32", operands)
    body = (
        "mov.u32 %t0, %laneid;",
        "setp.lt.u32 %p, %t0, 16;",
        "mov.b32 %d, 5;",
        "@!%p bra SKIP;",
        "shfl.sync.down.b32 %d, %a, 2, 0x100f, 0xffff;",
        "SKIP:",
        "add.u32 %d, %d, 1;",
    )
    yield Case("shfl.sync.down.b32 half mask", body, "b32", operands)


def vote_cases() -> Iterator[Case]:
    few = (("u32", "few"), ("u32", "few"))
    for mode in ("all", "any", "uni"):
        lines = ["mov.b32 %d, 0;", "mov.u32 %t2, %tid.x;", "shr.u32 %t2, %t2, 5;", "add.u32 %t2, %t2, %a;"]
        for n, test in enumerate(("ge.u32 %p, %a, 0", "lt.u32 %p, %t2, 6", "gt.u32 %p, %a, 99", "eq.u32 %p, %a, 1")):
            lines += [
                f"setp.{test};",
                f"vote.sync.{mode}.pred %q, %p, -1;",
                f"selp.b32 %t0, {1 << n}, 0, %q;",
                "or.b32 %d, %d, %t0;",
                f"vote.sync.{mode}.pred %q, !%p, -1;",
                f"selp.b32 %t0, {16 << n}, 0, %q;",
                "or.b32 %d, %d, %t0;",
            ]
        yield Case(f"vote.sync.{mode}.pred", tuple(lines), "b32", few)
    body = ("setp.lt.u32 %p, %a, %b;", "vote.sync.ballot.b32 %d, %p, 0xffffffff;")
    yield Case("vote.sync.ballot.b32", body, "b32", few)
    yield Case(
        "vote.sync.ballot.b32 half",
        (
            "mov.u32 %t0, %laneid;",
            "and.b32 %t1, %t0, 1;",
            "setp.eq.u32 %q, %t1, 0;",
            "setp.lt.u32 %p, %a, %b;",
            "mov.b32 %d, 9;",
            "@%q vote.sync.ballot.b32 %d, %p, 0x55555555;",
        ),
        "b32",
        few,
    )
    for bits, letter in ((32, "t"), (64, "u")):
        kind = f"u{bits}"
        yield Case(f"match.any.sync.b{bits}", (f"match.any.sync.b{bits} %d, %a, -1;",), "b32", ((kind, "few"),))
        lines = (
            "mov.u32 %t4, %tid.x;",
            "shr.u32 %t4, %t4, 5;",
            f"cvt.u{bits}.u32 %{letter}5, %t4;" if bits == 64 else "mov.u32 %t5, %t4;",
            f"setp.gt.u{bits} %q, %{letter}5, 1;",
            f"selp.b{bits} %{letter}6, %a, 12, %q;",
            f"match.all.sync.b{bits} %t0|%p, %{letter}6, -1;",
            "selp.b32 %t1, 1, 0, %p;",
            "shl.b32 %t1, %t1, 4;",
            "xor.b32 %d, %t0, %t1;",
        )
        yield Case(f"match.all.sync.b{bits}", lines, "b32", ((kind, "few"),))
    yield Case("activemask.b32", ("activemask.b32 %d;",), "b32", ())
    body = (
        "setp.lt.u32 %p, %a, 2;",
        "mov.b32 %d, 0;",
        "@!%p bra SKIP;",
        "activemask.b32 %d;",
        "SKIP:",
        "add.u32 %d, %d, 1;",
    )
    yield Case("activemask.b32 diverged", body, "b32", few)
    for op in ("add", "min", "max"):
        for t in ("u32", "s32"):
            yield Case(f"redux.sync.{op}.{t}", (f"redux.sync.{op}.{t} %d, %a, -1;",), t, ((t, "any"),))
    for op in ("and", "or", "xor"):
        yield Case(f"redux.sync.{op}.b32", (f"redux.sync.{op}.b32 %d, %a, 0xffffffff;",), "b32", (("b32", "any"),))
    body = (
        "mov.u32 %t0, %laneid;",
        "setp.lt.u32 %p, %t0, 20;",
        "mov.b32 %d, 0;",
        "@%p redux.sync.add.u32 %d, %a, 0xfffff;",
    )
    yield Case("redux.sync.add.u32 part", body, "u32", U32)
    yield Case("bar.warp.sync", ("bar.warp.sync 0xffffffff;", "mov.u32 %d, %a;"), "u32", U32)
    yield Case("elect.sync", ("elect.sync %t0|%p, -1;", "selp.b32 %t1, 64, 0, %p;", "add.u32 %d, %t0, %t1;"), "u32", ())


#: %t7 = this lane's tile of eight lanes, as a mask.
TILE = (
    "mov.u32 %t6, %laneid;",
    "and.b32 %t6, %t6, 24;",
    "mov.u32 %t7, 255;",
    "shl.b32 %t7, %t7, %t6;",
)


def tile_cases() -> Iterator[Case]:
    """Four groups of a warp execute one instruction, each with a mask of its own."""
    few = (("u32", "few"),)
    for op, t in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("xor", "b32")):
        lines = (*TILE, f"redux.sync.{op}.{t} %d, %a, %t7;")
        yield Case(f"redux.sync.{op}.{t} tile", lines, t, ((t, "any"),))
    yield Case("match.any.sync.b32 tile", (*TILE, "match.any.sync.b32 %d, %a, %t7;"), "b32", few)
    lines = (*TILE, "shr.u32 %t5, %t6, 3;", "min.u32 %t4, %t5, %a;", "match.all.sync.b32 %d|%p, %t4, %t7;")
    yield Case("match.all.sync.b32 tile", lines, "b32", few)
    for mode in ("all", "any", "uni"):
        lines = (
            *TILE,
            "setp.lt.u32 %p, %a, 2;",
            f"vote.sync.{mode}.pred %q, %p, %t7;",
            "selp.b32 %d, 1, 0, %q;",
        )
        yield Case(f"vote.sync.{mode}.pred tile", lines, "b32", few)
    lines = (*TILE, "setp.lt.u32 %p, %a, 2;", "vote.sync.ballot.b32 %d, %p, %t7;")
    yield Case("vote.sync.ballot.b32 tile", lines, "b32", few)
    for mode, step, control in (("down", 3, 0x181F), ("up", 2, 0x1800), ("bfly", 5, 0x181F), ("idx", 6, 0x181F)):
        lines = (*TILE, f"shfl.sync.{mode}.b32 %d, %a, {step}, {control}, %t7;")
        yield Case(f"shfl.sync.{mode}.b32 tile", lines, "b32", U32)


CASES = (*special_cases(), *control_cases(), *shuffle_cases(), *vote_cases(), *tile_cases())
