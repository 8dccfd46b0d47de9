"""What the outputs should be, in float64, and how far each element may be from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .builtin import BUILTINS
from .builtin_record import Derived
from .dtypes import DTYPES, Array, DType, decode, encode
from .model import Problem, operands
from .place import fail
from .python_function import DEFAULT_TIMEOUT, call_python


@dataclass(frozen=True)
class Reference:
    """Expected outputs for one shape and one set of inputs.

    `outputs`: name -> array of the logical shape; float64 for float tensors, the tensor's own integer type otherwise.
    `bound`: name -> largest allowed absolute error per element (0 for integers), None where none can be derived.
    """

    dims: Mapping[str, int]
    outputs: Mapping[str, Array]
    bound: Mapping[str, Array | None]


def gamma(roundings: int, unit: float) -> float:
    """n u / (1 - n u), the usual factor for n roundings (Higham, chapter 3).

    Beyond n u = 1/2 it goes on as 2 n u: n u alone bounds sums and dot products for every n (Jeannerod and Rump, 2013).
    """
    product = roundings * unit
    return product / (1 - product) if product < 0.5 else 2 * product


def accumulation_type(problem: Problem) -> DType:
    """The type that sums are kept in: as the tolerance says, otherwise f64 where an operand is f64, f32 elsewhere."""
    if problem.tolerance.accumulate:
        return DTYPES[problem.tolerance.accumulate]
    wide = any(problem.tensors[name].dtype == "f64" for name in operands(problem))
    return DTYPES["f64" if wide else "f32"]


#: Largest relative error of an input that becomes a factor of this type; what is cut for tf32 instead of rounded, as
#: tensor cores do with the low bits of f32, loses up to twice as much.
_FACTOR_ERRORS = {"tf32": 2.0**-10, "bf16": DTYPES["bf16"].unit_roundoff, "f16": DTYPES["f16"].unit_roundoff}


def error_bound(
    derived: Derived, output: DType, sums: DType, inputs: Sequence[DType], factors: str | None = None
) -> Array | None:
    """Largest absolute error of each float element; None where the builtin gives no magnitude.

    gamma(n) * magnitude for the roundings of the accumulation type (and, in float64, of the reference itself); the
    same for both `factors` of a product where they are rounded to a narrower type first; what
    each rounding can lose to underflow (all below the smallest normal number for f32, which may be flushed to zero);
    half a unit in the last place and one smallest subnormal for storing the output. A value that is only moved must
    arrive exactly where its type holds it.
    """
    if derived.magnitude is None:
        return None
    size = np.abs(derived.value)
    if output.saturates:
        size = np.minimum(size, output.largest)
    if derived.roundings == 0:
        exact = decode(encode(derived.value, output.name), output.name) == derived.value
        return np.where(exact, 0.0, output.unit_roundoff * size + output.smallest_subnormal)
    narrowed = any(row.precision > sums.precision for row in inputs if row.is_float)
    roundings = derived.roundings + 2 * narrowed
    factor = gamma(roundings, sums.unit_roundoff) + gamma(roundings, DTYPES["f64"].unit_roundoff)
    if factors:
        factor += gamma(2, _FACTOR_ERRORS[factors])
    bound = derived.magnitude * factor
    bound += roundings * (sums.smallest_normal if sums.name == "f32" else sums.smallest_subnormal)
    bound *= 1 + output.unit_roundoff
    bound += output.unit_roundoff * size
    bound += output.smallest_subnormal
    return bound


def _operand_arrays(problem: Problem, dims: Mapping[str, int], inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Logical arrays to compute with: float64 for floats; int64 for integers, uint64 where one of them is u64."""
    names = operands(problem)
    wide = np.uint64 if any(problem.tensors[name].dtype == "u64" for name in names) else np.int64
    arrays = {}
    for name in names:
        layout = problem.layout(name, dims)
        view = layout.view(inputs[name])
        row = DTYPES[layout.dtype]
        if row.is_float:
            arrays[name] = decode(view, layout.dtype)
        else:
            arrays[name] = (view != 0).astype(wide) if row.kind == "bool" else view.astype(wide)
    return arrays


def _as_output(value: Array, row: DType) -> Array:
    """A result in the form that `Reference` holds: a float result of an integer tensor is cut, as a C cast does."""
    if row.is_float:
        return np.ascontiguousarray(value, np.float64)
    return encode(np.trunc(value) if value.dtype.kind == "f" else value, row.name)


def compute_reference(
    problem: Problem, dims: Mapping[str, int], inputs: Mapping[str, Array], *, timeout: float = DEFAULT_TIMEOUT
) -> Reference:
    """The expected outputs for buffers as `make_inputs` gives them, taken as the kernel sees them (rounded to type).

    A Python reference runs in a child process and gets what its parameters name: tensors as arrays (float64, or
    integers), dimensions and scalars; it returns one array or a dictionary of them. A problem without a reference
    has no outputs here. WarpgaugeError PRB906 where the computation fails, PRB907 where its file is missing.
    """
    if problem.reference is None:
        return Reference(dict(dims), {}, {})
    arrays = _operand_arrays(problem, dims, inputs)
    if problem.reference.python is not None:
        return _from_python(problem, problem.reference.python, dims, arrays, timeout)
    name = next(name for name, tensor in problem.tensors.items() if tensor.is_written)
    layout = problem.layout(name, dims)
    row, builtin = DTYPES[layout.dtype], BUILTINS[str(problem.reference.builtin)]
    with np.errstate(all="ignore"):
        try:
            derived = builtin.compute(list(arrays.values()), layout.shape, problem.scalars)
        except ValueError as error:
            raise fail("PRB906", f"{builtin.name}: {error}", problem.place("reference", "builtin")) from None
        value = _as_output(derived.value, row)
        if not row.is_float:
            return Reference(dict(dims), {name: value}, {name: np.broadcast_to(0.0, layout.shape)})
        magnitude = None if derived.magnitude is None else derived.magnitude.astype(np.float64)
        inputs_rows = [DTYPES[problem.tensors[operand].dtype] for operand in operands(problem)]
        derived = Derived(value, magnitude, derived.roundings)
        bound = error_bound(derived, row, accumulation_type(problem), inputs_rows, problem.tolerance.factors)
    return Reference(dict(dims), {name: value}, {name: bound})


def _from_python(
    problem: Problem, source: str, dims: Mapping[str, int], arrays: Mapping[str, Array], timeout: float
) -> Reference:
    where = problem.place("reference", "python")
    results = call_python(source, problem.folder, arrays, {**dims, **problem.scalars}, where=where, timeout=timeout)
    written = [name for name, tensor in problem.tensors.items() if tensor.is_written]
    if set(results) == {""} and len(written) == 1:
        results = {written[0]: results[""]}
    if set(results) != set(written):
        given = ", ".join(sorted(results)) if "" not in results else "one unnamed array"
        raise fail("PRB906", f"{source} returned {given or 'nothing'}; {', '.join(written)} needed", where)
    outputs: dict[str, Array] = {}
    bound: dict[str, Array | None] = {}
    for name in written:
        layout = problem.layout(name, dims)
        value = results[name]
        if value.shape != layout.shape:
            message = f"{source} returned {name} with the shape {list(value.shape)}, not {list(layout.shape)}"
            raise fail("PRB906", message, where)
        floats = DTYPES[layout.dtype].is_float
        outputs[name] = _as_output(value, DTYPES[layout.dtype])
        bound[name] = None if floats else np.broadcast_to(0.0, layout.shape)
    return Reference(dict(dims), outputs, bound)
