"""A tensor of the problem: shape, layout, element type, role and initial content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_serializer, model_validator

from .dtypes import DTYPES, DTypeName
from .place import near
from .record import Expression, Record, wrong

InitKind = Literal["zeros", "ones", "arange", "normal", "uniform", "file", "python"]
_PLAIN: tuple[str, ...] = ("zeros", "ones", "arange", "normal", "uniform")
_FORMS = (
    'zeros, ones, arange, normal, uniform, { uniform = [low, high] }, { file = "x.npy" } or { python = "f.py:name" }'
)


class Init(Record):
    """How a buffer is filled before the kernel runs.

    `normal`: N(0, 1); for integers 16 times that, rounded. `uniform`: [0, 1) for floats and 0 to 127 for integers, or
    from `low` up to `high` (excluded) where given as integers or expressions. `arange`: 0, 1, 2, ... in row-major
    order, wrapping for integers. `source` is the .npy file or the `file.py:function` of the last two kinds.
    """

    kind: InitKind
    source: str | None = None
    low: Expression | None = None
    high: Expression | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_toml(cls, data: Any) -> Any:
        if isinstance(data, str):
            if data not in _PLAIN:
                raise wrong(f"unknown init {data!r}", help=near(data, _PLAIN))
            return {"kind": data}
        if isinstance(data, Mapping) and "kind" not in data:
            return _table_form(data)
        if not isinstance(data, Mapping):
            raise wrong(f"an init is one of {_FORMS}")
        return data

    @model_serializer
    def _to_toml(self) -> Any:
        if self.kind in ("file", "python"):
            return {self.kind: self.source}
        return self.kind if self.low is None else {self.kind: [self.low, self.high]}


def _table_form(data: Mapping[str, Any]) -> dict[str, Any]:
    match dict(data):
        case {"file": str(path), **rest} if not rest:
            return {"kind": "file", "source": path}
        case {"python": str(source), **rest} if not rest:
            check_function_source(source, "python")
            return {"kind": "python", "source": source}
        case {"uniform": [low, high], **rest} if not rest:
            return {"kind": "uniform", "low": low, "high": high}
    raise wrong(f"an init is one of {_FORMS}")


def check_function_source(source: str, key: str) -> None:
    """Raises unless `source` has the form `file.py:function`; `key` is named in the complaint."""
    file, _, function = source.rpartition(":")
    if not file.endswith(".py") or not function.isidentifier():
        raise wrong(f'{source!r} does not have the form "file.py:function"', key)


class Tensor(Record):
    """One buffer. `shape`, `strides`, `offset` and `size` count elements and may be expressions over the dimensions.

    Without `strides` the tensor is dense and row-major; without `size` its buffer ends with its last element.
    """

    shape: tuple[Expression, ...] = Field(max_length=8)
    dtype: DTypeName
    role: Literal["input", "output", "inout"]
    init: Init | None = None
    strides: tuple[Expression, ...] | None = None
    offset: Expression = 0
    size: Expression | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Tensor:
        if self.strides is not None and len(self.strides) != len(self.shape):
            raise wrong(f"{len(self.strides)} strides for a shape of {len(self.shape)} dimensions", "strides")
        if self.role == "output" and self.init is not None:
            raise wrong('an output has no init (it is poisoned before each run); use role = "inout"', "init")
        return self

    @property
    def is_read(self) -> bool:
        return self.role != "output"

    @property
    def is_written(self) -> bool:
        return self.role != "input"

    @property
    def effective_init(self) -> Init:
        """The init, where none is given: normal for floats, uniform for integers."""
        return self.init or Init(kind="normal" if DTYPES[self.dtype].is_float else "uniform")
