"""How an array that somebody already has lies in memory: contiguous, padded, transposed, expanded, sliced, misaligned.

Works on anything with a shape, strides and a dtype: NumPy arrays (strides in bytes), torch tensors (`stride()` in
elements, `data_ptr()`), and what imitates one of them. Nothing is copied and no extra is imported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .dtypes import DTYPES
from .layout import Layout, row_major

Order = Literal[
    "contiguous", "padded", "column-major", "padded column-major", "channels_last", "permuted", "expanded", "strided"
]
WIDEST = 16
"""Bytes of the widest load or store of one lane (32 from sm_100 on)."""

# Names by library -> names of a problem file.
_DTYPES = {
    "float16": "f16",
    "half": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float": "f32",
    "float64": "f64",
    "double": "f64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "bool": "bool",
    **{
        f"{name}{bits}": f"{letter}{bits}" for name, letter in (("int", "i"), ("uint", "u")) for bits in (8, 16, 32, 64)
    },
}
_COPIES = {
    "torch": "Tensor.contiguous()",
    "numpy": "numpy.ascontiguousarray(x)",
    "": "Tensor.contiguous() of torch, or numpy.ascontiguousarray(x),",
}
_WORDS: dict[Order, str] = {
    "contiguous": "row-major, one element after the other",
    "padded": "row-major with a padded leading dimension",
    "column-major": "column-major: the first dimension runs fastest (a transposed view)",
    "padded column-major": "column-major with a padded leading dimension",
    "channels_last": "channels_last: of the shape N, C, H, W the channels run fastest",
    "permuted": "dense, with the dimensions in another order",
    "expanded": "expanded: elements along a dimension share one place (stride 0)",
    "strided": "a sliced view: no dimension has neighbours next to each other in the order of the strides",
}


@dataclass(frozen=True)
class Described:
    """One array. `shape` and `strides` count elements.

    `base` is the address of the first element, None where it is not known; `alignment` the widest vector in bytes, at
    most `WIDEST`, that an access to the start of every row may have (None without a base). `library` is "torch" or
    "numpy" where an object of theirs was described: the fix is given by its names. `dtype` is a problem file's name,
    or the library's where that has none.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    item_bytes: int
    order: Order
    base: int | None = None
    device: str = ""
    library: Literal["numpy", "torch", ""] = ""

    @property
    def words(self) -> str:
        return _WORDS[self.order]

    @property
    def dense(self) -> bool:
        """Whether a kernel can index it by its extents alone, in one of the two usual orders."""
        return self.order in ("contiguous", "column-major")

    @property
    def leading_dimension(self) -> int | None:
        """Elements from one row (or column) to the next of a matrix; None where that is not defined."""
        if 0 in self.shape:
            return None
        if self.order in ("contiguous", "padded") and len(self.shape) >= 2:
            return self.strides[-2]
        if self.order in ("column-major", "padded column-major") and len(self.shape) == 2:
            return self.strides[1]
        return None

    @property
    def alignment(self) -> int | None:
        """Needs the base and every stride that is no neighbour's."""
        if self.base is None:
            return None
        steps = [s * self.item_bytes for n, s in zip(self.shape, self.strides, strict=True) if n > 1 and abs(s) != 1]
        return math.gcd(self.base, WIDEST, *steps)

    @property
    def fix(self) -> str:
        """What gives the contiguous form, in the library's own words; empty where it is contiguous."""
        if self.order == "contiguous":
            return ""
        copy = f"{_COPIES[self.library]} copies it"
        if self.order in ("padded", "padded column-major"):
            return f"pass the leading dimension {self.leading_dimension or self.strides} to the kernel, or {copy}"
        if self.order == "channels_last":
            return f"{copy} into N, C, H, W order, unless the kernel indexes N, H, W, C"
        if self.order == "column-major":
            return f"index it as the transposed array, or {copy}"
        return f"{copy} into row-major order"


