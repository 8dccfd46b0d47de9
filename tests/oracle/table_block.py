"""Cases: block barriers and atomics."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case

U32 = (("u32", "any"),)
SHARED = (".shared .align 16 .b8 sm[2048];",)
# Store %a at the thread's slot; %t2 = address of the slot of the thread mirrored across the block.
EXCHANGE = (
    "mov.u32 %t0, %tid.x;", "shl.b32 %t1, %t0, 2;", "mov.u32 %t3, sm;", "add.u32 %t1, %t1, %t3;",
    "xor.b32 %t2, %t0, 127;", "shl.b32 %t2, %t2, 2;", "add.u32 %t2, %t2, %t3;", "st.shared.u32 [%t1], %a;",
)  # fmt: skip
WAITS = (
    "bar.sync 0", "bar.sync 3", "bar.sync 1, 128", "barrier.sync 0", "barrier.sync 2, 128", "bar.cta.sync 0",
    "barrier.cta.sync 0", "barrier.sync.aligned 0",
)  # fmt: skip
ATOMS = {
    "add": ("u32", "s32", "u64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
    "exch": ("b32", "b64"),
    "inc": ("u32",),
    "dec": ("u32",),
}
HALF_TYPES = ("f16", "bf16", "f16x2", "bf16x2")
SIZE = {"u32": 4, "s32": 4, "b32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4, "f16": 2, "bf16": 2}


def barrier_cases() -> Iterator[Case]:
    for wait in WAITS:
        body = (*EXCHANGE, f"{wait};", "ld.shared.u32 %d, [%t2];")
        yield Case(wait, body, "u32", U32, module_lines=SHARED)
    for op in ("and", "or"):
        body = (
            "setp.lt.u32 %p, %a, 3;",
            f"bar.red.{op}.pred %q, 0, %p;",
            f"bar.red.{op}.pred %r, 0, !%p;",
            "selp.b32 %t0, 1, 0, %q;",
            "selp.b32 %t1, 2, 0, %r;",
            "or.b32 %d, %t0, %t1;",
        )
        yield Case(f"bar.red.{op}.pred", body, "u32", (("u32", "few"),))
    body = ("setp.lt.u32 %p, %a, 2;", "bar.red.popc.u32 %d, 1, 128, %p;")
    yield Case("bar.red.popc.u32", body, "u32", (("u32", "few"),))
    # Warps 0 and 1 produce and arrive, warps 2 and 3 wait for them: the barrier counts both.
    body = (
        *EXCHANGE,
        "setp.lt.u32 %p, %t0, 64;",
        "mov.u32 %d, 0;",
        "@%p bra PRODUCE;",
        "bar.sync 1, 128;",
        "ld.shared.u32 %d, [%t2];",
        "bra JOIN;",
        "PRODUCE:",
        "bar.arrive 1, 128;",
        "JOIN:",
        "bar.sync 0;",
    )
    yield Case("bar.arrive", body, "u32", U32, module_lines=SHARED)
    # Two halves of the block meet at different barriers.
    body = (
        *EXCHANGE,
        "xor.b32 %t4, %t0, 63;",
        "shl.b32 %t4, %t4, 2;",
        "add.u32 %t4, %t4, %t3;",
        "shr.u32 %t5, %t0, 6;",
        "add.u32 %t5, %t5, 4;",
        "bar.sync %t5, 64;",
        "ld.shared.u32 %d, [%t4];",
    )
    yield Case("bar.sync register", body, "u32", U32, module_lines=SHARED)


def _address(kind: str, space: str) -> tuple[str, ...]:
    """%u0 (global) or %t7 (shared) = address of slot %b (0..3) for the type."""
    size = SIZE.get(kind, 8)
    if space == "shared":
        return (f"mul.lo.u32 %t7, %b, {size};", "mov.u32 %t6, sm;", "add.u32 %t7, %t7, %t6;")
    return (f"mul.wide.u32 %u0, %b, {size};", "add.u64 %u0, %ps, %u0;")


def atomic_cases() -> Iterator[Case]:
    for op, kinds in ATOMS.items():
        for t in kinds:
            opcode = f"{op}.noftz" if t in ("f16", "f16x2", "bf16", "bf16x2") else op
            domain = "unit" if "f" in t else "few" if op in ("inc", "dec") else "any"
            operands = ((t, domain), ("u32", "few"))
            common = {"scratch": (t, "zero" if "f" in t else "any"), "ordered": True}
            yield Case(
                f"atom.global.{opcode}.{t}",
                (*_address(t, "global"), f"atom.global.{opcode}.{t} %d, [%u0], %a;"),
                t,
                operands,
                **common,  # type: ignore[arg-type]
            )
            if op != "exch":
                body = (
                    *_address(t, "global"),
                    f"red.global.{opcode}.{t} [%u0], %a;",
                    f"mov.b{8 * SIZE.get(t, 8)} %d, %a;",
                )
                yield Case(f"red.global.{opcode}.{t}", body, t, operands, **common)  # type: ignore[arg-type]
            body = (
                *_address(t, "shared"),
                f"mov.b{8 * SIZE.get(t, 8)} %d, 0;",
                f"st.shared.b{8 * SIZE.get(t, 8)} [%t7], %d;",
                "bar.sync 0;",
                f"atom.shared.{opcode}.{t} %d, [%t7], %a;",
            )
            yield Case(f"atom.shared.{opcode}.{t}", body, t, operands, module_lines=SHARED, ordered=True)
            # Every thread on its own slot: no order, so hardware can confirm the arithmetic.
            size = SIZE.get(t, 8)
            own = (
                f"mul.wide.u32 %u0, %i, {size};",
                "add.u64 %u0, %ps, %u0;",
                f"atom.global.{opcode}.{t} %d, [%u0], %a;",
            )
            yield Case(f"atom.global.{opcode}.{t} own slot", own, t, ((t, "any"),), scratch=(t, "any"))
            own = (
                "mov.u32 %t0, %tid.x;",
                f"mad.lo.u32 %t0, %t0, {size}, 0;",
                "mov.u32 %t1, sm;",
                "add.u32 %t0, %t0, %t1;",
                f"st.shared.b{8 * size} [%t0], %b;",
                f"atom.shared.{opcode}.{t} %d, [%t0], %a;",
                f"ld.shared.b{8 * size} %d, [%t0];",
            )
            yield Case(f"atom.shared.{opcode}.{t} own slot", own, t, ((t, "any"), (t, "any")), module_lines=SHARED)
    yield from vector_cases()
    for t in ("b32", "b64", "b16"):
        size = {"b16": 2, "b32": 4, "b64": 8}[t]
        at = (f"mul.wide.u32 %u0, %b, {size};", "add.u64 %u0, %ps, %u0;")
        operands = ((t, "few"), ("u32", "few"), (t, "few"))
        yield Case(f"atom.global.cas.{t}", (*at, f"atom.global.cas.{t} %d, [%u0], %a, %c;"), t, operands, ordered=True)
    for form in ("atom", "atom.relaxed.gpu.global", "atom.acq_rel.sys.global", "atom.cta.global"):
        body = (*_address("u32", "global"), f"{form}.add.u32 %d, [%u0], %a;")
        yield Case(f"{form}.add.u32 form", body, "u32", (("u32", "any"), ("u32", "few")), ordered=True)
    body = (*_address("f32", "global"), "red.relaxed.gpu.global.add.f32 [%u0], %a;", "mov.f32 %d, %a;")
    yield Case("red.relaxed.gpu.global.add.f32", body, "f32", (("f32", "unit"), ("u32", "few")), ordered=True)
    body = (
        "setp.gt.u32 %p, %b, 1;",
        "mov.u32 %d, 5;",
        *_address("u32", "global"),
        "@%p atom.global.add.u32 %d, [%u0+16], %a;",
    )
    yield Case("atom.global.add.u32 guarded", body, "u32", (("u32", "any"), ("u32", "few")), ordered=True)


def vector_cases() -> Iterator[Case]:
    """Vectors in global memory: every element is an atomic by itself."""
    for count, kinds in ((2, ("f32", *HALF_TYPES)), (4, ("f32", *HALF_TYPES)), (8, ("f16", "bf16"))):
        for t in kinds:
            opcode = f"add.v{count}" if t == "f32" else f"add.noftz.v{count}"
            letter, size = ("h", 2) if SIZE.get(t, 8) == 2 else ("t", 4)
            address = (f"mul.wide.u32 %u0, %b, {count * size};", "add.u64 %u0, %ps, %u0;")
            given = ", ".join(("%a", "%c")[n % 2] for n in range(count))
            old = ", ".join(f"%{letter}{n}" for n in range(count))
            total = "xor.b16" if size == 2 else "xor.b32"
            body = (
                *address,
                f"atom.global.{opcode}.{t} {{{old}}}, [%u0], {{{given}}};",
                f"red.relaxed.gpu.global.{opcode}.{t} [%u0], {{{given}}};",
                f"mov.b{8 * size} %d, 0;",
                *(f"{total} %d, %d, %{letter}{n};" for n in range(count)),
            )
            operands = ((t, "unit"), ("u32", "few"), (t, "unit"))
            yield Case(f"atom.global.{opcode}.{t}", body, f"b{8 * size}", operands, scratch=(t, "zero"), ordered=True)


CASES = (*barrier_cases(), *atomic_cases())
