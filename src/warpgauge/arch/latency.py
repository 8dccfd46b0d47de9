"""Little's law on an SM: how much must be in flight for a latency to cost no throughput.

What is in flight on average is throughput x latency. For memory these are bytes: peak bandwidth x latency of an
unloaded load, shared out over the SMs. For arithmetic these are instructions: four schedulers issue one each per
clock, and a dependent instruction can follow after four clocks. High occupancy is one way to get there; wider and
earlier loads and independent instructions in one warp are others.
"""

from __future__ import annotations

from dataclasses import dataclass

from .chips import Chip
from .limits import Limits

#: Clocks between dependent arithmetic instructions; CUDA C++ Programming Guide, multiprocessor level (7.x and later).
ARITHMETIC_LATENCY = 4

#: Clocks of a shared-memory load without conflicts. Published readings lie between 23 (RTX 2070,
#: github.com/sjfeng1999/gpu-arch-microbenchmark) and about 30, the value that asks for more.
SHARED_LATENCY = 30


#: Seconds that launching a kernel costs at the least: "order of microseconds" in NVIDIA's documents and in traces.
LAUNCH_COST = 2e-6


@dataclass(frozen=True)
class InFlight:
    """What one SM must have in flight: bytes of loads, wavefronts of shared loads, and instructions (warps x
    independent instructions of a warp).

    `memory_bytes` is None where the chip's latency is not known.
    """

    memory_bytes: float | None
    wavefronts: int
    instructions: int


def needed_in_flight(chip: Chip, limit: Limits) -> InFlight:
    """For full memory bandwidth, a wavefront in every clock, and an instruction of every scheduler in every clock."""
    latency = chip.memory_latency
    memory = None if latency is None else latency * chip.memory_bandwidth / chip.sms
    return InFlight(memory, SHARED_LATENCY, limit.sub_partitions * ARITHMETIC_LATENCY)


def warps_for(memory_bytes: float, bytes_per_lane: int, loads: int, warp_size: int = 32) -> int:
    """Warps that together have `memory_bytes` in flight, each with `loads` loads of `bytes_per_lane` before a wait."""
    return -int(-memory_bytes // (bytes_per_lane * loads * warp_size))
