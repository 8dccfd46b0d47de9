"""Address spaces: where each variable and buffer lies, and byte access with bounds and alignment checks.

Global addresses are generic addresses. Shared, local, constant and parameter addresses count from 0 inside their
space; adding the space's window gives the generic address.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warpgauge.ptx import Kernel, Module, Variable

GLOBAL_BASE = 0x7F0000000000
RED_ZONE = 256
WINDOWS = {"shared": 0x7E0000000000, "local": 0x7D0000000000, "const": 0x7C0000000000, "param": 0x7B0000000000}
WINDOW_BYTES = 1 << 32


class OracleFault(RuntimeError):
    """The kernel did something that has no defined result: the oracle stops."""


def _up(value: int, step: int) -> int:
    return -(-value // step) * step


def _gap(size: int) -> int:
    return min(max(size, 1 << 16), 1 << 23)


def layout(buffers: dict[str, np.ndarray]) -> dict[str, int]:
    """Device address of each buffer: 256-byte aligned, with a red zone of its own size (64 KiB to 8 MiB) behind it."""
    out, at = {}, GLOBAL_BASE + RED_ZONE
    for name, array in buffers.items():
        out[name] = at
        at = _up(at + array.nbytes + _gap(array.nbytes), RED_ZONE)
    return out


def place_in_order(variables: list[Variable]) -> tuple[dict[str, int], int]:
    """Offsets by name, each at its own alignment, and the bytes used in all."""
    out, at = {}, 0
    for variable in variables:
        at = _up(at, max(1, variable.align))
        out[variable.name] = at
        at += variable.size
    return out, at


@dataclass
class Range:
    start: int
    end: int
    name: str


class Arena:
    """Bytes of one space with the ranges in which access is allowed. Addresses start at `base`."""

    def __init__(self, base: int, size: int, ranges: list[Range]) -> None:
        self.base = base
        self.bytes = np.zeros(size, np.uint8)
        ranges = sorted(ranges, key=lambda r: r.start)
        self.starts = np.array([r.start for r in ranges], np.int64)
        self.ends = np.array([r.end for r in ranges], np.int64)

    def places(self, addresses: np.ndarray, width: int) -> np.ndarray:
        """Byte indices, shape (lanes, width). Accesses must be aligned to their whole width and stay in one range."""
        at = addresses.astype(np.int64)
        found = np.searchsorted(self.starts, at, side="right") - 1
        outside = (found < 0) | (at + width > self.ends[np.maximum(found, 0)] if len(self.ends) else True)
        for bad, what in ((outside, "outside every allocation"), (at % width != 0, "not aligned")):
            if np.any(bad):
                raise OracleFault(f"address {int(at[np.argmax(bad)]):#x}, {width} bytes: {what}")
        return (at - self.base)[:, None] + np.arange(width)


@dataclass
class Layout:
    """Everything that does not change while blocks run: addresses by (space, variable name) and the arenas."""

    addresses: dict[tuple[str, str], int]
    shared_bytes: int
    local_bytes: int
    memory: Arena
    constants: Arena
    parameters: Arena
    buffers: dict[str, int]


def build_layout(
    module: Module, kernel: Kernel, buffers: dict[str, np.ndarray], parameters: bytes, dynamic_shared: int
) -> Layout:
    """Buffers first, then module globals, in one arena; constants in another; initial values in place."""
    addresses: dict[tuple[str, str], int] = {}
    places = layout(buffers)
    ranges = [Range(places[n], places[n] + a.nbytes, n) for n, a in buffers.items()]
    ends = [_up(r.end + _gap(r.end - r.start), RED_ZONE) for r in ranges]
    at = max(ends, default=GLOBAL_BASE + RED_ZONE)
    for variable in module.variables.values():
        if variable.space == "global":
            addresses["global", variable.name] = at
            ranges.append(Range(at, at + variable.size, variable.name))
            at = _up(at + variable.size + _gap(variable.size), RED_ZONE)
    memory = Arena(GLOBAL_BASE, at - GLOBAL_BASE, ranges)
    for name, array in buffers.items():
        start = places[name] - GLOBAL_BASE
        memory.bytes[start : start + array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)

    fixed = [v for v in module.variables.values() if v.space == "const"]
    offsets, used = place_in_order(fixed)
    addresses.update({("const", name): offset for name, offset in offsets.items()})
    constants = Arena(0, used, [Range(offsets[v.name], offsets[v.name] + v.size, v.name) for v in fixed])

    static = sorted(kernel.shared, key=lambda v: v.extern)
    offsets, shared_bytes = place_in_order(static)
    addresses.update({("shared", name): offset for name, offset in offsets.items()})
    offsets, local_bytes = place_in_order(list(kernel.local))
    addresses.update({("local", name): offset for name, offset in offsets.items()})
    addresses.update({("param", p.name): p.offset for p in kernel.params})
    arguments = Arena(0, len(parameters), [Range(p.offset, p.offset + p.size, p.name) for p in kernel.params])
    arguments.bytes[:] = np.frombuffer(parameters, np.uint8)
    out = Layout(addresses, shared_bytes + dynamic_shared, local_bytes, memory, constants, arguments, places)
    for variable in module.variables.values():
        _initialise(out, variable)
    return out


def _initialise(out: Layout, variable: Variable) -> None:
    if variable.init is None or variable.space not in ("global", "const"):
        return
    arena = out.memory if variable.space == "global" else out.constants
    data = bytearray(variable.init)
    for offset, symbol in variable.relocations:
        space = "global" if ("global", symbol) in out.addresses else "const"
        value = out.addresses[space, symbol] + WINDOWS.get(space, 0)
        data[offset : offset + 8] = value.to_bytes(8, "little")
    start = out.addresses[variable.space, variable.name] - arena.base
    arena.bytes[start : start + len(data)] = np.frombuffer(bytes(data), np.uint8)


def spaces_of(addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For generic addresses: the space's name per lane and the address inside it."""
    names = np.full(addresses.shape, "global", dtype=object)
    inside = addresses.copy()
    for name, window in WINDOWS.items():
        here = (addresses >= np.uint64(window)) & (addresses < np.uint64(window + WINDOW_BYTES))
        names[here] = name
        inside[here] -= np.uint64(window)
    return names, inside


