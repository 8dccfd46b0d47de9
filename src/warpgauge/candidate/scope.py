"""What the expressions of a candidate can name, for one shape of a problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from warpgauge.arch import CHIPS, Chip
from warpgauge.problem.expr import evaluate, names_in
from warpgauge.problem.layout import Layout, row_major
from warpgauge.problem.model import Problem
from warpgauge.problem.place import fail, near

from .model import Candidate
from .room import check_buffer


@dataclass(frozen=True)
class Scope:
    """What the expressions and arguments of one candidate can name, for one shape of a problem."""

    candidate: Candidate
    problem: Problem
    names: Mapping[str, int]

    def number(self, value: int | str, *key: str | int) -> int:
        where = self.candidate.place(*key)
        for name in names_in(value, where=where) - self.names.keys():
            if name == "num_sms":
                help = f"set chip in [problem] to one of {', '.join(CHIPS)}"
                raise fail("PRB902", f'expression "{value}": num_sms is not known without a chip', where, help=help)
            if name == "blocks_per_sm":
                raise fail("PRB902", f'expression "{value}": blocks_per_sm is not known before the build', where)
        return evaluate(value, self.names, where=where)

    def numbers(self, values: tuple[int | str, ...], *key: str | int) -> tuple[int, ...]:
        return tuple(self.number(value, *key, index) for index, value in enumerate(values))


def scope(
    candidate: Candidate,
    problem: Problem,
    dims: Mapping[str, int],
    *,
    chip: Chip | None = None,
    blocks_per_sm: int | None = None,
) -> Scope:
    """The names for one shape: dimensions, integer defines and, where known, `num_sms` and `blocks_per_sm`.

    PRB901 where the candidate uses a name of the problem for something else, or the problem's chip is not known.
    """
    defines = candidate.defines
    for name in defines.keys() & dims.keys():
        if defines[name] != dims[name]:
            message = f"the define {name} = {defines[name]!r} is not the dimension {name} = {dims[name]}"
            raise fail("PRB901", message, candidate.place("candidate", "defines", name))
    taken = {**dict.fromkeys(problem.tensors, "tensor"), **dict.fromkeys(problem.scalars, "scalar")}
    own = (("workspace", candidate.workspace), ("tensor_maps", candidate.tensor_maps))
    for table, keys in (*own, ("candidate.defines", defines)):
        for name in keys:
            kind = taken.get(name) or ("dimension" if name in dims and table != "candidate.defines" else "")
            if kind:
                where = candidate.place(*table.split("."), name)
                raise fail("PRB901", f'"{name}" is already a {kind} of the problem', where)
    if chip is None and problem.problem.chip is not None:
        if problem.problem.chip not in CHIPS:
            help = near(problem.problem.chip, CHIPS)
            raise fail("PRB901", f'unknown chip "{problem.problem.chip}"', problem.place("problem", "chip"), help=help)
        chip = CHIPS[problem.problem.chip]
    known = {"num_sms": chip.sms if chip else None, "blocks_per_sm": blocks_per_sm}
    machine = {name: value for name, value in known.items() if value is not None}
    return Scope(candidate, problem, {**candidate.numbers, **dims, **machine})


def workspace_layout(names: Scope, name: str) -> Layout:
    """The dense layout of a workspace; PRB901 for a negative extent, PRB904 for a size that no device has."""
    table = names.candidate.workspace[name]
    where = names.candidate.place("workspace", name, "shape")
    shape = names.numbers(table.shape, "workspace", name, "shape")
    if shape and min(shape) < 0:
        raise fail("PRB901", f"negative extent in {list(shape)}", where)
    layout = Layout(table.dtype, shape, row_major(shape), 0, prod(shape))
    check_buffer(layout, where)
    return layout
