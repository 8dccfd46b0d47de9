"""The small tables of a problem file: header, shapes, reference, tolerance, target, contract overrides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator, StrictBool, StrictFloat, StrictInt, model_serializer, model_validator

from .record import Name, Record, wrong
from .settings import Preset
from .tensor import check_function_source

Extent = Annotated[StrictInt, Field(ge=1, le=1 << 62)]
Number = Annotated[StrictFloat, Field(allow_inf_nan=False)]
Role = Literal["judge", "small", "held_out"]
_SMALLER_IS_BETTER = frozenset({"ms", "p99_ms", "joules", "end_to_end_ms"})


class Header(Record):
    """The `[problem]` table. `arch` is the architecture to compile for; `chip` gives SM count, L2 and clocks."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    arch: Annotated[str, Field(pattern=r"^sm_[1-9][0-9]{1,2}[af]?$")]
    chip: str | None = None
    preset: Preset = "sound"


class Shape(Record):
    """A further shape: its role, and the dimensions that differ from `[dims]`."""

    role: Role
    dims: dict[Name, Extent]

    @model_validator(mode="before")
    @classmethod
    def _fold(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and not isinstance(data.get("dims"), Mapping):
            role = {"role": data["role"]} if "role" in data else {}
            return {**role, "dims": {key: value for key, value in data.items() if key != "role"}}
        return data

    @model_serializer
    def _unfold(self) -> dict[str, Any]:
        return {"role": self.role, **self.dims}


class ReferenceSource(Record):
    """What the outputs are compared with: a builtin, or a Python function in a file beside the problem.

    `scalars` are values that the computation takes beside its tensors (axpy's `alpha`, layernorm's `epsilon`); a launch
    plan may pass them by name.
    """

    builtin: str | None = None
    python: str | None = None
    scalars: dict[Name, Number] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_two(self) -> ReferenceSource:
        if (self.builtin is None) == (self.python is None):
            raise wrong("give either builtin or python")
        if self.python is not None:
            check_function_source(self.python, "python")
        return self


class Tolerance(Record):
    """How far an output may be from the float64 reference. Every number that is given must hold.

    `rel_l2`: norm of the error over norm of the reference, on declared and large inputs. `abs` and `rel`: every element
    satisfies |error| <= abs + rel * |reference|, on the declared inputs. `accumulate` is the type that sums are kept
    in, for the derived elementwise bound (default: f32, and f64 where an input is f64); `factors` a narrower type that
    a kernel may round its inputs to before it multiplies them. There is no "99 % of the elements".
    """

    rel_l2: Annotated[Number, Field(ge=0)] | None = None
    abs: Annotated[Number, Field(ge=0)] | None = None
    rel: Annotated[Number, Field(ge=0)] | None = None
    accumulate: Literal["f16", "bf16", "f32", "f64"] | None = None
    factors: Literal["tf32", "bf16", "f16"] | None = None

    @property
    def elementwise(self) -> bool:
        """Whether `abs` or `rel` is given."""
        return self.abs is not None or self.rel is not None


class Target(Record):
    """How fast: the candidate's `metric`, as a ratio to `baseline` or on its own, under a timing `regime`.

    burst: short samples with gaps; sustained: arms of at least 0.5 s, limited by power.
    """

    metric: Literal["ratio", "ms", "p99_ms", "gflops", "gbps", "joules", "end_to_end_ms"]
    baseline: str | None = None
    regime: Literal["burst", "sustained"] = "burst"
    at_least: Annotated[Number, Field(gt=0)] | None = None
    at_most: Annotated[Number, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Target:
        needed, other = "at_least", "at_most"
        if self.metric in _SMALLER_IS_BETTER:
            needed, other = other, needed
        if getattr(self, other) is not None:
            raise wrong(f'metric "{self.metric}" takes {needed}, not {other}', other)
        if getattr(self, needed) is None:
            raise wrong(f'metric "{self.metric}" needs {needed}', needed)
        if self.metric == "ratio" and not self.baseline:
            raise wrong("a ratio needs a baseline", "baseline")
        return self


class ExecutionRules(Record):
    """How the judged shapes are executed: of each launch at most `sample_blocks` blocks, absent for all of them."""

    sample_blocks: Annotated[StrictInt, Field(ge=1)] | None = None


def _threshold(value: Any) -> bool | float:
    """A union would complain twice: that it is no boolean, and that it is no number."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    raise wrong("a number is needed")


Threshold = Annotated[bool | float, PlainValidator(_threshold)]


class ContractOverride(Record):
    """What a problem changes about one contract: whether it is judged, whether it binds, single thresholds.

    `python` makes it a contract of the problem's own: `file.py:function`, which has `timeout_seconds` to answer.
    """

    enabled: StrictBool = True
    bind: StrictBool | None = None
    python: str | None = None
    timeout_seconds: Annotated[Number, Field(gt=0)] | None = None
    thresholds: dict[str, Threshold] = Field(default_factory=dict)

    _OWN: ClassVar[tuple[str, ...]] = ("enabled", "bind", "python", "timeout_seconds")

    @model_validator(mode="before")
    @classmethod
    def _fold(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and not isinstance(data.get("thresholds"), Mapping):
            own = {key: value for key, value in data.items() if key in cls._OWN}
            return {**own, "thresholds": {key: value for key, value in data.items() if key not in own}}
        return data

    @model_serializer
    def _unfold(self) -> dict[str, Any]:
        own = {key: getattr(self, key) for key in self._OWN if getattr(self, key) is not None}
        return {key: value for key, value in own.items() if (key, value) != ("enabled", True)} | self.thresholds

    @model_validator(mode="after")
    def _own_source(self) -> ContractOverride:
        if self.python is not None:
            check_function_source(self.python, "python")
        elif self.timeout_seconds is not None:
            raise wrong("only a contract with python takes a time", "timeout_seconds")
        return self
