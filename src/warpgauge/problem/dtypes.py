"""The element types of buffers: bytes, exact decoding to float64, correctly rounded encoding from it.

bf16, e4m3 and e5m2 have no NumPy type; a buffer of them is an array of unsigned integers that hold the bit patterns.
Formats: IEEE 754 binary16/32/64; bfloat16 is binary32 cut to 16 bits; e4m3 (no infinity, largest 448) and e5m2 as in
"FP8 Formats for Deep Learning" (Micikevicius and others, 2022), which the PTX ISA's `cvt` follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

DTypeName = Literal[
    "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "bool", "f16", "bf16", "f32", "f64", "e4m3", "e5m2"
]
Kind = Literal["float", "int", "bool"]
Array = NDArray[Any]


@dataclass(frozen=True)
class DType:
    """One element type. The float fields are 0 for integers.

    `precision` counts significand bits with the leading one; `lowest_exponent` is that of the smallest normal number.
    `saturates`: a conversion beyond the largest finite value gives that value, as PTX converts to 8-bit floats.
    """

    name: DTypeName
    kind: Kind
    storage: np.dtype[Any]
    poison: int
    precision: int = 0
    lowest_exponent: int = 0
    largest: float = 0.0
    saturates: bool = False

    @property
    def bytes(self) -> int:
        return int(self.storage.itemsize)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def unit_roundoff(self) -> float:
        """Largest relative error of one rounding to nearest of a normal number."""
        return 2.0**-self.precision if self.is_float else 0.0

    @property
    def smallest_normal(self) -> float:
        return 2.0**self.lowest_exponent if self.is_float else 0.0

    @property
    def smallest_subnormal(self) -> float:
        return 2.0 ** (self.lowest_exponent - self.precision + 1) if self.is_float else 0.0

    @property
    def overflow(self) -> float:
        """The smallest magnitude that rounding to nearest takes beyond the largest finite value."""
        return self.largest + 2.0 ** (math.frexp(self.largest)[1] - 1 - self.precision) if self.is_float else math.inf

    @property
    def rounding_floor(self) -> float:
        """Relative L2 error that rounding random values to this type causes by itself.

        A rounding error is spread evenly over half a unit in the last place (root mean square: half of it over the root
        of 3), and the mean square of a significand with even spread over [1, 2) is 7/3.
        """
        return self.unit_roundoff / (3**0.5 * (7 / 3) ** 0.5)

    @cached_property
    def bits(self) -> np.dtype[Any]:
        """The unsigned integer type of the same size."""
        return np.dtype(f"u{self.bytes}")


def _row(name: DTypeName, kind: Kind, storage: str, poison: int, *numbers: Any) -> DType:
    return DType(name, kind, np.dtype(storage), poison, *numbers)


# Poison: for floats a quiet NaN with a payload that arithmetic does not produce (CUDA's own NaN is all ones; e4m3 has
# one NaN per sign, so the negative one); for integers a pattern that is unlikely as a value.
_ROWS = (
    _row("u8", "int", "u1", 0xA5),
    _row("u16", "int", "u2", 0xA5C3),
    _row("u32", "int", "u4", 0xA5C3D2E1),
    _row("u64", "int", "u8", 0xA5C3D2E1B4968778),
    _row("i8", "int", "i1", 0xA5),
    _row("i16", "int", "i2", 0xA5C3),
    _row("i32", "int", "i4", 0xA5C3D2E1),
    _row("i64", "int", "i8", 0xA5C3D2E1B4968778),
    _row("bool", "bool", "u1", 0xA5),
    _row("f16", "float", "f2", 0x7F5A, 11, -14, 65504.0),
    _row("bf16", "float", "u2", 0x7FDA, 8, -126, float.fromhex("0x1.fep+127")),
    _row("f32", "float", "f4", 0x7FED5A5A, 24, -126, float.fromhex("0x1.fffffep+127")),
    _row("f64", "float", "f8", 0x7FFD5A5AA5C3D2E1, 53, -1022, float.fromhex("0x1.fffffffffffffp+1023")),
    _row("e4m3", "float", "u1", 0xFF, 4, -6, 448.0, True),
    _row("e5m2", "float", "u1", 0xFE, 3, -14, 57344.0, True),
)
DTYPES: dict[str, DType] = {row.name: row for row in _ROWS}
DTYPE_NAMES: tuple[str, ...] = get_args(DTypeName)


def _decode_e4m3() -> NDArray[np.float64]:
    codes = np.arange(256)
    exponent, fraction = (codes >> 3) & 15, codes & 7
    magnitude = np.where(exponent == 0, fraction / 8 * 2.0**-6, (1 + fraction / 8) * 2.0 ** (exponent - 7))
    magnitude[(codes & 127) == 127] = np.nan
    return np.where(codes & 128, -magnitude, magnitude)


_E4M3 = _decode_e4m3()


def decode(storage: Array, dtype: str) -> NDArray[np.float64]:
    """Element values as float64: exact for every type but u64 and i64, whose values beyond 2^53 are rounded.

    Any byte but 0 is true. `storage` may have any shape and strides; its NumPy type must be the row's `storage`.
    """
    if DTYPES[dtype].kind == "bool":
        return (storage != 0).astype(np.float64)
    if dtype == "e4m3":
        return _E4M3[storage]
    # bf16 and e5m2 are the upper halves of f32 and f16.
    if dtype == "bf16":
        storage = (storage.astype(np.uint32) << np.uint32(16)).view(np.float32)
    elif dtype == "e5m2":
        storage = (storage.astype(np.uint16) << np.uint16(8)).view(np.float16)
    with np.errstate(invalid="ignore"):
        return storage.astype(np.float64)


def _round_bits(values: NDArray[np.float64], row: DType) -> NDArray[np.uint64]:
    """Codes of a narrow float type, rounded to nearest even by integer arithmetic on float64 bit patterns.

    Exponent and fraction are kept in one integer, so that a carry out of the fraction raises the exponent by itself.
    """
    one = np.uint64(1)
    fraction_bits = row.precision - 1
    bits = np.ascontiguousarray(values, np.float64).view(np.uint64)
    magnitude = bits & np.uint64((1 << 63) - 1)
    exponent = (magnitude >> np.uint64(52)).astype(np.int64) - 1023
    significand = (magnitude & np.uint64((1 << 52) - 1)) | (one << np.uint64(52))
    below = np.maximum(row.lowest_exponent - exponent, 0)
    shift = np.minimum(52 - fraction_bits + below, 62).astype(np.uint64)
    # A normal number's leading one adds 1 to the exponent field, so the field starts one lower.
    field = np.where(below == 0, exponent - row.lowest_exponent, 0).astype(np.uint64) << np.uint64(fraction_bits)
    odd = (significand >> shift) & one
    rounded = (significand + (one << (shift - one)) - one + odd) >> shift
    codes = field + rounded
    sign = (bits >> np.uint64(63)) << np.uint64(8 * row.bytes - 1)
    largest = _largest_code(row)
    beyond = largest if row.saturates else largest + 1
    codes = np.where(codes > largest, np.uint64(beyond), codes)
    codes = np.where(np.isnan(values), np.uint64((1 << (8 * row.bytes - 1)) - 1), codes)
    return codes | sign


def _largest_code(row: DType) -> int:
    exponent_bits = 8 * row.bytes - row.precision
    top = (1 << (exponent_bits + row.precision - 1)) - 1
    # e4m3 gives up only the all-ones code; the others keep the top exponent for infinity and NaN.
    return top - 1 if row.name == "e4m3" else top - (1 << (row.precision - 1))


def encode(values: Array, dtype: str) -> Array:
    """Storage elements for float64 (or integer) `values`, rounded to nearest even; shape is kept.

    f16, bf16, f32: overflow gives infinity. e4m3, e5m2: overflow and infinity give the largest finite value. NaN stays
    NaN. Integers: integer input wraps like a C conversion; float input is rounded to nearest even and saturates, NaN
    gives 0. bool: 1 where the value is not 0.
    """
    row = DTYPES[dtype]
    values = np.asarray(values)
    if row.kind == "bool":
        return (values != 0).astype(row.storage)
    if row.kind == "int":
        if values.dtype.kind in "iub":
            return values.astype(row.storage)
        return _saturate(np.rint(values), row)
    if row.storage.kind == "f":
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return values.astype(np.float64).astype(row.storage)
    shape = values.shape
    return _round_bits(values.astype(np.float64).reshape(-1), row).astype(row.storage).reshape(shape)


def _saturate(values: NDArray[np.float64], row: DType) -> Array:
    limits = np.iinfo(row.storage)
    low, high = float(limits.min), float(limits.max)
    inside = np.where(np.isnan(values), 0.0, values)
    # float(2^63 - 1) rounds up to 2^63, which the cast could not hold: such values are set, not cast.
    at_top = inside >= high
    result = np.where(at_top, 0.0, np.maximum(inside, low)).astype(row.storage)
    result[at_top] = limits.max
    return result


def poison(dtype: str, elements: int) -> Array:
    """A storage array in which every element holds the type's poison pattern."""
    row = DTYPES[dtype]
    return np.full(elements, row.poison, row.bits).view(row.storage)


def filler(dtype: str, elements: int) -> Array:
    """A storage array for what belongs to no tensor: the ordinary NaN, or for integers the complement of the poison.

    Not poison itself: a result computed from it must not look like one that was never written.
    """
    row = DTYPES[dtype]
    if row.is_float:
        return encode(np.full(elements, np.nan), dtype)
    return np.full(elements, row.poison ^ ((1 << 8 * row.bytes) - 1), row.bits).view(row.storage)


def is_poison(storage: Array, dtype: str) -> NDArray[np.bool_]:
    """Which elements still hold the poison pattern.

    A value computed by the kernel can equal an integer's pattern (one byte value in 256 for 8-bit types), so a caller
    that knows the expected value counts an element as unwritten only where the two differ.
    """
    row = DTYPES[dtype]
    return np.asarray(storage.view(row.bits) == row.bits.type(row.poison))
