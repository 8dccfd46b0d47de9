"""Trials again, under permuted orders of blocks and warps: does every output keep its bits?

Which shapes: every small shape, and the cheapest judged one too where it is `CHEAP` or no small shape has a launch of
three blocks.
A shape whose natural order took more than `MOST_INSTRUCTIONS` is left out, and so is one with nothing to permute.
Under an order and its reverse each of any two blocks comes first once, and so does each of any two warps of a block.
Two such pairs are run, since a sum keeps its bits by luck now and then. No run counts anything, so that nothing but the
order differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from warpgauge.contracts import Trial
from warpgauge.contracts.case import Difference, OrderRun, Reordered
from warpgauge.problem import DTYPES, Problem
from warpgauge.problem.compare import compare
from warpgauge.problem.dtypes import Array, decode
from warpgauge.vgpu import opposed

from .givens import Given
from .trials import Bench, Planned, execute_plan, unfinished

MOST_INSTRUCTIONS = 1 << 28
"""Thread instructions of a natural run, launches together: about a second of each permuted one."""
CHEAP = 1 << 26
"""Thread instructions up to which a judged shape is repeated beside the small ones: a tenth of a second or two."""
ORDERS = (*opposed(0), *opposed(1))

Contents = Mapping[str, Array]


def chosen(planned: Sequence[Planned], trials: Sequence[Trial]) -> tuple[tuple[Planned, ...], str]:
    """The trials to repeat (see above), and why there are none; both empty where nothing can be permuted."""
    whole = [
        (p, sum(e.thread_instructions for e in t.executions))
        for p, t in zip(planned, trials, strict=True)
        if p.inputs == "declared" and not p.sampled and not p.again and t.executions and not t.missing
    ]
    if not whole:
        return (), "no shape ran whole and to its end in natural order"
    movable = [(p, cost) for p, cost in whole if max(_blocks(p), _warps(p)) > 1]
    affordable = [(p, cost) for p, cost in movable if cost <= MOST_INSTRUCTIONS]
    if not affordable:
        return (), "every shape takes too many instructions to run it again" if movable else ""
    small = [p for p, _ in affordable if p.role == "small"]
    judged = sorted(((p, cost) for p, cost in affordable if p.role == "judge"), key=lambda pair: pair[1])
    # Two partial sums give the same bits in either order, and a few often do: more blocks show more.
    if judged and (judged[0][1] <= CHEAP or not any(_blocks(p) > 2 for p in small)):
        return (*small, judged[0][0]), ""
    return tuple(small), "" if small else "no small shape is there or cheap enough, nor is a judged one"


def _blocks(planned: Planned) -> int:
    return max(x * y * z for x, y, z in (launch.grid for launch in planned.launches))


def _warps(planned: Planned) -> int:
    return max(-(-launch.threads // 32) for launch in planned.launches)


def reorder(bench: Bench, planned: Planned) -> Reordered:
    """One shape under all orders; where bits change, once more in natural order with full checking, to see who wrote
    them."""
    problem, given = bench.problem, bench.givens.of(planned.dims, planned.inputs)
    plain = replace(planned, mode="run", sampling=None)
    most = _blocks(planned), _warps(planned)
    executions, memory = execute_plan(bench, plain, given)
    if missing := unfinished(planned, executions):
        stopped = Trial(planned.role, planned.dims, planned.inputs, executions, missing=missing)
        return Reordered(planned.dims, *most, (OrderRun(stopped),))
    natural = memory.contents()
    runs, changed = [], dict[str, NDArray[np.bool_]]()
    for order in ORDERS:
        executions, memory = execute_plan(bench, plain, given, order=order)
        missing = unfinished(planned, executions)
        trial = Trial(planned.role, planned.dims, planned.inputs, executions, missing=missing, order=str(order))
        if missing:
            runs.append(OrderRun(trial))
            continue
        after = memory.contents()
        differences = tuple(_differences(problem, planned.dims, natural, after))
        runs.append(OrderRun(_compared(trial, problem, after, differences, given), differences))
        for name, flags in _changed_bytes(natural, after).items():
            changed[name] = changed[name] | flags if name in changed else flags
    outputs = {d.tensor for run in runs for d in run.differences}
    if not outputs:
        return Reordered(planned.dims, *most, tuple(runs))
    checked = replace(planned, mode="shadow", sampling=None)
    witnesses, _ = execute_plan(bench, checked, given, watch=changed)
    return Reordered(planned.dims, *most, tuple(runs), witnesses, tuple(sorted(changed.keys() - outputs)))


def _changed_bytes(natural: Contents, after: Contents) -> dict[str, NDArray[np.bool_]]:
    found = {name: natural[name].view(np.uint8) != after[name].view(np.uint8) for name in natural}
    return {name: flags for name, flags in found.items() if flags.any()}


def _differences(problem: Problem, dims: Mapping[str, int], natural: Contents, after: Contents) -> Iterator[Difference]:
    for name in (name for name, tensor in problem.tensors.items() if tensor.is_written):
        layout = problem.layout(name, dims)
        row = DTYPES[layout.dtype]
        before, now = layout.view(natural[name]), layout.view(after[name])
        differ = (np.ascontiguousarray(before).view(row.bits) != np.ascontiguousarray(now).view(row.bits)).reshape(-1)
        if not differ.any():
            continue
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(differ)), layout.shape))
        pair = np.array([before[index], now[index]])
        old, new = (f"{int(b):#0{2 + 2 * row.bytes}x}" for b in pair.view(row.bits))
        first, second = (float(v) for v in decode(pair, layout.dtype))
        yield Difference(name, int(np.count_nonzero(differ)), layout.elements, index, old, new, (first, second))


def _compared(
    trial: Trial, problem: Problem, after: Contents, differences: Sequence[Difference], given: Given
) -> Trial:
    """With the reference as well, where bits changed: another legal order must be within the tolerance too."""
    names = [d.tensor for d in differences if d.tensor in given.reference.outputs]
    return replace(trial, comparisons=tuple(compare(problem, name, after[name], given.reference) for name in names))
