"""LAUNCH.toml: one launch of one kernel outside any problem, for `warpgauge trace`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    StrictBool,
    StrictFloat,
    StrictInt,
    ValidationInfo,
    model_validator,
)

from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.problem.dtypes import Array, DTypeName, poison
from warpgauge.problem.expr import evaluate, holds
from warpgauge.problem.fill import contents, read_npy, stored, tensor_seed
from warpgauge.problem.layout import Layout, row_major
from warpgauge.problem.place import Place, complaint, dotted, fail, near
from warpgauge.problem.record import Expression, Name, Record, checked, wrong
from warpgauge.problem.tensor import Init
from warpgauge.problem.toml_file import TomlFile, read_toml

from .arguments import Arg, BufferArg, BytesArg, ScalarArg, TensorMapArg, out_of_range
from .launch_limits import Index3, arch_limits, check_launch
from .model import Extents
from .plan import PlannedLaunch
from .room import check_buffer, check_room
from .tensor_map import PlannedTensorMap, TensorMap, planned_map

_FORMS: dict[str, frozenset[str]] = {
    "buffer": frozenset({"name", "dtype", "shape", "init"}),
    "file": frozenset({"name", "dtype", "file"}),
    "scalar": frozenset({"dtype", "value"}),
    "map": frozenset({"tensor_map"}),
    "bytes": frozenset({"bytes"}),
}
_FORM_WORDS = "{ name, dtype, shape, init }, { name, dtype, file }, { dtype, value }, { tensor_map } or { bytes }"


def _one_extent(value: Any) -> Any:
    return (value,) if isinstance(value, int | str) and not isinstance(value, bool) else value


TraceShape = Annotated[tuple[Expression, ...], Field(max_length=8), BeforeValidator(_one_extent)]


class TraceArgument(Record):
    """One argument: a buffer with drawn contents or from a file, a scalar, a tensor map, or a structure's bytes."""

    name: Name | None = None
    dtype: DTypeName | None = None
    shape: TraceShape | None = None
    init: Literal["zeros", "ones", "arange", "normal", "uniform", "undefined"] | None = None
    file: str | None = None
    value: StrictInt | StrictFloat | None = None
    tensor_map: Name | None = None
    bytes: str | None = None

    @property
    def form(self) -> str:
        """Which of the forms this is."""
        given = frozenset(name for name in type(self).model_fields if getattr(self, name) is not None)
        fits = (form for form, keys in _FORMS.items() if given <= keys and keys - {"init"} <= given)
        return next(fits, "")

    @model_validator(mode="after")
    def _one_form(self) -> TraceArgument:
        if not self.form:
            raise wrong(f"an argument is one of {_FORM_WORDS}")
        if self.value is not None and (reason := out_of_range(self.value, str(self.dtype))):
            raise wrong(reason, "value")
        if self.bytes is not None:
            try:
                bytes.fromhex(self.bytes)
            except ValueError:
                raise wrong(f"{self.bytes!r} is not a row of hexadecimal bytes", "bytes") from None
        return self


class TraceLaunch(Record):
    """The whole file: the keys of a `[[launch]]` at top level; expressions have no names to use.

    `entry` may be repeated here, but must then be the kernel that is asked for.
    """

    schema_version: Literal[1] = Field(1, alias="schema")
    entry: str | None = None
    when: str | None = None
    grid: Extents
    block: Extents
    cluster: Extents | None = None
    cooperative: StrictBool = False
    dynamic_shared: Expression = 0
    args: tuple[TraceArgument, ...] = ()
    tensor_maps: dict[Name, TensorMap] = Field(default_factory=dict)

    _file: TomlFile | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _whole(self, info: ValidationInfo) -> TraceLaunch:
        self._file = (info.context or {}).get("file")
        if found := tuple(_names(self)):
            raise WarpgaugeError(*found)
        return self

    def place(self, *key: str | int) -> Place:
        return self._file.place(*key) if self._file else Place(dotted(key))

    @property
    def texts(self) -> dict[str, str]:
        """The file that this was loaded from, path -> text, for those who show its lines."""
        return self._file.sources if self._file else {}

    @property
    def folder(self) -> Path:
        """What relative paths in the file are relative to."""
        return self._file.path.parent if self._file else Path()


def _names(launch: TraceLaunch) -> Iterator[Diagnostic]:
    buffers: set[str] = set()
    for index, argument in enumerate(launch.args):
        if argument.name is not None and argument.name in buffers:
            yield complaint("PRB901", f'"{argument.name}" is already a buffer', launch.place("args", index, "name"))
        buffers |= {argument.name} if argument.name else set()
    for index, argument in enumerate(launch.args):
        name = argument.tensor_map
        if name is not None and name not in launch.tensor_maps:
            where = launch.place("args", index, "tensor_map")
            yield complaint("PRB901", f'no tensor map is called "{name}"', where, help=near(name, launch.tensor_maps))
    for name, table in launch.tensor_maps.items():
        if table.tensor not in buffers:
            where = launch.place("tensor_maps", name, "tensor")
            yield complaint("PRB901", f'no buffer is called "{table.tensor}"', where, help=near(table.tensor, buffers))


