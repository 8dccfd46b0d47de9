"""Through which parameters a kernel may store: never fewer than there are."""

from __future__ import annotations

import pytest

from warpgauge.ptx import parse, stored_through

HEAD = """.version 8.6
.target sm_90
.global .b64 table[4];
.func f(.param .b64 p) { ret; }
.entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .shared .b64 cells[8]; .local .b64 spilled[2];
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [b];
ld.param.u32 %r1, [n];
"""


def through(body: str) -> frozenset[str] | None:
    return stored_through(parse(HEAD + body + "\nret;\n}\n").kernels["k"])


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;", {"b"}),
        ("cvta.to.global.u64 %rd3, %rd1;\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd3, %rd4;\n"
         "st.global.u32 [%rd5+8], %r1;", {"a", "n"}),
        ("selp.b64 %rd3, %rd1, %rd2, %p1;\nst.u32 [%rd3], %r1;", {"a", "b"}),
        ("st.global.u64 [%rd1], %rd2;", {"a"}),
        ("red.global.add.u32 [%rd2], %r1;", {"b"}),
        ("@%p1 atom.global.add.u32 %r2, [%rd2], %r1;", {"b"}),
        ("st.global.u64 [table], %rd1;", {"table"}),
        ("mov.u64 %rd3, table;\nst.u64 [%rd3], %rd1;", {"table"}),
        ("mov.b64 {%r2, %r3}, %rd1;\nmov.b64 %rd3, {%r2, %r3};\nst.global.u32 [%rd3], %r1;", {"a"}),
        ("st.shared.u64 [cells], %rd1;\nld.global.u32 %r2, [%rd2];", set()),
        ("cp.async.ca.shared.global [cells], [%rd1], 8;", set()),
        ("wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%r2, %r3}, [%rd1], %r1;", set()),
        ("wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd2], {%r2, %r3}, %r1;", {"b"}),
    ],
)  # fmt: skip
def test_addresses_lead_back_to_parameters(body: str, names: set[str]) -> None:
    found = through(body)
    assert found is not None and found == names


@pytest.mark.parametrize(
    "body",
    [
        "ld.global.u64 %rd3, [%rd1];\nst.global.u32 [%rd3], %r1;",
        "st.local.u64 [spilled], %rd1;\nld.local.u64 %rd3, [spilled];\nst.u32 [%rd3], %r1;",
        "atom.global.exch.b64 %rd3, [%rd1], %rd2;\nst.u32 [%rd3], %r1;",
        "st.global.u32 [4096], %r1;",
        "{\n.param .b64 q;\nst.param.b64 [q], %rd1;\ncall.uni f, (q);\n}",
    ],
    ids=["loaded", "spilled", "exchanged", "absolute", "called"],
)
def test_a_pointer_from_anywhere_else_may_be_any(body: str) -> None:
    assert through(body) is None


def test_a_pointer_that_moves_on_in_a_loop_is_followed_around_it() -> None:
    body = "mov.u64 %rd3, 0;\nL:\nst.global.u32 [%rd3], %r1;\nmov.u64 %rd3, %rd4;\nmov.u64 %rd4, %rd2;\n@%p1 bra L;"
    assert through(body) == {"b"}
