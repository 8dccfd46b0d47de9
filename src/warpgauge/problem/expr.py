"""Safe integer expressions over named dimensions: grids, shapes, strides, offsets, conditions.

The text is parsed by `ast` and walked with a whitelist of nodes; nothing is ever compiled or executed. Arithmetic is
exact: integers stay integers, `/` gives a fraction, and a fraction that is left over where an integer is needed is an
error. Length, nesting and magnitude are bounded, so no expression can grow without end.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce

from .place import Where, fail, near

MAX_CHARACTERS = 2000
MAX_NODES = 400
MAX_DEPTH = 60
MAX_BITS = 63

Number = int | Fraction
Value = int | Fraction | bool


class _Fault(Exception):
    """Something wrong inside an expression; `evaluate` adds the text and the place."""


def _whole(value: Value, what: str) -> int:
    if isinstance(value, bool):
        raise _Fault(f"{what} is a condition, but an integer is needed")
    if value.denominator != 1:
        raise _Fault(f"{what} is {value}, which is not an integer")
    return int(value)


def _nonzero(divisor: Number) -> Number:
    if divisor == 0:
        raise _Fault("division by zero")
    return divisor


def _power(base: Number, exponent: Number) -> Number:
    count = _whole(exponent, "the exponent")
    if count < 0:
        raise _Fault(f"negative exponent {count}")
    largest = max(abs(base.numerator), base.denominator)
    # Checked before the power is taken: 3 ** (10 ** 9) would otherwise be built in memory first.
    if largest > 1 and (largest.bit_length() - 1) * count > MAX_BITS:
        raise _Fault(f"value beyond 2^{MAX_BITS}")
    return base**count


def _ceildiv(numerator: Number, divisor: Number) -> Number:
    return -((-numerator) // _nonzero(divisor))


def _log2(value: Number) -> Number:
    number = _whole(value, "the argument of log2")
    if number <= 0 or number & (number - 1):
        raise _Fault(f"log2({number}) is not an integer")
    return number.bit_length() - 1


_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a) / _nonzero(b),
    ast.FloorDiv: lambda a, b: a // _nonzero(b),
    ast.Mod: lambda a, b: a % _nonzero(b),
    ast.Pow: _power,
}
_UNARY: dict[type[ast.unaryop], Callable[[Number], Number]] = {ast.UAdd: lambda a: a, ast.USub: lambda a: -a}
_COMPARE: dict[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_CALLS: dict[str, tuple[int, int, Callable[..., Number]]] = {
    # name: (fewest arguments, most arguments, function)
    "ceildiv": (2, 2, _ceildiv),
    "min": (1, 16, min),
    "max": (1, 16, max),
    "log2": (1, 1, _log2),
}
RESERVED = frozenset(_CALLS)


def _bounded(value: Value) -> Value:
    if not isinstance(value, bool):
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        if max(abs(value.numerator), value.denominator) > 1 << MAX_BITS:
            raise _Fault(f"value beyond 2^{MAX_BITS}")
    return value


def _number(value: Value) -> Number:
    if isinstance(value, bool):
        raise _Fault("a condition is used as a number")
    return value


def _condition(value: Value) -> bool:
    if not isinstance(value, bool):
        raise _Fault(f"{value} is a number, but a condition is needed")
    return value


def _call(node: ast.Call, names: Mapping[str, int]) -> Number:
    function = node.func.id if isinstance(node.func, ast.Name) else "?"
    if function not in _CALLS:
        raise _Fault(f"unknown function {function}; {near(function, _CALLS)}")
    fewest, most, call = _CALLS[function]
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise _Fault(f"{function} takes plain arguments only")
    if not fewest <= len(node.args) <= most:
        raise _Fault(f"{function} takes {fewest if fewest == most else f'{fewest} to {most}'} arguments")
    values = [_number(_walk(argument, names)) for argument in node.args]
    return reduce(call, values) if function in ("min", "max") else call(*values)


def _walk(node: ast.AST, names: Mapping[str, int]) -> Value:
    match node:
        case ast.Constant(value=bool()):
            raise _Fault("True and False are not part of the language")
        case ast.Constant(value=int() as value):
            return _bounded(value)
        case ast.Name(id=name):
            if name not in names:
                raise _Fault(f"unknown name {name}; {near(name, names)}".rstrip("; "))
            return _bounded(int(names[name]))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _bounded(_BINARY[type(op)](_number(_walk(left, names)), _number(_walk(right, names))))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _condition(_walk(operand, names))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _bounded(_UNARY[type(op)](_number(_walk(operand, names))))
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_condition(_walk(value, names)) for value in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(_condition(_walk(value, names)) for value in values)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
            sides = [_number(_walk(side, names)) for side in (left, *others)]
            return all(_COMPARE[type(op)](a, b) for op, a, b in zip(ops, sides[:-1], sides[1:], strict=True))
        case ast.Call():
            return _bounded(_call(node, names))
    raise _Fault(f"{type(node).__name__} is not part of the language")


def _depth(node: ast.AST) -> int:
    deepest, level = 0, [node]
    while level:
        deepest += 1
        level = [child for parent in level for child in ast.iter_child_nodes(parent)]
    return deepest


@lru_cache(maxsize=4096)
def _parse(text: str) -> ast.expr:
    if len(text) > MAX_CHARACTERS:
        raise _Fault(f"longer than {MAX_CHARACTERS} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _Fault("not an expression") from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES or _depth(tree) > MAX_DEPTH:
        raise _Fault(f"more than {MAX_NODES} parts or nested deeper than {MAX_DEPTH}")
    return tree


def _shown(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."


def _value(text: int | str, names: Mapping[str, int], where: Where) -> Value:
    try:
        return _bounded(text) if isinstance(text, int) else _walk(_parse(text), names)
    except _Fault as fault:
        raise fail("PRB902", f'expression "{_shown(str(text))}": {fault}', where) from None


def evaluate(text: int | str, names: Mapping[str, int], *, where: Where) -> int:
    """The integer that `text` stands for, given the values of `names`.

    Operators: + - * / // % **, comparisons, and/or/not, parentheses; calls: ceildiv, min, max, log2.
    Raises WarpgaugeError PRB902 that names `where` for anything else, for a division by zero, for an unknown name,
    for a magnitude beyond 2^63 and for a result that is not an integer.
    """
    value = _value(text, names, where)
    try:
        return _whole(value, "the result")
    except _Fault as fault:
        raise fail("PRB902", f'expression "{_shown(str(text))}": {fault}', where) from None


def holds(text: str, names: Mapping[str, int], *, where: Where) -> bool:
    """Whether the condition `text` holds (`when` of a launch, `constraint` of parameters); errors as `evaluate`."""
    value = _value(text, names, where)
    try:
        return _condition(value)
    except _Fault as fault:
        raise fail("PRB902", f'expression "{_shown(text)}": {fault}', where) from None


def names_in(text: int | str, *, where: Where) -> frozenset[str]:
    """The names that an expression reads, functions left out; PRB902 where it does not parse."""
    if isinstance(text, int):
        return frozenset()
    try:
        tree = _parse(text)
    except _Fault as fault:
        raise fail("PRB902", f'expression "{_shown(text)}": {fault}', where) from None
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) - RESERVED
