"""A note where a problem is what tensor cores are for, and the machine code has no instruction for them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from warpgauge.arch import LAUNCH_COST
from warpgauge.diagnostics import Diagnostic
from warpgauge.evidence import Parallelism
from warpgauge.problem import Problem

from .launch_facts import named_chip

_HALVES = ("f16", "bf16")


def without_tensor_cores(problem: Problem, parallelism: Mapping[str, Parallelism]) -> list[Diagnostic]:
    """UTL402 for a matrix product of halves, as the problem states it, that no kernel of the plan computes by tensor
    instructions; `parallelism` by entry, as machine code shows it.

    Only where the chip is known and its plain multiply-adds would need longer than a launch costs: below that, tensor
    cores gain nothing that shows.
    """
    chip = named_chip(problem)
    read = [tensor for tensor in problem.tensors.values() if tensor.is_read]
    builtin = problem.reference.builtin if problem.reference else None
    asked = builtin == "matmul" and all(tensor.dtype in _HALVES for tensor in read)
    if not asked or chip is None or not parallelism or any(facts.tensor for facts in parallelism.values()):
        return []
    flops = max(_operations(problem, dims) for dims in problem.dims_of("judge"))
    plain, tensor = flops / chip.fp32_flops, flops / chip.tensor_flops
    if plain <= LAUNCH_COST:
        return []
    names = ", ".join(parallelism)
    message = (
        f"{names}: the problem is a product of halves and the machine code has no tensor instruction; {chip.name} "
        f"multiplies halves {plain / tensor:.3g} times as fast in its tensor cores (peak rates)"
    )
    help = "use mma.sync with ldmatrix, or the wmma interface; both keep f32 sums"
    evidence = {"entries": list(parallelism), "plain_seconds": plain, "tensor_seconds": tensor}
    return [Diagnostic("UTL402", "note", message, None, (), help, evidence)]


def _operations(problem: Problem, dims: Mapping[str, int]) -> int:
    """Multiplications and additions: two for each element of the product and each of the summed extent."""
    shapes = {name: problem.layout(name, dims).shape for name in problem.tensors}
    left = next(name for name, tensor in problem.tensors.items() if tensor.is_read)
    product = next(name for name, tensor in problem.tensors.items() if tensor.is_written)
    return 2 * prod(shapes[product]) * shapes[left][-1]