def describe_layout(obj: Any) -> Described:
    """The layout of an array or tensor. TypeError for an object without shape, strides and dtype.

    ValueError where the strides are not whole elements: a field of a structured array, say.
    """
    try:
        shape = tuple(int(n) for n in obj.shape)
        dtype = str(obj.dtype).rpartition(".")[2]
        if callable(getattr(obj, "stride", None)):
            return describe(
                dtype, shape, tuple(obj.stride()), int(obj.element_size()), _address(obj), _device(obj), "torch"
            )
        item = int(obj.dtype.itemsize)
        strides = tuple(obj.strides) if obj.strides is not None else tuple(s * item for s in row_major(shape))
    except (AttributeError, TypeError) as error:
        raise TypeError(f"{type(obj).__name__} has no shape, strides and dtype: {error}") from None
    if any(stride % item for stride in strides):
        raise ValueError(f"strides of {strides} bytes are not whole elements of {item} bytes")
    return describe(dtype, shape, tuple(s // item for s in strides), item, _address(obj), _device(obj), "numpy")


def describe(
    dtype: str,
    shape: Sequence[int],
    strides: Sequence[int],
    item_bytes: int,
    base: int | None = None,
    device: str = "",
    library: Literal["numpy", "torch", ""] = "",
) -> Described:
    """The same from numbers: `strides` in elements. ValueError where shape and strides do not belong together."""
    if len(shape) != len(strides):
        raise ValueError(f"{len(strides)} strides for {len(shape)} dimensions")
    if any(n < 0 for n in shape):
        raise ValueError(f"negative extent in {list(shape)}")
    order = order_of(tuple(shape), tuple(strides))
    name = _DTYPES.get(dtype, dtype)
    return Described(name, tuple(shape), tuple(strides), item_bytes, order, base, device, library)


def item_bytes_of(dtype: str) -> int:
    """Bytes of an element type by a problem file's name or a library's; ValueError for an unknown one."""
    name = _DTYPES.get(dtype, dtype)
    if name not in DTYPES:
        raise ValueError(f"unknown dtype {dtype!r}; known: {', '.join(DTYPES)}")
    return DTYPES[name].bytes


def order_of(shape: tuple[int, ...], strides: tuple[int, ...]) -> Order:
    """What shape and strides (in elements) amount to; dimensions of extent 1 do not matter."""
    if 0 in shape:
        return "contiguous"
    pairs = [(n, s) for n, s in zip(shape, strides, strict=True) if n > 1]
    if any(s == 0 for _, s in pairs):
        return "expanded"
    if _dense(pairs):
        return "contiguous"
    if len(shape) == 4 and _dense([(n, s) for n, s in _moved(shape, strides) if n > 1]):
        return "channels_last"
    if _dense(pairs[::-1]):
        return "column-major"
    if _nested(pairs):
        return "padded"
    if _nested(pairs[::-1]):
        return "padded column-major"
    return "permuted" if _dense(sorted(pairs, key=lambda p: -p[1])) else "strided"


def _moved(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[tuple[int, int]]:
    """The dimensions N, C, H, W as N, H, W, C."""
    n, c, h, w = zip(shape, strides, strict=True)
    return [n, h, w, c]


def _dense(pairs: list[tuple[int, int]]) -> bool:
    """Whether the elements stand one after the other, the last of these dimensions fastest."""
    expected = row_major(tuple(n for n, _ in pairs))
    return all(stride == dense for (_, stride), dense in zip(pairs, expected, strict=True))


def _nested(pairs: list[tuple[int, int]]) -> bool:
    """Whether the last dimension is dense and every other one steps over all of the one inside it."""
    reach = 1
    for place, (extent, stride) in enumerate(reversed(pairs)):
        if stride < reach or (place == 0 and stride != 1):
            return False
        reach = stride * extent
    return True


def _address(obj: Any) -> int | None:
    """The address of the first element, from whichever of the usual ways the object has."""
    if callable(getattr(obj, "data_ptr", None)):
        return int(obj.data_ptr())
    for name in ("__array_interface__", "__cuda_array_interface__"):
        interface = getattr(obj, name, None)
        if isinstance(interface, dict) and isinstance(interface.get("data"), tuple):
            return int(interface["data"][0])
    return None


def _device(obj: Any) -> str:
    return str(getattr(obj, "device", ""))


def layout_mismatches(found: Described, wanted: Layout) -> tuple[str, ...]:
    """Where an array differs from a tensor of a problem; empty if a kernel may be given the one for the other.

    Strict: the same dtype, extents and strides; only the strides of extents 0 and 1 do not matter.
    """
    words = []
    if found.dtype != wanted.dtype:
        words.append(f"dtype {found.dtype}, the problem has {wanted.dtype}")
    if found.shape != wanted.shape:
        words.append(f"shape {list(found.shape)}, the problem has {list(wanted.shape)}")
    elif 0 not in found.shape:
        triples = zip(found.shape, found.strides, wanted.strides, strict=True)
        if any(have != want for extent, have, want in triples if extent > 1):
            words.append(f"strides {list(found.strides)}, the problem has {list(wanted.strides)}")
    return tuple(words)
