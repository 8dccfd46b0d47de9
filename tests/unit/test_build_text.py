"""Reading source, PTX and compiler reports as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build.computed import Macro, spelled
from warpgauge.build.directives import directives
from warpgauge.build.includes import user_files
from warpgauge.build.names import entry_names, readable, source_kernels
from warpgauge.build.resources import parse_resources, without_times
from warpgauge.build.text import blank_comments
from warpgauge.evidence import KernelResources


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("a // b\nc", "a     \nc"),
        ("a /* b\n c */ d", "a     \n      d"),
        ("a // b \\\n still\nc", "a       \n      \nc"),
        ('x = "// no"; // yes', "x =        ;       "),
        ("c = '\"'; // q\nd", "c =    ;     \nd"),
        ('R"(/* raw */)" e', "               e"),
        ('#include "a//b.h" // c', '#include "a//b.h"     '),
        ("a /* open", "a        "),
    ],
)
def test_comments_and_strings_become_blanks(text: str, blank: str) -> None:
    assert blank_comments(text) == blank
    assert len(blank_comments(text)) == len(text)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("plain", "plain"),
        ("_Z6sharesPfi", "shares"),
        ("_ZN5inner5plainEPf", "inner::plain"),
        ("_ZN1a1b1cEv", "a::b::c"),
        ("_ZN41_GLOBAL__N__00000000_4_b_cu_70be6ef5_40254anonEPf", "anon"),
        ("_Z4gemmILi128ELi64EEvPf", "_Z4gemmILi128ELi64EEvPf"),
    ],
)
def test_readable_names(symbol: str, name: str) -> None:
    assert readable(symbol) == name


def test_overloads_go_by_symbol() -> None:
    ptx = ".visible .entry _Z1kPf(\n)\n.weak .entry _Z1kPd(\n)\n// .entry not_one(\n.entry other\n(\n)"
    assert entry_names(ptx) == {"_Z1kPf": "_Z1kPf", "_Z1kPd": "_Z1kPd", "other": "other"}


def test_kernels_in_source() -> None:
    text = """
__global__ void declared(float* p);
template <int N>
__global__ __launch_bounds__(N * (2 + 1)) void
spread(float* p) {}
static __global__ void __cluster_dims__(2, 1, 1) third(int) {}
/* __global__ void no(int) {} */
const char* s = "__global__ void neither(int)";
__global__ void declared(float* p) {}
"""
    found = [(kernel.name, kernel.location.line, kernel.location.column) for kernel in source_kernels({"k.cu": text})]
    assert found == [("declared", 2, 17), ("spread", 5, 1), ("third", 6, 50)]


def test_user_files_follow_quotes_angles_and_nesting(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "inc").mkdir()
    source = tmp_path / "src" / "k.cu"
    source.write_text(
        '#include "deep/a.h"\n#  include <c.h>\n#include <cuda_fp16.h>\n// #include "d.h"\n/*\n#include "d.h"\n*/\n'
    )
    (tmp_path / "src" / "deep" / "a.h").write_text('#include "b.h" // sibling\n#include "../k.cu"\n')
    (tmp_path / "src" / "deep" / "b.h").write_text("\n")
    (tmp_path / "src" / "d.h").write_text("\n")
    (tmp_path / "inc" / "c.h").write_text("\n")
    found = user_files(source, [tmp_path / "inc"])
    # A comment is followed as well: what the compiler takes for a comment is not known here.
    assert [str(Path(name).relative_to(tmp_path)) for name in found.files] == [
        "inc/c.h",
        "src/d.h",
        "src/deep/a.h",
        "src/deep/b.h",
        "src/k.cu",
    ]
    assert (found.outside, found.probes) == ({}, ())


def test_files_of_others_are_named_with_every_place_that_asks_for_them(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "other.h").write_text("\n")
    source = tmp_path / "src" / "k.cu"
    source.write_text('#include "a.h"\n#include "../other.h"\n  #include "../other.h"\n#include "../none.h"\n')
    (tmp_path / "src" / "a.h").write_text('#if __has_include("../other.h")\n#endif\n')
    found = user_files(source, [])
    assert [Path(name).name for name in found.files] == ["a.h", "k.cu"]
    assert {name: [(p.line, p.column) for p in places] for name, places in found.outside.items()} == {
        "../other.h": [(2, 1), (3, 3)]
    }
    assert [Path(path).name for path in found.probes] == ["other.h"]
    assert user_files(source, [tmp_path]).outside == {}


def test_directives_wherever_the_compiler_may_see_one() -> None:
    text = (
        'int a; #include "no.h"\n'
        ' * #include "no.h"\n'
        '// #include "no.h"\n'
        '  #  include "a.h"\n'
        '/* text */ %:include "b.h"\n'
        '#inc\\\nlude "c.h"\n'
        "/*\n*/#/* x */define/* y */N 1\n"
        "#\n#!\n#/* open"
    )
    found = [(d.word, d.rest, d.line, d.column) for d in directives(text)]
    assert found == [
        ("include", '"a.h"', 4, 3),
        ("include", '"b.h"', 5, 12),
        ("include", '"c.h"', 6, 1),
        ("define", "N 1", 9, 3),
    ]


MACROS = {
    "A": [Macro(None, '"a.h"'), Macro(None, "B")],
    "B": [Macro(None, "<b.h>")],
    "LOOP": [Macro(None, "LOOP")],
    "STD": [Macro(("name",), "<cuda/std/name>")],
    "TEXT": [Macro(("name",), "#name")],
    "JOIN": [Macro(("a", "b"), "<a ## b>")],
    "EMPTY": [Macro(None, "")],
}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A", {'"a.h"', "<b.h>"}),
        ("STD(cassert) // why", {"<cuda/std/cassert>"}),
        ("STD(B)", None),
        ("STD", None),
        ("STD(a, b)", None),
        ("TEXT(x.h)", {'"x.h"'}),
        ("JOIN(x, y.h)", {"<xy.h>"}),
        ("LOOP", None),
        ('EMPTY "x.h"', None),
        ("<x B", None),
        ("__FILE__", None),
        ("UNKNOWN", set()),
        ("directives of the preprocessor", set()),
        ("<open", set()),
    ],
)
def test_names_that_macros_spell(text: str, names: set[str] | None) -> None:
    assert spelled(text, MACROS) == names


LOG = """\
k.cu(1): warning #177-D: variable "x" was declared but never referenced
ptxas info    : 0 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Function properties for a
ptxas         .     24 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 2 barriers, 40 bytes cumulative stack size, \
4096 bytes smem, 380 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 4.2 ms
ptxas info    : Function properties for _Z6calleev
ptxas         .     64 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads
ptxas info    : Compiling entry function 'b' for 'sm_80'
ptxas info    : Function properties for b
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers
info    : used 9 registers, used 1 barriers, 0 stack, 1152 bytes smem
"""


def test_ptxas_report() -> None:
    assert parse_resources(LOG) == {
        "a": KernelResources("a", 255, 4096, 40, 8, 12, constant=388, barriers=2),
        "b": KernelResources("b", 8, 0, 0, 0, 0),
    }


def test_timings_leave_the_log() -> None:
    kept = without_times(LOG)
    assert "Compile time" not in kept
    assert kept.count("\n") == LOG.count("\n") - 2
