"""Basic blocks, successors and liveness."""

from __future__ import annotations

import pytest

from warpgauge.ptx import Kernel, definitions, is_block_barrier, is_warp_sync, parse, usages

REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;"


def kernel(body: str) -> Kernel:
    return parse(f".version 8.6\n.target sm_90\n.entry k()\n{{\n{REGISTERS}\n{body}\n}}\n").kernels["k"]


def one(line: str):
    return kernel(line + "\nret;").instructions[0]


def shape(k: Kernel) -> list[tuple[list[str], tuple[int, ...]]]:
    return [([i.opcode for i in b.instructions], b.successors) for b in k.blocks]


def test_branch_has_its_target_first():
    k = kernel("setp.eq.s32 %p1, %r1, 0;\n@%p1 bra SKIP;\nadd.s32 %r1, %r1, 1;\nSKIP:\nmov.u32 %r2, %r1;\nret;")
    assert shape(k) == [(["setp", "bra"], (2, 1)), (["add"], (2,)), (["mov", "ret"], ())]


def test_loop_and_unguarded_branch():
    k = kernel("LOOP:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;\n@!%p1 bra.uni OUT;\nbra LOOP;\nOUT:\nret;")
    assert shape(k) == [(["add", "setp", "bra"], (2, 1)), (["bra"], (0,)), (["ret"], ())]


def test_guarded_exit_falls_through():
    k = kernel("@%p1 exit;\nmov.u32 %r1, 1;\nret;")
    assert shape(k) == [(["exit"], (1,)), (["mov", "ret"], ())]


def test_label_at_the_end_is_an_exit():
    k = kernel("@%p1 bra END;\nmov.u32 %r1, 1;\nEND:\n")
    assert shape(k) == [(["bra"], (1,)), (["mov"], ())]


def test_jump_table():
    k = kernel(
        "TABLE: .branchtargets A, B, A;\nbrx.idx %r1, TABLE;\nA:\nmov.u32 %r2, 1;\nret;\nB:\nmov.u32 %r2, 2;\nret;"
    )
    assert shape(k)[0] == (["brx"], (1, 2, 1))
    assert k.branch_targets == {"TABLE": ("A", "B", "A")}


def test_block_barrier_ends_and_warp_sync_starts_a_block():
    k = kernel(
        "mov.u32 %r1, 1;\nbar.sync 0;\nmov.u32 %r2, 1;\n"
        "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\nadd.u32 %r3, %r3, 1;\nret;"
    )
    assert shape(k) == [(["mov", "bar"], (1,)), (["mov"], (2,)), (["shfl", "add", "ret"], ())]


@pytest.mark.parametrize(
    ("line", "block", "warp"),
    [
        ("bar.sync 0;", True, False),
        ("barrier.cta.sync.aligned 0;", True, False),
        ("bar.red.popc.u32 %r1, 0, %p1;", True, False),
        ("bar.arrive 0, 64;", False, False),
        ("bar.warp.sync -1;", False, True),
        ("barrier.cluster.arrive;", False, False),
        ("vote.sync.ballot.b32 %r1, %p1, -1;", False, True),
        ("match.any.sync.b32 %r1, %r2, -1;", False, True),
        ("redux.sync.add.u32 %r1, %r2, -1;", False, True),
        ("activemask.b32 %r1;", False, False),
        ("membar.cta;", False, False),
    ],
)
def test_kinds_of_synchronisation(line: str, block: bool, warp: bool):
    i = one(line)
    assert (is_block_barrier(i), is_warp_sync(i)) == (block, warp)


@pytest.mark.parametrize(
    ("line", "defined", "used"),
    [
        ("add.s32 %r1, %r2, %r3;", {"%r1"}, {"%r2", "%r3"}),
        ("st.global.u32 [%rd1+4], %r2;", set(), {"%rd1", "%r2"}),
        ("ld.global.v2.u32 {%r1, %r2}, [%rd1];", {"%r1", "%r2"}, {"%rd1"}),
        ("ld.global.v2.u32 {_, %r2}, [%rd1];", {"%r2"}, {"%rd1"}),
        ("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;", {"%p1", "%p2"}, {"%r1", "%r2", "%p3"}),
        ("atom.global.add.u32 %r1, [%rd1], %r2;", {"%r1"}, {"%rd1", "%r2"}),
        ("red.global.add.u32 [%rd1], %r2;", set(), {"%rd1", "%r2"}),
        ("@%p1 mov.u32 %r1, %r2;", {"%r1"}, {"%p1", "%r1", "%r2"}),
        ("add.cc.u32 %r1, %r2, %r3;", {"%r1", "%CC"}, {"%r2", "%r3"}),
        ("addc.u32 %r1, %r2, %r3;", {"%r1"}, {"%r2", "%r3", "%CC"}),
        ("bar.red.and.pred %p1, 0, %p2;", {"%p1"}, {"%p2"}),
        ("bar.sync %r1, %r2;", set(), {"%r1", "%r2"}),
        ("mov.b64 {%r1, %r2}, %rd1;", {"%r1", "%r2"}, {"%rd1"}),
        ("shfl.sync.up.b32 %r1|%p1, %r2, %r3, 0, -1;", {"%r1", "%p1"}, {"%r2", "%r3"}),
    ],
)
def test_definitions_and_usages(line: str, defined: set[str], used: set[str]):
    i = one(line)
    assert (definitions(i), usages(i)) == (defined, used)


def test_a_value_lives_around_the_loop_that_needs_it():
    k = kernel(
        "mov.u32 %r1, 0;\nmov.u32 %r2, 10;\nLOOP:\nadd.u32 %r1, %r1, %r3;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra LOOP;\n"
        "mov.u32 %r4, %r1;\nret;"
    )
    entry, loop, end = k.blocks
    assert entry.live_in == {"%r3"}
    assert loop.live_in == {"%r1", "%r2", "%r3"} == loop.live_out
    assert end.live_in == {"%r1"} and end.live_out == set()


def test_a_guarded_definition_does_not_kill():
    k = kernel("@%p1 mov.u32 %r1, 5;\nmov.u32 %r2, %r1;\nret;")
    assert k.blocks[0].live_in == {"%p1", "%r1"}


def test_the_carry_flag_is_a_register_that_lives_across_blocks():
    k = kernel("add.cc.u32 %r1, %r2, %r3;\nbar.sync 0;\naddc.u32 %r4, %r5, 0;\nret;")
    assert "%CC" in k.blocks[0].live_out and "%CC" not in k.blocks[0].live_in
    assert k.registers["%CC"] == "pred"
