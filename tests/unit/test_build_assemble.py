"""PTX candidates: assembled, with the same figures and error places as compiled ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.diagnostics import WarpgaugeError

PTX = """.version 8.0
.target sm_80
.address_size 64

.visible .entry twice(
	.param .u64 p
)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 s[128];
	ld.param.u64 %rd1, [p];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	mov.u32 %r3, s;
	st.shared.u32 [%r3], %r2;
	bar.sync 0;
	ld.shared.u32 %r2, [%r3];
	st.global.u32 [%rd3], %r2;
	ret;
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.ptx"
    path.write_text(PTX)
    return path


def test_assembles_with_lines_and_resources(source: Path) -> None:
    built = compile_source(source, arch="sm_90", entries=["twice"], cache=False)
    assert built.ptx == PTX
    assert built.lowered == {"twice": "twice"}
    assert built.resources["twice"].static_shared == 128
    assert built.resources["twice"].registers > 0
    assert built.compiler.startswith("nvJitLink ")
    assert built.sources == {str(source): PTX}
    sass = built.sass.splitlines()
    at = next(i for i, line in enumerate(sass) if " STS " in line)
    note = next(line for line in reversed(sass[:at]) if "//## File" in line)
    assert PTX.splitlines()[int(note.rsplit(" ", 1)[1]) - 1].strip().startswith("st.shared")


def test_kernels_by_readable_name(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(PTX.replace("twice", "_ZN2ns5twiceEPj"))
    built = compile_source(path, entries=["ns::twice"], sass=False, cache=False)
    assert built.lowered == {"ns::twice": "_ZN2ns5twiceEPj"}


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("mul.wide.u32", "mul.wyde.u32", 15, "Unknown modifier '.wyde'"),
        ("st.shared.u32 [%r3], %r2", "st.shared.u32 [%r3], %r9", 19, "%r9"),
        ("add.s64 %rd3, %rd1, %rd2", "add.s64 %rd3, %rd1, %r2", 16, "Arguments mismatch"),
        (".version 8.0", ".version 19.0", 1, "19.0"),
        (".target sm_80", ".target sm_100", 2, ".target"),
    ],
)
def test_assembler_errors_at_the_ptx_line(source: Path, old: str, new: str, line: int, says: str) -> None:
    source.write_text(PTX.replace(old, new))
    with pytest.raises(WarpgaugeError) as error:
        compile_source(source, arch="sm_90", sass=False, cache=False)
    (found,) = error.value.diagnostics
    assert found.code == "SRC801"
    assert found.primary is not None
    assert (found.primary.location.file, found.primary.location.line) == (str(source), line)
    assert says in " ".join([found.message, *(span.label for span in found.related)])


def test_text_that_is_not_ptx(source: Path) -> None:
    source.write_text("hello\n")
    with pytest.raises(WarpgaugeError) as error:
        compile_source(source, sass=False, cache=False)
    assert [d.code for d in error.value.diagnostics] == ["SRC801"]
    assert "PTX" in error.value.diagnostics[0].message


def test_unknown_entry(source: Path) -> None:
    with pytest.raises(WarpgaugeError) as error:
        compile_source(source, entries=["thrice"], sass=False, cache=False)
    (found,) = error.value.diagnostics
    assert (found.code, found.help) == ("PRB903", "the kernels there are: twice")
