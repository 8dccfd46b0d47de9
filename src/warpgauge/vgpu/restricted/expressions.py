"""Expressions: operators, casts, vector operations, calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import types as ty
from ..types import LANES, Type
from .emitter import TextEmitter
from .template import Record, Template, Value

_INT_OPS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "lshr",
    ast.FloorDiv: "udiv",
    ast.Mod: "urem",
}
_FLOAT_OPS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge"}
_FLOAT_COMPARE = {ast.Eq: "oeq", ast.NotEq: "une", ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge"}
_FOLD: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}
_SIGNED = {"slt": "icmp slt", "sle": "icmp sle", "sgt": "icmp sgt", "sge": "icmp sge"}
_BINARY = {"ashr": "ashr", "sdiv": "sdiv", "srem": "srem", "fmul": "fmul", "fadd": "fadd"}
_CONVERT = {
    "zext",
    "sext",
    "trunc",
    "bitcast",
    "fpext",
    "fptrunc",
    "ptrtoint",
    "inttoptr",
    "sitofp",
    "uitofp",
    "fptosi",
}
_INTRINSIC = {  # name -> (llvm name, arguments that repeat the type, extra constant arguments)
    "ctpop": ("ctpop", 1, ""),
    "cttz": ("cttz", 1, ", i1 true"),
    "ctlz": ("ctlz", 1, ", i1 false"),
    "umin": ("umin", 2, ""),
    "umax": ("umax", 2, ""),
    "smin": ("smin", 2, ""),
    "smax": ("smax", 2, ""),
    "fmin": ("minnum", 2, ""),
    "fmax": ("maxnum", 2, ""),
    "exp2": ("exp2", 1, ""),
    "log2": ("log2", 1, ""),
    "sin": ("sin", 1, ""),
    "cos": ("cos", 1, ""),
    "sqrt": ("sqrt", 1, ""),
    "sadd_sat": ("sadd.sat", 2, ""),
    "fma": ("fma", 3, ""),
    "fmuladd": ("fmuladd", 3, ""),
}
_REDUCE = {"reduce_umin": "umin", "reduce_umax": "umax", "reduce_or": "or", "reduce_and": "and"}


def suffix(t: Type) -> str:
    """LLVM's overload suffix of a type (`v32i32`, `f64`)."""
    if t.kind == "vector":
        assert t.element is not None
        return f"v{t.lanes}{suffix(t.element)}"
    return f"f{t.bits}" if t.kind == "float" else f"i{t.bits}" if t.kind == "int" else "p0"


_WIDE = 32 * LANES  # bits that a scattered gather may load at once


def _run(places: Sequence[int]) -> int:
    """The longest length such that all places lie in runs of it."""
    run = len(places)
    while any(places[n + k] != places[n] + k for n in range(0, len(places), run) for k in range(run)):
        run //= 2
    return run


def _mask(numbers: Iterable[int]) -> str:
    words = ["i32 poison" if n < 0 else f"i32 {n}" for n in numbers]
    return f"<{len(words)} x i32> <{', '.join(words)}>"


def _arguments(values: list[Value]) -> str:
    return ", ".join(f"{a.type.name} {a.name}" for a in values if a.type)


