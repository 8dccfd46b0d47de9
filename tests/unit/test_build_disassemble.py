"""SASS text: made once for each machine code, whatever the source around it looks like, and complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source, cubin, nvdisasm

KERNEL = """
__device__ __noinline__ float twice(float x) { return x * x + x; }
extern "C" __global__ void k(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += i % 3 ? twice(x[i]) : x[i];
  if (sum > 1) y[threadIdx.x] = sum;
}
"""
CASES = "".join(f"    case {n}: y[0] = {n * n}; __syncthreads(); y[{n}] = x * {n}; break;\n" for n in range(8))
SWITCH = f'extern "C" __global__ void k(int* y, int x) {{\n  switch (x) {{\n{CASES}  }}\n}}\n'


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Grows by the options of each real run of nvdisasm."""
    monkeypatch.setenv("WARPGAUGE_CACHE", str(tmp_path / "cache"))
    seen: list[tuple[str, ...]] = []
    real = nvdisasm._run

    def counting(cubin: bytes, *options: str) -> str:
        seen.append(options)
        return real(cubin, *options)

    monkeypatch.setattr(nvdisasm, "_run", counting)
    return seen


def built(folder: Path, text: str, **options: bool) -> tuple[bytes, str]:
    folder.mkdir()
    (folder / "k.cu").write_text(text)
    build = compile_source(folder / "k.cu", **options)  # type: ignore[arg-type]
    return build.cubin, build.sass


def test_a_comment_and_a_folder_change_no_machine_code(tmp_path: Path, runs: list[tuple[str, ...]]) -> None:
    first, sass = built(tmp_path / "a", KERNEL)
    second, again = built(tmp_path / "b", "// a comment\n" + KERNEL)
    assert first != second, "the line table is part of a cubin"
    assert len(runs) == 1 and again == sass
    assert nvdisasm.disassemble(second, cache=False) == sass


def test_other_machine_code_is_disassembled(tmp_path: Path, runs: list[tuple[str, ...]]) -> None:
    _, sass = built(tmp_path / "a", KERNEL)
    _, other = built(tmp_path / "b", KERNEL.replace("x * x + x", "x * x - x"))
    assert len(runs) == 2 and other != sass
    _, uncached = built(tmp_path / "c", KERNEL, cache=False)
    assert len(runs) == 3 and uncached == sass


def test_what_the_analysis_leaves_out_is_nothing_here(tmp_path: Path, runs: list[tuple[str, ...]]) -> None:
    cubin_bytes, sass = built(tmp_path / "a", KERNEL)
    assert len(runs) == 1 and nvdisasm._WITHOUT_TARGETS in runs[0]
    assert "CALL" in sass and "BRA" in sass
    assert nvdisasm._run(cubin_bytes, *nvdisasm._OPTIONS) == sass


def test_indirect_branches_keep_their_targets(tmp_path: Path, runs: list[tuple[str, ...]]) -> None:
    _, sass = built(tmp_path / "a", SWITCH)
    branches = [line for line in sass.splitlines() if "BRX" in line]
    assert branches and all(line.count(".L_x_") >= 2 for line in branches)
    assert len(runs) == 2


def test_sections_of_a_cubin(tmp_path: Path, runs: list[tuple[str, ...]]) -> None:
    found = {section.name: section for section in cubin.sections(built(tmp_path / "a", KERNEL)[0])}
    assert len(found[".text.k"].content) % 16 == 0 and found[".text.k"].content
    assert b"ld.param" in found[".nv_debug_ptx_txt"].content
    for text in (b"", b"\x7fELF" + bytes(60) + b"\xff" * 4):
        with pytest.raises(ValueError, match="64-bit ELF"):
            cubin.sections(text)