@dataclass(frozen=True)
class TracePlan:
    """The launch with plain numbers, its buffers' layouts and contents by name, and its tensor maps.

    `undefined` names the buffers whose bytes count as never written: reading one first is a finding.
    """

    launch: PlannedLaunch
    layouts: Mapping[str, Layout]
    buffers: Mapping[str, Array]
    tensor_maps: Mapping[str, PlannedTensorMap]
    undefined: frozenset[str] = frozenset()


def load_trace_launch(path: Path) -> TraceLaunch:
    """Reads a LAUNCH.toml. WarpgaugeError: PRB907 if it cannot be read, PRB901 for each mistake with line and key."""
    file = read_toml(Path(path), "launch file")
    return checked(TraceLaunch, file.data, file)


def trace_plan(launch: TraceLaunch, entry: str, *, arch: str, seed: int = 0) -> TracePlan:
    """Evaluates the launch of `entry` and fills its buffers; a buffer without an init holds zeros.

    WarpgaugeError: PRB902 for an expression, PRB904 for what does not fit `arch`, PRB906 and PRB907 for a .npy file.
    """

    def numbers(values: tuple[int | str, ...], *key: str | int) -> tuple[int, ...]:
        return tuple(evaluate(value, {}, where=launch.place(*key, at)) for at, value in enumerate(values))

    if launch.entry is not None and launch.entry != entry:
        raise fail("PRB901", f'"{launch.entry}" is not the kernel asked for, "{entry}"', launch.place("entry"))
    if launch.when is not None and not holds(launch.when, {}, where=launch.place("when")):
        raise fail("PRB904", f'"{launch.when}" does not hold', launch.place("when"))
    layouts: dict[str, Layout] = {}
    buffers: dict[str, Array] = {}
    args: list[Arg] = []
    for index, argument in enumerate(launch.args):
        if argument.name is not None:
            used = sum(layout.bytes for layout in layouts.values())
            layouts[argument.name], buffers[argument.name] = _buffer(launch, index, seed, used)
        args.append(_argument(argument))
    one: Index3 = (1, 1, 1)
    grid, block, cluster = (
        cast(Index3, numbers(extents, key)) if extents else one
        for key, extents in (("grid", launch.grid), ("block", launch.block), ("cluster", launch.cluster))
    )
    shared = evaluate(launch.dynamic_shared, {}, where=launch.place("dynamic_shared"))
    check_launch(arch_limits(arch, launch.place()), grid, block, cluster, shared, launch.place)
    planned = PlannedLaunch(
        0, entry, grid, block, tuple(args), cluster, launch.cooperative, shared, launch.place("args")
    )
    maps = {}
    for name, table in launch.tensor_maps.items():
        key = ("tensor_maps", name)
        box = numbers(table.box, *key, "box")
        steps = numbers(table.element_strides or (1,) * len(box), *key, "element_strides")
        maps[name] = planned_map(name, table, layouts[table.tensor], box, steps, launch.place(*key))
    undefined = frozenset(str(a.name) for a in launch.args if a.init == "undefined")
    return TracePlan(planned, layouts, buffers, maps, undefined)


def _argument(argument: TraceArgument) -> Arg:
    match argument.form:
        case "scalar":
            assert argument.value is not None
            return ScalarArg(argument.value, argument.dtype)
        case "map":
            return TensorMapArg(str(argument.tensor_map))
        case "bytes":
            return BytesArg(bytes.fromhex(str(argument.bytes)))
    return BufferArg(str(argument.name))


def _buffer(launch: TraceLaunch, index: int, seed: int, used: int) -> tuple[Layout, Array]:
    """One buffer beside others of `used` bytes."""
    argument, place = launch.args[index], partial(launch.place, "args", index)
    dtype = str(argument.dtype)
    if argument.file is not None:
        elements = read_npy(argument.file, dtype, launch.folder, place("file"))
        layout = Layout(dtype, elements.shape, row_major(elements.shape), 0, elements.size)
        return layout, stored(elements, layout)
    extents = enumerate(argument.shape or ())
    shape = tuple(evaluate(extent, {}, where=place("shape", at)) for at, extent in extents)
    if shape and min(shape) < 0:
        raise fail("PRB901", f"negative extent in {list(shape)}", place("shape"))
    layout = Layout(dtype, shape, row_major(shape), 0, prod(shape))
    check_buffer(layout, place("shape"))
    check_room(used + layout.bytes, place("shape"))
    if argument.init == "undefined":
        return layout, poison(dtype, layout.size)
    init = Init(kind=argument.init or "zeros")
    source = tensor_seed(str(argument.name), seed)
    values = contents(init, layout, dims={}, seed=source, folder=launch.folder, where=place("init"))
    return layout, stored(values, layout)
