"""Comparison and selection: setp, set, selp, slct, testp."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import Instruction

from . import formats
from .formats import Values, Words
from .rows import ValueOp

Test = Callable[[Values, Values], np.ndarray]


def _neither(a: Values, b: Values) -> np.ndarray:
    return np.isnan(a) | np.isnan(b)


ORDERED: dict[str, Test] = {
    "eq": np.equal,
    "ne": lambda a, b: (a < b) | (a > b),
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
TESTS: dict[str, Test] = {
    **ORDERED,
    **{
        f"{name}u": lambda a, b, f=ORDERED[name]: f(a, b) | _neither(a, b)
        for name in ("eq", "ne", "lt", "le", "gt", "ge")
    },
    "num": lambda a, b: ~_neither(a, b),
    "nan": _neither,
}
COMBINE = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def _values(raw: Words, kind: str, ftz: bool) -> Values:
    if not formats.is_float(kind):
        return formats.integers(raw, kind)
    values = formats.floats(raw, kind)
    return formats.flush(values, kind) if ftz else values


def _outcomes(i: Instruction, kind: str) -> Callable[[Words, Words], list[np.ndarray]]:
    """One bool array, or for packed halves two, lower half first."""
    test = TESTS[next(m for m in i.modifiers if m in TESTS)]
    part = formats.HALVES.get(kind, kind)
    ftz = "ftz" in i.modifiers
    places = (0, 16) if part != kind else (0,)

    def function(a: Words, b: Words) -> list[np.ndarray]:
        mask = formats.mask_of(part)
        return [test(*(_values((x >> np.uint64(p)) & mask, part, ftz) for x in (a, b))) for p in places]

    return function


def set_predicate(i: Instruction) -> ValueOp:
    """p = test, q = not test, each combined with a third predicate if there is one; packed halves give p and q."""
    kind = i.types[-1]
    outcomes = _outcomes(i, kind)
    combine = next((COMBINE[m] for m in i.modifiers if m in COMBINE), None)

    def function(a: Words, b: Words, *more: Words) -> tuple[Words, Words]:
        found = outcomes(a, b)
        first, second = found if len(found) == 2 else (found[0], ~found[0])
        if combine is None:
            return first, second
        return combine(first, more[0]), combine(second, more[0])

    return ValueOp((kind, kind) + (("pred",) if combine else ()), ("pred", "pred"), function)


TRUE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80, "f16x2": 0x3C00, "bf16x2": 0x3F80}


def set_value(i: Instruction) -> ValueOp:
    """set: all ones (integers) or 1.0 (floats) where the test holds, zero elsewhere."""
    result, kind = i.types[-2:]
    outcomes = _outcomes(i, kind)
    combine = next((COMBINE[m] for m in i.modifiers if m in COMBINE), None)
    full = int(formats.mask_of(result))

    def function(a: Words, b: Words, *more: Words) -> Words:
        found = outcomes(a, b)
        if combine:
            found = [combine(f, more[0]) for f in found]
        if len(found) == 1:
            return np.where(found[0], np.uint64(TRUE.get(result, full)), np.uint64(0))
        one = TRUE.get(result, 0xFFFF)
        low, high = (np.where(f, np.uint64(one), np.uint64(0)) for f in found)
        return low | (high << np.uint64(16))

    return ValueOp((kind, kind) + (("pred",) if combine else ()), (result,), function)


def select(i: Instruction) -> ValueOp:
    kind = i.types[-1]
    return ValueOp((kind, kind, "pred"), (kind,), lambda a, b, p: np.where(p, a, b))


def select_by_sign(i: Instruction) -> ValueOp:
    """slct: a where c >= 0 (so also for -0.0), b elsewhere and for NaN."""
    kind, sign = i.types[-2:]
    ftz = "ftz" in i.modifiers
    return ValueOp((kind, kind, sign), (kind,), lambda a, b, c: np.where(_values(c, sign, ftz) >= 0, a, b))


def classify(i: Instruction) -> ValueOp:
    """testp: zeros count as normal."""
    kind = i.types[-1]
    least = 2.0 ** formats.PRECISION[kind][1]
    classes: dict[str, Callable[[Values], np.ndarray]] = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda x: ~np.isnan(x),
        "notanumber": np.isnan,
        "normal": lambda x: np.isfinite(x) & ((np.abs(x) >= least) | (x == 0)),
        "subnormal": lambda x: (np.abs(x) < least) & (x != 0),
    }
    test = classes[i.modifiers[0]]
    return ValueOp((kind,), ("pred",), lambda a: test(formats.floats(a, kind)))


ROWS: dict[str, Callable[[Instruction], ValueOp]] = {
    "setp": set_predicate,
    "set": set_value,
    "selp": select,
    "slct": select_by_sign,
    "testp": classify,
}
