"""What buffers hold before a run: declared inputs, large and cancelling ones, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warpgauge.diagnostics import WarpgaugeError
from warpgauge.problem import (
    DTYPES,
    Problem,
    compute_reference,
    decode,
    is_poison,
    load_problem,
    make_inputs,
    poisoned_outputs,
    variants,
)


def tensor(shape: list[Any], dtype: str = "f32", role: str = "input", **more: Any) -> dict[str, Any]:
    return {"shape": shape, "dtype": dtype, "role": role, **more}


def make(tensors: dict[str, Any], dims: dict[str, int], builtin: str | None = None, **more: Any) -> Problem:
    reference = {"reference": {"builtin": builtin}} if builtin else {}
    return Problem(problem={"name": "p", "arch": "sm_90"}, dims=dims, tensors=tensors, **reference, **more)


def matmul(dtype: str, m: int = 32, n: int = 24, k: int = 100) -> Problem:
    tensors = {"A": tensor(["M", "K"], dtype), "B": tensor(["K", "N"], dtype), "C": tensor(["M", "N"], dtype, "output")}
    return make(tensors, {"M": m, "N": n, "K": k}, "matmul")


def values(problem: Problem, name: str, **more: Any) -> np.ndarray:
    buffer = make_inputs(problem, problem.dims, **more)[name]
    return decode(problem.layout(name, problem.dims).view(buffer), problem.tensors[name].dtype)


def test_plain_inits() -> None:
    inits = ("zeros", "ones", "arange", "normal", "uniform")
    problem = make({init: tensor([4, 500], init=init) for init in inits}, {"n": 1})
    assert not values(problem, "zeros").any()
    assert (values(problem, "ones") == 1).all()
    assert values(problem, "arange").reshape(-1).tolist() == list(range(2000))
    normal, uniform = values(problem, "normal"), values(problem, "uniform")
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1
    assert uniform.min() >= 0 and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.03


def test_integer_inits_and_ranges() -> None:
    tensors = {
        "wrapped": tensor([300], "u8", init="arange"),
        "bins": tensor([5000], "i32", init={"uniform": [0, "n"]}),
        "plain": tensor([5000], "u8"),
        "flags": tensor([500], "bool"),
        "signed": tensor([5000], "i16", init="normal"),
        "range": tensor([500], "f32", init={"uniform": [-2, 3]}),
    }
    problem = make(tensors, {"n": 10})
    assert values(problem, "wrapped").tolist() == [i % 256 for i in range(300)]
    assert set(values(problem, "bins")) == set(range(10))
    assert set(values(problem, "plain")) == set(range(128))
    assert set(values(problem, "flags")) == {0, 1}
    assert values(problem, "signed").std() == pytest.approx(16, rel=0.1)
    assert -2 <= values(problem, "range").min() < -1.5 and 2.5 < values(problem, "range").max() < 3
    with pytest.raises(WarpgaugeError) as error:
        make_inputs(make({"x": tensor([4], init={"uniform": ["n", 10]})}, {"n": 10}), {"n": 10})
    assert "tensors.x.init" in error.value.diagnostics[0].message


def test_equal_seeds_give_equal_bytes_and_tensors_differ() -> None:
    problem = matmul("f16")
    first, again = (make_inputs(problem, problem.dims) for _ in range(2))
    other = make_inputs(problem, problem.dims, seed=1)
    assert all(first[name].tobytes() == again[name].tobytes() for name in "AB")
    assert first["A"].tobytes() != other["A"].tobytes()
    assert first["A"][:100].tobytes() != first["B"][:100].tobytes()
    alone = make({"A": tensor(["M", "K"], "f16"), "B": tensor(["K", "N"], "f16", "inout")}, dict(problem.dims))
    assert make_inputs(alone, alone.dims)["A"].tobytes() == first["A"].tobytes()


def test_storage_has_gaps_of_nan_around_strided_elements() -> None:
    problem = make({"x": tensor([3, 4], strides=[6, 1], offset=2, size=30, init="ones")}, {"n": 1})
    buffer = make_inputs(problem, problem.dims)["x"]
    written = {2 + 6 * i + j for i in range(3) for j in range(4)}
    assert buffer.dtype == np.float32 and buffer.shape == (30,)
    assert {i for i in range(30) if not np.isnan(buffer[i])} == written
    assert not is_poison(buffer, "f32").any()
    assert all(buffer[i] == 1 for i in written)


def test_only_read_tensors_are_inputs_and_only_written_ones_are_poisoned() -> None:
    tensors = {"a": tensor([4]), "b": tensor([4], role="inout"), "c": tensor([4], "bf16", role="output", size=9)}
    problem = make(tensors, {"n": 1})
    assert set(make_inputs(problem, problem.dims)) == {"a", "b"}
    outputs = poisoned_outputs(problem, problem.dims)
    assert set(outputs) == {"c"} and outputs["c"].shape == (9,) and is_poison(outputs["c"], "bf16").all()


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "e4m3", "e5m2"])
@pytest.mark.parametrize("k", [4, 100, 3000])
def test_large_inputs_are_large_and_nothing_overflows(dtype: str, k: int) -> None:
    problem = matmul(dtype, k=k)
    inputs = make_inputs(problem, problem.dims, variant="large")
    output = np.abs(compute_reference(problem, problem.dims, inputs).outputs["C"])
    largest = DTYPES[dtype].largest
    assert np.isfinite(output).all() and output.max() < largest
    assert np.abs(values(problem, "A", variant="large")).max() <= largest / 2
    assert output.max() > (largest / 1000 if dtype in ("f16", "e4m3", "e5m2") else largest**0.9)


def test_large_outputs_of_sums_and_elementwise_stay_finite() -> None:
    for builtin, out in (("sum", [1]), ("vec_mul", ["n"]), ("scan", ["n"]), ("copy", ["n"]), ("softmax", ["n"])):
        names = ("x", "y") if builtin == "vec_mul" else ("x",)
        problem = make({n: tensor(["n"]) for n in names} | {"z": tensor(out, role="output")}, {"n": 5000}, builtin)
        reference = compute_reference(problem, problem.dims, make_inputs(problem, problem.dims, variant="large"))
        assert np.isfinite(reference.outputs["z"].astype(np.float32)).all(), builtin


@pytest.mark.parametrize(
    ("builtin", "operands", "output"),
    [
        ("matmul", {"A": [64, 500], "B": [500, 32]}, [64, 32]),
        ("matvec", {"A": [64, 500], "x": [500]}, [64]),
        ("dot", {"x": [4001], "y": [4001]}, [1]),
        ("sum", {"x": [10, 401]}, []),
        ("row_sum", {"x": [10, 401]}, [10]),
        ("vec_add", {"x": [300], "y": [300]}, [300]),
        ("stencil_5", {"x": [40, 50]}, [40, 50]),
    ],
)
def test_cancelling_inputs_cancel(builtin: str, operands: dict[str, list[int]], output: list[int]) -> None:
    tensors = {name: tensor(shape) for name, shape in operands.items()} | {"z": tensor(output, role="output")}
    problem = make(tensors, {"n": 1}, builtin)
    assert variants(problem) == ("declared", "large", "cancellation")

    def remaining(variant: Any) -> float:
        """Size of the results beside the sizes of their terms, read back from the bound's gamma * magnitude."""
        inputs = make_inputs(problem, problem.dims, variant=variant)
        reference = compute_reference(problem, problem.dims, inputs)
        bound = reference.bound["z"]
        assert bound is not None
        return float(np.abs(reference.outputs["z"]).sum() / bound.sum())

    assert remaining("cancellation") < remaining("declared") / 4
    assert not np.array_equal(values(problem, next(iter(operands)), variant="cancellation"), 0)


