"""The expression language: values, exactness, bounds, and errors that name text and place."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evidence import Location
from warpgauge.problem.expr import evaluate, holds, names_in
from warpgauge.problem.place import Place

NAMES = {"M": 4096, "N": 136, "K": 72, "num_sms": 132}


def message(error: pytest.ExceptionInfo[WarpgaugeError]) -> str:
    [diagnostic] = error.value.diagnostics
    assert diagnostic.code == "PRB902"
    return diagnostic.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("M", 4096),
        (7, 7),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("-7 // 2", -4),
        ("-7 % 4", 1),
        ("M / 32", 128),
        ("N / 16 * 2", 17),
        ("1 / 3 + 2 / 3", 1),
        ("2 ** 10", 1024),
        ("(1 / 2) ** 2 * 4", 1),
        ("1 ** (2 ** 62)", 1),
        ("ceildiv(N, 64)", 3),
        ("ceildiv(-1, 64)", 0),
        ("min(num_sms, ceildiv(M, 128) * ceildiv(N, 128))", 64),
        ("max(1, 5, 3)", 5),
        ("log2(M)", 12),
        ("+5 - -5", 10),
        ("0x10", 16),
        ("9223372036854775808", 2**63),
        ("-(2 ** 63)", -(2**63)),
        (" M ", 4096),
    ],
)
def test_values(text: str | int, value: int) -> None:
    result = evaluate(text, NAMES, where="key")
    assert result == value and type(result) is int


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("K % 8 == 0 and N % 8 == 0", True),
        ("K % 16 == 0 or N % 16 == 0", False),
        ("not M < 1", True),
        ("0 < K <= 72", True),
        ("0 < K < 72", False),
        ("K != 0 and M // K > 50", True),
        ("M != 4096 and M // 0 > 1", False),
        ("1 / 3 < 1 / 2", True),
    ],
)
def test_conditions(text: str, value: bool) -> None:
    assert holds(text, NAMES, where="key") is value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("M // 0", "division by zero"),
        ("M % 0", "division by zero"),
        ("M / (K - 72)", "division by zero"),
        ("ceildiv(M, 0)", "division by zero"),
        ("M / 3", "4096/3, which is not an integer"),
        ("2 ** 64", "beyond 2^63"),
        ("9 ** 9 ** 9 ** 9", "beyond 2^63"),
        ("10 ** 100000000", "beyond 2^63"),
        ("M ** M", "beyond 2^63"),
        ("(1 / 3) ** 100", "beyond 2^63"),
        ("2 ** -1", "negative exponent"),
        ("2 ** (1 / 2)", "not an integer"),
        ("log2(12)", "log2(12) is not an integer"),
        ("log2(0)", "log2(0) is not an integer"),
        ("P", "unknown name P"),
        ("num_sm", 'did you mean "num_sms"?'),
        ("celdiv(M, 2)", 'unknown function celdiv; did you mean "ceildiv"?'),
        ("ceildiv(M)", "takes 2 arguments"),
        ("min()", "takes 1 to 16 arguments"),
        ("min(M, key=K)", "plain arguments"),
        ("min(*M)", "plain arguments"),
        ("M.real", "Attribute is not part of the language"),
        ("M[0]", "Subscript is not part of the language"),
        ("(lambda: 1)()", "unknown function"),
        ("__import__('os')", "unknown function __import__"),
        ("'a'", "Constant is not part of the language"),
        ("1.5", "Constant is not part of the language"),
        ("True", "True and False are not part of the language"),
        ("[1, 2]", "List is not part of the language"),
        ("1 if M else 2", "IfExp is not part of the language"),
        ("M << 2", "BinOp is not part of the language"),
        ("~M", "UnaryOp is not part of the language"),
        ("M is 1", "Compare is not part of the language"),
        ("(M := 1)", "NamedExpr is not part of the language"),
        ("M K", "not an expression"),
        ("M = 1", "not an expression"),
        ("", "not an expression"),
        ("\0", "not an expression"),
        ("M < 1", "a condition, but an integer is needed"),
        ("(M < 1) + 1", "a condition is used as a number"),
        ("M < 1 < (K < 2)", "a condition is used as a number"),
        ("(" * 900 + "1" + ")" * 900, "not an expression"),
        ("-" * 1500 + "1", "not an expression|nested deeper"),
        ("+".join(["1"] * 900), "more than 400 parts"),
        ("1" + " " * 3000, "longer than 2000 characters"),
    ],
)
def test_errors_name_key_and_text(text: str, reason: str) -> None:
    with pytest.raises(WarpgaugeError) as error:
        evaluate(text, NAMES, where="launch[0].grid[1]")
    found = message(error)
    assert found.startswith("launch[0].grid[1]: expression ") and text[:20].strip() in found
    assert any(option in found for option in reason.split("|"))


def test_an_error_points_at_file_and_line() -> None:
    with pytest.raises(WarpgaugeError) as error:
        evaluate("1 // 0", {}, where=Place("dims.M", Location("p.toml", 7, 3)))
    primary = error.value.diagnostics[0].primary
    assert primary is not None and str(primary.location) == "p.toml:7:3"


@pytest.mark.parametrize(("text", "reason"), [("K", "72 is a number, but a condition is needed"), ("not K", "72 is a")])
def test_a_number_is_no_condition(text: str, reason: str) -> None:
    with pytest.raises(WarpgaugeError) as error:
        holds(text, NAMES, where="when")
    assert reason in message(error)


def test_hostile_text_is_refused_quickly() -> None:
    started = time.perf_counter()
    for text in ("9**9**9**9**9", "(9**9)**(9**9)", "*".join(["M"] * 150), "1" * 1999):
        with pytest.raises(WarpgaugeError):
            evaluate(text, NAMES, where="key")
    assert time.perf_counter() - started < 1.0


def test_names_in_leaves_functions_out() -> None:
    assert names_in("min(num_sms, ceildiv(M, BM))", where="key") == {"num_sms", "M", "BM"}
    assert names_in(3, where="key") == frozenset()


@settings(deadline=None, max_examples=200)
@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_arithmetic_is_that_of_integers(a: int, b: int, c: int) -> None:
    names = {"a": a, "b": b, "c": c}
    assert evaluate("a * b - (a + b) % c + a // c", names, where="k") == a * b - (a + b) % c + a // c
    assert evaluate("ceildiv(a, c)", names, where="k") == -(-a // c)
    assert holds("a * c / c == a", names, where="k")
