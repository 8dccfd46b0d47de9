"""A candidate: device source and a launch plan, as data. Nothing in it is ever run on the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    StrictBool,
    StrictInt,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.problem.dtypes import DTYPES, DTypeName
from warpgauge.problem.expr import RESERVED
from warpgauge.problem.model import LAUNCH_NAMES
from warpgauge.problem.place import Place, complaint, dotted
from warpgauge.problem.record import Expression, Name, Record, wrong
from warpgauge.problem.toml_file import TomlFile

from .arguments import Argument
from .tensor_map import TensorMap


def _define(value: Any) -> Any:
    if not isinstance(value, bool | int | float | str):
        raise wrong("a define is an integer, a number, a string or true/false")
    return value


Define = Annotated[Any, BeforeValidator(_define)]


def _three(value: Any) -> Any:
    """Grid, block and cluster have three dimensions; missing ones are 1."""
    values = [value] if isinstance(value, int | str) and not isinstance(value, bool) else value
    if not isinstance(values, list | tuple) or not 1 <= len(values) <= 3:
        raise wrong("one to three integers or expressions are needed")
    return (*values, *([1] * (3 - len(values))))


Extents = Annotated[tuple[Expression, Expression, Expression], BeforeValidator(_three)]


# A variable of the source, with its namespaces, or its mangled symbol.
Symbol = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(::[A-Za-z_]\w*)*$", max_length=2000)]


class Header(Record):
    """The `[candidate]` table: source file, macros, header folders, all relative to the candidate's file."""

    source: Annotated[str, Field(pattern=r"\.(cu|ptx)$")]
    name: str | None = None
    defines: dict[Name, Define] = Field(default_factory=dict)
    include: tuple[str, ...] = ()


class Parameters(Record):
    """What a search may change: values per name, and a condition that a choice must meet."""

    values: dict[Name, Annotated[tuple[StrictInt, ...], Field(min_length=1)]] = Field(default_factory=dict)
    constraint: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _fold(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and not isinstance(data.get("values"), Mapping):
            own = {key: value for key, value in data.items() if key == "constraint"}
            return {**own, "values": {key: value for key, value in data.items() if key not in own}}
        return data

    @model_serializer
    def _unfold(self) -> dict[str, Any]:
        return {**self.values, **({"constraint": self.constraint} if self.constraint else {})}


class Workspace(Record):
    """Scratch memory, dense and row-major. Resetting it (to zeros) "each call" is part of the timed work."""

    dtype: DTypeName
    shape: Annotated[tuple[Expression, ...], Field(max_length=8)]
    reset: Literal["each call", "once"] = "each call"


class Launch(Record):
    """One kernel launch; `when` limits it to shapes for which the condition holds."""

    entry: Annotated[str, Field(min_length=1, max_length=2000)]
    grid: Extents
    block: Extents
    when: str | None = None
    cluster: Extents | None = None
    cooperative: StrictBool = False
    dynamic_shared: Expression = 0
    args: tuple[Argument, ...] = ()


class Constant(Record):
    """What fills one `__constant__` variable: numbers (or integer expressions), or a .npy file."""

    dtype: DTypeName
    values: tuple[Any, ...] | None = None
    file: str | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Constant:
        if (self.values is None) == (self.file is None):
            raise wrong("give either values or file")
        for index, value in enumerate(self.values or ()):
            text = isinstance(value, str) and value.strip() and not DTYPES[self.dtype].is_float
            if isinstance(value, bool) or not (text or isinstance(value, int | float)):
                raise wrong("a number is needed", "values", index)
        return self


class Candidate(Record):
    """A whole candidate file; `load_candidate` reads one."""

    schema_version: Literal[1] = Field(1, alias="schema")
    candidate: Header
    parameters: Parameters = Parameters()
    workspace: dict[Name, Workspace] = Field(default_factory=dict)
    launch: Annotated[tuple[Launch, ...], Field(min_length=1)]
    tensor_maps: dict[Name, TensorMap] = Field(default_factory=dict)
    constants: dict[Symbol, Constant] = Field(default_factory=dict)

    _file: TomlFile | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _whole(self, info: ValidationInfo) -> Candidate:
        self._file = (info.context or {}).get("file")
        if found := tuple(_names(self)):
            raise WarpgaugeError(*found)
        return self

    def place(self, *key: str | int) -> Place:
        """Where a key of this candidate stands, for diagnostics."""
        return self._file.place(*key) if self._file else Place(dotted(key))

    @property
    def path(self) -> Path | None:
        """The file that this candidate was loaded from."""
        return self._file.path if self._file else None

    @property
    def texts(self) -> dict[str, str]:
        """The file that this was loaded from, path -> text, for those who show its lines."""
        return self._file.sources if self._file else {}

    @property
    def folder(self) -> Path:
        """What relative paths in the candidate are relative to."""
        return self._file.path.parent if self._file else Path()

    @property
    def name(self) -> str:
        """The given name, else the file's (or for a `candidate.toml` its folder's)."""
        if self.candidate.name or self.path is None:
            return self.candidate.name or Path(self.candidate.source).stem
        return self.path.resolve().parent.name if self.path.name == "candidate.toml" else self.path.stem

    @property
    def source(self) -> Path:
        return self.folder / self.candidate.source

    @property
    def include(self) -> tuple[Path, ...]:
        return tuple(self.folder / path for path in self.candidate.include)

    @property
    def defines(self) -> dict[str, int | float | str | bool]:
        """The macros to compile with: those given, and the first value of each parameter that is not among them."""
        first = {name: values[0] for name, values in self.parameters.values.items()}
        return {**first, **self.candidate.defines}

    @property
    def numbers(self) -> dict[str, int]:
        """The defines that expressions may use: integers, and true and false as 1 and 0."""
        return {name: int(value) for name, value in self.defines.items() if isinstance(value, int)}

    def with_defines(self, **values: int) -> Candidate:
        """The same candidate with other values for some of its defines or parameters (a search's choice).

        Raises KeyError for a name that it does not have.
        """
        for name in values:
            if name not in self.defines:
                raise KeyError(name)
        header = self.candidate.model_copy(update={"defines": {**self.candidate.defines, **values}})
        return self.model_copy(update={"candidate": header})


def _names(candidate: Candidate) -> Iterator[Diagnostic]:
    """Defines, workspaces and tensor maps share one set of names with the expression language."""
    owners: dict[str, str] = dict.fromkeys(RESERVED | LAUNCH_NAMES, "a word of the launch plan")
    own = candidate.candidate.defines
    groups: tuple[tuple[str, tuple[str, ...], Iterable[str]], ...] = (
        ("a define", ("candidate", "defines"), own),
        ("a parameter", ("parameters",), [name for name in candidate.parameters.values if name not in own]),
        ("a workspace", ("workspace",), candidate.workspace),
        ("a tensor map", ("tensor_maps",), candidate.tensor_maps),
    )
    for what, table, names in groups:
        for name in names:
            if name in owners:
                yield complaint("PRB901", f'"{name}" is already {owners[name]}', candidate.place(*table, name))
            owners.setdefault(name, what)
