"""What a problem gives every candidate: inputs and expected outputs per shape and kind of inputs, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from warpgauge.contracts.case import Inputs
from warpgauge.problem import Problem
from warpgauge.problem.dtypes import Array
from warpgauge.problem.inputs import make_inputs
from warpgauge.problem.reference import Reference, compute_reference

_Key = tuple[tuple[tuple[str, int], ...], Inputs]


@dataclass(frozen=True)
class Given:
    """Buffers that the candidate reads, and the outputs that are expected for them."""

    inputs: Mapping[str, Array]
    reference: Reference


class Givens:
    """The givens of one problem, shared by its candidates (and their threads)."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._lock = Lock()
        self._known: dict[_Key, Given] = {}

    def of(self, dims: Mapping[str, int], inputs: Inputs) -> Given:
        """WarpgaugeError PRB906 or PRB907 where an input or the reference cannot be made."""
        key = (tuple(dims.items()), inputs)
        with self._lock:
            if key not in self._known:
                buffers = make_inputs(self.problem, dims, variant=inputs)
                self._known[key] = Given(buffers, compute_reference(self.problem, dims, buffers))
            return self._known[key]
