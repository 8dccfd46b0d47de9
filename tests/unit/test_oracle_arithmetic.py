"""The oracle's arithmetic against exact fractions, NumPy and Python integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.oracle import formats
from tests.oracle.inputs import any_values
from tests.oracle.program import value_op
from warpgauge.ptx import parse

FLOATS = ("f16", "bf16", "f32", "f64")
COUNT = 400


@pytest.fixture(autouse=True)
def quiet_arithmetic():
    """Infinities and NaNs are among the inputs on purpose; the engine silences NumPy in the same way."""
    with np.errstate(all="ignore"):
        yield


def operation(line: str):
    """The lane function of one instruction."""
    registers = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;"
    text = f".version 8.6\n.target sm_90\n.entry k()\n{{\n{registers}\n{line}\nret;\n}}"
    return value_op(parse(text).kernels["k"].instructions[0]).function


def instruction(opcode: str, arity: int) -> str:
    return f"{opcode} {', '.join(f'%r{n}' for n in range(arity + 1))};"


def values(kind: str, position: int, seed: int = 0) -> np.ndarray:
    return any_values(kind, position, COUNT, np.random.default_rng([seed, position])).astype(np.uint64)


def neighbours(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Every finite value of a 16-bit format in order, and its bits."""
    raw = np.arange(1 << 16, dtype=np.uint64)
    decoded = formats.floats(raw, kind)
    keep = np.isfinite(decoded)
    order = np.argsort(decoded[keep], kind="stable")
    return decoded[keep][order], raw[keep][order]


def rounded_by_search(exact: Fraction, kind: str, table: np.ndarray, mode: str) -> float:
    """The neighbour of `exact` that the mode asks for, found in the sorted list of all values of the format."""
    low = int(np.searchsorted(table, float(exact), side="right")) - 1
    while low + 1 < len(table) and Fraction(float(table[low + 1])) <= exact:
        low += 1
    while low >= 0 and Fraction(float(table[low])) > exact:
        low -= 1
    below = float(table[low]) if low >= 0 else -np.inf
    if low >= 0 and Fraction(below) == exact:
        return below
    above = float(table[low + 1]) if low + 1 < len(table) else np.inf
    if mode in ("rm", "rp"):
        return below if mode == "rm" else above
    if mode == "rz":
        return above if exact < 0 else below
    step = Fraction(float(table[-1])) - Fraction(float(table[-2]))
    far_below = Fraction(below) if np.isfinite(below) else -Fraction(float(table[-1])) - step
    far_above = Fraction(above) if np.isfinite(above) else Fraction(float(table[-1])) + step
    down, up = exact - far_below, far_above - exact
    if down != up:
        return below if down < up else above
    bits = int(formats.pack(np.array([below]), kind)[0]) if np.isfinite(below) else 0
    return below if np.isfinite(below) and bits % 2 == 0 else above


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_narrow_picks_the_right_neighbour(kind: str, mode: str):
    table, _ = neighbours(kind)
    rng = np.random.default_rng(3)
    picked = table[rng.integers(0, len(table) - 1, 60)]
    above = table[np.searchsorted(table, picked, side="right")]
    samples = np.concatenate([(picked + above) / 2, picked * 0.75 + above * 0.25, [table[-1] * 1.2, -table[-1] * 1.2]])
    got = formats.narrow(samples, kind, mode)
    want = [rounded_by_search(Fraction(float(x)), kind, table, mode) for x in samples]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("kind", FLOATS)
def test_pack_and_floats_are_inverse(kind: str):
    raw = values(kind, 0)
    numbers = formats.floats(raw, kind)
    keep = ~np.isnan(numbers)
    np.testing.assert_array_equal(formats.pack(numbers, kind)[keep], raw[keep])
    assert (formats.pack(numbers, kind)[~keep] == formats.CANONICAL_NAN[kind]).all()


def exact_fma(a: float, b: float, c: float) -> Fraction | None:
    return Fraction(a) * Fraction(b) + Fraction(c) if np.isfinite([a, b, c]).all() else None


@pytest.mark.parametrize("kind", FLOATS)
def test_fma_lies_within_half_a_step_of_the_exact_result(kind: str):
    """No representable value is nearer: checked with both neighbours of the answer, in exact fractions."""
    raw = [values(kind, n, seed=7) for n in range(3)]
    a, b, c = (formats.floats(r, kind) for r in raw)
    bits = operation(instruction(f"fma.rn.{kind}", 3))(*raw)
    got = formats.floats(bits, kind)
    checked = 0
    for n in range(COUNT):
        exact = exact_fma(float(a[n]), float(b[n]), float(c[n]))
        if exact is None or not np.isfinite(got[n]):
            continue
        error = abs(exact - Fraction(float(got[n])))
        around = [bits[n] + np.uint64(1), bits[n] - np.uint64(1)]
        for other in formats.floats(np.array(around, np.uint64) & formats.mask_of(kind), kind):
            if np.isfinite(other):
                assert error <= abs(exact - Fraction(float(other)))
        checked += 1
    assert checked > COUNT // 3


def test_fma_is_not_rounded_twice():
    """a*b+c just above a float32 tie: float64 arithmetic alone would land on the tie and round to even."""
    a, b, c = np.float32(1 + 2**-12), np.float32(1 + 2**-12), np.float32(2**-60)
    raw = [np.array([x.view(np.uint32)], np.uint64) for x in (a, b, c)]
    bits = operation(instruction("fma.rn.f32", 3))(*raw)
    product = np.float64(a) * np.float64(b)
    assert product == 1 + 2**-11 + 2**-24 and np.float32(product + np.float64(c)) == np.float32(1 + 2**-11)
    assert formats.floats(bits, "f32")[0] == 1 + 2**-11 + 2**-23


