"""What a user reads when a source does not compile, or does not have the kernel that was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.diagnostics import Diagnostic, WarpgaugeError


def diagnose(folder: Path, text: str, name: str = "k.cu", **options: object) -> list[Diagnostic]:
    source = folder / name
    source.write_text(text)
    with pytest.raises(WarpgaugeError) as error:
        compile_source(source, sass=False, cache=False, **options)  # type: ignore[arg-type]
    return list(error.value.diagnostics)


def place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    assert diagnostic.primary is not None
    where = diagnostic.primary.location
    return Path(where.file).name, where.line, where.column


def test_error_points_at_line_and_column(tmp_path: Path) -> None:
    found = diagnose(tmp_path, 'extern "C" __global__ void k(float* p) {\n\tp[0] = oops;\n  int x\n}\n')
    assert [d.code for d in found] == ["SRC801", "SRC801"]
    assert found[0].message == 'identifier "oops" is undefined'
    assert place(found[0]) == ("k.cu", 2, 9)
    assert place(found[1])[1] == 4


def test_a_template_parameter_named_like_a_define_is_told_what_it_reads_as(tmp_path: Path) -> None:
    text = "template <int BM> __global__ void k(float* p) { p[0] = BM; }\n"
    (clash,) = diagnose(tmp_path, text, entries=["k<BM>"], defines={"BM": 64, "BN": 32})
    assert place(clash) == ("k.cu", 1, 15)
    assert "BM is one of the candidate's defines and reads as 64 here" in clash.help


def test_an_error_beside_a_define_gets_no_such_help(tmp_path: Path) -> None:
    text = 'extern "C" __global__ void k(int* p) { p[0] = BM + oops; }\n'
    (undefined,) = diagnose(tmp_path, text, defines={"BM": 64})
    assert place(undefined)[2] == text.index("oops") + 1 and not undefined.help


def test_error_in_a_header_names_the_header(tmp_path: Path) -> None:
    (tmp_path / "bad.h").write_text("#pragma once\n__device__ int f() { return nothing; }\n")
    found = diagnose(tmp_path, '#include "bad.h"\nextern "C" __global__ void k(int* p) { p[0] = f(); }\n')
    assert place(found[0]) == ("bad.h", 2, 29)


def test_notes_and_instantiations_are_related(tmp_path: Path) -> None:
    found = diagnose(
        tmp_path,
        """__device__ int f(int a);
