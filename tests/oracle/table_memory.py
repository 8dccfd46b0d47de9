"""Cases: loads and stores in every space and width, address conversion, fences."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case

TYPES = ("u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64")
LETTER = {"16": "h", "32": "t", "64": "u"}
LOAD_HINTS = (
    "volatile.global", "relaxed.gpu.global", "acquire.gpu.global", "relaxed.sys.global", "global.ca", "global.cg",
    "global.cs", "global.lu", "global.cv", "global.nc", "global.nc.L1::no_allocate", "global.L2::128B",
    "global.L1::evict_last", "weak.global",
)  # fmt: skip
STORE_HINTS = (
    "volatile.global", "relaxed.gpu.global", "release.gpu.global", "global.wb", "global.cg", "global.cs",
    "global.wt", "weak.global", "global.L1::evict_first",
)  # fmt: skip
FENCES = (
    "membar.cta", "membar.gl", "membar.sys", "fence.sc.gpu", "fence.acq_rel.cta", "fence.acq_rel.gpu",
    "fence.acq_rel.sys", "fence.acquire.gpu", "fence.release.gpu", "fence.proxy.async",
    "fence.proxy.async.shared::cta", "fence.mbarrier_init.release.cluster",
)  # fmt: skip
SHARED = (".shared .align 16 .b8 sm[2048];",)
LOCAL = (".local .align 16 .b8 own[32];",)
CONST = (
    ".const .align 8 .b8 table[32] = {1, 2, 3, 4, 5, 6, 7, 8, 250, 251, 252, 253, 254, 255, 0, 128};",
    ".const .align 4 .u32 words[4] = {0x3F800000, 17, 0xFFFFFFFF, 4};",
)
GLOBAL = (
    ".global .align 8 .b8 fixed[16] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 200};",
    ".global .align 4 .f32 half = 0f3F000000;",
)
# %t0 = address of the thread's own 16 bytes of the shared array.
OWN_SHARED = ("mov.u32 %t0, %tid.x;", "shl.b32 %t0, %t0, 4;", "mov.u32 %t1, sm;", "add.u32 %t0, %t0, %t1;")


def bits_of(kind: str) -> str:
    return kind.lstrip("busf")


def scalar_cases() -> Iterator[Case]:
    """Every type into the smallest register that holds it and, sign- or zero-extended, into a 64-bit one."""
    for t in TYPES:
        bits = bits_of(t)
        register = f"%{LETTER['16' if bits == '8' else bits]}0"
        pair = f"b{bits}*2"
        body = (f"ld.global.{t} {register}, [%pa+{int(bits) // 8}];", f"st.global.{t} [%pd], {register};")
        yield Case(f"ld.global.{t}", body, pair, ((pair, "any"),))
        if t[0] in "us" and bits != "64":
            body = (f"ld.global.{t} %u0, [%pa];", "mov.b64 %d, %u0;")
            yield Case(f"ld.global.{t} wide", body, "b64", ((f"b{bits}*1", "any"),))
            yield Case(f"st.global.{t} wide", (f"st.global.{t} [%pd+0], %a;",), pair, (("b64", "any"),))
    for hint in LOAD_HINTS:
        yield Case(f"ld.{hint}.u32", (f"ld.{hint}.u32 %d, [%pa];",), "u32", (("u32", "any"),))
    for hint in STORE_HINTS:
        yield Case(f"st.{hint}.u32", (f"st.{hint}.u32 [%pd], %a;", "mov.u32 %d, %a;"), "u32", (("u32", "any"),))


def vector_cases() -> Iterator[Case]:
    for t, count in (
        *((t, 2) for t in ("u8", "s8", "u16", "b32", "f32", "u64", "f64", "b64")),
        *((t, 4) for t in ("u8", "b16", "u32", "f32")),
    ):
        bits = bits_of(t)
        letter = LETTER["16" if bits == "8" else bits]
        names = ", ".join(f"%{letter}{n}" for n in range(count))
        back = ", ".join(f"%{letter}{n}" for n in reversed(range(count)))
        whole = f"b{bits}*{count}"
        operand = ((whole, "any"),)
        yield Case(
            f"ld.global.v{count}.{t}",
            (f"ld.global.v{count}.{t} {{{names}}}, [%pa];", f"st.global.v{count}.{t} [%pd], {{{back}}};"),
            whole,
            operand,
        )
        registers = [f"%{letter}{n}" for n in range(2, 2 + count)]
        body = (
            *OWN_SHARED,
            f"ld.global.v{count}.{t} {{{', '.join(registers)}}}, [%pa];",
            f"st.shared.v{count}.{t} [%t0], {{{', '.join(registers)}}};",
            f"ld.shared.v{count}.{t} {{{', '.join(reversed(registers))}}}, [%t0];",
            f"st.global.v{count}.{t} [%pd], {{{', '.join(registers)}}};",
        )
        yield Case(f"ld.shared.v{count}.{t}", body, whole, operand, module_lines=SHARED)
    yield Case(
        "ld.global.v4.b32 sink",
        ("ld.global.v4.b32 {%t0, _, %t2, _}, [%pa];", "st.global.v2.b32 [%pd], {%t2, %t0};"),
        "b32*2",
        (("b32*4", "any"),),
    )


def space_cases() -> Iterator[Case]:
    for t in ("u8", "s8", "u16", "s16", "b32", "f32", "b64", "f64"):
        bits = bits_of(t)
        register = f"%{LETTER['16' if bits == '8' else bits]}4"
        body = (
            *OWN_SHARED,
            f"st.shared.{t} [%t0+8], %a;",
            f"ld.shared.{t} {register}, [%t0+8];",
            f"mov.b{max(16, int(bits))} %d, {register};",
        )
        yield Case(
            f"ld.shared.{t}", body, f"b{max(16, int(bits))}", ((f"b{max(16, int(bits))}", "any"),), module_lines=SHARED
        )
        body = (
            f"st.local.{t} [own+16], %a;",
            f"ld.local.{t} {register}, [own+16];",
            f"mov.b{max(16, int(bits))} %d, {register};",
        )
        yield Case(
            f"ld.local.{t}", body, f"b{max(16, int(bits))}", ((f"b{max(16, int(bits))}", "any"),), lines_before=LOCAL
        )
    body = (
        "mov.u64 %u0, own;",
        "and.b32 %t0, %b, 3;",
        "mul.wide.u32 %u1, %t0, 4;",
        "add.u64 %u0, %u0, %u1;",
        "st.local.v4.b32 [own], {%a, %b, %a, %b};",
        "st.local.b32 [%u0], 77;",
        "ld.local.v2.b32 {%t1, %t2}, [own+8];",
        "add.u32 %d, %t1, %t2;",
    )
    yield Case("st.local indexed", body, "u32", (("u32", "any"), ("u32", "any")), lines_before=LOCAL)
    for t, at in (("u8", 9), ("s8", 9), ("u16", 10), ("s16", 12)):
        yield Case(
            f"ld.const.{t}", (f"ld.const.{t} %h0, [table+{at}];", "mov.b16 %d, %h0;"), "b16", (), module_lines=CONST
        )
    for t in ("u32", "f32"):
        body = ("mov.u64 %u0, words;", "and.b32 %t0, %a, 3;", "mul.wide.u32 %u1, %t0, 4;", "add.u64 %u0, %u0, %u1;")
        yield Case(f"ld.const.{t}", (*body, f"ld.const.{t} %d, [%u0];"), t, (("u32", "any"),), module_lines=CONST)
    yield Case("ld.const.b64", ("ld.const.b64 %d, [table+8];",), "b64", (), module_lines=CONST)
    yield Case(
        "ld.const.v4.u8",
        ("ld.const.v4.u8 {%h0, %h1, %h2, %h3}, [table+12];", "mov.b64 %d, {%h3, %h2, %h1, %h0};"),
        "b64",
        (),
        module_lines=CONST,
    )
    yield Case("ld.global variable", ("ld.global.f32 %d, [half];",), "f32", (), module_lines=GLOBAL)
    body = (
        "mov.u64 %u0, fixed;",
        "ld.global.u8 %h0, [%u0+9];",
        "ld.global.u8 %h1, [fixed+1];",
        "mov.b32 %d, {%h0, %h1};",
    )
    yield Case("mov.u64 global variable", body, "b32", (), module_lines=GLOBAL)
    for t, bits in (("u32", 32), ("u64", 64)):
        yield Case(f"ld.param.{t}", (f"ld.param.{t} %d, [param_d];",), f"b{bits}", (), device_may_differ=True)
    body = ("ld.param.v2.u32 {%t0, %t1}, [param_b];", "add.u32 %d, %t0, %t1;")
    yield Case("ld.param.v2.u32", body, "u32", (), device_may_differ=True)


def generic_cases() -> Iterator[Case]:
    u32 = (("u32", "any"),)
    yield Case("cvta.to.global.u64", ("cvta.to.global.u64 %u0, %pa;", "ld.global.u32 %d, [%u0];"), "u32", u32)
    yield Case("cvta.global.u64", ("cvta.global.u64 %u0, %pa;", "ld.u32 %d, [%u0];"), "u32", u32)
    body = ("cvta.to.global.u64 %u0, %pd;", "cvta.global.u64 %u0, %u0;", "st.u32 [%u0], %a;", "mov.u32 %d, %a;")
    yield Case("st.u32 generic", body, "u32", u32)
    body = (
        *OWN_SHARED,
        "cvt.u64.u32 %u0, %t0;",
        "cvta.shared.u64 %u1, %u0;",
        "st.u32 [%u1+4], %a;",
        "ld.shared.u32 %t2, [%t0+4];",
        "st.shared.u32 [%t0+8], %t2;",
        "ld.u32 %t3, [%u1+8];",
        "cvta.to.shared.u64 %u2, %u1;",
        "cvt.u32.u64 %t4, %u2;",
        "sub.u32 %t4, %t4, %t0;",
        "add.u32 %d, %t3, %t4;",
    )
    yield Case("cvta.shared.u64", body, "u32", u32, module_lines=SHARED)
    body = (
        "mov.u64 %u0, own;",
        "cvta.local.u64 %u1, %u0;",
        "st.u32 [%u1+4], %a;",
        "ld.local.u32 %t2, [own+4];",
        "st.local.u32 [own+8], %t2;",
        "ld.u32 %t3, [%u1+8];",
        "cvta.to.local.u64 %u2, %u1;",
        "sub.u64 %u2, %u2, %u0;",
        "cvt.u32.u64 %t4, %u2;",
        "add.u32 %d, %t3, %t4;",
    )
    yield Case("cvta.local.u64", body, "u32", u32, lines_before=LOCAL)
    body = ("mov.u64 %u0, words;", "cvta.const.u64 %u1, %u0;", "ld.u32 %t0, [%u1+4];", "add.u32 %d, %t0, %a;")
    yield Case("cvta.const.u64", body, "u32", u32, module_lines=CONST)
    body = (
        *OWN_SHARED,
        "cvt.u64.u32 %u0, %t0;",
        "cvta.shared.u64 %u1, %u0;",
        "and.b32 %t2, %i, 1;",
        "setp.eq.u32 %p, %t2, 0;",
        "selp.b64 %u2, %u1, %pd, %p;",
        "st.u32 [%u2], %a;",
        "ld.u32 %d, [%u2];",
    )
    yield Case("st.u32 generic mixed spaces", body, "u32", u32, module_lines=SHARED)
    for space in ("global", "shared", "local", "const"):
        body = (
            *OWN_SHARED,
            "cvt.u64.u32 %u0, %t0;",
            "cvta.shared.u64 %u1, %u0;",
            "and.b32 %t2, %i, 1;",
            "setp.eq.u32 %p, %t2, 0;",
            "selp.b64 %u2, %u1, %pd, %p;",
            f"isspacep.{space} %q, %u2;",
            "selp.u32 %d, 1, 0, %q;",
        )
        yield Case(f"isspacep.{space}", body, "u32", (), module_lines=SHARED)


def shared_cases() -> Iterator[Case]:
    dynamic = (".extern .shared .align 16 .b8 dyn[];", ".shared .align 4 .b8 few[64];")
    body = (
        "mov.u32 %t0, %tid.x;",
        "shl.b32 %t1, %t0, 2;",
        "mov.u32 %t2, dyn;",
        "add.u32 %t3, %t1, %t2;",
        "st.shared.u32 [%t3], %a;",
        "and.b32 %t4, %t1, 60;",
        "mov.u32 %t5, few;",
        "add.u32 %t4, %t4, %t5;",
        "setp.lt.u32 %p, %t0, 16;",
        "@%p st.shared.u32 [%t4], %a;",
        "bar.sync 0;",
        "xor.b32 %t3, %t1, 124;",
        "add.u32 %t3, %t3, %t2;",
        "ld.shared.u32 %t6, [%t3];",
        "ld.shared.u32 %t7, [%t4];",
        "xor.b32 %d, %t6, %t7;",
    )
    yield Case("ld.shared dynamic", body, "u32", (("u32", "any"),), module_lines=dynamic, dynamic_shared=512)
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            lanes = ", ".join(f"%t{n}" for n in range(4, 4 + count))
            body = (
                *OWN_SHARED,
                "mov.b64 %u0, {%a, %b};",
                "st.shared.v2.b64 [%t0], {%u0, %u0};",
                "st.shared.b32 [%t0+8], %b;",
                "bar.sync 0;",
                f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{lanes}}}, [%t0];",
                "mov.b32 %d, 0;",
                *(f"mad.lo.u32 %d, %d, 31, %t{n};" for n in range(4, 4 + count)),
            )
            name = f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16"
            yield Case(name, body, "u32", (("u32", "any"), ("u32", "any")), module_lines=SHARED)
    for fence in FENCES:
        yield Case(fence, (f"{fence};", "mov.u32 %d, %a;"), "u32", (("u32", "any"),))
    for policy in ("evict_last", "evict_normal", "evict_first.L2::evict_unchanged"):
        body = (
            f"createpolicy.fractional.L2::{policy}.b64 %u0, 0.5;",
            "ld.global.L2::cache_hint.u32 %d, [%pa], %u0;",
        )
        yield Case(f"createpolicy.fractional.L2::{policy}.b64", body, "u32", (("u32", "any"),))
    for overlap in ("griddepcontrol.wait", "griddepcontrol.launch_dependents"):
        yield Case(overlap, (f"{overlap};", "mov.u32 %d, %a;"), "u32", (("u32", "any"),))
    for hint in ("prefetch.global.L1 [%pa]", "prefetch.global.L2 [%pa]", "prefetchu.L1 [%pa]", "nanosleep.u32 20"):
        yield Case(hint.split()[0], (f"{hint};", "mov.u32 %d, %a;"), "u32", (("u32", "any"),))


CASES = (*scalar_cases(), *vector_cases(), *space_cases(), *generic_cases(), *shared_cases())
