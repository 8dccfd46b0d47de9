"""Builtin references: values against independent formulas, and the derived error bounds."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import pytest

from warpgauge.diagnostics import WarpgaugeError
from warpgauge.problem import DTYPES, Problem, Reference, compare, compute_reference, decode, encode, make_inputs
from warpgauge.problem.builtin import BUILTINS
from warpgauge.problem.reference import gamma

U32, U16 = 2.0**-24, 2.0**-11
TINY32 = 2.0**-126


def tensor(shape: list[Any], dtype: str = "f32", role: str = "input", **more: Any) -> dict[str, Any]:
    return {"shape": shape, "dtype": dtype, "role": role, **more}


def make(builtin: str, tensors: dict[str, Any], *, scalars: dict[str, float] | None = None, **more: Any) -> Problem:
    return Problem(
        problem={"name": "p", "arch": "sm_90"},
        dims={"n": 1},
        tensors=tensors,
        reference={"builtin": builtin, "scalars": scalars or {}},
        **more,
    )


def run(problem: Problem, **inputs: Any) -> Reference:
    """The reference for explicit logical inputs."""
    buffers = make_inputs(problem, problem.dims)
    for name, values in inputs.items():
        layout = problem.layout(name, problem.dims)
        layout.view(buffers[name])[...] = encode(np.asarray(values), layout.dtype)
    return compute_reference(problem, problem.dims, buffers)


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32).astype(np.float64)


def output(builtin: str, inputs: dict[str, np.ndarray], shape: tuple[int, ...], **more: Any) -> np.ndarray:
    tensors = {name: tensor(list(values.shape)) for name, values in inputs.items()}
    problem = make(builtin, tensors | {"out": tensor(list(shape), role="output")}, **more)
    return run(problem, **inputs).outputs["out"]


X, Y, Z = random(3, 7), random(3, 7) * 0.5, random(7, 5)
LOOPS = [
    ("matmul", {"A": X, "B": Z}, [[fsum(X[i, k] * Z[k, j] for k in range(7)) for j in range(5)] for i in range(3)], {}),
    ("matvec", {"A": X, "x": Z[:, 0]}, [fsum(X[i, k] * Z[k, 0] for k in range(7)) for i in range(3)], {}),
    ("dot", {"x": X, "y": Y}, [fsum((X * Y).reshape(-1))], {}),
    ("vec_add", {"x": X, "y": Y}, X + Y, {}),
    ("vec_mul", {"x": X, "y": Y}, X * Y, {}),
    ("axpy", {"x": X, "y": Y}, 2.5 * X + Y, {"scalars": {"alpha": 2.5}}),
    ("scale", {"x": X}, 3.0 * X, {"scalars": {"alpha": 3.0}}),
    ("copy", {"x": X}, X, {}),
    ("relu", {"x": X}, [[v if v > 0 else 0.0 for v in row] for row in X], {}),
    ("transpose", {"x": X}, [[X[i, j] for i in range(3)] for j in range(7)], {}),
    ("sum", {"x": X}, [fsum(X.reshape(-1))], {}),
    ("row_sum", {"x": X}, [fsum(row) for row in X], {}),
    ("row_max", {"x": X}, [max(row) for row in X], {}),
    ("scan", {"x": X}, [[fsum(row[: j + 1]) for j in range(7)] for row in X], {}),
    ("exclusive_scan", {"x": X}, [[fsum(row[:j]) for j in range(7)] for row in X], {}),
    ("softmax", {"x": X}, [[np.exp(v) / fsum(np.exp(row)) for v in row] for row in X], {}),
    (
        "layernorm",
        {"x": X, "scale": Y[0], "shift": Y[1]},
        [(row - row.mean()) / np.sqrt(row.var() + 1e-5) * Y[0] + Y[1] for row in X],
        {},
    ),
]


@pytest.mark.parametrize(("builtin", "inputs", "expected", "more"), LOOPS, ids=[row[0] for row in LOOPS])
def test_values_against_plain_loops(builtin: str, inputs: Any, expected: Any, more: Any) -> None:
    expected = np.asarray(expected)
    assert output(builtin, inputs, expected.shape, **more) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_every_builtin_is_tested_here() -> None:
    assert {row[0] for row in LOOPS} | {"gemm", "histogram", "stencil_5"} == set(BUILTINS)


def test_gemm_with_and_without_c() -> None:
    c = random(3, 5)
    tensors = {"A": tensor([3, 7]), "B": tensor([7, 5]), "C": tensor([3, 5], role="inout")}
    problem = make("gemm", tensors, scalars={"alpha": 2.0, "beta": -1.0})
    assert run(problem, A=X, B=Z, C=c).outputs["C"] == pytest.approx(2 * (X @ Z) - c)
    assert output("gemm", {"A": X, "B": Z}, (3, 5), scalars={"alpha": 2.0}) == pytest.approx(2 * (X @ Z))
    assert problem.scalars == {"alpha": 2.0, "beta": -1.0}


def test_stencil_has_zeros_around_the_grid() -> None:
    expected = np.zeros((3, 7))
    for i in range(3):
        for j in range(7):
            around = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
            expected[i, j] = fsum(X[a, b] for a, b in around if 0 <= a < 3 and 0 <= b < 7) - 4 * X[i, j]
    assert output("stencil_5", {"x": X}, (3, 7)) == pytest.approx(expected)


def test_histogram_counts_and_refuses_what_fits_no_bin() -> None:
    tensors = {"v": tensor([6], "u8"), "h": tensor([4], "u32", "output")}
    problem = make("histogram", tensors)
    reference = run(problem, v=[0, 3, 3, 1, 0, 0])
    assert reference.outputs["h"].tolist() == [3, 1, 0, 2] and reference.outputs["h"].dtype == np.uint32
    with pytest.raises(WarpgaugeError) as error:
        run(problem, v=[0, 4, 0, 0, 0, 0])
    assert error.value.diagnostics[0].code == "PRB906" and "0 to 4 do not fit 4 bins" in str(error.value)
    started = make("histogram", {"v": tensor([2], "u8"), "h": tensor([2], "u32", "inout", init="ones")})
    assert run(started, v=[1, 1]).outputs["h"].tolist() == [1, 3]


def test_strided_inputs_are_read_through_their_layout() -> None:
    tensors = {
        "A": tensor([3, 7], strides=[1, 3]),
        "B": tensor([7, 5], strides=[8, 1], offset=5),
        "C": tensor([3, 5], role="output", strides=[1, 4]),
    }
    assert run(make("matmul", tensors), A=X, B=Z).outputs["C"] == pytest.approx(X @ Z)


def test_inputs_are_taken_as_the_kernel_sees_them() -> None:
    problem = make("copy", {"x": tensor([1], "bf16"), "z": tensor([1], "f32", "output")})
    assert run(problem, x=[1.001]).outputs["z"].tolist() == [1.0]


def test_integers_are_exact_and_wrap() -> None:
    def pair(dtype: str, out: str) -> Problem:
        return make(
            "matmul", {"A": tensor([1, 2], dtype), "B": tensor([2, 1], dtype), "C": tensor([1, 1], out, "output")}
        )

    assert run(pair("i8", "i32"), A=[[127, -128]], B=[[127], [-128]]).outputs["C"].tolist() == [[127**2 + 128**2]]
    big = 2**31 - 1
    wrapped = run(pair("i32", "i32"), A=[[big, 1]], B=[[big], [5]])
    assert wrapped.outputs["C"].tolist() == [[(big * big + 5 + 2**31) % 2**32 - 2**31]]
    exact = run(pair("i64", "i64"), A=[[2**40 + 1, 1]], B=[[2**20 + 1], [0]])
    assert exact.outputs["C"].tolist() == [[(2**40 + 1) * (2**20 + 1)]]
    u64 = make("vec_add", {"x": tensor([1], "u64"), "y": tensor([1], "u64"), "z": tensor([1], "u64", "output")})
    assert run(u64, x=np.array([2**64 - 1], np.uint64), y=np.array([3], np.uint64)).outputs["z"].tolist() == [2]
    assert wrapped.bound["C"] is not None and not wrapped.bound["C"].any()


def test_a_float_result_of_an_integer_tensor_is_cut_like_a_c_cast() -> None:
    problem = make("copy", {"x": tensor([4]), "z": tensor([4], "i8", "output")})
    assert run(problem, x=[1.9, -1.9, 500.0, -500.0]).outputs["z"].tolist() == [1, -1, 127, -128]


def test_gamma() -> None:
    assert gamma(4096, U32) == 4096 * U32 / (1 - 4096 * U32)
    assert gamma(2**23, U32) == 1.0
    assert gamma(2**25, U32) == 4.0
    assert gamma(0, U32) == 0


def accumulated(n: int, magnitude: Any, value: Any, unit: float, store: float, tiny: float) -> Any:
    """The bound written a second time: gamma_n * magnitude, then the store."""
    inner = (n * unit / (1 - n * unit)) * magnitude
    return inner + store * np.abs(value) + tiny


@pytest.mark.parametrize(("dtype", "store"), [("f16", U16), ("bf16", 2.0**-8), ("f32", U32)])
def test_matmul_bound_is_gamma_times_the_product_of_magnitudes(dtype: str, store: float) -> None:
    tensors = {"A": tensor([20, 300], dtype), "B": tensor([300, 10], dtype), "C": tensor([20, 10], dtype, "output")}
    problem = make("matmul", tensors)
    inputs = make_inputs(problem, problem.dims)
    reference = compute_reference(problem, problem.dims, inputs)
    a, b = (decode(inputs[name], dtype).reshape(problem.layout(name, {}).shape) for name in "AB")
    expected = accumulated(300, np.abs(a) @ np.abs(b), a @ b, U32, store, DTYPES[dtype].smallest_subnormal)
    bound = reference.bound["C"]
    assert bound is not None
    # The rounding of the inner error itself and flush-to-zero add a little: never less, and at most 1 % more.
    assert (bound >= expected).all() and (bound <= expected * 1.01).all()


def test_bounds_of_sums_and_elementwise_operations() -> None:
    total = make("sum", {"x": tensor([1000]), "z": tensor([1], role="output")})
    x = random(1000)
    bound = run(total, x=x).bound["z"]
    assert bound == pytest.approx(accumulated(1000, np.abs(x).sum(), x.sum(), U32, U32, 0), rel=1e-4)
    add = make("vec_add", {"x": tensor([3]), "y": tensor([3]), "z": tensor([3], role="output")})
    bound = run(add, x=[1, 2, 3], y=[1, -2, 0]).bound["z"]
    assert bound == pytest.approx([U32 * 4, U32 * 4, U32 * 6], rel=1e-6)


def test_moved_values_must_arrive_exactly_where_their_type_holds_them() -> None:
    same = make("transpose", {"x": tensor([2, 2]), "z": tensor([2, 2], role="output")})
    bound = run(same, x=[[1.1, 2], [3, 4]]).bound["z"]
    assert bound is not None and not bound.any()
    narrowed = make("copy", {"x": tensor([2]), "z": tensor([2], "f16", "output")})
    assert run(narrowed, x=[1.0, 1.0001]).bound["z"] == pytest.approx([0.0, 1.0001 * U16], rel=1e-3)


def test_accumulation_type() -> None:
    def bound(dtype: str, **tolerance: Any) -> float:
        tensors = {"A": tensor([1, 64], dtype, init="ones"), "B": tensor([64, 1], dtype, init="ones")}
        problem = make("matmul", tensors | {"C": tensor([1, 1], dtype, "output")}, tolerance=tolerance)
        result = run(problem).bound["C"]
        assert result is not None
        return float(result[0, 0])

    assert bound("f64") == pytest.approx(64 * (2 * 64 + 1) * 2.0**-53, rel=1e-2)
    assert bound("f16") == pytest.approx(64 * (64 * U32 + U16), rel=1e-2)
    assert bound("f16", accumulate="f16") == pytest.approx(64 * (64 * U16 / (1 - 64 * U16) + U16), rel=0.05)
    assert bound("f32", accumulate="f16") > bound("f16", accumulate="f16") - 64 * U16


@pytest.mark.parametrize(("factors", "unit"), [("tf32", 2.0**-10), ("bf16", 2.0**-8), ("f16", 2.0**-11)])
def test_factors_that_may_be_rounded_widen_the_bound_by_what_both_lose(factors: Any, unit: float) -> None:
    tensors = {"A": tensor([1, 64], init="ones"), "B": tensor([64, 1], init="ones"), "C": tensor([1, 1], role="output")}
    narrow, wide = (
        run(make("matmul", tensors, tolerance=tolerance)).bound["C"] for tolerance in ({}, {"factors": factors})
    )
    assert narrow is not None and wide is not None
    assert wide - narrow == pytest.approx(64 * 2 * unit, rel=0.01)


def test_no_bound_where_none_can_be_derived() -> None:
    problem = make("softmax", {"x": tensor([2, 3]), "z": tensor([2, 3], role="output")})
    assert run(problem).bound["z"] is None


@pytest.mark.parametrize("variant", ["declared", "large", "cancellation"])
@pytest.mark.parametrize(("dtype", "rel_l2"), [("f16", 5e-4), ("bf16", 4e-3), ("f32", 1e-5)])
def test_a_correct_kernel_stays_within_the_bound(dtype: str, rel_l2: float, variant: Any) -> None:
    tensors = {"A": tensor([16, 512], dtype), "B": tensor([512, 16], dtype), "C": tensor([16, 16], dtype, "output")}
    problem = make("matmul", tensors)
    inputs = make_inputs(problem, problem.dims, variant=variant)
    reference = compute_reference(problem, problem.dims, inputs)
    a = decode(inputs["A"], dtype).astype(np.float32).reshape(16, 512)
    b = decode(inputs["B"], dtype).astype(np.float32).reshape(512, 16)
    c = np.zeros((16, 16), np.float32)
    dropped = np.zeros((16, 16), np.float32)
    for k in range(512):
        c += a[:, k : k + 1] * b[k : k + 1]
        if k < 480:
            dropped = c.copy()
    good = compare(problem, "C", encode(c, dtype).reshape(-1), reference)
    assert good.clean and not good.over_bound and good.worst_ratio < 1
    # Relative to a sum that cancels, even correct rounding is large: there the bound alone judges.
    assert good.rel_l2 < rel_l2 or variant == "cancellation"
    bad = compare(problem, "C", encode(dropped, dtype).reshape(-1), reference)
    assert bad.over_bound and bad.rel_l2 > rel_l2


@pytest.mark.parametrize("variant", ["declared", "cancellation"])
def test_an_f16_accumulator_over_4096_terms_is_found(variant: Any) -> None:
    tensors = {"A": tensor([8, 4096], "f16"), "B": tensor([4096, 8], "f16"), "C": tensor([8, 8], "f16", "output")}
    problem = make("matmul", tensors)
    inputs = make_inputs(problem, problem.dims, variant=variant)
    reference = compute_reference(problem, problem.dims, inputs)
    a, b = inputs["A"].reshape(8, 4096), inputs["B"].reshape(4096, 8)
    c = np.zeros((8, 8), np.float16)
    for k in range(4096):
        c = (c + a[:, k : k + 1] * b[k : k + 1]).astype(np.float16)
    result = compare(problem, "C", c.reshape(-1), reference)
    assert result.rel_l2 > 5e-4
