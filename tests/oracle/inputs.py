"""Input values for instruction cases: edge values crossed with each other first, then random ones.

Values are raw bits in unsigned arrays; a domain narrows what a type may hold ("nonzero", "shift", ...).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import TYPE_BYTES

RAW = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
# exponent bits, fraction bits
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
PACKED = {"f16x2": "f16", "bf16x2": "bf16", "u16x2": "u16", "s16x2": "s16"}
EDGES = 16


def raw_dtype(kind: str) -> type:
    return RAW[TYPE_BYTES[kind]]


def float_edges(kind: str) -> list[int]:
    """Bit patterns: zeros, ones, infinities, NaN, subnormals, extremes, ties."""
    exponent, fraction = FLOATS[kind]
    sign = 1 << (exponent + fraction)
    bias = (1 << (exponent - 1)) - 1
    top = ((1 << exponent) - 1) << fraction
    one = bias << fraction
    half = 1 << (fraction - 1)
    positive = [0, 1, (1 << fraction) - 1, 1 << fraction, one, one + 1, one + half, one - (1 << fraction)]
    special = [top - 1, top, top | half]
    two_and_half = ((bias + 1) << fraction) + (half >> 1)
    return [*positive, *special, sign, sign | 1, sign | (one + half), sign | two_and_half, sign | top]


def integer_edges(kind: str) -> list[int]:
    bits = 8 * TYPE_BYTES[kind]
    high = 1 << (bits - 1)
    values = [0, 1, 2, 3, 7, bits - 1, bits, high - 1, high, high + 1, 2 * high - 1, 2 * high - 2, 2 * high - bits]
    pattern = int("55" * (bits // 8), 16)
    return [*values, pattern, pattern << 1, high | (high >> 1)]


def random_bits(kind: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random patterns of mixed magnitude; floats half of the time near one, so that sums cancel and round."""
    width = 8 * TYPE_BYTES[kind]
    bits = rng.integers(0, 1 << 64, count, dtype=np.uint64)
    if kind in FLOATS:
        exponent, fraction = FLOATS[kind]
        bias = (1 << (exponent - 1)) - 1
        near = (rng.integers(bias - 6, bias + 7, count).astype(np.uint64) << np.uint64(fraction)) | (
            bits & np.uint64((1 << fraction) - 1)
        )
        near |= (bits >> np.uint64(63)) << np.uint64(exponent + fraction)
        bits = np.where(rng.random(count) < 0.6, near, bits)
    else:
        bits >>= rng.integers(64 - width, 64, count).astype(np.uint64)
    return bits & np.uint64((1 << width) - 1)