class Expressions(TextEmitter):
    """`expr` compiles one expression to a value."""

    def expr(self, node: ast.expr) -> Value:
        method = getattr(self, "expr_" + type(node).__name__, None)
        if method is None:
            raise self.fail(node, f"expression {type(node).__name__}")
        return method(node)

    def expr_Constant(self, node: ast.Constant) -> Value:
        return Value("", None, node.value)

    def expr_Name(self, node: ast.Name) -> Value:
        if node.id in self.fixed:
            return Value("", None, self.fixed[node.id])
        if node.id in self.locals:
            slot, t = self.locals[node.id]
            if slot.startswith("@array"):
                return Value(slot.removeprefix("@array"), t)
            return self.value(f"load {t.name}, ptr {slot}", t)
        if node.id in self.constants and node.id not in self.template.parameters:
            raise self.fail(node, f"{node.id} is no parameter of this template")
        found = self.scope.get(node.id, self.scope["__builtins__"])
        if isinstance(found, (bool, int, float, Record)):
            return Value("", None, found)
        raise self.fail(node, f"unknown name {node.id}")

    def expr_Attribute(self, node: ast.Attribute) -> Value:
        record = self.expr(node.value).constant
        if not isinstance(record, Record):
            raise self.fail(node, "an attribute of what is no record")
        return Value("", None, getattr(record, node.attr))

    def expr_UnaryOp(self, node: ast.UnaryOp) -> Value:
        a = self.expr(node.operand)
        if a.type is None:
            folded = {ast.Not: lambda x: not x, ast.USub: lambda x: -x, ast.Invert: lambda x: ~x}[type(node.op)]
            return Value("", None, folded(a.constant))
        if isinstance(node.op, ast.Not):
            return self.value(f"xor {a.type.name} {a.name}, {self.literal(1, a.type)}", a.type)
        if isinstance(node.op, ast.Invert):
            return self.value(f"xor {a.type.name} {a.name}, {self.literal(-1, a.type)}", a.type)
        if isinstance(node.op, ast.USub) and a.type.kind != "float":
            return self.value(f"sub {a.type.name} {self.literal(0, a.type)}, {a.name}", a.type)
        raise self.fail(node, "unary operator")

    def expr_BinOp(self, node: ast.BinOp) -> Value:
        return self.binary(node.op, self.expr(node.left), self.expr(node.right), node)

    def binary(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        if a.type is None and b.type is None:
            return Value("", None, _FOLD[type(op)](a.constant, b.constant))
        if a.type is not None and a.type.kind == "ptr":
            assert a.type.element is not None
            width = b.type or ty.i64
            index = self.as_type(b, width, node)
            if isinstance(op, ast.Sub):
                index = self.value(f"sub {width.name} 0, {index.name}", width)
            if width.bits < 64:
                index = self.value(f"zext {width.name} {index.name} to i64", ty.i64)
            return self.value(f"getelementptr {a.type.element.name}, ptr {a.name}, i64 {index.name}", a.type)
        a, b, t = self.unify(a, b, node)
        base = t.element if t.kind == "vector" else t
        assert base is not None
        table = _FLOAT_OPS if base.kind == "float" else _INT_OPS
        return self.value(f"{table[type(op)]} {t.name} {a.name}, {b.name}", t)

    def expr_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            raise self.fail(node, "chained comparison")
        a, b = self.expr(node.left), self.expr(node.comparators[0])
        if a.type is None and b.type is None:
            return Value("", None, _FOLD[type(node.ops[0])](a.constant, b.constant))
        a, b, t = self.unify(a, b, node)
        base = t.element if t.kind == "vector" else t
        assert base is not None
        result = ty.v(ty.i1, t.lanes) if t.kind == "vector" else ty.i1
        if base.kind == "float":
            return self.value(f"fcmp {_FLOAT_COMPARE[type(node.ops[0])]} {t.name} {a.name}, {b.name}", result)
        return self.value(f"icmp {_COMPARE[type(node.ops[0])]} {t.name} {a.name}, {b.name}", result)

    def expr_BoolOp(self, node: ast.BoolOp) -> Value:
        """Short-circuit; a constant operand folds."""
        is_and = isinstance(node.op, ast.And)
        result = self.expr(node.values[0])
        for position, following in enumerate(node.values[1:], 1):
            if result.type is None:
                if bool(result.constant) != is_and:
                    return Value("", None, result.constant)
                result = self.expr(following)
                continue
            if result.type.kind == "vector":
                right = self.as_type(self.expr(following), result.type, node)
                result = self.value(
                    f"{'and' if is_and else 'or'} {result.type.name} {result.name}, {right.name}", result.type
                )
                continue
            slot = self.slot(ty.i1)
            self.emit(f"store i1 {result.name}, ptr {slot}")
            more, done = self.fresh("more"), self.fresh("done")
            self.branch(result, more if is_and else done, done if is_and else more)
            self.label(more)
            rest = ast.BoolOp(node.op, node.values[position:]) if position < len(node.values) - 1 else following
            right = self.as_type(self.expr(rest), ty.i1, node)
            self.emit(f"store i1 {right.name}, ptr {slot}")
            self.jump(done)
            self.label(done)
            return self.value(f"load i1, ptr {slot}", ty.i1)
        return result

    def expr_IfExp(self, node: ast.IfExp) -> Value:
        test = self.expr(node.test)
        if test.type is None:
            return self.expr(node.body if test.constant else node.orelse)
        a, b, t = self.unify(self.expr(node.body), self.expr(node.orelse), node)
        return self.value(f"select {test.type.name} {test.name}, {t.name} {a.name}, {t.name} {b.name}", t)

    def expr_Subscript(self, node: ast.Subscript) -> Value:
        address, element = self.element(node)
        return self.value(
            f"load {element.name}, ptr {address.name}, align {min(8, max(1, element.bits // 8))}", element
        )

    def element(self, node: ast.Subscript) -> tuple[Value, Type]:
        base = self.expr(node.value)
        assert base.type is not None and base.type.element is not None, self.fail(node, "subscript of a non-pointer")
        return self.binary(ast.Add(), base, self.expr(node.slice), node), base.type.element

    def expr_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Call):
            return self.cast(self.expr(node.args[0]), self.annotation(node.func), node)
        if isinstance(node.func, ast.Attribute):
            found = self.expr(node.func).constant
            if isinstance(found, Type):
                return self.cast(self.expr(node.args[0]), found, node)
            return Value("", None, found(*(self.expr(a).constant for a in node.args)))
        assert isinstance(node.func, ast.Name), self.fail(node, "call of a non-name")
        name = node.func.id
        found = self.scope.get(name)
        if isinstance(found, Type):
            return self.cast(self.expr(node.args[0]), found, node)
        if name in _CONVERT:
            a, t = self.expr(node.args[0]), self.annotation(node.args[1])
            assert a.type is not None
            return self.value(f"{name} {a.type.name} {a.name} to {t.name}", t)
        if name in _SIGNED:
            a, b, t = self.unify(self.expr(node.args[0]), self.expr(node.args[1]), node)
            return self.value(
                f"{_SIGNED[name]} {t.name} {a.name}, {b.name}", ty.v(ty.i1, t.lanes) if t.kind == "vector" else ty.i1
            )
        if name in _BINARY:
            a, b, t = self.unify(self.expr(node.args[0]), self.expr(node.args[1]), node)
            return self.value(f"{_BINARY[name]} {t.name} {a.name}, {b.name}", t)
        if name in _INTRINSIC:
            return self.intrinsic(name, node)
        if name in _REDUCE:
            a = self.expr(node.args[0])
            assert a.type is not None and a.type.element is not None
            full = f"llvm.vector.reduce.{_REDUCE[name]}.{suffix(a.type)}"
            self.declares.add(f"declare {a.type.element.name} @{full}({a.type.name})")
            return self.value(f"call {a.type.element.name} @{full}({a.type.name} {a.name})", a.type.element)
        special = getattr(self, "call_" + name, None)
        if special is not None:
            return special(node)
        if callable(found) and hasattr(found, "__template__"):
            return self.call_function(found, node)
        raise self.fail(node, f"unknown function {name}")

    def intrinsic(self, name: str, node: ast.Call) -> Value:
        full, count, extra = _INTRINSIC[name]
        args = [self.expr(a) for a in node.args]
        if count == 2:
            args[0], args[1], t = self.unify(args[0], args[1], node)
        elif count == 3:
            t = next(a.type for a in args[::-1] if a.type is not None)
            args = [self.as_type(a, t, node) for a in args]
        else:
            assert args[0].type is not None
            t = args[0].type
        mangled = f"llvm.{full}.{suffix(t)}"
        extra_type = ", i1" if extra else ""
        self.declares.add(f"declare {t.name} @{mangled}({', '.join([t.name] * count)}{extra_type})")
        return self.value(f"call {t.name} @{mangled}({', '.join(f'{t.name} {a.name}' for a in args)}{extra})", t)

    def cast(self, a: Value, t: Type, node: ast.AST) -> Value:
        """`i64(x)`: zero-extend, truncate, or retype a pointer; constants materialise."""
        if a.type is None:
            return Value(self.literal(a.constant, t), t)
        if a.type == t:
            return a
        if a.type.kind == "ptr" and t.kind == "ptr":
            return Value(a.name, t)
        if t.kind == "ptr":
            return self.value(f"inttoptr {a.type.name} {a.name} to ptr", t)
        if a.type.kind == "ptr":
            return self.value(f"ptrtoint ptr {a.name} to {t.name}", t)
        if t.kind == "vector" and a.type.kind != "vector":
            return self.as_type(a, t, node)
        if (t.kind == "float") != (a.type.kind == "float") or t.kind == a.type.kind == "float":
            raise self.fail(node, "use sitofp, bitcast, fpext or fptrunc")
        how = "zext" if t.bits > a.type.bits else "trunc"
        return self.value(f"{how} {a.type.name} {a.name} to {t.name}", t)

    def call_function(self, found: Callable[..., Any], node: ast.Call) -> Value:
        """Another runtime function, instantiated under the same constants."""
        callee = Template.of(found)
        if hidden := set(callee.parameters) - set(self.template.parameters):
            raise self.fail(node, f"{found.__name__} depends on {sorted(hidden)}, which this template does not name")
        parameters, returned = callee.signature(self.constants)
        args = [self.as_type(self.expr(a), t, node) for a, (_, t) in zip(node.args, parameters, strict=True)]
        self.calls.append(callee)
        text = f"call {returned.name} @{callee.symbol(self.constants)}({_arguments(args)})"
        if returned == ty.void:
            self.emit(text)
            return Value("", ty.void)
        return self.value(text, returned)

    def call_warp_body(self, node: ast.Call) -> Value:
        """The kernel's own code, generated beside this function."""
        args = [self.expr(a) for a in node.args]
        return self.value(
            f"call i32 @warp_body({', '.join(f'{a.type.name} {a.name}' for a in args if a.type)})", ty.i32
        )

    def call_callback(self, node: ast.Call) -> Value:
        """Call a Python function through its address: callback(address, five i64 values)."""
        address, *rest = [self.expr(a) for a in node.args]
        args = ", ".join(f"i64 {self.as_type(a, ty.i64, node).name}" for a in rest)
        pointer = self.value(f"inttoptr i64 {address.name} to ptr", ty.ptr(ty.i8))
        self.emit(f"call void {pointer.name}({args})")
        return Value("", ty.void)

    def call_bits(self, node: ast.Call) -> Value:
        """One bit per lane of a lane predicate."""
        a = self.expr(node.args[0])
        assert a.type is not None
        return self.value(f"bitcast {a.type.name} {a.name} to i{a.type.lanes}", ty.INTS[a.type.lanes])

    def call_lanes(self, node: ast.Call) -> Value:
        """The inverse of `bits`."""
        return self.value(f"bitcast i32 {self.expr(node.args[0]).name} to <{LANES} x i1>", ty.v1)

    def call_iota(self, node: ast.Call) -> Value:
        """0, step, 2 step ... per lane, of a vector type."""
        t = self.annotation(node.args[0])
        step = self.expr(node.args[1]).constant if len(node.args) > 1 else 1
        assert t.element is not None
        return Value("<" + ", ".join(f"{t.element.name} {i * step}" for i in range(t.lanes)) + ">", t)

    def call_lane(self, node: ast.Call) -> Value:
        """Element of a vector at a lane index."""
        a, index = self.expr(node.args[0]), self.as_type(self.expr(node.args[1]), ty.i32, node)
        assert a.type is not None and a.type.element is not None
        return self.value(f"extractelement {a.type.name} {a.name}, i32 {index.name}", a.type.element)

    def call_vload(self, node: ast.Call) -> Value:
        a, t = self.expr(node.args[0]), self.annotation(node.args[1])
        assert t.element is not None
        return self.value(f"load {t.name}, ptr {a.name}, align {max(1, t.element.bits // 8)}", t)

    def call_vstore(self, node: ast.Call) -> Value:
        a, b = self.expr(node.args[0]), self.expr(node.args[1])
        assert b.type is not None and b.type.element is not None
        self.emit(f"store {b.type.name} {b.name}, ptr {a.name}, align {max(1, b.type.element.bits // 8)}")
        return Value("", ty.void)

    def call_gather(self, node: ast.Call) -> Value:
        """The elements at constant places behind a pointer, as a vector; places in a row are loaded together."""
        a, places = self.expr(node.args[0]), self.expr(node.args[1]).constant
        assert a.type is not None and a.type.element is not None
        one, t = a.type.element, ty.v(a.type.element, len(places))
        run = _run(places)
        reach = _WIDE // one.bits
        low = min(places) // reach * reach
        if run == 1 and max(places) < low + reach:
            wide, numbers = ty.v(one, reach), [p - low for p in places]
            found = self._load_at(a, low, wide)
            return self.value(f"shufflevector {wide.name} {found.name}, {wide.name} poison, {_mask(numbers)}", t)
        if run == len(places):
            return self._load_at(a, places[0], t)
        result = Value("poison", t)
        part = ty.v(one, run) if run > 1 else one
        for n in range(0, len(places), run):
            piece = self._load_at(a, places[n], part)
            if run == 1:
                result = self.value(f"insertelement {t.name} {result.name}, {one.name} {piece.name}, i32 {n}", t)
                continue
            numbers = [k if k < run else -1 for k in range(len(places))]
            spread = self.value(f"shufflevector {part.name} {piece.name}, {part.name} poison, {_mask(numbers)}", t)
            numbers = [len(places) + k - n if n <= k < n + run else k for k in range(len(places))]
            result = self.value(f"shufflevector {t.name} {result.name}, {t.name} {spread.name}, {_mask(numbers)}", t)
        return result

    def _load_at(self, a: Value, place: int, t: Type) -> Value:
        assert a.type is not None and a.type.element is not None
        one = a.type.element
        at = self.value(f"getelementptr {one.name}, ptr {a.name}, i64 {place}", a.type)
        return self.value(f"load {t.name}, ptr {at.name}, align {one.bits // 8}", t)

    def call_scatter(self, node: ast.Call) -> Value:
        """scatter(pointer, places, vector): the inverse of `gather`."""
        a, places, b = self.expr(node.args[0]), self.expr(node.args[1]).constant, self.expr(node.args[2])
        assert a.type is not None and a.type.element is not None and b.type is not None
        one, run = a.type.element, _run(places)
        part = ty.v(one, run)
        for n in range(0, len(places), run):
            piece = self.value(
                f"shufflevector {b.type.name} {b.name}, {b.type.name} poison, {_mask(range(n, n + run))}", part
            )
            at = self.value(f"getelementptr {one.name}, ptr {a.name}, i64 {places[n]}", a.type)
            self.emit(f"store {part.name} {piece.name}, ptr {at.name}, align {one.bits // 8}")
        return Value("", ty.void)

    def call_array(self, node: ast.Call) -> Value:
        """Stack storage: array(i64, 32)."""
        t, count = self.annotation(node.args[0]), self.expr(node.args[1]).constant
        name = "%" + self.fresh("array")
        self.allocas.append(f"{name} = alloca [{count} x {t.name}], align 64")
        return Value(name, ty.ptr(t))

    def call_set_rounding(self, node: ast.Call) -> Value:
        """How the machine rounds from here on, in the functions called next: 0 to zero, 1 to nearest, 2 up, 3 down."""
        self.declares.add("declare void @llvm.set.rounding(i32)")
        self.emit(f"call void @llvm.set.rounding(i32 {self.as_type(self.expr(node.args[0]), ty.i32, node).name})")
        return Value("", ty.void)

    def call_memset(self, node: ast.Call) -> Value:
        a, byte, count = (self.expr(x) for x in node.args)
        self.declares.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        byte, count = self.as_type(byte, ty.i8, node), self.as_type(count, ty.i64, node)
        self.emit(f"call void @llvm.memset.p0.i64(ptr {a.name}, i8 {byte.name}, i64 {count.name}, i1 false)")
        return Value("", ty.void)
