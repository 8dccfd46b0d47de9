"""Registers that inline assembly names: which are the statement's own, and which are the compiler's."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.build.inline_asm import asm_statements
from warpgauge.build.unknown_ptx import INSTRUCTIONS
from warpgauge.diagnostics import WarpgaugeError

KERNELS = r"""#define CLEAR() asm volatile("mov.b32 %r2, 0;")
__device__ int helper(int n) {
  int q;
  asm volatile("add.s32 %0, %1, %%r2;" : "=r"(q) : "r"(n));
  return q;
}
extern "C" __global__ void raw(const float* x, float* y, int n) {
  asm volatile("mov.b32 %r1, 0;\n\t"  // in two
               "mov.b32 %r1, 1;");
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x];
}
extern "C" __global__ void by_macro(const float* x, float* y, int n) { CLEAR(); y[threadIdx.x] = x[n]; }
extern "C" __global__ void inlined(float* y, int n) { y[threadIdx.x] = helper(n); }
extern "C" __global__ void hides(float* y, int n) {
  int q;
  asm volatile("{ .reg .b32 %%r1; mov.b32 %%r1, 3; add.s32 %0, %1, %%r1; }" : "=r"(q) : "r"(n));
  y[threadIdx.x] = q;
}
extern "C" __global__ void scoped(float* y, int n) {
  int q;
  asm volatile("{ .reg .b32 t, %%mine<2>; mov.b32 %%mine1, 3; add.s32 %0, %1, %%mine1; }" : "=r"(q) : "r"(n));
  asm volatile(".reg .b32 %kept7;");
  asm volatile("mov.b32 %kept7, 3;");
  asm("mov.u32 %0, %%laneid;" : "=r"(n));
  y[threadIdx.x] = q + n;
}
extern "C" __global__ void told(const float* x, float* y) {
  asm volatile("// mov.b32 %r1, 0;\n/* %r2\n %r3 */");
  asm volatile("{ // .reg .b32 %%r1;\n mov.b32 %%r1, %0; }" ::"r"(threadIdx.x));
  y[threadIdx.x] = x[threadIdx.x];
}
#define CLEAR(n) asm volatile("bfe.u32 %%r" #n ", 7, 1, 1;" ::"r"(0))
extern "C" __global__ void pastes(const float* x, float* y) {
  CLEAR(1);
  y[threadIdx.x] = x[threadIdx.x];
}
#if 0
asm volatile("mov.b32 %r1, 0;");
#endif
// asm volatile("mov.b32 %r1, 0;");
"""


def found(folder: Path, entry: str) -> list[tuple[int, list[str], bool]]:
    """(line, registers, hidden) of each finding in one entry."""
    path = folder / "k.cu"
    path.write_text(KERNELS)
    try:
        compile_source(path, entries=[entry], sass=False, cache=False)
    except WarpgaugeError as error:
        assert {d.code for d in error.diagnostics} == {"SRC804"}
        return [
            (d.primary.location.line, d.evidence["registers"], d.evidence["hidden"])
            for d in error.diagnostics
            if d.primary
        ]
    return []


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("raw", [(8, ["%r1"], False)]),
        ("by_macro", [(1, ["%r2"], False)]),
        ("inlined", [(4, ["%r2"], False)]),
        ("hides", [(16, ["%r1"], True)]),
        ("scoped", []),
        ("told", [(29, ["%r1"], False)]),
        ("pastes", [(32, ["%r1"], False)]),
    ],
)
def test_which_registers_are_the_compilers(entry: str, expected: list[object], tmp_path: Path) -> None:
    assert found(tmp_path, entry) == expected


def test_statements_are_read_as_the_compiler_reads_them() -> None:
    text = 'asm("a; // x\\n" "b %r1;"); asm volatile ( "c %0, %%r2, %[in];" : "=r"(x) ); asm(R"(d %p1)"); asm(M "e");'
    first, second, third, fourth = asm_statements(text)
    assert (first.template, first.numbered, first.extended) == ("a; // x\nb %r1;", ["%r1"], False)
    assert (second.assembly, second.numbered) == ("c \0, %r2, \0;", ["%r2"])
    assert (third.template, third.numbered) == ("d %p1", ["%p1"])
    assert fourth.template == "\0e"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ('asm volatile("nop;");', "PTX has no nop"),
        ('asm volatile("ldg.global.f32 %0, [%1];" : "=f"(y[0]) : "l"(y));', "use ld.global"),
        ('asm volatile("mov.b32 %r1000, 0;");', "declared nowhere"),
        ('asm volatile("mov.u32 %0, %tid.x;" : "=r"(n)); asm volatile("mov.b32 %r1, %0;" :: "r"(n));', "%%tid.x"),
        ("y[0] = shfl_sync(~0u, n, 0);", "use __shfl_sync"),
        ("__stg(y, 1.0f);", "__stwt"),
    ],
)
def test_unknown_names_say_what_there_is(statement: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f'extern "C" __global__ void k(float* y, int n) {{ {statement} }}\n')
    with pytest.raises(WarpgaugeError) as error:
        compile_source(path, sass=False, cache=False)
    assert any(words in d.help for d in error.value.diagnostics), [d.help for d in error.value.diagnostics]


def test_no_row_names_an_instruction_that_ptx_has(tmp_path: Path) -> None:
    statements = "".join(f'asm volatile("{name};");\n' for name in INSTRUCTIONS if name.isalnum())
    path = tmp_path / "k.cu"
    path.write_text(f'extern "C" __global__ void k() {{\n{statements}}}\n')
    with pytest.raises(WarpgaugeError) as error:
        compile_source(path, sass=False, cache=False)
    unknown = {name for name in INSTRUCTIONS for d in error.value.diagnostics if f"'{name}'" in d.message}
    assert unknown == {name for name in INSTRUCTIONS if name.isalnum()}