def test_variants_leave_alone_what_belongs_to_the_problem() -> None:
    tensors = {"x": tensor(["n"], init={"uniform": [1, 2]}), "y": tensor(["n"]), "z": tensor(["n"], role="output")}
    problem = make(tensors, {"n": 50}, "vec_add")
    assert variants(problem) == ("declared", "large")
    large = make_inputs(problem, problem.dims, variant="large")
    assert large["x"].min() >= 1 and large["x"].max() < 2 and np.abs(large["y"]).max() > 1e30
    with pytest.raises(ValueError, match="no cancellation inputs"):
        make_inputs(problem, problem.dims, variant="cancellation")
    integers = make({"x": tensor(["n"], "i32"), "z": tensor(["n"], "i32", "output")}, {"n": 5}, "copy")
    assert variants(integers) == ("declared",)


def test_npy_files(tmp_path: Path) -> None:
    def text(dtype: str, shape: str = "[2, 3]") -> str:
        x = f'x = {{ shape = {shape}, dtype = "{dtype}", role = "input", init = {{ file = "x.npy" }} }}'
        return f'[problem]\nname = "p"\narch = "sm_90"\n[dims]\nn = 1\n[tensors]\n{x}\n'

    def load(content: str) -> Problem:
        (tmp_path / "problem.toml").write_text(content)
        return load_problem(tmp_path)

    def code(problem: Problem) -> str:
        with pytest.raises(WarpgaugeError) as error:
            make_inputs(problem, problem.dims)
        [diagnostic] = error.value.diagnostics
        assert diagnostic.primary is not None and diagnostic.primary.location.line == 7
        assert "x.npy" in diagnostic.message and diagnostic.message.startswith("tensors.x.init")
        return diagnostic.code

    assert code(load(text("f32"))) == "PRB907"
    array = np.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "x.npy", array)
    assert make_inputs(load(text("f32")), {"n": 1})["x"].tolist() == [0, 1, 2, 3, 4, 5]
    assert decode(make_inputs(load(text("bf16")), {"n": 1})["x"], "bf16").tolist() == [0, 1, 2, 3, 4, 5]
    assert code(load(text("f32", "[3, 2]"))) == "PRB906"
    np.save(tmp_path / "x.npy", np.full((2, 3), 0x3F80, np.uint16))
    assert decode(make_inputs(load(text("bf16")), {"n": 1})["x"], "bf16").tolist() == [1] * 6
    np.save(tmp_path / "x.npy", np.array([["a"]]))
    assert code(load(text("f32"))) == "PRB906"
    np.save(tmp_path / "x.npy", np.array([{}]), allow_pickle=True)
    assert code(load(text("f32"))) == "PRB906"
    (tmp_path / "x.npy").write_text("not an array")
    assert code(load(text("f32"))) == "PRB906"