__device__ int f(long a);
template <class T> __device__ void g(T t) { t.member(); }
extern "C" __global__ void k(float* p) {
  f(1, 2);
  g(3);
}
""",
    )
    candidates, instance = found
    assert sorted(span.location.line for span in candidates.related) == [1, 2]
    assert all("does not match the call" in span.label for span in candidates.related)
    assert instance.related[0].location.line == 6
    assert 'instantiation of "void g(T) [with T=int]"' in instance.related[0].label


def test_overload_message_keeps_its_second_line(tmp_path: Path) -> None:
    found = diagnose(
        tmp_path,
        '__device__ int f(int*);\n__device__ int f(float*);\nextern "C" __global__ void k(double* p) { f(p); }\n',
    )
    assert "argument types are: (double *)" in found[0].message


def test_warnings_do_not_stop_a_build(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text('extern "C" __global__ void k(float* p) { int unused; p[0] = 1; }\n')
    built = compile_source(source, sass=False, cache=False)
    assert 'variable "unused" was declared but never referenced' in built.log


KERNELS = """template <int N> __global__ void gemm(float* p) { p[0] = N; }
__global__ void __launch_bounds__(256, (2)) bounded(float* p) { p[0] = 1; }
// __global__ void commented(float* p) {}
__device__ float helper(float x) { return x; }
extern "C" __global__ void plain(float* p) { p[0] = helper(2); }
"""


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("nope", "undefined"),
        ("gemm", "cannot determine which instance"),
        ("gemmm<4>", "undefined"),
        ("_Z5wrongPf", "no kernel of this name"),
        ("helper", "non-__global__"),
    ],
)
def test_unknown_entry_names_the_kernels_that_are_there(tmp_path: Path, entry: str, reason: str) -> None:
    (found,) = diagnose(tmp_path, KERNELS, entries=["plain", entry])
    assert found.code == "PRB903"
    assert repr(entry) in found.message
    assert reason in found.message
    assert found.help == "the kernels there are: gemm, bounded, plain"
    assert [(span.label, span.location.line) for span in found.related] == [("gemm", 1), ("bounded", 2), ("plain", 5)]


def test_a_compile_error_is_told_before_an_unknown_entry(tmp_path: Path) -> None:
    found = diagnose(tmp_path, "__global__ void k(float* p) { p[0] = oops; }\n", entries=["other"])
    assert [d.code for d in found] == ["SRC801"]


KERNEL = "__global__ void k(float* p) { p[0] = 1; }\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("#include <vector>\n" + KERNEL, 1, "#include <vector>"),
        (KERNEL + "int main() { return 0; }\n", 2, "a main function"),
        (KERNEL + "\nvoid run(float* p) {\n  k<<<1, 32>>>(p);\n}\n", 4, "a kernel launch"),
        (KERNEL + "float twice(float x) { return 2 * x; }\n", 2, "not marked __device__"),
        ("#include <cublas_v2.h>\n" + KERNEL, 1, "cublas_v2.h"),
        (KERNEL + '#include <cstdlib>\nstatic int started = system("true");\n', 3, "a variable that is not marked"),
        ("float table[3] = {1, 2, 3};\n" + KERNEL, 1, "a variable that is not marked"),
        ("// int main()\n" + KERNEL + "void f() { cudaDeviceSynchronize(); }\n", 3, "host API"),
    ],
)
def test_host_code_is_refused_by_name(tmp_path: Path, text: str, line: int, what: str) -> None:
    found = diagnose(tmp_path, text)
    assert [d.code for d in found] == ["SRC803"]
    assert what in found[0].message
    assert place(found[0])[1] == line
    assert "candidate.toml" in found[0].help


@pytest.mark.parametrize("text", ["flaot x;\n", "int x y;\n", "foo(3);\n", "struct S { int a; }\nint b;\n"])
def test_a_declaration_that_cannot_be_read_is_no_host_variable(tmp_path: Path, text: str) -> None:
    assert {d.code for d in diagnose(tmp_path, text + KERNEL)} == {"SRC801"}


def test_an_include_of_a_file_of_others_is_refused_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "other.h").write_text("int secret;\n")
    folder = tmp_path / "own"
    folder.mkdir()
    (found,) = diagnose(folder, '\n  #include "../other.h"\n' + KERNEL)
    assert (found.code, place(found)) == ("SRC801", ("k.cu", 2, 3))
    assert "outside the folders" in found.message and "`include`" in found.help


def test_an_include_that_is_not_active_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "other.h").write_text("#error read\n")
    (tmp_path / "own").mkdir()
    source = tmp_path / "own" / "k.cu"
    source.write_text(
        '#ifndef __CUDACC_RTC__\n#include "../other.h"\n#endif\n/*\n#include "../other.h"\n*/\n'
        'extern "C" __global__ void k(float* p) { p[0] = 1; }\n'
    )
    assert compile_source(source, sass=False, cache=False).lowered == {"k": "k"}


def test_an_include_that_only_the_preprocessor_knows(tmp_path: Path) -> None:
    (found,) = diagnose(tmp_path, "#include __FILE__\n" + KERNEL)
    assert (found.code, place(found)[1]) == ("SRC801", 1)
    assert "only the preprocessor" in found.message


def test_all_host_code_of_a_file_in_one_diagnostic(tmp_path: Path) -> None:
    text = """#include <iostream>
