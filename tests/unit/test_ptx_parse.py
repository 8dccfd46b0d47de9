"""PTX text -> instructions, operands, variables."""

from __future__ import annotations

import pytest

from warpgauge.ptx import (
    Address,
    Guard,
    Immediate,
    Kernel,
    Pair,
    PtxError,
    Register,
    Special,
    Symbol,
    Vector,
    parse,
)

HEADER = ".version 8.6\n.target sm_90a, debug\n.address_size 64\n"
REGISTERS = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<2>;"


def kernel(body: str, params: str = ".param .u64 k_param_0", before: str = "") -> Kernel:
    return parse(f"{HEADER}{before}\n.visible .entry k(\n{params}\n)\n{{\n{REGISTERS}\n{body}\nret;\n}}\n").kernels["k"]


def operands(line: str) -> tuple[object, ...]:
    return kernel(line).instructions[0].operands


def test_version_and_target():
    module = parse(HEADER + ".entry k() { ret; }")
    assert (module.version, module.target, list(module.kernels)) == ("8.6", "sm_90a", ["k"])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mov.u32 %r1, %tid.x;", Special("tid.x")),
        ("mov.u32 %r1, %lanemask_lt;", Special("lanemask_lt")),
        ("mov.u32 %r1, %clock_hi;", Special("clock_hi")),
        ("mov.u32 %r1, 42;", Immediate("int", 42)),
        ("mov.u32 %r1, -7;", Immediate("int", -7)),
        ("mov.u32 %r1, 0xFF;", Immediate("int", 255)),
        ("mov.u32 %r1, 0b101;", Immediate("int", 5)),
        ("mov.u32 %r1, 017;", Immediate("int", 15)),
        ("mov.u32 %r1, 42U;", Immediate("int", 42)),
        ("mov.u32 %r1, WARP_SZ;", Immediate("int", 32)),
        ("mov.f32 %f1, 0f3F800000;", Immediate("f32", 0x3F800000)),
        ("mov.f32 %f1, 0.5;", Immediate("f64", 0x3FE0000000000000)),
        ("mov.f32 %f1, -2.5e-1;", Immediate("f64", 0xBFD0000000000000)),
        ("mov.f32 %f1, 1e3;", Immediate("f64", 0x408F400000000000)),
        ("mov.f32 %f1, 0F3f800000;", Immediate("f32", 0x3F800000)),
        ("mov.f64 %fd1, 0d3FF0000000000000;", Immediate("f64", 0x3FF0000000000000)),
        ("mov.u64 %rd1, table+16;", Symbol("table", 16)),
        ("mov.u64 %rd1, table;", Symbol("table")),
    ],
)
def test_source_operands(line: str, expected: object):
    assert operands(line)[1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[%rd1]", Address(Register("%rd1"))),
        ("[%rd1+8]", Address(Register("%rd1"), 8)),
        ("[%rd1+-8]", Address(Register("%rd1"), -8)),
        ("[ %rd1 + 0x10 ]", Address(Register("%rd1"), 16)),
        ("[k_param_0+4]", Address(Symbol("k_param_0"), 4)),
        ("[64]", Address(None, 64)),
    ],
)
def test_addresses(text: str, expected: Address):
    assert operands(f"ld.u32 %r1, {text};")[1] == expected


def test_vector_with_sink_and_without_spaces():
    load, store = kernel(
        "ld.global.v4.f32 {%f0, _, %f2,%f3}, [%rd1];\nst.global.v2.f32 [%rd1+8],{%f0,%f2};"
    ).instructions[:2]
    assert load.operands[0] == Vector((Register("%f0"), Register("_"), Register("%f2"), Register("%f3")))
    assert store.operands == (Address(Register("%rd1"), 8), Vector((Register("%f0"), Register("%f2"))))


@pytest.mark.parametrize("text", ["%p1|%p2", "%p1 | %p2"])
def test_pair_of_destinations(text: str):
    found = operands(f"setp.lt.and.s32 {text}, %r1, %r2, !%p3;")
    assert found[0] == Pair(Register("%p1"), Register("%p2"))
    assert found[3] == Register("%p3", negated=True)


def test_shuffle_pair_keeps_every_operand():
    found = operands("shfl.sync.bfly.b32 %r1|%p1, %r2, %r3, 31, -1;")
    assert found == (
        Pair(Register("%r1"), Register("%p1")),
        Register("%r2"),
        Register("%r3"),
        Immediate("int", 31),
        Immediate("int", -1),
    )


def test_guards():
    plain, inverted = kernel("@%p1 add.s32 %r1, %r2, 1;\n@!%p2 bra END;\nEND:").instructions[:2]
    assert (plain.guard, plain.opcode) == (Guard("%p1", False), "add")
    assert (inverted.guard, inverted.opcode) == (Guard("%p2", True), "bra")


