"""A warp's registers and special registers, and the readers and writers of operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from warpgauge.ptx import TYPE_BYTES, Immediate, Kernel, Operand, Register, Special, Symbol

from . import formats
from .formats import Words
from .memory import View
from .rows import Unsupported
from .warp import LANE_BITS, LANES

Index3 = tuple[int, int, int]


@dataclass
class Warp:
    """Lanes are numpy positions. `pending` holds the lanes that wait to run each basic block;
    `released` those that a barrier let go and that run from the warp's next turn on."""

    number: int
    registers: dict[str, Words]
    special: dict[str, object]
    view: View
    alive: np.ndarray
    pending: dict[int, np.ndarray] = field(default_factory=dict)
    released: dict[int, np.ndarray] = field(default_factory=dict)


Reader = Callable[[Warp], Words]
Writer = Callable[[Warp, Words, np.ndarray], None]


def new_warp(kernel: Kernel, number: int, block: Index3, place: Index3, grid: Index3, view: View, shared: int) -> Warp:
    threads = block[0] * block[1] * block[2]
    linear = number * 32 + LANES
    registers = {name: np.zeros(32, bool if kind == "pred" else np.uint64) for name, kind in kernel.registers.items()}
    ones = np.uint64(0xFFFFFFFF)
    values: dict[str, object] = {
        "tid.x": linear % block[0],
        "tid.y": linear // block[0] % block[1],
        "tid.z": linear // (block[0] * block[1]),
        "laneid": LANES,
        "warpid": number,
        "nwarpid": -(-threads // 32),
        "lanemask_eq": LANE_BITS,
        "lanemask_lt": LANE_BITS - np.uint64(1),
        "lanemask_le": LANE_BITS * np.uint64(2) - np.uint64(1),
        "lanemask_gt": ~(LANE_BITS * np.uint64(2) - np.uint64(1)) & ones,
        "lanemask_ge": ~(LANE_BITS - np.uint64(1)) & ones,
        "smid": 0,
        "nsmid": 1,
        "gridid": 0,
        "total_smem_size": shared,
        "cluster_ctarank": 0,
        "cluster_nctarank": 1,
        "is_explicit_cluster": 0,
    }
    for n, axis in enumerate("xyz"):
        values |= {f"ntid.{axis}": block[n], f"ctaid.{axis}": place[n], f"nctaid.{axis}": grid[n]}
        values |= {f"clusterid.{axis}": place[n], f"nclusterid.{axis}": grid[n]}
        values |= {f"cluster_ctaid.{axis}": 0, f"cluster_nctaid.{axis}": 1}
    alive = linear < threads
    return Warp(number, registers, values, view, alive, {0: alive.copy()})


class Operands:
    """Makes readers and writers for one kernel. `address_of(name)` gives a variable's address in its own space."""

    def __init__(self, kernel: Kernel, address_of: Callable[[str], int]) -> None:
        self.kernel = kernel
        self.address_of = address_of

    def reader(self, operand: Operand, kind: str) -> Reader:
        """Words of the operand as `kind`; a wider register gives its low part, "pred" gives bools."""
        if isinstance(operand, Register):
            name = operand.name
            if kind == "pred":
                return (lambda w: ~w.registers[name]) if operand.negated else (lambda w: w.registers[name])
            mask = formats.mask_of(kind)
            return lambda w: w.registers[name] & mask
        if isinstance(operand, Special):
            name, mask = operand.name, formats.mask_of(kind)
            if name.startswith(("clock", "globaltimer", "pm", "envreg")):
                raise Unsupported(f"%{name}")
            return lambda w: np.full(32, w.special[name], np.uint64) & mask
        if isinstance(operand, Immediate):
            return self._constant(_immediate(operand, kind), kind)
        if isinstance(operand, Symbol):
            return self._constant(self.address_of(operand.name) + operand.offset, kind)
        raise Unsupported(f"operand {operand}")

    def _constant(self, value: int, kind: str) -> Reader:
        if kind == "pred":
            flags = np.full(32, bool(value))
            return lambda w: flags
        fixed = formats.from_list([value] * 32, kind)
        return lambda w: fixed

    def writer(self, operand: Operand, kind: str) -> Writer:
        """Stores words of type `kind`; a wider register is filled with the sign or with zeros."""
        assert isinstance(operand, Register), operand
        name = operand.name
        if name == "_":
            return lambda w, value, mask: None
        declared = self.kernel.registers[name]
        if declared == "pred" or kind == "pred":
            return lambda w, value, mask: _put(w, name, value.astype(bool), mask)
        if kind[0] == "s" and TYPE_BYTES[declared] > TYPE_BYTES[kind]:
            limit = formats.mask_of(declared)
            return lambda w, value, mask: _put(w, name, formats.integers(value, kind).view(np.uint64) & limit, mask)
        narrow = formats.mask_of(kind if TYPE_BYTES[kind] < TYPE_BYTES[declared] else declared)
        return lambda w, value, mask: _put(w, name, value & narrow, mask)


def _put(warp: Warp, name: str, value: Words, mask: np.ndarray) -> None:
    warp.registers[name] = np.where(mask, value, warp.registers[name])


def _immediate(operand: Immediate, kind: str) -> int:
    """Integer literals stand for their bits, also of 16-bit floats; an f32 literal in an f64 place is converted."""
    if operand.kind == "f32" and kind == "f64":
        return int(np.array(operand.value, np.uint32).view(np.float32).astype(np.float64).view(np.uint64))
    if operand.kind == "f64" and kind == "f32":
        return int(np.array(operand.value, np.uint64).view(np.float64).astype(np.float32).view(np.uint32))
    return operand.value
