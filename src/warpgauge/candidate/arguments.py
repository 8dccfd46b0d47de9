"""Kernel arguments: as a launch plan writes them, and as a planned launch passes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import model_serializer, model_validator

from warpgauge.problem.dtypes import DTYPE_NAMES, DTYPES
from warpgauge.problem.place import near
from warpgauge.problem.record import Record, wrong

_FORMS = 'a name or expression in quotes, a number, "null", { i32 = 5 } or { bytes = "00ff" }'


@dataclass(frozen=True)
class BufferArg:
    """The address of a tensor or workspace buffer."""

    name: str


@dataclass(frozen=True)
class ScalarArg:
    """A number; without a `dtype` the kernel's parameter decides its width and whether it is a float."""

    value: int | float
    dtype: str | None = None


@dataclass(frozen=True)
class NullArg:
    """A null pointer."""


@dataclass(frozen=True)
class BytesArg:
    """A structure passed by value, as its bytes."""

    data: bytes


@dataclass(frozen=True)
class TensorMapArg:
    """A tensor map (128 bytes, passed by value) that the harness encodes."""

    name: str


Arg = BufferArg | ScalarArg | NullArg | BytesArg | TensorMapArg


def out_of_range(value: int | float, dtype: str) -> str:
    """Why a literal does not fit a type; "" if it does."""
    row = DTYPES[dtype]
    if row.is_float:
        return ""
    if isinstance(value, float):
        return f"{value} is not an integer, as {dtype} needs"
    low, high = (0, 1) if row.kind == "bool" else (np.iinfo(row.storage).min, np.iinfo(row.storage).max)
    return "" if low <= value <= high else f"{value} does not fit {dtype}"


class Argument(Record):
    """One entry of `args`. `text`: a name or an expression; otherwise a typed literal or raw bytes (as hexadecimal)."""

    kind: Literal["text", "number", "literal", "bytes"]
    text: str = ""
    dtype: str | None = None
    value: Any = None

    @model_validator(mode="before")
    @classmethod
    def _from_toml(cls, data: Any) -> Any:
        match data:
            case str() if data.strip():
                return {"kind": "text", "text": data.strip()}
            case bool():
                return {"kind": "literal", "dtype": "bool", "value": int(data)}
            case int() | float():
                return {"kind": "number", "value": data}
            case {"bytes": str(text)} if len(data) == 1:
                return {"kind": "bytes", "text": _hexadecimal(text)}
            case Mapping() if len(data) == 1:
                [(dtype, value)] = data.items()
                return {"kind": "literal", "dtype": _dtype(dtype), "value": _literal(dtype, value)}
        # The constructor's own keywords, in place of TOML data.
        if isinstance(data, Mapping) and "kind" in data:
            return data
        raise wrong(f"an argument is {_FORMS}")

    @model_serializer
    def _to_toml(self) -> Any:
        if self.kind == "bytes":
            return {"bytes": self.text}
        return self.text or (self.value if self.kind == "number" else {self.dtype: self.value})


def _hexadecimal(text: str) -> str:
    try:
        return bytes.fromhex(text).hex()
    except ValueError:
        raise wrong(f"{text!r} is not a row of hexadecimal bytes", "bytes") from None


def _dtype(name: Any) -> str:
    if name not in DTYPES:
        raise wrong(f'unknown type "{name}"', help=near(str(name), DTYPE_NAMES))
    return str(name)


def _literal(dtype: str, value: Any) -> Any:
    if isinstance(value, bool) and dtype == "bool":
        value = int(value)
    if isinstance(value, str) and value.strip() and not DTYPES[dtype].is_float:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong(f"{dtype} needs a number", dtype)
    if reason := out_of_range(value, dtype):
        raise wrong(reason, dtype)
    return value
