"""Why outputs are wrong: would they be right if one tensor lay in memory otherwise than declared?

Each layout of `other_layouts` is tried. For a tensor that is read, the reference is computed again from what the kernel
would have read; for one that is written, the produced buffer is looked at again. It is the outputs that decide, by the
same bounds as the contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from warpgauge.contracts import Trial
from warpgauge.contracts.case import LayoutClue
from warpgauge.contracts.numerics import is_decided, is_wrong
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.problem import Problem
from warpgauge.problem.dtypes import Array
from warpgauge.problem.reference import compute_reference
from warpgauge.problem.taken import Taken, as_taken, other_layouts, with_filled_gaps

from .givens import Given
from .trials import Bench, Planned, compared, execute_plan, unfinished

Access = Literal["read", "written", "read and written"]

MOST_ELEMENTS = 1 << 22
"""In all tensors together: beyond, computing a reference for every guess would take longer than the check itself."""
MOST_INPUTS = 3
MOST_TRIALS = 2
"""A second shape is asked where the smallest leaves several guesses, as a square one can."""


@dataclass(frozen=True)
class _Guess:
    """The kernel takes a tensor in the layout of this name; layouts have the same names on every shape."""

    tensor: str
    access: Access
    words: str


def _guesses(problem: Problem, dims: Mapping[str, int]) -> Iterator[tuple[_Guess, Taken]]:
    read = [name for name, tensor in problem.tensors.items() if tensor.is_read]
    for name, tensor in problem.tensors.items():
        accesses: list[Access] = ["read"] if tensor.is_read and len(read) <= MOST_INPUTS else []
        if tensor.is_written:
            accesses += ["written", "read and written"] if accesses else ["written"]
        for taken in other_layouts(problem, name, dims):
            for access in accesses:
                yield _Guess(name, access, taken.words), taken


def _explains(
    problem: Problem, trial: Trial, given: Given, outputs: Mapping[str, Array], guess: _Guess, taken: Taken
) -> bool:
    """Whether the outputs are right if the guess is."""
    reference = given.reference
    if guess.access != "written":
        inputs = {**given.inputs, guess.tensor: as_taken(given.inputs[guess.tensor], taken)}
        try:
            reference = compute_reference(problem, trial.dims, inputs)
        except WarpgaugeError:
            # A reference may refuse what the declared inputs never are.
            return False
    if guess.access != "read":
        outputs = {**outputs, guess.tensor: as_taken(outputs[guess.tensor], taken)}
    limit = problem.tolerance.rel_l2
    return all(
        is_decided(trial, comparison, limit) and not is_wrong(trial, comparison, limit)
        for comparison in compared(problem, reference, outputs.__getitem__)
    )


def _produced(bench: Bench, planned: Planned, given: Given) -> dict[str, Array]:
    """What the candidate leaves in its outputs; empty if it does not run to its end this time."""
    unchecked = replace(planned, mode="run")
    executions, memory = execute_plan(bench, unchecked, given)
    if unfinished(unchecked, executions):
        return {}
    return {name: memory.read(name) for name in given.reference.outputs}


def _traceable(problem: Problem, dims: Mapping[str, int], given: Given) -> Given:
    """The same inputs, except that gaps between elements hold values that can be told apart."""
    inputs = {name: with_filled_gaps(array, problem.layout(name, dims)) for name, array in given.inputs.items()}
    return Given(inputs, given.reference)


def _elements(problem: Problem, dims: Mapping[str, int]) -> int:
    return sum(problem.layout(name, dims).size for name in problem.tensors)


def layout_clue(bench: Bench, trials: Sequence[tuple[Planned, Trial]]) -> LayoutClue | None:
    """The one layout that explains the wrong outputs of the smallest failing shapes; None if none does, or several do.

    Only declared inputs are looked at. The candidate is executed once more on each shape that is tried, unchecked.
    """
    problem, limit = bench.problem, bench.problem.tolerance.rel_l2
    failing = [
        (planned, trial)
        for planned, trial in trials
        if trial.inputs == "declared"
        and not trial.sampled
        and not trial.again
        and any(is_wrong(trial, comparison, limit) for comparison in trial.comparisons)
        and _elements(problem, trial.dims) <= MOST_ELEMENTS
    ]
    failing.sort(key=lambda pair: _elements(problem, pair[1].dims))
    left: dict[_Guess, tuple[Trial, Taken]] | None = None
    for planned, trial in failing[:MOST_TRIALS]:
        given = _traceable(problem, trial.dims, bench.givens.of(trial.dims, trial.inputs))
        outputs = _produced(bench, planned, given)
        explaining = {
            guess: (trial, taken)
            for guess, taken in (_guesses(problem, trial.dims) if outputs else ())
            if (left is None or guess in left) and _explains(problem, trial, given, outputs, guess, taken)
        }
        left = explaining if left is None else {guess: left[guess] for guess in explaining}
        if len(left) <= 1:
            break
    if left is None or len(left) != 1:
        return None
    ((guess, (trial, taken)),) = left.items()
    declared, other = taken.declared, taken.layout
    return LayoutClue(
        guess.tensor,
        guess.access,
        guess.words,
        trial.dims,
        declared.shape,
        declared.strides,
        declared.offset,
        other.strides,
        other.offset,
    )
