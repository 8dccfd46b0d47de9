"""A launch plan with every expression evaluated for one shape of a problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import prod

from warpgauge.arch import Chip
from warpgauge.problem.expr import holds, names_in
from warpgauge.problem.model import Problem
from warpgauge.problem.place import Place, fail, near

from .arguments import Arg, Argument, BufferArg, BytesArg, NullArg, ScalarArg, TensorMapArg, out_of_range
from .launch_limits import Index3, arch_limits, check_launch
from .model import Candidate, Launch
from .scope import Scope, scope, workspace_layout
from .tensor_map import PlannedTensorMap, planned_map

_IDENTIFIER = re.compile(r"(?<![\w:.])[A-Za-z_]\w*(?!\w|\s*::)")


@dataclass(frozen=True)
class PlannedLaunch:
    """One launch with plain numbers. `index` is its position in the file, `place` where the file has it."""

    index: int
    entry: str
    grid: Index3
    block: Index3
    args: tuple[Arg, ...]
    cluster: Index3 = (1, 1, 1)
    cooperative: bool = False
    dynamic_shared: int = 0
    place: Place = field(default=Place("launch"), compare=False)

    @property
    def blocks(self) -> int:
        return prod(self.grid)

    @property
    def threads(self) -> int:
        return prod(self.block)


def plan(
    candidate: Candidate,
    problem: Problem,
    dims: Mapping[str, int],
    *,
    chip: Chip | None = None,
    blocks_per_sm: int | None = None,
    arch: str | None = None,
) -> tuple[PlannedLaunch, ...]:
    """The launches that apply to `dims`, in order, checked against the limits of `arch` (default: the problem's).

    `chip` gives `num_sms` (default: the problem's chip), `blocks_per_sm` the occupancy that a build found.
    WarpgaugeError: PRB901 for a name that nothing has, PRB902 for an expression, PRB904 for what does not fit the
    device, for a constraint that the defines break and for a shape that no launch applies to.
    """
    names = scope(candidate, problem, dims, chip=chip, blocks_per_sm=blocks_per_sm)
    constraint = candidate.parameters.constraint
    if constraint is not None:
        where = candidate.place("parameters", "constraint")
        if not holds(constraint, names.names, where=where):
            values = ", ".join(f"{name} = {names.names[name]}" for name in sorted(names_in(constraint, where=where)))
            raise fail("PRB904", f'"{constraint}" does not hold for {values}', where)
    where = problem.place("problem", "arch") if arch in (None, problem.arch) else Place("--arch")
    limit = arch_limits(arch or problem.arch, where)
    launches = []
    for index, launch in enumerate(candidate.launch):
        place = partial(candidate.place, "launch", index)
        if launch.when is not None and not holds(launch.when, names.names, where=place("when")):
            continue
        planned = _planned(names, index, launch)
        check_launch(limit, planned.grid, planned.block, planned.cluster, planned.dynamic_shared, place)
        launches.append(planned)
    if not launches:
        shape = ", ".join(f"{name} = {value}" for name, value in dims.items())
        raise fail("PRB904", f"no launch applies to {shape}", candidate.place("launch"))
    return tuple(launches)


def _planned(names: Scope, index: int, launch: Launch) -> PlannedLaunch:
    key = ("launch", index)

    def three(values: tuple[int | str, int | str, int | str], name: str) -> Index3:
        x, y, z = names.numbers(values, *key, name)
        return x, y, z

    return PlannedLaunch(
        index,
        entry_name(launch.entry, names.candidate.defines),
        three(launch.grid, "grid"),
        three(launch.block, "block"),
        tuple(_argument(names, argument, *key, "args", at) for at, argument in enumerate(launch.args)),
        (1, 1, 1) if launch.cluster is None else three(launch.cluster, "cluster"),
        launch.cooperative,
        names.number(launch.dynamic_shared, *key, "dynamic_shared"),
        names.candidate.place(*key, "entry"),
    )


def entry_name(entry: str, defines: Mapping[str, int | float | str | bool]) -> str:
    """A template instance with the values of defines in place of their names; any other entry as it is.

    `gemm<BM, float>` with BM = 128 gives `gemm<128, float>`. Qualified names and members are left alone.
    """
    head, bracket, arguments = entry.partition("<")
    if not bracket:
        return entry

    def value(match: re.Match[str]) -> str:
        found = defines.get(match.group(), match.group())
        return ("true" if found else "false") if isinstance(found, bool) else str(found)

    return head + bracket + _IDENTIFIER.sub(value, arguments)


def _argument(names: Scope, argument: Argument, *key: str | int) -> Arg:
    where = names.candidate.place(*key)
    match argument.kind:
        case "bytes":
            return BytesArg(bytes.fromhex(argument.text))
        case "number":
            return ScalarArg(argument.value)
        case "literal":
            dtype = str(argument.dtype)
            value = names.number(argument.value, *key) if isinstance(argument.value, str) else argument.value
            if reason := out_of_range(value, dtype):
                raise fail("PRB901", reason, where)
            return ScalarArg(value, dtype)
    return _named(names, argument.text, where, *key)


def _named(names: Scope, text: str, where: Place, *key: str | int) -> Arg:
    candidate, problem = names.candidate, names.problem
    floats = {name: value for name, value in candidate.defines.items() if isinstance(value, float)}
    if text == "null":
        return NullArg()
    if text in problem.tensors or text in candidate.workspace:
        return BufferArg(text)
    if text in candidate.tensor_maps:
        return TensorMapArg(text)
    if text in problem.scalars or text in floats:
        return ScalarArg({**floats, **problem.scalars}[text])
    if text.isidentifier() and text not in names.names and text not in ("num_sms", "blocks_per_sm"):
        tables = (problem.tensors, candidate.workspace, candidate.tensor_maps, problem.scalars, names.names, ["null"])
        known = {name for table in tables for name in table}
        raise fail("PRB901", f'nothing is called "{text}"', where, help=near(text, known))
    return ScalarArg(names.number(text, *key))


def plan_tensor_maps(names: Scope) -> dict[str, PlannedTensorMap]:
    """Every tensor map of the candidate with plain numbers; PRB901 for an unknown tensor, PRB904 for a broken limit."""
    candidate, problem = names.candidate, names.problem
    planned = {}
    for name, table in candidate.tensor_maps.items():
        where = candidate.place("tensor_maps", name)
        if table.tensor in problem.tensors:
            layout = problem.layout(table.tensor, {key: names.names[key] for key in problem.dims})
        elif table.tensor in candidate.workspace:
            layout = workspace_layout(names, table.tensor)
        else:
            help = near(table.tensor, {*problem.tensors, *candidate.workspace})
            message = f'no tensor or workspace is called "{table.tensor}"'
            raise fail("PRB901", message, candidate.place("tensor_maps", name, "tensor"), help=help)
        box = names.numbers(table.box, "tensor_maps", name, "box")
        steps = table.element_strides or (1,) * len(box)
        planned[name] = planned_map(
            name, table, layout, box, names.numbers(steps, "tensor_maps", name, "element_strides"), where
        )
    return planned
