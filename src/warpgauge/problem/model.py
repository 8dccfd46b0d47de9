"""The problem: what must be computed, on which shapes and types, how accurately, and how fast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from warpgauge.diagnostics import Diagnostic, WarpgaugeError

from .builtin import BUILTINS
from .dtypes import DTYPES
from .expr import RESERVED, evaluate
from .layout import Layout, row_major
from .parts import ContractOverride, ExecutionRules, Extent, Header, ReferenceSource, Role, Shape, Target, Tolerance
from .place import Place, complaint, dotted, fail, near
from .record import Name, Record
from .settings import CONTRACTS, OWN_TIMEOUT, ContractSettings, OwnContract, own_name_objection
from .tensor import Tensor
from .toml_file import TomlFile

LAUNCH_NAMES = frozenset({"num_sms", "blocks_per_sm", "null"})
"""Words with a meaning in every launch plan; nothing in a problem may carry them."""
LARGEST_BUFFER = 1 << 40


class Problem(Record):
    """A whole problem file; `load_problem` reads one, and the constructor takes the same tables as keywords."""

    schema_version: Literal[1] = Field(1, alias="schema")
    problem: Header
    dims: dict[Name, Extent]
    shapes: tuple[Shape, ...] = ()
    tensors: dict[Name, Tensor] = Field(min_length=1)
    reference: ReferenceSource | None = None
    tolerance: Tolerance = Tolerance()
    target: Target | None = None
    execution: ExecutionRules = ExecutionRules()
    contracts: dict[str, ContractOverride] = Field(default_factory=dict)

    _file: TomlFile | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _whole(self, info: ValidationInfo) -> Problem:
        self._file = (info.context or {}).get("file")
        # Each group stands on the one before it: layouts need known names, a reference needs layouts.
        for group in (_names, _contracts, _layouts, _reference):
            if found := tuple(group(self)):
                raise WarpgaugeError(*found)
        return self

    def place(self, *key: str | int) -> Place:
        """Where a key of this problem stands, for diagnostics."""
        return self._file.place(*key) if self._file else Place(dotted(key))

    @property
    def path(self) -> Path | None:
        """The file that this problem was loaded from."""
        return self._file.path if self._file else None

    @property
    def texts(self) -> dict[str, str]:
        """The file that this was loaded from, path -> text, for those who show its lines."""
        return self._file.sources if self._file else {}

    @property
    def folder(self) -> Path:
        """What relative paths in the problem are relative to."""
        return self._file.path.parent if self._file else Path()

    @property
    def name(self) -> str:
        return self.problem.name

    @property
    def arch(self) -> str:
        return self.problem.arch

    @property
    def scalars(self) -> dict[str, float]:
        """Values of the computation beside its tensors: those given, and the builtin's defaults."""
        if self.reference is None:
            return {}
        defaults = BUILTINS[self.reference.builtin].scalars if self.reference.builtin else {}
        return {**defaults, **self.reference.scalars}

    def dims_of(self, role: Role) -> tuple[dict[str, int], ...]:
        """The shapes of a role, each with every dimension; `judge` starts with `[dims]`."""
        first = (dict(self.dims),) if role == "judge" else ()
        return first + tuple({**self.dims, **shape.dims} for shape in self.shapes if shape.role == role)

    def layout(self, tensor: str, dims: Mapping[str, int]) -> Layout:
        """The tensor's layout for these dimensions; WarpgaugeError PRB901 or PRB902 where it cannot be."""
        table = self.tensors[tensor]

        def numbers(values: tuple[int | str, ...], key: str) -> tuple[int, ...]:
            items = enumerate(values)
            return tuple(evaluate(v, dims, where=self.place("tensors", tensor, key, i)) for i, v in items)

        def number(value: int | str, key: str) -> int:
            return evaluate(value, dims, where=self.place("tensors", tensor, key))

        shape = numbers(table.shape, "shape")
        if shape and min(shape) < 0:
            raise fail("PRB901", f"negative extent in {list(shape)}", self.place("tensors", tensor, "shape"))
        strides = row_major(shape) if table.strides is None else numbers(table.strides, "strides")
        layout = Layout(table.dtype, shape, strides, number(table.offset, "offset"), 0)
        size = layout.extent[1] + 1 if table.size is None else number(table.size, "size")
        layout = Layout(table.dtype, shape, strides, layout.offset, max(size, 0))
        where = self.place("tensors", tensor)
        if not layout.in_range or layout.offset < 0:
            first, last = layout.extent
            raise fail("PRB901", f"elements {first} to {last} do not fit a buffer of {layout.size} elements", where)
        if layout.bytes > LARGEST_BUFFER:
            raise fail("PRB901", f"a buffer of {layout.bytes} bytes", where)
        return layout

    def contract(self, name: str) -> ContractSettings:
        """What this problem asks of a contract, with the preset's thresholds where it says nothing.

        A contract of the problem's own binds unless the problem says otherwise.
        """
        change = self.contracts.get(name, ContractOverride())
        if change.python is not None:
            own = OwnContract(change.python, self.folder, change.timeout_seconds or OWN_TIMEOUT)
            binds = change.enabled and change.bind is not False
            return ContractSettings(name, change.enabled, binds, change.thresholds, own)
        row = CONTRACTS[name]
        preset = row.literal if self.problem.preset == "literal" else row.sound
        asked = change.enabled and (name != "target" or self.target is not None)
        binds = row.binds if change.bind is None else change.bind
        return ContractSettings(name, asked, asked and binds, {**preset, **change.thresholds})