def test_modifiers_and_types():
    i = kernel("ld.global.nc.L1::no_allocate.v2.f32 {%f0, %f1}, [%rd1];\ncvt.rn.f32.s64 %f1, %rd1;").instructions
    assert i[0].modifiers == ("global", "nc", "L1", "no_allocate", "v2", "f32")
    assert i[1].types == ("f32", "s64")


def test_lines_and_text_survive_comments():
    text = (
        HEADER
        + ".entry k()\n{\n/* two\nlines */ .reg .b32 %r<3>;\nmov.u32 %r1, 5; // five;\nadd.u32\n  %r2, %r1, 1;\nret;\n}"
    )
    found = parse(text).kernels["k"].instructions
    assert [(i.ptx_line, i.text) for i in found] == [(8, "mov.u32 %r1, 5"), (9, "add.u32 %r2, %r1, 1"), (11, "ret")]
    assert [i.index for i in found] == [0, 1, 2]


def test_inner_scope_gets_its_own_registers():
    k = kernel("mov.u32 %r1, 1;\n{\n.reg .b64 %r1;\nmov.u64 %r1, 2;\nmov.u32 %r2, 3;\n}\nmov.u32 %r3, %r1;")
    outer, inner, shared, last = k.instructions[:4]
    assert outer.operands[0] == last.operands[1] == Register("%r1")
    assert shared.operands[0] == Register("%r2")
    name = inner.operands[0].name
    assert name != "%r1" and k.registers[name] == "b64" and k.registers["%r1"] == "b32"


def test_sibling_scopes_do_not_share_registers():
    k = kernel("{ .reg .pred p; setp.eq.s32 p, %r1, 0; }\n{ .reg .b32 p; mov.u32 p, 1; }")
    first, second = (i.operands[0].name for i in k.instructions[:2])
    assert first != second
    assert (k.registers[first], k.registers[second]) == ("pred", "b32")


def test_parameters_are_laid_out_like_a_struct():
    params = ".param .u32 a,\n.param .align 16 .b8 s[24],\n.param .u8 c,\n.param .u64 .ptr .global .align 4 p"
    k = kernel("", params)
    assert [(p.name, p.offset, p.size, p.align) for p in k.params] == [
        ("a", 0, 4, 4),
        ("s", 16, 24, 16),
        ("c", 40, 1, 1),
        ("p", 48, 8, 8),
    ]
    assert k.param_bytes == 56


def test_launch_bounds():
    text = HEADER + ".visible .entry k()\n.maxntid 256, 2, 1\n.minnctapersm 3\n{ ret; }"
    assert parse(text).kernels["k"].directives == {"maxntid": (256, 2, 1), "minnctapersm": (3,)}


def test_variables_and_their_bytes():
    before = """
.const .align 4 .u32 words[3] = {1, 0xFFFFFFFF};
.visible .global .align 8 .b8 bytes[4] = {1, 2, 255, 0};
.global .f32 half = 0f3F000000;
.global .align 8 .u64 pointers[2] = {words, generic(bytes)};
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .b8 grid[2][3];
.global .v4 .f32 quad;
"""
    module = parse(HEADER + before + ".entry k() { ret; }")
    v = module.variables
    assert v["words"].init == (1).to_bytes(4, "little") + b"\xff" * 4 + bytes(4)
    assert (v["words"].space, v["words"].size) == ("const", 12)
    assert v["bytes"].init == bytes([1, 2, 255, 0])
    assert v["half"].init == bytes.fromhex("0000003f")
    assert v["pointers"].relocations == ((0, "words"), (8, "bytes"))
    assert (v["dynamic"].extern, v["dynamic"].size, v["dynamic"].align) == (True, 0, 16)
    assert v["grid"].size == 6
    assert (v["quad"].size, v["quad"].align) == (16, 16)


def test_kernel_lists_only_the_shared_and_local_variables_it_names():
    before = ".shared .align 4 .b8 used[64];\n.shared .align 4 .b8 unused[64];"
    k = kernel(".local .align 8 .b8 stack[16];\nmov.u32 %r1, used;\nmov.u64 %rd1, stack;", before=before)
    assert [v.name for v in k.shared] == ["used"]
    assert [(v.name, v.size) for v in k.local] == [("stack", 16)]


def test_functions_are_kept_apart_from_kernels():
    text = HEADER + ".func (.param .b32 out) helper(.param .b32 in)\n{ ret; }\n.entry k() { ret; }"
    module = parse(text)
    assert (list(module.kernels), list(module.functions)) == (["k"], ["helper"])
    assert not module.functions["helper"].is_entry


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello", 1),
        (HEADER + ".entry k() { ret;\n", 4),
        (HEADER + ".entry k()\n{\n.reg .b32 %r<2>;\nadd.u32 %r1, %r0, 1\n}\n", 7),
        (HEADER + ".entry k()\n{\n.reg .b32 %r<2>;\n\nnot.pred %p, !5;\nret;\n}\n", 8),
    ],
)
def test_errors_name_the_line(text: str, line: int):
    with pytest.raises(PtxError) as caught:
        parse(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"PTX line {line}:")
