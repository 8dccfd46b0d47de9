"""`count_layouts`: layouts of a tile, executed: what the virtual GPU counts, and whether every element is found."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from warpgauge.build import compile_source
from warpgauge.evidence import Execution, Provenance
from warpgauge.padding import Access, Layout, Option, Tile
from warpgauge.padding.kernel import Program, Slot, matrices, program
from warpgauge.problem.dtypes import Array
from warpgauge.vgpu import GlobalMemory, execute


@dataclass(frozen=True)
class CountedAccess:
    """One access under one layout, counted; `right`: it saw exactly the elements that it asked for."""

    requests: int
    wavefronts: int
    conflicts: int
    right: bool


@dataclass(frozen=True)
class CountedLayout:
    """`faults` are findings in words, of a layout that cannot be run as it is."""

    layout: Layout
    accesses: tuple[CountedAccess, ...]
    faults: tuple[str, ...]
    provenance: Provenance

    def agrees(self, option: Option) -> bool:
        """Whether execution found what the rule had said: the counts, or that a layout faults."""
        if option.misaligned or self.faults:
            return bool(option.misaligned) == bool(self.faults)
        counted = [(a.requests, a.wavefronts, a.conflicts) for a in self.accesses]
        return all(a.right for a in self.accesses) and counted == [
            (c.requests, c.wavefronts, c.conflicts) for c in option.costs
        ]


def count_layouts(
    tile: Tile, accesses: Sequence[Access], layouts: Sequence[Layout], threads: int, arch: str
) -> tuple[CountedLayout, ...]:
    """Compiles one kernel per layout, executes each with full checking on one block, and compares what it read.

    WarpgaugeError: PRB901 for an unknown architecture, PRB904 where a tile does not fit its shared memory.
    """
    made = program(tile, accesses, layouts, threads)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tile.cu"
        path.write_text(made.source)
        build = compile_source(path, arch=arch, cache=False)
    elements = _elements(tile)
    found = []
    for number, layout in enumerate(layouts):
        memory = GlobalMemory()
        arguments = [
            memory.add("a", elements),
            memory.add("table", np.array(made.table, np.int32)),
            memory.add("out", np.zeros(max(made.output_bytes, 16), np.uint8)),
        ]
        execution = execute(
            build,
            f"layout_{number}",
            grid=(1, 1, 1),
            block=(threads, 1, 1),
            arguments=arguments,
            memory=memory,
            dynamic_shared=layout.bytes(tile),
            mode="shadow",
        )
        found.append(_counted(made, number, layout, tile, accesses, execution, elements, memory.read("out")))
    return tuple(found)


def _elements(tile: Tile) -> Array:
    """Elements of which as few as possible are equal: their numbers, mixed so that each byte tells."""
    numbers = np.arange(1, tile.rows * tile.columns + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (numbers >> np.uint64(64 - 8 * tile.element_bytes)).astype(f"u{tile.element_bytes}")


def _counted(
    made: Program,
    number: int,
    layout: Layout,
    tile: Tile,
    accesses: Sequence[Access],
    execution: Execution,
    elements: Array,
    out: Array,
) -> CountedLayout:
    rows, shared = [], [site for site in execution.sites if site.space == "shared"]
    for access, slot in zip(accesses, made.slots, strict=True):
        sites = [site for site in shared if site.location.line == slot.lines[number] and site.op == access.op]
        seen = out[slot.output : slot.output + slot.output_bytes]
        rows.append(
            CountedAccess(
                sum(site.requests for site in sites),
                sum(site.wavefronts for site in sites),
                sum(site.conflicts for site in sites),
                np.array_equal(seen, _expected(access, slot, tile, elements)),
            )
        )
    detail = max((site.provenance.detail for site in shared), default="")
    faults = tuple(f"{fault.code}: {fault.message}" for fault in execution.faults if not fault.warning)
    if not execution.completed and not faults:
        faults = (execution.stopped or "did not run to its end",)
    return CountedLayout(layout, tuple(rows), faults, Provenance("counted", detail))


def _expected(access: Access, slot: Slot, tile: Tile, elements: Array) -> Array:
    """The bytes that an access leaves in its part of the output if the layout finds every element."""
    raw = elements.reshape(tile.rows, tile.columns).view(np.uint8)
    if access.op == "store":
        held = np.zeros_like(raw)
        for lanes in access.requests:
            for row, byte in filter(None, lanes):
                held[row, byte : byte + access.bytes_per_lane] = raw[row, byte : byte + access.bytes_per_lane]
        return held.reshape(-1)
    if access.kind == "matrix":
        return _expected_matrices(access, slot, raw)
    width = access.bytes_per_lane
    seen = np.zeros((slot.output_bytes // width, width), np.uint8)
    for n, lanes in enumerate(access.requests):
        for lane, at in enumerate(lanes):
            if at is not None:
                seen[32 * n + lane] = raw[at[0], at[1] : at[1] + width]
    return seen.reshape(-1)


def _expected_matrices(access: Access, slot: Slot, raw: Array) -> Array:
    """Lane l of an ldmatrix gets 32 bits of row l / 4 of each matrix, or of its column l / 4 where it transposes."""
    count = matrices(access)
    seen = np.zeros((slot.output_bytes // (128 * count), 32, count, 2), np.uint16)
    for n, lanes in enumerate(access.requests):
        for matrix in range(count):
            places = [at for at in lanes[8 * matrix : 8 * matrix + 8] if at is not None]
            held = np.stack([raw[row, byte : byte + 16] for row, byte in places]).view(np.uint16)
            turned = held.T if access.word.endswith(".trans") else held
            seen[n, :, matrix] = turned.reshape(32, 2)
    return seen.reshape(-1).view(np.uint8)