#include <vector>
__global__ void k(float* p) { p[0] = 1; }
int main() {
  std::vector<float> v(4);
  k<<<1, 1>>>(v.data());
}
"""
    (found,) = diagnose(tmp_path, text)
    assert place(found) == ("k.cu", 1, 10)
    assert [span.location.line for span in found.related] == [2, 4, 5, 6]


def test_host_code_hidden_from_nvrtc_is_no_fault(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        "#ifndef __CUDACC_RTC__\n#include <vector>\nint main() { return 0; }\n#endif\n"
        'extern "C" __global__ void k(float* p) { p[0] = 1; }\n'
    )
    assert compile_source(source, sass=False, cache=False).lowered == {"k": "k"}


def test_device_errors_are_kept_beside_host_code(tmp_path: Path) -> None:
    found = diagnose(tmp_path, "__global__ void k(float* p) {\n  p[0] = oops;\n}\nint main() { return 0; }\n")
    assert [(d.code, place(d)[1]) for d in found] == [("SRC803", 4), ("SRC801", 2)]


def test_a_missing_header_of_the_user_is_a_compile_error(tmp_path: Path) -> None:
    (found,) = diagnose(tmp_path, '#include "mine.h"\n__global__ void k(float* p) { p[0] = 1; }\n')
    assert found.code == "SRC801"
    assert "mine.h" in found.message


@pytest.mark.parametrize("arch", ["sm_77", "compute_90", "sm_70", "hopper"])
def test_unknown_architecture(tmp_path: Path, arch: str) -> None:
    (found,) = diagnose(tmp_path, "__global__ void k(float* p) { p[0] = 1; }\n", arch=arch)
    assert found.code == "PRB901"
    assert arch in found.message
    assert "sm_90" in found.help


def test_missing_source_file(tmp_path: Path) -> None:
    with pytest.raises(WarpgaugeError) as error:
        compile_source(tmp_path / "absent.cu")
    assert error.value.diagnostics[0].code == "PRB907"


@pytest.mark.parametrize(
    ("statement", "name", "instead"),
    [
        ("p[0] = __shfl(p[0], 1)", "__shfl", "__shfl_sync(mask"),
        ("p[0] = __shfl_up(p[0], 1)", "__shfl_up", "__shfl_up_sync(mask"),
        ("p[0] = __shfl_down(p[0], 1, 16)", "__shfl_down", "__shfl_down_sync(mask"),
        ("p[0] = __shfl_xor(p[0], 1)", "__shfl_xor", "__shfl_xor_sync(mask"),
        ("p[0] = __ballot(1)", "__ballot", "__ballot_sync(mask"),
        ("p[0] = __any(1)", "__any", "__any_sync(mask"),
        ("p[0] = __all(1)", "__all", "__all_sync(mask"),
        ("p[0] = __match_any(1)", "__match_any", "__match_any_sync(mask"),
        ("p[0] = __match_all(1)", "__match_all", "__match_all_sync(mask"),
        ("__stg(p, 1.0f)", "__stg", "__stcs"),
        ("p[0] = hadd_rn(1, 2)", "hadd_rn", "__hadd_rn"),
        ("cudaBindTexture(0, p, p, 4)", "cudaBindTexture", "cudaTextureObject_t"),
        ("half h", "half", "cuda_fp16.h"),
        ("__nv_bfloat16 h", "__nv_bfloat16", "cuda_bf16.h"),
    ],
)
def test_a_name_that_is_gone_says_what_replaces_it(tmp_path: Path, statement: str, name: str, instead: str) -> None:
    found = diagnose(tmp_path, f'extern "C" __global__ void k(float* p) {{\n  // {name}(x)\n  {statement};\n}}\n')
    assert {d.code for d in found} == {"SRC801"}
    first = found[0]
    assert name in first.message and place(first)[:2] == ("k.cu", 3)
    assert first.help.startswith("use ") and instead in first.help and ": " in first.help


def test_a_name_that_its_architecture_lacks(tmp_path: Path) -> None:
    text = 'extern "C" __global__ void k(unsigned* p) {\n  p[0] = __reduce_add_sync(~0u, p[0]);\n}\n'
    (found,) = diagnose(tmp_path, text, arch="sm_75")
    assert place(found)[1] == 2 and "sm_80" in found.help


def test_an_unknown_name_gets_no_advice(tmp_path: Path) -> None:
    (found,) = diagnose(tmp_path, 'extern "C" __global__ void k(float* p) { p[0] = shfl_sync_all(1); }\n')
    assert found.help == ""


def test_inline_ptx_that_the_assembler_refuses(tmp_path: Path) -> None:
    (found,) = diagnose(tmp_path, 'extern "C" __global__ void k() { asm volatile("nop;"); }\n')
    assert found.code == "SRC801" and "nop" in found.message and "ptxas" not in found.message
