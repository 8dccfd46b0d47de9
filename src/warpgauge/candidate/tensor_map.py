"""Tensor maps: what `cuTensorMapEncodeTiled` is given for a tensor, innermost dimension first.

Limits are those that the CUDA driver API documents for that function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from warpgauge.problem.dtypes import DTYPES
from warpgauge.problem.layout import Layout
from warpgauge.problem.place import Place, fail
from warpgauge.problem.record import Expression, Name, Record

Swizzle = Literal["none", "32B", "64B", "128B"]
Interleave = Literal["none", "16B", "32B"]
Promotion = Literal["none", "64B", "128B", "256B"]
_SWIZZLE_BYTES = {"32B": 32, "64B": 64, "128B": 128}
_MOST_STRIDE = 1 << 40


class TensorMap(Record):
    """One `[tensor_maps.NAME]` table. `box` and `element_strides` have one entry per dimension, innermost first."""

    tensor: Name
    box: Annotated[tuple[Expression, ...], Field(min_length=1, max_length=5)]
    element_strides: tuple[Expression, ...] | None = None
    swizzle: Swizzle = "none"
    interleave: Interleave = "none"
    l2_promotion: Promotion = "none"
    fill: Literal["zeros", "nan"] = "zeros"


@dataclass(frozen=True)
class PlannedTensorMap:
    """The encoder's arguments. Sizes in elements, `offset_bytes` and `strides` in bytes; no stride for dimension 0."""

    name: str
    tensor: str
    dtype: str
    offset_bytes: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    swizzle: Swizzle
    interleave: Interleave
    l2_promotion: Promotion
    fill: Literal["zeros", "nan"]


def planned_map(
    name: str, table: TensorMap, layout: Layout, box: tuple[int, ...], steps: tuple[int, ...], where: Place
) -> PlannedTensorMap:
    """Checks one map against its tensor's layout; PRB904 names what the hardware cannot describe."""
    rank, width = len(layout.shape), DTYPES[layout.dtype].bytes
    sizes = tuple(reversed(layout.shape))
    strides = tuple(stride * width for stride in reversed(layout.strides))
    if not 1 <= rank <= 5:
        raise fail("PRB904", f"a tensor map has 1 to 5 dimensions, {table.tensor} has {rank}", where)
    for what, values in (("box", box), ("element_strides", steps)):
        if len(values) != rank:
            raise fail("PRB904", f"{what} has {len(values)} entries, {table.tensor} has {rank} dimensions", where)
    inner = box[0] * width
    swizzled = _SWIZZLE_BYTES.get(table.swizzle, 0)
    rules = (
        (strides[0] == width, f"the innermost dimension of {table.tensor} is not contiguous"),
        (all(1 <= size <= 1 << 32 for size in sizes), f"sizes {list(sizes)} are not within 1 to 2^32"),
        (all(1 <= extent <= 256 for extent in box), f"box {list(box)} is not within 1 to 256 per dimension"),
        (all(1 <= step <= 8 for step in steps), f"element strides {list(steps)} are not within 1 to 8"),
        (
            all(stride > 0 and stride % 16 == 0 and stride < _MOST_STRIDE for stride in strides[1:]),
            f"strides {list(strides[1:])} bytes are not multiples of 16 below 2^40",
        ),
        (layout.offset * width % 16 == 0, f"offset of {layout.offset * width} bytes is not a multiple of 16"),
        (
            table.interleave != "none" or inner % 16 == 0,
            f"the box's innermost dimension has {inner} bytes, not a multiple of 16",
        ),
        (
            table.interleave != "none" or not swizzled or inner <= swizzled,
            f"the box's innermost dimension has {inner} bytes, more than the {table.swizzle} swizzle holds",
        ),
        (
            table.interleave != "32B" or table.swizzle == "32B",
            "interleave 32B goes with swizzle 32B only",
        ),
        (table.interleave == "none" or rank >= 3, f"interleave needs 3 dimensions or more, not {rank}"),
        (table.fill == "zeros" or DTYPES[layout.dtype].is_float, f"fill nan needs a float type, not {layout.dtype}"),
    )
    for kept, message in rules:
        if not kept:
            raise fail("PRB904", message, where)
    return PlannedTensorMap(
        name,
        table.tensor,
        layout.dtype,
        layout.offset * width,
        sizes,
        strides[1:],
        box,
        steps,
        table.swizzle,
        table.interleave,
        table.l2_promotion,
        table.fill,
    )
