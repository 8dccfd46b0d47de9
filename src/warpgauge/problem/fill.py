"""Initial contents of one buffer: drawn values, a .npy file, or a Python function."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .dtypes import DTYPES, Array, encode, filler
from .expr import evaluate
from .layout import Layout
from .place import Place, fail
from .python_function import call_python
from .tensor import Init

INTEGER_SPREAD = 16
INTEGER_RANGE = 128


def tensor_seed(name: str, seed: int) -> list[int]:
    """A seed of its own for each tensor, so that adding one to a problem leaves the others as they were."""
    return [seed, zlib.crc32(name.encode())]


def _range(init: Init, layout: Layout, dims: Mapping[str, int], where: Place) -> tuple[int, int]:
    if init.low is None or init.high is None:
        return 0, 1 if DTYPES[layout.dtype].is_float else 2 if layout.dtype == "bool" else INTEGER_RANGE
    low, high = evaluate(init.low, dims, where=where), evaluate(init.high, dims, where=where)
    if low >= high:
        raise fail("PRB901", f"the range {low} to {high} is empty", where)
    return low, high


def _drawn(init: Init, layout: Layout, dims: Mapping[str, int], seed: list[int], where: Place) -> Array:
    floats = DTYPES[layout.dtype].is_float
    rng = np.random.default_rng(seed)
    match init.kind:
        case "zeros":
            return np.zeros(layout.shape)
        case "ones":
            return np.ones(layout.shape)
        case "arange":
            return np.arange(layout.elements, dtype=np.float64 if floats else np.int64).reshape(layout.shape)
        case "normal":
            values = rng.standard_normal(layout.shape)
            return values if floats else np.rint(values * INTEGER_SPREAD)
    low, high = _range(init, layout, dims, where)
    return low + (high - low) * rng.random(layout.shape) if floats else rng.integers(low, high, layout.shape)


def read_npy(file: str, dtype: str, folder: Path, where: Place) -> Array:
    """A .npy file in `folder` as storage elements of its own shape.

    An array of the storage type holds the elements' bits as they are, so uint16 for bf16 and uint8 for e4m3 and e5m2;
    any other numbers are converted. PRB907 if it cannot be read, PRB906 if it is not an array of numbers.
    """
    path = folder / file
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise fail("PRB907", f"cannot read {path}: {error.strerror or error}", where) from None
    except (ValueError, EOFError) as error:
        raise fail("PRB906", f"{path} is not a .npy file of numbers: {error}", where) from None
    return _numbers(array, dtype, str(path), where)


def _numbers(array: Any, dtype: str, source: str, where: Place) -> Array:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub":
        raise fail("PRB906", f"{source} holds no array of numbers", where)
    return array if array.dtype == DTYPES[dtype].storage else encode(array, dtype)


def _shaped(array: Array, layout: Layout, source: str, where: Place) -> Array:
    if array.shape != layout.shape:
        raise fail("PRB906", f"{source} has the shape {list(array.shape)}, not {list(layout.shape)}", where)
    return array


def contents(
    init: Init, layout: Layout, *, dims: Mapping[str, int], seed: list[int], folder: Path, where: Place
) -> Array:
    """Storage elements of `layout.shape` for an init.

    A function's result is taken as `read_npy` takes an array; the function gets what its parameters name among the
    dimensions, `shape`, `dtype`, `seed` and `rng`. WarpgaugeError PRB906 or PRB907 where a file or a function fails.
    """
    source = str(init.source)
    if init.kind == "file":
        return _shaped(read_npy(source, layout.dtype, folder, where), layout, source, where)
    if init.kind == "python":
        values = {**dims, "shape": list(layout.shape), "dtype": layout.dtype, "seed": seed}
        results = call_python(source, folder, {}, values, where=where)
        if set(results) != {""}:
            raise fail("PRB906", f"{source} returned a dictionary; one array is needed", where)
        return _shaped(_numbers(results[""], layout.dtype, source, where), layout, source, where)
    return encode(_drawn(init, layout, dims, seed, where), layout.dtype)


def stored(elements: Array, layout: Layout) -> Array:
    """A whole buffer with `elements` in their places; the gaps between them hold what no computation should see."""
    storage = filler(layout.dtype, layout.size)
    layout.view(storage)[...] = elements
    return storage
