"""`warpgauge check FILE.cu`, no problem: the stub says what the kernel's signature says, and asks for the rest."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from warpgauge.candidate import load_candidate
from warpgauge.commands.main import main
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evaluate.signature import Declared, declared, signatures
from warpgauge.evaluate.stub import stub_of
from warpgauge.problem import load_problem

ADD = """\
extern "C" __global__ void __launch_bounds__(128) add(const float* a, const float* __restrict__ b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
MANY = """\
#include <cuda_fp16.h>
struct Params { float a; int b; };
namespace ns {
__global__ void first(const half* x, Params p, float alpha = 1.0f, unsigned long long n = 3) {
  const_cast<half*>(x)[n] = __float2half(alpha * p.a);
}
}
template <typename T, int N> __global__ void shape(const T* in, T* out, int min) { out[min] = in[min]; }
template <int B> __global__ void made(float4* out, const int idx[], bool flag) {
  extern __shared__ float s[];
  s[threadIdx.x] = idx[0];
  __syncthreads();
  if (flag) out[idx[0]].x = s[B];
}
template __global__ void made<4>(float4*, const int*, bool);
extern "C" __global__ void nothing() {}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("const float* x", Declared("x", "f32", True, True)),
        ("float *const __restrict__ x", Declared("x", "f32", True, False)),
        ("float const * x", Declared("x", "f32", True, True)),
        ("const __half2 *x", Declared("x", "f16", True, True)),
        ("std::uint8_t* x", Declared("x", "u8", True, False)),
        ("const int idx[]", Declared("idx", "i32", True, True)),
        ("unsigned long long n = 1 << 20", Declared("n", "u64", False, False)),
        ("unsigned int n", Declared("n", "u32", False, False)),
        ("unsigned", Declared("p3", "u32", False, False)),
        ("unsigned int", Declared("p3", "u32", False, False)),
        ("float", Declared("p3", "f32", False, False)),
        ("const __grid_constant__ Params p", Declared("p", "", False, True)),
        ("T* out", Declared("out", "", True, False)),
        ("nv_bfloat16* w", Declared("w", "bf16", True, False)),
    ],
)
def test_one_parameter(text: str, expected: Declared) -> None:
    assert declared(text, 3) == expected


def test_signatures_in_order_without_comments() -> None:
    found = signatures({"k.cu": "// __global__ void no(int x)\n" + MANY})
    assert [(s.name, s.template) for s in found] == [
        ("first", False), ("shape", True), ("made", True), ("nothing", False)
    ]  # fmt: skip
    assert [[p.name for p in s.parameters] for s in found] == [
        ["x", "p", "alpha", "n"], ["in", "out", "min"], ["out", "idx", "flag"], []
    ]  # fmt: skip


def source(folder: Path, text: str, name: str = "k.cu") -> Path:
    (folder / name).write_text(text)
    return folder / name


def parts(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    problem, candidate = re.split(r"# ---- .* ----\n", text)[1:]
    return tomllib.loads(problem), tomllib.loads(candidate)


def test_the_stub_is_printed_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = source(tmp_path, ADD)
    assert main(["check", str(path), "--arch", "sm_80"]) == 2
    out, err = capsys.readouterr()
    assert list(tmp_path.iterdir()) == [path]
    assert f"{out.count('FILL IN') - 1} places are marked FILL IN" in err and "nothing to hold it against" in err
    assert max(map(len, out.splitlines())) <= 80
    problem, candidate = parts(out)
    assert problem["problem"] == {"name": "add", "arch": "sm_80"} and problem["dims"] == {"n": 0}
    assert {name: (t["dtype"], t["role"]) for name, t in problem["tensors"].items()} == {
        "a": ("f32", "input"), "b": ("f32", "input"), "c": ("f32", "output")
    }  # fmt: skip
    (launch,) = candidate["launch"]
    assert (launch["entry"], launch["block"], launch["args"]) == ("add", [128, 1, 1], ["a", "b", "c", "n"])


def test_an_unfilled_stub_is_refused_and_a_filled_one_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(source(tmp_path, ADD))])
    problem, candidate = re.split(r"# ---- .* ----\n", capsys.readouterr().out)[1:]
    (tmp_path / "problem.toml").write_text(problem)
    with pytest.raises(WarpgaugeError) as caught:
        load_problem(tmp_path)
    assert {d.primary.location.line for d in caught.value.diagnostics if d.primary}
    (tmp_path / "problem.toml").write_text(
        problem.replace("n = 0 ", "n = 77 ").replace("rel_l2 = 0.0", "rel_l2 = 1e-6")
    )
    (tmp_path / "candidate.toml").write_text(candidate.replace('["?", 1, 1]', '["ceildiv(n, 128)", 1, 1]'))
    assert load_problem(tmp_path).dims_of("judge") == ({"n": 77},)
    assert load_candidate(tmp_path).source == tmp_path / "k.cu"


def test_structures_flags_templates_and_reserved_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(source(tmp_path, MANY))]) == 2
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    problem, candidate = parts(out)
    launches = {launch["entry"]: launch for launch in candidate["launch"]}
    assert list(launches) == ["ns::first", "shape<?>", "_Z4madeILi4EEvP6float4PKib", "nothing"]
    assert launches["ns::first"]["args"] == ["x", {"bytes": "00" * 8}, "alpha", "n"]
    assert launches["shape<?>"]["args"] == ["in", "out", "min_"]
    made = launches["_Z4madeILi4EEvP6float4PKib"]
    assert made["args"] == ["out", "idx", {"bool": 1}] and made["dynamic_shared"] == "?"
    assert problem["dims"] == {"n": 0, "min_": 0} and problem["reference"]["scalars"] == {"alpha": 1.0}
    tensors = {name: (t["dtype"], t["role"]) for name, t in problem["tensors"].items()}
    assert tensors == {"x": ("f16", "input"), "in": ("?", "input"), "out": ("f32", "output"), "idx": ("i32", "input")}


def test_ptx_alone_has_no_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from warpgauge.build import compile_source

    ptx = compile_source(source(tmp_path, ADD), sass=False).ptx
    path = source(tmp_path, ptx, "k.ptx")
    assert main(["check", str(path)]) == 2
    problem, candidate = parts(capsys.readouterr().out)
    assert candidate["launch"][0]["args"] == ["p0", "p1", "p2", "p3"]
    assert list(problem["tensors"]) == ["p0", "p1", "p2"] and problem["dims"] == {"p3": 0}


@pytest.mark.parametrize(
    ("text", "code"),
    [("__device__ int f() { return 1; }", "PRB903"), ("__global__ void f( {", "SRC801"), (None, "PRB907")],
)
def test_what_has_no_stub(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, code: str) -> None:
    path = tmp_path / "k.cu" if text is None else source(tmp_path, text)
    assert main(["check", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"error[{code}]" in err


@pytest.mark.parametrize("form", ["--json", "--sarif", "--markdown", "--watch"])
def test_a_kernel_alone_has_no_other_form(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert main(["check", str(source(tmp_path, ADD)), form]) == 2
    out, err = capsys.readouterr()
    assert "error[PRB901]" in err and "is a kernel" in " ".join(err.split())
    told = [d["code"] for d in json.loads(out)["diagnostics"]] if form == "--json" else out
    assert told == (["PRB901"] if form == "--json" else "")


def test_equal_sources_give_equal_stubs(tmp_path: Path) -> None:
    path = source(tmp_path, MANY)
    assert stub_of(path) == stub_of(path)
