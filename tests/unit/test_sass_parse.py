"""nvdisasm's text as instructions."""

from __future__ import annotations

from warpgauge.sass import SassInstruction, parse_sass
from warpgauge.sass.access import sass_accesses

TEXT = """
\t.target\tsm_90
\t.section\t.text.k,"ax",@progbits
        .global         k
k:
.text.k:
\t//## File ".nv_debug_ptx_txt", line 20
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!PT LDS RZ, [RZ] ;
\t//## File ".nv_debug_ptx_txt.2419361494", line 33
        /*0020*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64+0x10] ;
        /*0030*/                   LDS.U16 R9, [R8+UR4+-0x4] ;
.L_x_1:
        /*0040*/               @P1 IMAD.WIDE R8, R9.reuse, 0x4, R2 ;
        /*0050*/                   STS.64 [R8+0x20], R4 ;
\t.section\t.text.other,"ax",@progbits
        /*0000*/                   EXIT ;
\t.section\t.nv.info,"",@"SHT_CUDA_INFO"
        /*0000*/ \t.byte\t0x04, 0x2f
        /*0010*/                   LDG R4, [R2] ;
"""


def test_instructions() -> None:
    found = list(parse_sass(TEXT))
    assert [(i.function, i.address, i.ptx_line) for i in found] == [
        ("k", 0x00, 20),
        ("k", 0x20, 33),
        ("k", 0x30, 33),
        ("k", 0x40, 33),
        ("k", 0x50, 33),
        ("other", 0x00, 0),
    ]
    assert found[1] == SassInstruction(
        "k", 0x20, "@!P0", "LDG", ("E", "128", "CONSTANT"), ("R4", "desc[UR4][R2.64+0x10]"), 33
    )
    assert str(found[3]) == "@P1 IMAD.WIDE R8, R9.reuse, 0x4, R2"


def test_one_function_alone() -> None:
    assert list(parse_sass(TEXT, "k")) == [i for i in parse_sass(TEXT) if i.function == "k"]
    assert [i.opcode for i in parse_sass(TEXT, "other")] == ["EXIT"]
    assert list(parse_sass(TEXT, "othe")) == []


def test_instructions_that_never_execute_are_dropped() -> None:
    assert not any("RZ" in i.operands for i in parse_sass(TEXT))


def test_accesses_have_width_base_and_offset() -> None:
    found = list(sass_accesses(i for i in parse_sass(TEXT) if i.function == "k"))
    assert [(a.op, a.width, a.base[0], a.offset) for a in found] == [
        ("load", 16, "R2.64", 16),
        ("load", 2, "R8+UR4", -4),
        ("store", 8, "R8", 32),
    ]


def test_a_written_register_is_another_base() -> None:
    text = """
\t.section\t.text.k,"ax",@progbits
        /*0000*/                   LDS R4, [R2] ;
        /*0010*/                   LDS R5, [R2+0x4] ;
        /*0020*/                   LDS.64 R2, [R6] ;
        /*0030*/                   LDS R5, [R2] ;
        /*0040*/                   IMAD.WIDE R6, R2, 0x4, R8 ;
        /*0050*/                   LDS R5, [R7] ;
        /*0060*/                   LDS.64 R6, [R7] ;
        /*0070*/                   LDS R5, [R7] ;
"""
    bases = [access.base for access in sass_accesses(parse_sass(text))]
    assert bases[0] == bases[1]
    assert bases[3] != bases[0]
    assert bases[4] == bases[5]
    assert bases[6] != bases[4]