def _names(problem: Problem) -> Iterator[Diagnostic]:
    """Dimensions, tensors and scalars share one set of names with the expression language."""
    owners: dict[str, str] = dict.fromkeys(RESERVED | LAUNCH_NAMES, "a word of the launch plan")
    scalars = problem.reference.scalars if problem.reference else {}
    groups = (
        ("a dimension", ("dims",), problem.dims),
        ("a tensor", ("tensors",), problem.tensors),
        ("a scalar", ("reference", "scalars"), scalars),
    )
    for what, table, names in groups:
        for name in names:
            if name in owners:
                yield complaint("PRB901", f'"{name}" is already {owners[name]}', problem.place(*table, name))
            owners.setdefault(name, what)
    for index, shape in enumerate(problem.shapes):
        for name in shape.dims.keys() - problem.dims.keys():
            where = problem.place("shapes", index, name)
            yield complaint("PRB901", f'unknown dimension "{name}"', where, help=near(name, problem.dims))


def _contracts(problem: Problem) -> Iterator[Diagnostic]:
    for name, change in problem.contracts.items():
        row = CONTRACTS.get(name)
        if change.python is not None:
            if objection := own_name_objection(name):
                yield complaint("PRB901", objection, problem.place("contracts", name))
            continue
        if row is None:
            where = problem.place("contracts", name)
            yield complaint("PRB901", f'unknown contract "{name}"', where, help=near(name, CONTRACTS))
            continue
        known = {**row.sound, **row.literal}
        for key in change.thresholds.keys() - known.keys():
            where = problem.place("contracts", name, key)
            yield complaint("PRB901", f'unknown key "{key}"', where, help=near(key, {*known, "bind", "enabled"}))
        for key, value in change.thresholds.items():
            if key in known and isinstance(value, bool) != isinstance(known[key], bool):
                wanted = "true or false" if isinstance(known[key], bool) else "a number"
                yield complaint("PRB901", f"{key} takes {wanted}", problem.place("contracts", name, key))
        if row.fixed and (not change.enabled or change.bind is False):
            key = "bind" if change.enabled else "enabled"
            yield complaint("PRB901", f"{name} always binds", problem.place("contracts", name, key))


def _layouts(problem: Problem) -> Iterator[Diagnostic]:
    for dims in (role_dims for role in ("judge", "small", "held_out") for role_dims in problem.dims_of(role)):
        for name, tensor in problem.tensors.items():
            try:
                layout = problem.layout(name, dims)
            except WarpgaugeError as error:
                yield from error.diagnostics
                return
            if tensor.is_written and layout.overlaps:
                message = "two elements of an output share one place in its buffer"
                yield complaint("PRB901", message, problem.place("tensors", name, "strides"))
                return


def _reference(problem: Problem) -> Iterator[Diagnostic]:
    source = problem.reference
    if source is None:
        return
    written = [name for name, tensor in problem.tensors.items() if tensor.is_written]
    if not written:
        yield complaint("PRB901", "a reference needs a tensor that is written", problem.place("tensors"))
    elif source.python is not None:
        floats = [name for name in written if DTYPES[problem.tensors[name].dtype].is_float]
        if floats and problem.tolerance.rel_l2 is None and not problem.tolerance.elementwise:
            message = (
                f'no error bound can be derived for a Python reference of "{floats[0]}": give rel_l2, or abs and rel'
            )
            yield complaint("PRB901", message, problem.place("tolerance"))
    else:
        yield from _builtin(problem, str(source.builtin), written)


def _builtin(problem: Problem, builtin: str, written: list[str]) -> Iterator[Diagnostic]:
    where = problem.place("reference", "builtin")
    row = BUILTINS.get(builtin)
    if row is None:
        yield complaint("PRB901", f'unknown builtin "{builtin}"', where, help=near(builtin, BUILTINS))
        return
    for name in (problem.reference.scalars if problem.reference else {}).keys() - row.scalars.keys():
        message = f'{builtin} takes no scalar "{name}"'
        yield complaint("PRB901", message, problem.place("reference", "scalars", name), help=near(name, row.scalars))
    if len(written) != 1:
        yield complaint("PRB901", f"{builtin} writes one tensor, not {', '.join(written)}", where)
        return
    for dims in (role_dims for role in ("judge", "small", "held_out") for role_dims in problem.dims_of(role)):
        shapes = [problem.layout(name, dims).shape for name in operands(problem)]
        if mismatch := row.mismatch(shapes, problem.layout(written[0], dims).shape):
            given = ", ".join(f"{name} {list(shape)}" for name, shape in zip(operands(problem), shapes, strict=True))
            message = f"{mismatch} (given {given or 'no input'})"
            yield complaint("PRB901", message, where)
            return


def operands(problem: Problem) -> list[str]:
    """The tensors that a builtin reads: inputs in declared order, then those that are read and written."""
    roles = ("input", "inout")
    return [name for role in roles for name, tensor in problem.tensors.items() if tensor.role == role]