NUMPY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div.rn": np.divide}


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("opcode", NUMPY)
def test_nearest_arithmetic_equals_ieee_hardware(opcode: str, kind: str):
    raw = [values(kind, n) for n in range(2)]
    native = np.float32 if kind == "f32" else np.float64
    storage = np.uint32 if kind == "f32" else np.uint64
    a, b = (r.astype(storage).view(native) for r in raw)
    want = NUMPY[opcode](a, b)
    got = operation(instruction(f"{opcode}.{kind}", 2))(*raw).astype(storage).view(native)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(want)]), np.signbit(want[~np.isnan(want)]))


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("opcode", ["add", "mul", "div", "sqrt", "rcp", "fma"])
def test_directed_modes_enclose_the_nearest_result(opcode: str, kind: str):
    arity = {"sqrt": 1, "rcp": 1, "fma": 3}.get(opcode, 2)
    raw = [values(kind, n, seed=2) for n in range(arity)]
    found = {
        mode: formats.floats(operation(instruction(f"{opcode}.{mode}.{kind}", arity))(*raw), kind)
        for mode in ("rn", "rz", "rm", "rp")
    }
    keep = ~np.isnan(found["rn"])
    down, near, up, chopped = (found[m][keep] for m in ("rm", "rn", "rp", "rz"))
    assert (down <= near).all() and (near <= up).all()
    inexact = down != up
    assert inexact.any() and (np.isin(near, np.concatenate([down, up]))).all()
    np.testing.assert_array_equal(chopped, np.where(down >= 0, down, np.where(up <= 0, up, chopped)))
    step = np.nextafter(down.astype(np.float32 if kind == "f32" else np.float64), np.inf)
    np.testing.assert_array_equal(up[inexact], step[inexact].astype(np.float64))


@pytest.mark.parametrize(
    ("opcode", "kind", "wide"),
    [
        ("mul.hi.u64", "u64", lambda a, b: (a * b) >> 64),
        ("mul.hi.s64", "s64", lambda a, b: (a * b) >> 64),
        ("mul.lo.s64", "s64", lambda a, b: a * b),
        ("add.s32", "s32", lambda a, b: a + b),
        ("sub.u64", "u64", lambda a, b: a - b),
        ("min.s16", "s16", min),
        ("max.u64", "u64", max),
        ("add.sat.s32", "s32", lambda a, b: min(max(a + b, -(2**31)), 2**31 - 1)),
    ],
)
def test_integer_operations(opcode: str, kind: str, wide):
    raw = [values(kind, n) for n in range(2)]
    got = operation(instruction(opcode, 2))(*raw)
    first, second = (formats.integers(r, kind).tolist() for r in raw)
    limit = int(formats.mask_of(kind))
    assert got.tolist() == [wide(a, b) & limit for a, b in zip(first, second, strict=True)]


def test_shift_counts_beyond_the_width():
    word = np.array([0x80000001] * 6, np.uint64)
    counts = np.array([0, 1, 31, 32, 33, 0xFFFFFFFF], np.uint64)
    assert operation("shl.b32 %r0, %r1, %r2;")(word, counts).tolist() == [0x80000001, 2, 0x80000000, 0, 0, 0]
    assert operation("shr.u32 %r0, %r1, %r2;")(word, counts).tolist() == [0x80000001, 0x40000000, 1, 0, 0, 0]
    ones = 0xFFFFFFFF
    assert operation("shr.s32 %r0, %r1, %r2;")(word, counts).tolist() == [
        0x80000001,
        0xC0000000,
        ones,
        ones,
        ones,
        ones,
    ]


def test_carry_chain_adds_128_bits():
    rng = np.random.default_rng(5)
    a, b = (rng.integers(0, 1 << 64, (2, 64), dtype=np.uint64) for _ in range(2))
    low, carry = operation("add.cc.u64 %rd0, %rd1, %rd2;")(a[0], b[0])
    (high,) = operation("addc.u64 %rd0, %rd1, %rd2;")(a[1], b[1], carry)
    for n in range(64):
        total = (int(a[1][n]) << 64 | int(a[0][n])) + (int(b[1][n]) << 64 | int(b[0][n]))
        assert (int(high[n]) << 64 | int(low[n])) == total % (1 << 128)


def test_division_by_zero_and_the_most_negative_number_are_defined():
    raw = np.array([7, 0x80000000], np.uint64), np.array([0, 0xFFFFFFFF], np.uint64)
    assert operation("div.s32 %r0, %r1, %r2;")(*raw).tolist() == [0xFFFFFFFF, 0x80000000]
    assert operation("rem.s32 %r0, %r1, %r2;")(*raw).tolist() == [7, 0]


def test_minimum_prefers_numbers_and_negative_zero():
    nan, zero, minus, one = 0x7FC00000, 0, 0x80000000, 0x3F800000
    a, b = np.array([nan, one, zero, minus], np.uint64), np.array([one, nan, minus, zero], np.uint64)
    assert operation("min.f32 %r0, %r1, %r2;")(a, b).tolist() == [one, one, minus, minus]
    assert operation("max.f32 %r0, %r1, %r2;")(a, b).tolist() == [one, one, zero, zero]
    assert operation("min.NaN.f32 %r0, %r1, %r2;")(a, b).tolist()[:2] == [0x7FFFFFFF] * 2
