"""What a candidate is given: inputs and expected outputs per shape and kind of inputs, computed beside its build."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock, Thread

from warpgauge.contracts.case import Inputs
from warpgauge.problem import Problem
from warpgauge.problem.dtypes import Array
from warpgauge.problem.inputs import make_inputs
from warpgauge.problem.reference import Reference, compute_reference

_log = logging.getLogger("warpgauge.evaluate")
_Key = tuple[tuple[tuple[str, int], ...], Inputs]


@dataclass(frozen=True)
class Given:
    """Buffers that the candidate reads, and the outputs that are expected for them."""

    inputs: Mapping[str, Array]
    reference: Reference


class Givens:
    """The givens of one problem under one seed. Any thread may ask; each is computed once.

    As a context it ends what `prepare` has started: at the next thing to compute, not at once.
    """

    def __init__(self, problem: Problem, seed: int = 0) -> None:
        self.problem, self.seed = problem, seed
        self._lock = Lock()
        self._known: dict[_Key, Given] = {}
        self._ended = False

    def __enter__(self) -> Givens:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True

    def of(self, dims: Mapping[str, int], inputs: Inputs) -> Given:
        """WarpgaugeError PRB906 or PRB907 where an input or the reference cannot be made."""
        key = (tuple(dims.items()), inputs)
        if key in self._known:
            return self._known[key]
        with self._lock:
            if key not in self._known:
                buffers = make_inputs(self.problem, dims, seed=self.seed, variant=inputs)
                self._known[key] = Given(buffers, compute_reference(self.problem, dims, buffers))
            return self._known[key]

    def prepare(self, wanted: Sequence[tuple[Mapping[str, int], Inputs]]) -> None:
        """Starts computing these, in this order, while the caller does something else."""

        def work() -> None:
            try:
                for dims, inputs in wanted:
                    if not self._ended:
                        self.of(dims, inputs)
            except Exception as error:
                # Whoever asks for it meets the same error, at a place where it can be told.
                _log.debug("inputs or reference not prepared: %s", error)

        Thread(target=work, daemon=True).start()
