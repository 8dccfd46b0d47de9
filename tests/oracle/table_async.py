"""Cases: asynchronous copies into shared memory, and mbarriers."""

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


# %t0 = address of an mbarrier that the whole block uses, initialised for its 128 threads; thread 0 alone acts under %r.
BARRIER = (
    "mov.u32 %t0, sm;", "mov.u32 %t1, %tid.x;", "setp.eq.u32 %r, %t1, 0;", "mov.b64 %u0, 0;", "mov.b32 %d, 0;",
    "@%r mbarrier.init.shared::cta.b64 [%t0], 128;", "bar.sync 0;",
)  # fmt: skip
# %d = whether the phase of parity 0 is complete, twice that of parity 1, and 4 if that of %u0 is.
ANSWER = (
    "bar.sync 0;", "mbarrier.test_wait.parity.shared::cta.b64 %p, [%t0], 0;", "selp.u32 %t4, 1, 0, %p;",
    "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p, [%t0], 1, %t1;", "selp.u32 %t5, 2, 0, %p;",
    "add.u32 %d, %t4, %t5;",
)  # fmt: skip
TOKEN = (
    "mbarrier.test_wait.shared.b64 %p, [%t0], %u0;", "mbarrier.try_wait.acquire.cta.shared::cta.b64 %q, [%t0], %u0;",
    "selp.u32 %t4, 4, 0, %p;", "selp.u32 %t5, 8, 0, %q;", "add.u32 %d, %d, %t4;", "add.u32 %d, %d, %t5;",
)  # fmt: skip


def mbarrier_cases() -> Iterator[Case]:
    def case(name: str, *body: str, token: bool = False) -> Case:
        text = (*BARRIER, *body, *ANSWER, *(TOKEN if token else ()))
        return Case(name, text, "u32", (("u32", "any"),), module_lines=SHARED)

    arrive = "mbarrier.arrive.shared::cta.b64 %u0, [%t0];"
    yield case("mbarrier.init alone")
    yield case("mbarrier.arrive all", arrive, token=True)
    yield case("mbarrier.arrive.release twice", arrive, "bar.sync 0;", arrive.replace(".shared", ".release.cta.shared"))
    yield case("mbarrier.arrive sink", "mbarrier.arrive.shared::cluster.b64 _, [%t0];")
    yield case("mbarrier.arrive relaxed", "mbarrier.arrive.relaxed.cta.shared::cta.b64 %u0, [%t0];", token=True)
    yield case("mbarrier.arrive count", "@%r mbarrier.arrive.shared::cta.b64 %u0, [%t0], 127;", "bar.sync 0;",
               "@%r mbarrier.arrive.shared::cta.b64 %u0, [%t0];")  # fmt: skip
    keep = "mbarrier.arrive{}.noComplete.shared::cta.b64 %u0, [%t0], 100;"
    yield case("mbarrier.pending_count", f"@%r {keep.format('')}", f"@%r {keep.format('')}".replace("100", "7"),
               "@%r mbarrier.pending_count.b64 %t6, %u0;", "@%r st.global.u32 [%ps], %t6;")  # fmt: skip
    drop = keep.format("_drop").replace("100", "64")
    rest = "@%r mbarrier.arrive.shared::cta.b64 %u0, [%t0], 64;"
    yield case("mbarrier.arrive_drop", f"@%r {drop}", rest, rest)
    drops = "@!%r mbarrier.arrive_drop.release.cta.shared::cta.b64 %u0, [%t0];"
    one = "@%r mbarrier.arrive.shared::cta.b64 %u0, [%t0];"
    yield case("mbarrier.arrive_drop all but one", drops, one, "bar.sync 0;", one)
    expect = "@%r mbarrier.{}.shared::cta.b64 [%t0], 48;"
    yield case("mbarrier.expect_tx", expect.format("expect_tx.relaxed.cta"), arrive, token=True)
    yield case("mbarrier.complete_tx", expect.format("expect_tx"), arrive, "bar.sync 0;",
               expect.format("complete_tx.relaxed.cta"))  # fmt: skip
    yield case("mbarrier.arrive.expect_tx", "mbarrier.arrive.expect_tx.shared::cta.b64 %u0, [%t0], 16;", "bar.sync 0;",
               "mbarrier.complete_tx.shared::cta.b64 [%t0], 16;", token=True)  # fmt: skip
    yield case("mbarrier.arrive_drop.expect_tx", "@%r mbarrier.arrive_drop.expect_tx.shared::cta.b64 %u0, [%t0], 16;",
               "bar.sync 0;", expect.format("complete_tx").replace("48", "16"),
               "@%r mbarrier.arrive.shared::cta.b64 %u0, [%t0], 127;", "bar.sync 0;",
               "@%r mbarrier.arrive.shared::cta.b64 %u0, [%t0], 127;")  # fmt: skip
    generic = ("cvta.shared.u64 %u1, %u2;", "mbarrier.arrive.b64 %u0, [%u1];")
    yield case("mbarrier.arrive generic", "cvt.u64.u32 %u2, %t0;", *generic, token=True)
    again = ("bar.sync 0;", "@%r mbarrier.inval.shared::cta.b64 [%t0];", "@%r mbarrier.init.shared::cta.b64 [%t0], 3;")
    yield case("mbarrier.inval", arrive, *again, "@%r mbarrier.arrive.shared::cta.b64 %u0, [%t0], 3;")
    copied = ("shl.b32 %t2, %t1, 2;", "add.u32 %t2, %t2, %t0;", "cp.async.ca.shared.global [%t2+16], [%pa], 4;")
    for form in ("", ".noinc"):
        bound = f"cp.async.mbarrier.arrive{form}.shared::cta.b64 [%t0];"
        # On hardware the copies arrive when they are done, which may be later than all else.
        wait = ("cp.async.wait_all;", "nanosleep.u32 20000;")
        yield case(f"cp.async.mbarrier.arrive{form}", *copied, bound, *(() if form else (arrive,)), *wait)


CASES = (*copy_cases(), *group_cases(), *mbarrier_cases())
