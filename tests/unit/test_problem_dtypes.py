"""Element types: exact decoding, correctly rounded encoding, poison."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpgauge.problem.dtypes import DTYPE_NAMES, DTYPES, decode, encode, filler, is_poison, poison

FLOATS = [name for name in DTYPE_NAMES if DTYPES[name].is_float]
NARROW = ["f16", "bf16", "e4m3", "e5m2"]


def code(value: float, dtype: str) -> int:
    """The bit pattern that `value` is encoded as."""
    return int(encode(np.array([value]), dtype).view(DTYPES[dtype].bits)[0])


def all_values(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Every finite non-negative code of a narrow type, with its value."""
    row = DTYPES[dtype]
    codes = np.arange(1 << (8 * row.bytes - 1)).astype(row.bits)
    values = decode(codes.view(row.storage), dtype)
    finite = np.isfinite(values)
    return codes[finite], values[finite]


def test_the_table_has_every_type_of_the_format() -> None:
    sizes = {name: row.bytes for name, row in DTYPES.items()}
    assert sizes == {
        "u8": 1, "u16": 2, "u32": 4, "u64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "bool": 1,
        "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "e4m3": 1, "e5m2": 1,
    }  # fmt: skip
    assert set(DTYPE_NAMES) == set(DTYPES)


@pytest.mark.parametrize(
    ("dtype", "pattern", "value"),
    [
        ("bf16", 0x3F80, 1.0),
        ("bf16", 0xC049, -3.140625),
        ("bf16", 0x7F7F, 3.3895313892515355e38),
        ("bf16", 0x0001, 2.0**-133),
        ("bf16", 0x7F80, math.inf),
        ("e4m3", 0x38, 1.0),
        ("e4m3", 0x7E, 448.0),
        ("e4m3", 0x01, 2.0**-9),
        ("e4m3", 0x07, 7 * 2.0**-9),
        ("e4m3", 0x08, 2.0**-6),
        ("e4m3", 0xC5, -3.25),
        ("e5m2", 0x3C, 1.0),
        ("e5m2", 0x7B, 57344.0),
        ("e5m2", 0x01, 2.0**-16),
        ("e5m2", 0xFC, -math.inf),
        ("f16", 0x7BFF, 65504.0),
        ("f16", 0x0001, 2.0**-24),
    ],
)
def test_known_patterns(dtype: str, pattern: int, value: float) -> None:
    storage = np.array([pattern], DTYPES[dtype].bits).view(DTYPES[dtype].storage)
    assert decode(storage, dtype)[0] == value
    if not (math.isinf(value) and DTYPES[dtype].saturates):
        assert code(value, dtype) == pattern


@pytest.mark.parametrize(
    ("dtype", "value", "pattern"),
    [
        # bf16 has 8 significant bits: between 1 and 2 the step is 2^-7, ties go to the even pattern.
        ("bf16", 1 + 2.0**-8, 0x3F80),
        ("bf16", 1 + 3 * 2.0**-8, 0x3F82),
        ("bf16", 1 + 2.0**-8 + 2.0**-40, 0x3F81),
        ("bf16", 3.39e38, 0x7F7F),
        ("bf16", 3.4e38, 0x7F80),
        ("bf16", 2.0**-134, 0x0000),
        ("bf16", 2.0**-134 * (1 + 2.0**-50), 0x0001),
        ("bf16", -0.0, 0x8000),
        # Through f32 first this would round twice and give 1 + 2^-7.
        ("bf16", 1 + 2.0**-8 - 2.0**-40, 0x3F80),
        ("f16", 1 + 2.0**-11 + 2.0**-40, 0x3C01),
        ("f16", 65519.99, 0x7BFF),
        ("f16", 65520.0, 0x7C00),
        ("e4m3", 464.0, 0x7E),
        ("e4m3", 1e9, 0x7E),
        ("e4m3", -1e9, 0xFE),
        ("e4m3", math.inf, 0x7E),
        ("e4m3", 2.0**-10, 0x00),
        ("e4m3", 3 * 2.0**-10, 0x02),
        ("e4m3", 1.0625, 0x38),
        ("e4m3", 1.1875, 0x3A),
        ("e4m3", 15.9, 0x58),
        ("e5m2", 61440.0, 0x7B),
        ("e5m2", -math.inf, 0xFB),
        ("e5m2", 1.125, 0x3C),
        ("e5m2", 1.375, 0x3E),
    ],
)
def test_rounding_by_hand(dtype: str, value: float, pattern: int) -> None:
    assert code(value, dtype) == pattern


@pytest.mark.parametrize("dtype", NARROW)
def test_every_code_survives_decode_and_encode(dtype: str) -> None:
    codes, values = all_values(dtype)
    assert np.array_equal(encode(values, dtype).view(DTYPES[dtype].bits), codes)
    assert values.max() == DTYPES[dtype].largest
    assert values[1] == DTYPES[dtype].smallest_subnormal
    assert DTYPES[dtype].smallest_normal in values


@pytest.mark.parametrize("dtype", NARROW)
def test_midpoints_go_to_the_even_neighbour(dtype: str) -> None:
    codes, values = all_values(dtype)
    # The midpoint of neighbours of a narrow type is exact in float64.
    middle = (values[:-1] + values[1:]) / 2
    even = np.where(codes[:-1] % 2 == 0, codes[:-1], codes[1:])
    assert np.array_equal(encode(middle, dtype).view(DTYPES[dtype].bits), even)
    assert np.array_equal(encode(np.nextafter(middle, np.inf), dtype).view(DTYPES[dtype].bits), codes[1:])
    assert np.array_equal(encode(np.nextafter(middle, 0), dtype).view(DTYPES[dtype].bits), codes[:-1])


