"""What a tile probe's machine code does, run lane by lane: its requests, and which element lands in which register."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np

from tests.oracle.sass_lanes import LANES, Machine, Memory, Request
from tests.oracle.tile_probes import Probe, module
from warpgauge.build import compile_source
from warpgauge.ptx.tiles import Tile
from warpgauge.sass import SassInstruction, parse_sass

# Where constant bank 0 holds the parameters, and where shared memory starts.
_PARAMETERS = {"sm_80": 0x160, "sm_90": 0x210, "sm_120": 0x380}
_SHARED = {"sm_80": 0, "sm_90": 0x400, "sm_120": 0x400}
_MEMORY, _OUT = 1 << 40, 1 << 41
_OUT_BYTES = 64  # of each lane
STRIDE = 1024  # elements, where the probe takes it at run time


def machine_code(probes: list[Probe], arch: str, folder: Path) -> dict[str, list[SassInstruction]]:
    """Kernel name -> its instructions, all probes compiled as one module."""
    file = folder / f"probes_{arch}.ptx"
    file.write_text(module(probes, arch))
    code = defaultdict(list)
    for i in parse_sass(compile_source(file, arch=arch).sass):
        code[i.function].append(i)
    return code


def tile_of_probe(p: Probe) -> Tile:
    return Tile(p.what, p.shape, p.type, "row" if p.layout == "row" else "col")


class TileRun:
    """A probe and its machine code for one architecture."""

    def __init__(self, probe: Probe, code: list[SassInstruction], arch: str) -> None:
        self.probe, self.code, self.arch = probe, code, arch
        self.tile = tile_of_probe(probe)
        self.stride = probe.stride or STRIDE
        self.base = _SHARED[arch] if probe.space == "shared" else _MEMORY

    def _execute(self, memory: np.ndarray, out: np.ndarray) -> list[Request]:
        words = {}
        for offset, value, count in ((0, _MEMORY, 2), (8, _OUT, 2), (16, STRIDE, 1)):
            for n in range(count):
                words[_PARAMETERS[self.arch] + offset + 4 * n] = value >> 32 * n & 0xFFFFFFFF
        machine = Machine(words, [Memory(self.base, memory), Memory(_OUT, out)])
        machine.run(self.code)
        return [r for r in machine.requests if self.base <= r.addresses[0] < self.base + memory.size]

    def _empty(self) -> np.ndarray:
        return np.zeros(self.tile.majors * self.stride * self.tile.bits // 8, np.uint8)

    def requests(self) -> list[tuple[str, int, tuple[tuple[int, int], ...]]]:
        """(op, bytes per lane, (major, minor) of each lane that gives an address) of each access to the tile."""
        found = []
        for request in self._execute(self._empty(), np.zeros(LANES * _OUT_BYTES, np.uint8)):
            lanes = 8 * int(request.op.removeprefix("matrix")) if request.op.startswith("matrix") else LANES
            elements = [(a - self.base) * 8 // self.tile.bits for a in request.addresses[:lanes]]
            found.append((request.op, request.width, tuple(divmod(e, self.stride) for e in elements)))
        return found

    def loaded(self) -> list[list[tuple[int, int]]]:
        """(row, column) of the element in each place of the fragment, then by lane: from tags that are loaded."""
        rows, columns = self.tile.size
        bits = self.tile.bits
        size = max(32, bits) // 8
        each = 8 * size // bits
        tags = np.zeros((self.tile.registers * each, LANES), np.int64)
        # Narrow elements hold their tag in several runs.
        for shift in range(0, 10, bits):
            memory = self._empty()
            for row in range(rows):
                for column in range(columns):
                    major, minor = self.tile.in_memory((row, column))
                    at = (major * self.stride + minor) * bits
                    tag = (row * columns + column) >> shift & (1 << bits) - 1
                    if bits < 8:
                        memory[at // 8] |= tag << at % 8
                    else:
                        memory[at // 8 : (at + bits) // 8] = np.frombuffer(tag.to_bytes(bits // 8, "little"), np.uint8)
            out = np.zeros(LANES * _OUT_BYTES, np.uint8)
            self._execute(memory, out)
            for lane in range(LANES):
                for n in range(len(tags)):
                    start = lane * _OUT_BYTES + n // each * size
                    word = int.from_bytes(out[start : start + size].tobytes(), "little")
                    tags[n, lane] |= (word >> n % each * bits & (1 << bits) - 1) << shift
        return [[divmod(int(tag), columns) for tag in line] for line in tags]

    def stored(self) -> list[list[tuple[int, int]]]:
        """The same for a store: where each place of the fragment lands."""
        rows, columns = self.tile.size
        size = max(32, self.tile.bits) // 8
        each = 8 * size // self.tile.bits
        out = np.zeros(LANES * _OUT_BYTES, np.uint8)
        width = self.tile.bits // 8
        for lane in range(LANES):
            for n in range(self.tile.registers * each):
                at = lane * _OUT_BYTES + n * width
                tag = (n * LANES + lane + 1).to_bytes(width, "little")
                out[at : at + width] = np.frombuffer(tag, np.uint8)
        memory = self._empty()
        self._execute(memory, out)
        found = [[(-1, -1)] * LANES for _ in range(self.tile.registers * each)]
        for row in range(rows):
            for column in range(columns):
                major, minor = self.tile.in_memory((row, column))
                at = (major * self.stride + minor) * width
                n, lane = divmod(int.from_bytes(memory[at : at + width].tobytes(), "little") - 1, LANES)
                found[n][lane] = (row, column)
        return found
