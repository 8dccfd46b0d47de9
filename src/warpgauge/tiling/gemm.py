"""A matrix product on a chip: what it computes, and the rates that bound it.

Rates are quoted from the table of chips. The bandwidth of L2 is published for the A100 alone; other chips are assumed
to have as many bytes per clock and SM, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass

from warpgauge.arch import Chip, Limits, limits
from warpgauge.ptx.mma_shapes import MMA_SHAPES

#: Bytes per clock that L2 delivers to one SM: 5120 over 108 SMs, NVIDIA A100 (GA100) architecture white paper.
L2_BYTES_PER_CLOCK = 5120 / 108
L2_SOURCE = "NVIDIA A100 (GA100) architecture white paper"
_L2_CHIPS = ("A100", "A100 40GB")

# dtype -> bytes, results of the tensor cores per clock relative to f16 (None: ordinary multiply-adds).
_INPUTS: dict[str, tuple[int, float | None]] = {
    "f16": (2, 1.0),
    "bf16": (2, 1.0),
    "tf32": (4, 0.5),
    "e4m3": (1, 2.0),
    "e5m2": (1, 2.0),
    "f32": (4, None),
}
INPUTS = tuple(_INPUTS)
_ACCUMULATORS = {"f32": 4, "f16": 2}
ACCUMULATORS = tuple(_ACCUMULATORS)


@dataclass(frozen=True)
class Gemm:
    """C [m, n] = A [m, k] B [k, n] with inputs of `dtype` and sums of type `accumulate`, on a chip.

    f32 inputs take ordinary multiply-adds; for tensor cores they are "tf32". ValueError where it cannot be.
    """

    m: int
    n: int
    k: int
    dtype: str
    accumulate: str
    chip: Chip

    def __post_init__(self) -> None:
        if min(self.m, self.n, self.k) < 1:
            raise ValueError(f"{self.m} x {self.n} x {self.k} is no product")
        if self.dtype not in _INPUTS:
            raise ValueError(f"no rates are known for inputs of {self.dtype}; known: {', '.join(INPUTS)}")
        types = MMA_SHAPES[self.dtype].accumulators if self.tensor else ("f32",)
        if self.accumulate not in types or self.accumulate not in _ACCUMULATORS:
            raise ValueError(f"inputs of {self.dtype} accumulate in {' or '.join(types)}, not in {self.accumulate}")

    @property
    def limit(self) -> Limits:
        return limits(self.chip.arch)

    @property
    def tensor(self) -> bool:
        """Whether tensor cores do the products."""
        return _INPUTS[self.dtype][1] is not None

    @property
    def element_bytes(self) -> int:
        return _INPUTS[self.dtype][0]

    @property
    def sum_bytes(self) -> int:
        return _ACCUMULATORS[self.accumulate]

    @property
    def step(self) -> int:
        """How many k one mma.sync takes on this architecture (1 without tensor cores); 0 where it has none."""
        if not self.tensor:
            return 1
        number = int(self.limit.arch.removeprefix("sm_"))
        shapes = MMA_SHAPES[self.dtype].shapes
        depths = [int(s.removeprefix("m16n8k")) for s, since in shapes.items() if s[:6] == "m16n8k" and since <= number]
        return max(depths, default=0)

    @property
    def rate(self) -> float:
        """Floating-point operations per clock of an SM."""
        relative = _INPUTS[self.dtype][1]
        return 2.0 * self.limit.fp32_lanes if relative is None else self.chip.tensor_rate * relative

    @property
    def clock_hz(self) -> float:
        return self.chip.tensor_clock_hz if self.tensor else self.chip.clock_hz

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k

    @property
    def l2_assumed(self) -> bool:
        """Whether the bandwidth of L2 is another chip's."""
        return self.chip.name not in _L2_CHIPS

    @property
    def dram_bytes_per_clock(self) -> float:
        """Bytes of device memory for one SM in one clock."""
        return self.chip.memory_bandwidth / self.clock_hz / self.chip.sms

    @property
    def l2_ridge(self) -> float:
        """Operations per byte from L2 above which arithmetic is the bound."""
        return self.rate / L2_BYTES_PER_CLOCK

    @property
    def dram_ridge(self) -> float:
        """Operations per byte of device memory above which arithmetic is the bound."""
        return self.rate / self.dram_bytes_per_clock