def any_values(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """The first EDGES**2 elements run through the cross product of edges for operands 0 and 1."""
    if kind in PACKED:
        part = PACKED[kind]
        low = any_values(part, position, count, rng).astype(np.uint32)
        high = np.roll(any_values(part, position, count, rng).astype(np.uint32), 5 * position + 1)
        return low | (high << np.uint32(16))
    edges = np.array(float_edges(kind) if kind in FLOATS else integer_edges(kind), dtype=np.uint64)
    assert len(edges) == EDGES
    out = random_bits(kind, count, rng)
    at = np.arange(min(EDGES * EDGES, count))
    order = (at % EDGES, at // EDGES, (7 * at + at // EDGES + at // 37) % EDGES)[position % 3]
    out[: len(at)] = edges[order]
    return out.astype(raw_dtype(kind))


def _floats(kind: str, values: np.ndarray) -> np.ndarray:
    if kind == "f64":
        return values.astype(np.float64).view(np.uint64)
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16)
    single = values.astype(np.float32).view(np.uint32)
    return (single >> np.uint32(16)).astype(np.uint16) if kind == "bf16" else single


def _ranged(low: float, high: float) -> Callable[..., np.ndarray]:
    def make(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
        if kind in PACKED:
            part = [make(PACKED[kind], position, count, rng).astype(np.uint32) for _ in range(2)]
            return part[0] | (part[1] << np.uint32(16))
        if kind in FLOATS:
            values = rng.uniform(low, high, count)
            values[:4] = low, high, (low + high) / 2, 1.0
            return _floats(kind, values)
        return rng.integers(int(low), int(high) + 1, count).astype(np.int64).astype(raw_dtype(kind))

    return make


def _nonzero(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    out = any_values(kind, position, count, rng)
    out[out == 0] = 3
    return out


def _shift(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    edges = [0, 1, 7, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 255, 256, 0xFFFFFFFF]
    out = rng.integers(0, 70, count).astype(np.uint64)
    at = np.arange(min(256, count))
    out[: len(at)] = np.array(edges, dtype=np.uint64)[(at % 16, at // 16, (at * 7 + at // 16) % 16)[position % 3]]
    return (out & np.uint64((1 << 8 * TYPE_BYTES[kind]) - 1)).astype(raw_dtype(kind))


def _near(kind: str, center: int, below: int, count: int, rng: np.random.Generator) -> np.ndarray:
    steps = rng.integers(-below, 9, count) + center
    return steps.astype(raw_dtype(kind))


def _near_one(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    exponent, fraction = FLOATS[kind]
    return _near(kind, ((1 << (exponent - 1)) - 1) << fraction, 8, count, rng)


def _near_tiny(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """The least normal number and a few above it."""
    return _near(kind, 1 << FLOATS[kind][1], 0, count, rng)


def _magnitudes(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Floats around the limits of the integer types, with halves: what conversions to integers must get right."""
    powers = np.array([7, 8, 15, 16, 31, 32, 63, 64], dtype=np.float64)
    values = rng.choice([-1.0, 1.0], count) * np.exp2(rng.choice(powers, count))
    values += rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5], count)
    small = rng.integers(-600, 600, count) / 4.0
    with np.errstate(over="ignore"):
        out = _floats(kind, np.where(rng.random(count) < 0.5, values, small))
    edges = np.array(float_edges(kind), dtype=np.uint64).astype(raw_dtype(kind))
    out[: len(edges)] = edges
    return out


def _bits(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 1 << 64, count, dtype=np.uint64) & np.uint64((1 << 8 * TYPE_BYTES[kind]) - 1)


def _small_fp8(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Packed bytes that are small numbers as e4m3 (below 4) and as e5m2 (below 8)."""
    size, sign = (rng.integers(0, limit, (count, TYPE_BYTES[kind])).astype(np.uint8) for limit in (0x48, 2))
    return (size | sign << 7).view(raw_dtype(kind)).reshape(-1)


def _fp8_ties(kind: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Halfway between numbers of up to three fraction bits, or beside that, from the smallest FP8 to the largest."""
    values = np.ldexp(rng.integers(16, 32, count) / 16, rng.integers(-19, 17, count))
    return _floats(kind, values * rng.choice([1.0, -1.0, 1 + 2.0**-20, 1 - 2.0**-20], count))


DOMAINS: dict[str, Callable[..., np.ndarray]] = {
    "any": any_values,
    "nonzero": _nonzero,
    "shift": _shift,
    "magnitudes": _magnitudes,
    "few": _ranged(0, 3),
    "lane": _ranged(0, 31),
    "slot": _ranged(0, 15),
    "signed small": _ranged(-9, 9),
    "bit place": lambda *given: np.minimum(_shift(*given), 255),
    "near one": _near_one,
    "near tiny": _near_tiny,
    "unit": _ranged(-1.0, 1.0),
    "circle": _ranged(-3.14159, 3.14159),
    "exponent": _ranged(-130.0, 130.0),
    "half exponent": _ranged(-12.0, 12.0),
    "positive": _ranged(1e-3, 1e3),
    "moderate": _ranged(-60.0, 60.0),
    "bits": _bits,
    "small fp8": _small_fp8,
    "fp8 ties": _fp8_ties,
    "zero": lambda kind, position, count, rng: np.zeros(count, raw_dtype(kind)),
}


def make(kind: str, domain: str, position: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` values of a PTX type as raw bits. `position` is the operand's number (0, 1, 2)."""
    return DOMAINS[domain](kind, position, count, rng).astype(raw_dtype(kind))
