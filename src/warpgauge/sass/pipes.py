"""How long an instruction keeps a pipe busy, and how long its result takes, by architecture.

An interval is in cycles of one scheduler: a pipe of 16 lanes takes a warp of 32 for 2 cycles. Pipes that the
schedulers of an SM share count with the scheduler's part of them. A figure without a source is None and bounds nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from warpgauge.arch import CHIPS, SHARED_LATENCY, Chip, Limits, limits

from .parse import SassInstruction

_GUIDE = "CUDA C++ Programming Guide, throughput of native arithmetic instructions"

#: Where the figures below come from.
SOURCES: dict[str, str] = {
    "fma": _GUIDE + " (32-bit floating-point results per clock of an SM)",
    "imad": _GUIDE + " (32-bit integer multiply-add: 64)",
    "alu": _GUIDE + " (32-bit integer add, logic, shift, compare: 64)",
    "fp16": _GUIDE + " (16-bit results per clock, two a lane)",
    "fp64": _GUIDE + " (64-bit floating-point results per clock)",
    "xu": _GUIDE + " (special functions, conversions, bit counts: 16)",
    "lsu": _GUIDE + " (warp shuffle: 32 lanes per clock of an SM); one wavefront of 128 bytes per clock of an SM",
    "tensor": "tensor rate of the chip table; HMMA of sm_90 as the stall counts that ptxas writes say (6 cycles)",
    "latency of shared memory": "arch table (readings between 23 and 30 cycles)",
    "latency of L1 and L2": "pointer-chasing readings of github.com/markdewing/AI_kernels (latency/README.md)",
    "latency of others": "assumed, no reading: 20 cycles; shuffle 25, constant memory 40",
}

# Results per clock of an SM. None: no source at hand.
_FP64_LANES: dict[str, int | None] = {
    "sm_75": 2, "sm_80": 32, "sm_86": 2, "sm_87": None, "sm_89": 2, "sm_90": 64, "sm_100": 64, "sm_103": None,
    "sm_120": 2, "sm_121": 2,
}  # fmt: skip
_INTEGER_LANES, _SPECIAL_LANES, _LSU_LANES = 64, 16, 32

#: Cycles of an L2 hit, and of an L1 hit, by chip architecture.
L2_LATENCY: dict[str, int] = {"sm_80": 210, "sm_89": 296, "sm_90": 291, "sm_100": 295, "sm_103": 295, "sm_120": 360}
L1_LATENCY: dict[str, int] = {"sm_80": 39, "sm_89": 40, "sm_90": 40, "sm_100": 40, "sm_103": 39, "sm_120": 44}
#: What a load from global memory is taken to need where neither chip nor architecture has a reading.
UNKNOWN_MEMORY_LATENCY = 600

_LATENCY: dict[str, int] = {"SHFL": 25, "LDC": 40, "LDCU": 40, "ULDC": 40, "LDSM": SHARED_LATENCY + 3}
_OTHER_LATENCY = 20
#: Cycles until an instruction of variable latency has read its operands: assumed.
READ_LATENCY = 20

_SHAPE = re.compile(r"(\d+)x(\d+)x(\d+)")
# The digits of HMMA.16816 and the like.
_SHORT_SHAPES = {"1684": (16, 8, 4), "1688": (16, 8, 8), "16816": (16, 8, 16), "16832": (16, 8, 32), "884": (8, 8, 4),
                 "8816": (8, 8, 16), "8832": (8, 8, 32), "16864": (16, 8, 64), "168128": (16, 8, 128)}  # fmt: skip
#: Tensor rate over that of f16.
_RATE = {"I": 2.0, "Q": 2.0, "D": 1 / 16, "TF32": 0.5}


# Bytes of the instruction cache of a sub-partition, and the next one, which the constants share.
_INSTRUCTION_CACHES: dict[str, tuple[int, str]] = {
    "sm_75": (16 * 1024, "arXiv 1903.07486, a T4: 16 KiB in each sub-partition, 46 KiB in the SM"),
}


def instruction_cache(arch: str) -> tuple[int, str] | None:
    """(bytes of the nearest instruction cache, where that is from); None where no source is known."""
    return _INSTRUCTION_CACHES.get(arch)


@dataclass(frozen=True)
class Machine:
    """One architecture, on one chip where it is known."""

    arch: str
    limit: Limits
    chip: Chip | None = None

    @classmethod
    def of(cls, arch: str, chip: Chip | None = None) -> Machine:
        """KeyError for an architecture without limits."""
        limit = limits(arch)
        return cls(limit.arch, limit, chip)

    def _lanes(self, pipe: str) -> float | None:
        lanes = {
            "fma": self.limit.fp32_lanes,
            "imad": _INTEGER_LANES,
            "alu": _INTEGER_LANES,
            "fp16": self.limit.fp16_lanes and self.limit.fp16_lanes / 2,
            "fp64": _FP64_LANES.get(self.arch),
            "xu": _SPECIAL_LANES,
            "lsu": _LSU_LANES,
        }
        return lanes.get(pipe)

    def interval(self, i: SassInstruction, pipe: str, wavefronts: float = 1.0) -> float | None:
        """Cycles that one instruction of a warp keeps a pipe busy, seen from one scheduler."""
        schedulers = self.limit.sub_partitions
        if pipe == "tensor":
            return self._tensor(i)
        lanes = self._lanes(pipe)
        if lanes is None:
            return None
        each = self.limit.warp_size / (lanes / schedulers)
        return each * wavefronts if pipe == "lsu" else each

    def _tensor(self, i: SassInstruction) -> float | None:
        shape = _shape(i)
        rate = max((c.tensor_rate for c in CHIPS.values() if c.arch == self.arch), default=None)
        if self.chip is not None:
            rate = self.chip.tensor_rate
        if shape is None or rate is None:
            return None
        kind = "TF32" if "TF32" in i.modifiers else i.opcode[0]
        cycles = 2 * shape[0] * shape[1] * shape[2] / (rate * _RATE.get(kind, 1.0) / self.limit.sub_partitions)
        if "GMMA" in i.opcode:
            return cycles / self.limit.sub_partitions  # the four warps of a group share one product
        # Only the asynchronous products reach the full rate of sm_90.
        return cycles * 1.5 if self.arch == "sm_90" and i.opcode in ("HMMA", "IMMA", "QMMA") else cycles

    @property
    def memory_latency(self) -> int:
        """Cycles of a load that device memory answers."""
        if self.chip is not None and self.chip.memory_latency_cycles is not None:
            return self.chip.memory_latency_cycles
        known = [c.memory_latency_cycles for c in CHIPS.values() if c.arch == self.arch and c.memory_latency_cycles]
        return max(known, default=UNKNOWN_MEMORY_LATENCY)

    @property
    def l2_latency(self) -> int:
        """Cycles of a load that the L2 answers; device memory's where no reading is known."""
        return L2_LATENCY.get(self.arch, self.memory_latency)

    def latency(self, i: SassInstruction, wavefronts: float = 1.0, memory: float | None = None) -> float:
        """Cycles until the result of an instruction of variable latency is there. `memory`: of a global access."""
        from_memory = self.memory_latency if memory is None else memory
        if i.opcode in ("LDG", "LD", "ATOM", "ATOMG", "LDGSTS", "LDGDEPBAR", "RED", "REDG"):
            return from_memory
        if i.opcode in ("LDS", "LDSM", "ATOMS", "STS"):
            return _LATENCY.get(i.opcode, SHARED_LATENCY) + wavefronts - 1
        if i.opcode == "LDL":
            return L1_LATENCY.get(self.arch, _OTHER_LATENCY)
        return _LATENCY.get(i.opcode, _OTHER_LATENCY)


def least_wavefronts(i: SassInstruction) -> float:
    """Wavefronts of 128 bytes that a whole warp needs for the width of an access, at best."""
    if i.opcode in ("LDSM", "STSM"):
        return float(next((m for m in i.modifiers if m in ("2", "4")), 1))
    return next((int(m) / 32 for m in i.modifiers if m in ("64", "128", "256")), 1.0)


def _shape(i: SassInstruction) -> tuple[int, int, int] | None:
    for modifier in i.modifiers:
        if match := _SHAPE.fullmatch(modifier):
            m, n, k = map(int, match.groups())
            return m, n, k
        if modifier in _SHORT_SHAPES:
            return _SHORT_SHAPES[modifier]
    return None