class View:
    """Memory as one warp sees it: shared memory of its block, local memory of its lanes (one after the other)."""

    def __init__(self, fixed: Layout, shared: np.ndarray) -> None:
        self.stride = _up(fixed.local_bytes, 256)
        self.arenas = {"global": fixed.memory, "const": fixed.constants, "param": fixed.parameters}
        self.arenas["shared"] = Arena(0, 0, [Range(0, len(shared), "")])
        self.arenas["shared"].bytes = shared
        rows = [Range(n * self.stride, n * self.stride + fixed.local_bytes, "") for n in range(32)]
        self.arenas["local"] = Arena(0, 32 * self.stride, rows)

    def _places(self, space: str, lanes: np.ndarray, addresses: np.ndarray, width: int) -> np.ndarray:
        if space == "local":
            if (addresses >= self.stride).any():
                raise OracleFault("an address beyond local memory")
            addresses = addresses + (lanes * self.stride).astype(np.uint64)
        return self.arenas[space].places(addresses, width)

    def read(self, space: str, lanes: np.ndarray, addresses: np.ndarray, width: int, size: int) -> np.ndarray:
        """For each lane its `width` bytes as words of `size` bytes: uint64, shape (lanes, width // size)."""
        data = self.arenas[space].bytes[self._places(space, lanes, addresses, width)]
        return data.view(f"<u{size}").astype(np.uint64)

    def write(self, space: str, lanes: np.ndarray, addresses: np.ndarray, values: np.ndarray, size: int) -> None:
        """Inverse of `read`. Of several lanes with one address the last is seen."""
        data = np.ascontiguousarray(values.astype(f"<u{size}")).view(np.uint8)
        self.arenas[space].bytes[self._places(space, lanes, addresses, data.shape[1])] = data
