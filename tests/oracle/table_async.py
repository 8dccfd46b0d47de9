"""Cases: asynchronous copies into shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case

SHARED = (".shared .align 16 .b8 sm[4096];",)
# %t0 = address of the thread's 16 bytes, %t1 of those of its neighbour.
SLOTS = (
    "mov.u32 %t0, %tid.x;", "shl.b32 %t0, %t0, 4;", "xor.b32 %t1, %t0, 16;", "mov.u32 %t2, sm;",
    "add.u32 %t0, %t0, %t2;", "add.u32 %t1, %t1, %t2;",
)  # fmt: skip
READ = ("bar.sync 0;", "ld.shared.v4.b32 {%t4, %t5, %t6, %t7}, [%t1];", "st.global.v4.b32 [%pd], {%t4, %t5, %t6, %t7};")
CLEAR = ("st.shared.v4.b32 [%t0], {%i, %i, %i, %i};",)
QUADS = "b32*4"
POLICY = ("createpolicy.fractional.L2::evict_last.b64 %u3, 0.5;",)


def _case(name: str, copies: tuple[str, ...], *before: str, wait: str = "cp.async.wait_all;") -> Case:
    body = (*SLOTS, *CLEAR, "bar.sync 0;", *before, *copies, wait, *READ)
    return Case(name, body, QUADS, ((QUADS, "any"),), module_lines=SHARED)


def copy_cases() -> Iterator[Case]:
    for kind, width in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        form = f"cp.async.{kind}.shared.global"
        yield _case(f"{form} {width}", (f"{form} [%t0], [%pa], {width};",))
        yield _case(f"{form} {width} src-size", (f"{form} [%t0], [%pa], {width}, %t3;",), f"and.b32 %t3, %i, {width};")
        odd = ("rem.u32 %t3, %i, 5;", f"min.u32 %t3, %t3, {width};")
        yield _case(f"{form} {width} odd src-size", (f"{form} [%t0], [%pa], {width}, %t3;",), *odd)
        ignore = ("and.b32 %t3, %i, 3;", "setp.eq.u32 %p, %t3, 1;")
        yield _case(f"{form} {width} ignore-src", (f"{form} [%t0], [%pa], {width}, %p;",), *ignore)
        yield _case(f"{form} {width} guarded", (f"@%p {form} [%t0], [%pa], {width};",), *ignore)
    hint = "cp.async.cg.shared::cta.global.L2::cache_hint.L2::128B"
    yield _case(hint, (f"{hint} [%t0], [%pa], 16, %u3;",), *POLICY)
    yield _case(f"{hint} src-size", (f"{hint} [%t0], [%pa], 16, 12, %u3;",), *POLICY)
    swizzled = ("xor.b32 %t3, %t0, 48;",)
    for level in ("64B", "128B", "256B"):
        form = f"cp.async.ca.shared.global.L2::{level}"
        yield _case(f"{form} swizzled", (f"{form} [%t3], [%pa], 16;",), *swizzled)


def group_cases() -> Iterator[Case]:
    halves = ("cp.async.ca.shared.global [%t0], [%pa], 8;", "cp.async.ca.shared.global [%t0+8], [%pa+8], 8;")
    groups = (halves[0], "cp.async.commit_group;", halves[1], "cp.async.commit_group;", "cp.async.wait_group 1;")
    yield _case("cp.async.wait_group", groups, wait="cp.async.wait_group 0;")
    yield _case("cp.async.commit_group empty", (*halves, "cp.async.commit_group;", "cp.async.commit_group;"))


CASES = (*copy_cases(), *group_cases())
