"""From a PTX instruction to the user's line, through inlined helpers."""

from __future__ import annotations

from warpgauge.evidence import Location
from warpgauge.ptx import SourcePoint, locate, parse

TEXT = """.version 8.6
.target sm_90
.file 1 "kernel.cu"
.file 2 "/opt/include/helper.h"
.file 3 "mine.cuh"
.entry k()
{
.reg .b32 %r<9>;
mov.u32 %r0, 1;
.loc 1 10 5
mov.u32 %r1, 1;
.loc 3 7 9, function_name $L__info_string0, inlined_at 1 10 5
mov.u32 %r2, 1;
.loc 2 99 3, function_name $L__info_string1+12, inlined_at 3 7 9
mov.u32 %r3, 1;
.loc 1 12 1
mov.u32 %r4, 1;
.loc 1 0 0
mov.u32 %r5, 1;
ret;
}
"""


def chains() -> list[tuple[SourcePoint, ...]]:
    return [i.chain for i in parse(TEXT).kernels["k"].instructions]


def test_chain_runs_from_the_innermost_point_outwards():
    none, plain, once, twice, after = chains()[:5]
    assert none == ()
    assert plain == (SourcePoint(1, 10, 5),)
    assert once == (SourcePoint(3, 7, 9), SourcePoint(1, 10, 5))
    assert twice == (SourcePoint(2, 99, 3), SourcePoint(3, 7, 9), SourcePoint(1, 10, 5))
    assert after == (SourcePoint(1, 12, 1),)


def test_primary_is_the_innermost_line_in_a_users_file():
    module = parse(TEXT)
    i = module.kernels["k"].instructions[3]
    user = {"kernel.cu", "mine.cuh"}
    primary, rest = locate(module, i, user)
    assert primary == Location("mine.cuh", 7, 9)
    assert rest == (Location("/opt/include/helper.h", 99, 3), Location("kernel.cu", 10, 5))
    assert locate(module, i, {"kernel.cu"})[0] == Location("kernel.cu", 10, 5)


def test_without_a_user_file_the_innermost_point_stands():
    module = parse(TEXT)
    assert locate(module, module.kernels["k"].instructions[3], set())[0] == Location("/opt/include/helper.h", 99, 3)


def test_unknown_lines():
    module = parse(TEXT)
    k = module.kernels["k"].instructions
    assert locate(module, k[0], {"kernel.cu"}) == (Location("", 0), ())
    assert locate(module, k[5], {"kernel.cu"}) == (Location("", 0), ())


def test_files_of_the_module():
    assert parse(TEXT).files == {1: "kernel.cu", 2: "/opt/include/helper.h", 3: "mine.cuh"}
