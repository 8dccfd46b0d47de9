"""Whether one launch fits the architecture; PRB904 names the field and the value that do not."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from warpgauge.arch import Limits, limits
from warpgauge.arch.retired import why_not
from warpgauge.problem.place import Place, fail

Index3 = tuple[int, int, int]
PlaceOf = Callable[..., Place]
_AXES = ("x", "y", "z")


def arch_limits(arch: str, where: Place) -> Limits:
    """The limits of an architecture; PRB904 if none are known."""
    try:
        return limits(arch)
    except KeyError as error:
        reason = why_not(arch)
        raise fail("PRB904", f"{error.args[0]}" + (f" ({reason})" if reason else ""), where) from None


def check_launch(
    limit: Limits, grid: Index3, block: Index3, cluster: Index3, dynamic_shared: int, place: PlaceOf
) -> None:
    """Raises WarpgaugeError PRB904 at the first of grid, block, cluster and dynamic shared memory that does not fit.

    `place(key, ...)` gives the place of a key of this launch. Static shared memory is not known here.
    """
    for name, values, most in (("grid", grid, limit.grid_dim), ("block", block, limit.block_dim)):
        for axis, value, top in zip(_AXES, values, most, strict=True):
            if not 1 <= value <= top:
                message = f"{name}.{axis} = {value} is not within 1 to {top}"
                raise fail("PRB904", message, place(name, _AXES.index(axis)))
    if prod(block) > limit.threads_per_block:
        message = (
            f"{' x '.join(map(str, block))} = {prod(block)} threads, {limit.arch} allows {limit.threads_per_block}"
        )
        raise fail("PRB904", message, place("block"))
    _check_cluster(limit, grid, cluster, place)
    if not 0 <= dynamic_shared <= limit.shared_per_block_optin:
        message = f"{dynamic_shared} bytes, {limit.arch} allows 0 to {limit.shared_per_block_optin} per block"
        raise fail("PRB904", message, place("dynamic_shared"))


def _check_cluster(limit: Limits, grid: Index3, cluster: Index3, place: PlaceOf) -> None:
    if cluster == (1, 1, 1):
        return
    if min(cluster) < 1:
        raise fail("PRB904", f"{list(cluster)} has a dimension below 1", place("cluster"))
    if prod(cluster) > limit.cluster_blocks:
        most = f"at most {limit.cluster_blocks}" if limit.cluster_blocks > 1 else "no clusters"
        raise fail("PRB904", f"{prod(cluster)} blocks per cluster, {limit.arch} has {most}", place("cluster"))
    for axis, blocks, step in zip(_AXES, grid, cluster, strict=True):
        if blocks % step:
            message = f"grid.{axis} = {blocks} is not a multiple of cluster.{axis} = {step}"
            raise fail("PRB904", message, place("cluster"))
