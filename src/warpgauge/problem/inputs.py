"""The buffers that a run starts from: declared inputs, and the harder variants of them for the numerics contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from .builtin import BUILTINS
from .dtypes import DTYPES, Array, encode, poison
from .fill import contents, stored, tensor_seed
from .model import Problem, operands
from .variants import ARRANGEMENTS, LARGEST_DRAW, large_scale

Variant = Literal["declared", "large", "cancellation"]
_STREAM: dict[str, int] = {"large": 1, "cancellation": 2}


def _replaceable(problem: Problem, name: str) -> bool:
    """Only a plain distribution of a float tensor may be redrawn; a range, a file or zeros belong to the problem."""
    tensor = problem.tensors[name]
    init = tensor.effective_init
    return DTYPES[tensor.dtype].is_float and init.kind in ("normal", "uniform") and init.low is None


def variants(problem: Problem) -> tuple[Variant, ...]:
    """The kinds of inputs that make sense for this problem, "declared" first."""
    found: list[Variant] = ["declared"]
    names = operands(problem)
    if any(_replaceable(problem, name) for name in names):
        found.append("large")
    row = BUILTINS[problem.reference.builtin] if problem.reference and problem.reference.builtin else None
    if row and row.cancel and all(_replaceable(problem, name) for name in names[: row.arranged]):
        found.append("cancellation")
    return tuple(found)


def make_inputs(
    problem: Problem, dims: Mapping[str, int], *, seed: int = 0, variant: Variant = "declared"
) -> dict[str, Array]:
    """Buffers for the tensors that a candidate reads: name -> 1-D array of the whole storage.

    Elements stand where the layout says; gaps hold `filler`. Equal arguments give equal bytes. `large`: N(0, 1) scaled
    so that outputs come near the largest value of their type. `cancellation`: values in pairs that nearly cancel in the
    sums of the builtin reference. Both redraw only what is a plain distribution. Raises ValueError for a variant that
    `variants` does not list, WarpgaugeError PRB906 or PRB907 for a file or a function that fails.
    """
    if variant not in variants(problem):
        raise ValueError(f"problem {problem.name} has no {variant} inputs")
    elements = {name: _elements(problem, name, dims, seed, variant) for name in operands(problem)}
    if variant == "cancellation":
        _arrange(problem, elements, seed)
    result = {}
    for name, values in elements.items():
        layout = problem.layout(name, dims)
        redrawn = variant != "declared" and _replaceable(problem, name)
        result[name] = stored(encode(values, layout.dtype) if redrawn else values, layout)
    return result


def _elements(problem: Problem, name: str, dims: Mapping[str, int], seed: int, variant: Variant) -> Array:
    """float64 values where a variant redraws the tensor, storage elements of the declared init otherwise."""
    layout = problem.layout(name, dims)
    source = tensor_seed(name, seed)
    if variant == "declared" or not _replaceable(problem, name):
        init, where = problem.tensors[name].effective_init, problem.place("tensors", name, "init")
        return contents(init, layout, dims=dims, seed=source, folder=problem.folder, where=where)
    rng = np.random.default_rng([*source, _STREAM[variant]])
    values = np.clip(rng.standard_normal(layout.shape), -LARGEST_DRAW, LARGEST_DRAW)
    return values * large_scale(problem, dims) if variant == "large" else values


def _arrange(problem: Problem, elements: dict[str, Array], seed: int) -> None:
    assert problem.reference and problem.reference.builtin
    row = BUILTINS[problem.reference.builtin]
    names = operands(problem)[: row.arranged]
    rng = np.random.default_rng([seed, _STREAM["cancellation"]])
    arranged = ARRANGEMENTS[row.cancel]([elements[name] for name in names], problem.scalars, rng)
    elements.update(zip(names, arranged, strict=True))


def poisoned_outputs(problem: Problem, dims: Mapping[str, int]) -> dict[str, Array]:
    """Buffers for the tensors that are only written: poison everywhere, so that a missing write shows."""
    written = (name for name, tensor in problem.tensors.items() if not tensor.is_read)
    return {name: poison(problem.tensors[name].dtype, problem.layout(name, dims).size) for name in written}