@settings(deadline=None, max_examples=200)
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(NARROW))
def test_nearest_by_exact_fractions(value: float, dtype: str) -> None:
    row = DTYPES[dtype]
    got = decode(encode(np.array([value]), dtype), dtype)[0]
    assert math.copysign(1, got) == math.copysign(1, value)
    if abs(value) >= row.overflow:
        assert abs(got) == (row.largest if row.saturates else math.inf)
        return
    _, values = all_values(dtype)
    at = int(np.searchsorted(values, abs(value)))
    options = [Fraction(float(v)) for v in values[max(at - 1, 0) : at + 1]]
    best = min(abs(option - Fraction(abs(value))) for option in options)
    assert abs(Fraction(abs(got)) - Fraction(abs(value))) == best


def test_bf16_agrees_with_the_upper_half_of_f32() -> None:
    values = np.random.default_rng(1).standard_normal(10000).astype(np.float32)
    cut = (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    assert np.array_equal(encode(cut.astype(np.float64), "bf16"), (cut.view(np.uint32) >> 16).astype(np.uint16))


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_stays_nan_and_shape_is_kept(dtype: str) -> None:
    values = np.array([[1.0, math.nan], [-2.0, 0.5]])
    stored = encode(values, dtype)
    back = decode(stored, dtype)
    assert stored.shape == (2, 2) and stored.dtype == DTYPES[dtype].storage
    assert np.isnan(back[0, 1]) and np.array_equal(back[[0, 1, 1], [0, 0, 1]], [1.0, -2.0, 0.5])


def test_f32_and_f64() -> None:
    assert encode(np.array([1 + 2.0**-24]), "f32")[0] == np.float32(1.0)
    assert np.isinf(encode(np.array([3.5e38]), "f32")[0])
    assert encode(np.array([0.1]), "f64")[0] == 0.1


def test_integers_saturate_from_floats_and_wrap_from_integers() -> None:
    assert encode(np.array([-1.0, 300.0, 2.5, 3.5, math.nan, math.inf]), "u8").tolist() == [0, 255, 2, 4, 0, 255]
    assert encode(np.array([-129.0, 127.4, 1e30]), "i8").tolist() == [-128, 127, 127]
    assert encode(np.array([9.3e18, -9.3e18]), "i64").tolist() == [2**63 - 1, -(2**63)]
    assert encode(np.array([2e19]), "u64").tolist() == [2**64 - 1]
    assert encode(np.array([257, -1]), "u8").tolist() == [1, 255]
    assert encode(np.array([0.0, 0.25, math.nan]), "bool").tolist() == [0, 1, 1]
    assert decode(np.array([0, 1, 7], np.uint8), "bool").tolist() == [0, 1, 1]


def test_unit_roundoff_and_overflow() -> None:
    units = {name: DTYPES[name].unit_roundoff for name in FLOATS}
    assert units == {
        "f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53, "e4m3": 2.0**-4, "e5m2": 2.0**-3,
    }  # fmt: skip
    assert DTYPES["f32"].largest == np.finfo(np.float32).max
    assert DTYPES["f32"].smallest_normal == np.finfo(np.float32).tiny
    assert DTYPES["f32"].smallest_subnormal == np.finfo(np.float32).smallest_subnormal
    assert [DTYPES[n].overflow for n in ("f16", "e4m3", "e5m2")] == [65520.0, 464.0, 61440.0]
    assert DTYPES["i32"].unit_roundoff == 0


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_rounding_floor_is_what_rounding_costs(dtype: str) -> None:
    values = 64 * np.random.default_rng(0).standard_normal(200_000)
    error = decode(encode(values, dtype), dtype) - values
    measured = np.sqrt((error**2).sum() / (values**2).sum())
    assert measured == pytest.approx(DTYPES[dtype].rounding_floor, rel=0.2)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_poison_is_recognised_and_is_no_ordinary_value(dtype: str) -> None:
    buffer = poison(dtype, 5)
    assert buffer.dtype == DTYPES[dtype].storage and is_poison(buffer, dtype).all()
    buffer[2] = encode(np.array([1.0]), dtype)[0]
    assert is_poison(buffer, dtype).tolist() == [True, True, False, True, True]
    if DTYPES[dtype].is_float:
        assert np.isnan(decode(buffer, dtype)[0])
        assert not is_poison(encode(np.array([math.nan, 0.0, math.inf]), dtype), dtype).any()
    assert is_poison(buffer[::2], dtype).tolist() == [True, False, True]


def test_float_poison_survives_as_its_own_pattern_beside_other_nans() -> None:
    cuda_nan = np.array([0x7FFFFFFF, 0x7FC00000, 0xFFC00000], np.uint32).view(np.float32)
    assert not is_poison(cuda_nan, "f32").any()
    assert not is_poison(np.array([0x7FFF, 0x7E00], np.uint16).view(np.float16), "f16").any()


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_what_fills_gaps_is_no_poison_and_no_ordinary_value(dtype: str) -> None:
    gaps = filler(dtype, 3)
    assert gaps.dtype == DTYPES[dtype].storage and gaps.size == 3
    assert not is_poison(gaps, dtype).any()
    if DTYPES[dtype].is_float:
        assert np.isnan(decode(gaps, dtype)).all()
    else:
        assert np.abs(decode(gaps, dtype)).min() > (1 << 4 if DTYPES[dtype].bytes == 1 else 1 << 8) or dtype == "bool"
