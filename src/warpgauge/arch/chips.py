"""Chips by name: what launch plans, waves, rooflines and latency hiding need to know about a product.

Every value names its source (`Chip.source`); peaks are derived, rate x SMs x clock. A live device query wins over this
table where there is one. A value that no source was found for is None, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass

from .limits import limits

_KIB = 1024

#: The documents and readings that the columns of the table point at.
SOURCES: dict[str, str] = {
    "turing": "NVIDIA Turing architecture white paper and T4 data sheet",
    "t4": "device query of a T4, in public repositories",
    "ampere": "NVIDIA A100 (GA100) architecture white paper",
    "a100": "NVIDIA A100 data sheet",
    "ga102": "NVIDIA GA102 architecture white paper",
    "a10": "NVIDIA A10 data sheet; device query of an A10, in public repositories",
    "orin": "NVIDIA Jetson AGX Orin series technical brief",
    "ada": "NVIDIA Ada architecture white paper",
    "l4": "NVIDIA L4 data sheet",
    "l40s": "NVIDIA L40S data sheet",
    "hopper": "NVIDIA H100 (GH100) architecture white paper",
    "h100": "NVIDIA H100 data sheet",
    "h200": "NVIDIA H200 data sheet",
    "h200-read": "read from an H200: 132 SMs, 60 MB of L2, 1980 MHz under load",
    "b200": "NVIDIA HGX B200 data sheet",
    "b200-read": "device query of a B200 (148 SMs, 129536 KiB of L2), in public repositories",
    "b300": "NVIDIA HGX B300 data sheet",
    "b300-read": "readings of a B300 (148 SMs, 126.5 MiB of L2, 2032 MHz), in public repositories",
    "blackwell": "NVIDIA RTX Blackwell architecture white paper",
    "chase": "pointer-chasing readings of github.com/markdewing/AI_kernels (latency/README.md), clocks not locked",
    "chase-h100": "the reading of an H100 SXM in github.com/markdewing/AI_kernels: the same GPU with other memory",
    "none": "no source found",
}


@dataclass(frozen=True)
class Chip:
    """A product. Rates are for one SM and one clock; clocks are the highest that the product boosts to.

    `clock_hz` holds for ordinary instructions, `tensor_clock_hz` is the one behind the quoted tensor peak.
    `memory_bandwidth` is the peak of the data sheet in bytes per second. `tensor_rate` counts floating-point operations
    of dense f16 products with f32 accumulation. `memory_latency_cycles` is an unloaded load from device memory in SM
    clocks, None where nobody's reading is known. `source` maps each of these fields to a key of `SOURCES`.
    """

    name: str
    arch: str
    sms: int
    l2_bytes: int
    clock_hz: float
    memory_bandwidth: float
    tensor_rate: int
    tensor_clock_hz: float
    memory_latency_cycles: int | None
    source: dict[str, str]

    @property
    def fp32_flops(self) -> float:
        """Peak of f32 multiply-adds outside the tensor cores, in operations per second (a multiply-add is two)."""
        return 2 * limits(self.arch).fp32_lanes * self.sms * self.clock_hz

    @property
    def fp16_flops(self) -> float | None:
        """Peak of packed f16 multiply-adds outside the tensor cores; None where the rate is not known."""
        lanes = limits(self.arch).fp16_lanes
        return None if lanes is None else 2 * lanes * self.sms * self.clock_hz

    @property
    def tensor_flops(self) -> float:
        """Peak of dense f16 products with f32 accumulation in the tensor cores."""
        return self.tensor_rate * self.sms * self.tensor_clock_hz

    @property
    def memory_latency(self) -> float | None:
        """Seconds for an unloaded load from device memory."""
        return None if self.memory_latency_cycles is None else self.memory_latency_cycles / self.clock_hz

    def quote(self, field: str) -> str:
        """The document or reading that a field comes from."""
        return SOURCES[self.source[field]]


# name, arch, SMs, L2 KiB, boost MHz, GB/s, tensor rate, tensor MHz, latency | sources of SMs, L2, clock, GB/s, tensor,
# latency
_ROWS: tuple[tuple[str, str, int, int, int, float, int, int, int | None, str], ...] = (
    ("T4", "sm_75", 40, 4096, 1590, 320, 1024, 1590, None, "t4 t4 t4 turing turing none"),
    ("A100", "sm_80", 108, 40960, 1410, 2039, 2048, 1410, 550, "ampere ampere ampere a100 ampere chase"),
    ("A100 40GB", "sm_80", 108, 40960, 1410, 1555, 2048, 1410, None, "ampere ampere ampere a100 ampere none"),
    ("RTX 3090", "sm_86", 82, 6144, 1695, 936, 512, 1695, None, "ga102 ga102 ga102 ga102 ga102 none"),
    ("A10", "sm_86", 72, 6144, 1695, 600, 1024, 1695, None, "a10 a10 a10 a10 a10 none"),
    ("Jetson AGX Orin", "sm_87", 16, 4096, 1300, 204.8, 2048, 1300, None, "orin orin orin orin orin none"),
    ("RTX 4090", "sm_89", 128, 73728, 2520, 1008, 512, 2520, 636, "ada ada ada ada ada chase"),
    ("L4", "sm_89", 58, 49152, 2040, 300, 1024, 2040, None, "l4 ada l4 l4 l4 none"),
    ("L40S", "sm_89", 142, 98304, 2520, 864, 1024, 2490, None, "l40s l40s l40s l40s l40s none"),
    ("H100", "sm_90", 132, 51200, 1980, 3350, 4096, 1830, 700, "hopper hopper h100 h100 hopper chase"),
    ("H100 PCIe", "sm_90", 114, 51200, 1755, 2039, 4096, 1620, None, "hopper hopper hopper h100 hopper none"),
    ("H200", "sm_90", 132, 61440, 1980, 4800, 4096, 1830, 700, "h200-read h200-read h200-read h200 h200 chase-h100"),
    ("B200", "sm_100", 148, 129536, 1965, 8000, 8192, 1860, 860, "b200-read b200-read b200-read b200 b200 chase"),
    ("B300", "sm_103", 148, 129536, 2032, 8000, 8192, 1860, 848, "b300-read b300-read b300-read b300 b300 chase"),
    (
        "RTX 5090",
        "sm_120",
        170,
        98304,
        2407,
        1792,
        512,
        2407,
        936,
        "blackwell blackwell blackwell blackwell blackwell chase",
    ),
    (
        "RTX PRO 6000",
        "sm_120",
        188,
        131072,
        2617,
        1792,
        1024,
        2617,
        864,
        "blackwell blackwell blackwell blackwell blackwell chase",
    ),
)
_SOURCED = ("sms", "l2_bytes", "clock_hz", "memory_bandwidth", "tensor_rate", "memory_latency_cycles")


def _chip(
    name: str,
    arch: str,
    sms: int,
    l2: int,
    mhz: int,
    gbps: float,
    tensor: int,
    tensor_mhz: int,
    latency: int | None,
    sources: str,
) -> Chip:
    source = dict(zip(_SOURCED, sources.split(), strict=True))
    source["tensor_clock_hz"] = source["tensor_rate"]
    return Chip(name, arch, sms, l2 * _KIB, mhz * 1e6, gbps * 1e9, tensor, tensor_mhz * 1e6, latency, source)


CHIPS: dict[str, Chip] = {row[0]: _chip(*row) for row in _ROWS}


def chip(name: str) -> Chip:
    """Return the chip called `name`. Raises KeyError with the known names when there is none."""
    if name not in CHIPS:
        raise KeyError(f"no chip called {name!r}; known: {', '.join(CHIPS)}")
    return CHIPS[name]
