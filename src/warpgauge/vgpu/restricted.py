"""A small compiler: restricted Python functions -> LLVM IR text.

The virtual GPU's runtime (counting, shadow state, barriers, scheduling) is written as plain Python functions over
machine types and compiled once with the kernel. Integers are unsigned unless a name says otherwise (`slt`, `ashr`);
`p[i]` loads and stores; a vector holds one value per lane and mixes with scalars by splatting; module-level Python
constants fold, so `if COUNT:` on a constant leaves only the taken side. Locals take the type of their first value.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import types as ty
from .types import LANES, Type


@dataclass(frozen=True)
class Value:
    """An SSA name or constant with its type; `type` None is an integer constant that takes its partner's type."""

    name: str
    type: Type | None
    constant: Any = None


class RestrictedError(TypeError):
    """The function uses Python that this compiler does not know; the message has the function and line."""


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
_CONVERT = {"zext", "sext", "trunc", "bitcast", "fpext", "fptrunc", "ptrtoint", "inttoptr", "sitofp", "uitofp"}
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
}
_REDUCE = {"reduce_umin": "umin", "reduce_umax": "umax", "reduce_or": "or", "reduce_and": "and"}


def suffix(t: Type) -> str:
    """LLVM's overload suffix of a type (`v32i32`, `f64`)."""
    if t.kind == "vector":
        assert t.element is not None
        return f"v{t.lanes}{suffix(t.element)}"
    return f"f{t.bits}" if t.kind == "float" else f"i{t.bits}" if t.kind == "int" else "p0"


@dataclass(frozen=True)
class Template:
    """A runtime function; its code depends on the constants named in `parameters`."""

    function: Callable[..., Any]
    node: ast.FunctionDef
    parameters: tuple[str, ...]
    inline: bool

    @staticmethod
    @cache
    def of(function: Callable[..., Any]) -> Template:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        assert isinstance(node, ast.FunctionDef)
        marks: Any = function
        return Template(function, node, marks.__template__, marks.__inline__)

    def symbol(self, constants: Mapping[str, Any]) -> str:
        values = (constants.get(p, self.function.__globals__.get(p)) for p in self.parameters)
        words = (re.sub(r"\W+", "", str(getattr(value, "name", value))) for value in values)
        return "_".join(("rt", self.function.__name__, *words))

    def signature(self, constants: Mapping[str, Any]) -> tuple[list[tuple[str, Type]], Type]:
        scope = {**self.function.__globals__, **constants}
        parameters = [(a.arg, annotation(a.annotation, scope)) for a in self.node.args.args]
        return parameters, annotation(self.node.returns, scope)


def annotation(node: ast.expr | None, scope: Mapping[str, Any]) -> Type:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ty.void
    value = eval(compile(ast.Expression(node), "<annotation>", "eval"), dict(scope))
    assert isinstance(value, Type), ast.dump(node)
    return value


class Compiler:
    """Compiles one instance. `constants` override the function's module globals."""

    def __init__(self, template: Template, constants: Mapping[str, Any]) -> None:
        self.template, self.constants = template, constants
        self.function, self.node = template.function, template.node
        self.scope: dict[str, Any] = {**self.function.__globals__, **constants}
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.locals: dict[str, tuple[str, Type]] = {}
        self.loops: list[tuple[str, str]] = []
        self.calls: list[Template] = []
        self.declares: set[str] = set()
        self.serial = 0
        self.open = True

    # -- emission ----------------------------------------------------------------------------------------------
    def fresh(self, hint: str = "t") -> str:
        self.serial += 1
        return f"{hint}{self.serial}"

    def emit(self, text: str) -> None:
        if self.open:
            self.lines.append("  " + text)

    def value(self, text: str, t: Type) -> Value:
        name = "%" + self.fresh()
        self.emit(f"{name} = {text}")
        return Value(name, t)

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.open = True

    def jump(self, target: str) -> None:
        self.emit(f"br label %{target}")
        self.open = False

    def branch(self, condition: Value, yes: str, no: str) -> None:
        self.emit(f"br i1 {condition.name}, label %{yes}, label %{no}")
        self.open = False

    def fail(self, node: ast.AST, what: str) -> RestrictedError:
        return RestrictedError(f"{self.function.__name__}: line {getattr(node, 'lineno', '?')}: {what}")

    # -- types -------------------------------------------------------------------------------------------------
    def annotation(self, node: ast.expr | None) -> Type:
        return annotation(node, self.scope)

    def as_type(self, a: Value, t: Type, node: ast.AST) -> Value:
        """`a` as type `t`: constants materialise, scalars splat into vectors; nothing else converts silently."""
        if a.type == t:
            return a
        if a.type is None:
            return Value(self.literal(a.constant, t), t)
        if t.kind == "vector" and a.type == t.element:
            first = self.value(f"insertelement {t.name} poison, {a.type.name} {a.name}, i32 0", t)
            return self.value(
                f"shufflevector {t.name} {first.name}, {t.name} poison, <{t.lanes} x i32> zeroinitializer", t
            )
        if t.kind == "ptr" and a.type.kind == "ptr":
            return Value(a.name, t)
        raise self.fail(node, f"{a.type.name} where {t.name} is needed")

    def literal(self, constant: Any, t: Type) -> str:
        if t.kind == "vector":
            assert t.element is not None
            return f"splat ({t.element.name} {self.literal(constant, t.element)})"
        if t.kind == "float":
            return f"{float(constant):e}"
        if t.kind == "ptr":
            return "null"
        if t.bits == 1:
            return "true" if constant else "false"
        value = int(constant) & ((1 << t.bits) - 1)
        return str(value - (1 << t.bits) if value >> (t.bits - 1) else value)

    def unify(self, a: Value, b: Value, node: ast.AST) -> tuple[Value, Value, Type]:
        kinds = [x.type for x in (a, b) if x.type is not None]
        if not kinds:
            raise self.fail(node, "two untyped constants")
        t = next((k for k in kinds if k.kind == "vector"), kinds[0])
        return self.as_type(a, t, node), self.as_type(b, t, node), t

    # -- expressions -------------------------------------------------------------------------------------------
    def expr(self, node: ast.expr) -> Value:
        method = getattr(self, "expr_" + type(node).__name__, None)
        if method is None:
            raise self.fail(node, f"expression {type(node).__name__}")
        return method(node)

    def expr_Constant(self, node: ast.Constant) -> Value:
        return Value("", None, node.value)

    def expr_Name(self, node: ast.Name) -> Value:
        if node.id in self.locals:
            slot, t = self.locals[node.id]
            if slot.startswith("@array"):
                return Value(slot.removeprefix("@array"), t)
            return self.value(f"load {t.name}, ptr {slot}", t)
        if node.id in self.constants and node.id not in self.template.parameters:
            raise self.fail(node, f"{node.id} is no parameter of this template")
        found = self.scope.get(node.id, self.scope["__builtins__"])
        if isinstance(found, (bool, int, float)):
            return Value("", None, found)
        raise self.fail(node, f"unknown name {node.id}")

    def expr_UnaryOp(self, node: ast.UnaryOp) -> Value:
        a = self.expr(node.operand)
        if a.type is None:
            folded = {ast.Not: lambda x: not x, ast.USub: lambda x: -x, ast.Invert: lambda x: ~x}[type(node.op)]  # type: ignore[index]
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
            index = self.as_type(b, b.type or ty.i64, node)
            assert index.type is not None
            if isinstance(op, ast.Sub):
                index = self.value(f"sub {index.type.name} 0, {index.name}", index.type)
            if index.type.bits < 64:
                index = self.value(f"zext {index.type.name} {index.name} to i64", ty.i64)
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
        return self.value(f"load {element.name}, ptr {address.name}, align {min(8, max(1, element.bits // 8))}", element)

    def element(self, node: ast.Subscript) -> tuple[Value, Type]:
        base = self.expr(node.value)
        assert base.type is not None and base.type.element is not None, self.fail(node, "subscript of a non-pointer")
        return self.binary(ast.Add(), base, self.expr(node.slice), node), base.type.element

    def expr_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Call):
            return self.cast(self.expr(node.args[0]), self.annotation(node.func), node)
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
        parameters, returned = callee.signature(self.constants)
        args = [self.as_type(self.expr(a), t, node) for a, (_, t) in zip(node.args, parameters, strict=True)]
        self.calls.append(callee)
        text = f"call {returned.name} @{callee.symbol(self.constants)}({', '.join(f'{a.type.name} {a.name}' for a in args if a.type)})"
        if returned == ty.void:
            self.emit(text)
            return Value("", ty.void)
        return self.value(text, returned)

    def call_warp_body(self, node: ast.Call) -> Value:
        """The kernel's own code, generated beside this function."""
        args = [self.expr(a) for a in node.args]
        return self.value(f"call i32 @warp_body({', '.join(f'{a.type.name} {a.name}' for a in args if a.type)})", ty.i32)

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

    def call_array(self, node: ast.Call) -> Value:
        """Stack storage: array(i64, 32)."""
        t, count = self.annotation(node.args[0]), self.expr(node.args[1]).constant
        name = "%" + self.fresh("array")
        self.allocas.append(f"{name} = alloca [{count} x {t.name}], align 64")
        return Value(name, ty.ptr(t))

    def call_memset(self, node: ast.Call) -> Value:
        a, byte, count = (self.expr(x) for x in node.args)
        self.declares.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        byte, count = self.as_type(byte, ty.i8, node), self.as_type(count, ty.i64, node)
        self.emit(f"call void @llvm.memset.p0.i64(ptr {a.name}, i8 {byte.name}, i64 {count.name}, i1 false)")
        return Value("", ty.void)

    # -- statements --------------------------------------------------------------------------------------------
    def slot(self, t: Type) -> str:
        name = "%" + self.fresh("slot")
        self.allocas.append(f"{name} = alloca {t.name}")
        return name

    def body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self.open:
                return
            method = getattr(self, "stmt_" + type(statement).__name__, None)
            if method is None:
                raise self.fail(statement, f"statement {type(statement).__name__}")
            method(statement)

    def stmt_Pass(self, node: ast.Pass) -> None:
        pass

    def stmt_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expr(node.value)

    def stmt_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        self.assign(target, self.expr(node.value), node)

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> None:
        assert node.value is not None
        t = self.annotation(node.annotation)
        self.assign(node.target, self.cast(self.expr(node.value), t, node), node)

    def stmt_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            address, t = self.element(target)
            old = self.value(f"load {t.name}, ptr {address.name}, align {min(8, max(1, t.bits // 8))}", t)
            new = self.as_type(self.binary(node.op, old, self.expr(node.value), node), t, node)
            self.emit(f"store {t.name} {new.name}, ptr {address.name}, align {min(8, max(1, t.bits // 8))}")
            return
        assert isinstance(target, ast.Name)
        self.assign(target, self.binary(node.op, self.expr_Name(target), self.expr(node.value), node), node)

    def assign(self, target: ast.expr, a: Value, node: ast.AST) -> None:
        if isinstance(target, ast.Subscript):
            address, t = self.element(target)
            a = self.as_type(a, t, node)
            self.emit(f"store {t.name} {a.name}, ptr {address.name}, align {min(8, max(1, t.bits // 8))}")
            return
        assert isinstance(target, ast.Name)
        if target.id not in self.locals:
            if a.type is None:
                raise self.fail(node, f"{target.id} needs a type")
            if a.name.startswith("%array"):
                self.locals[target.id] = ("@array" + a.name, a.type)
                return
            self.locals[target.id] = (self.slot(a.type), a.type)
        slot, t = self.locals[target.id]
        a = self.as_type(a, t, node)
        self.emit(f"store {t.name} {a.name}, ptr {slot}")

    def stmt_If(self, node: ast.If) -> None:
        test = self.expr(node.test)
        if test.type is None:
            self.body(node.body if test.constant else node.orelse)
            return
        yes, no, end = self.fresh("then"), self.fresh("else"), self.fresh("endif")
        self.branch(test, yes, no if node.orelse else end)
        self.label(yes)
        self.body(node.body)
        self.jump(end)
        if node.orelse:
            self.label(no)
            self.body(node.orelse)
            self.jump(end)
        self.label(end)

    def stmt_While(self, node: ast.While) -> None:
        head, body, end = self.fresh("while"), self.fresh("body"), self.fresh("endwhile")
        self.jump(head)
        self.label(head)
        test = self.expr(node.test)
        if test.type is None:
            self.jump(body if test.constant else end)
        else:
            self.branch(test, body, end)
        self.label(body)
        self.loops.append((head, end))
        self.body(node.body)
        self.loops.pop()
        self.jump(head)
        self.label(end)

    def stmt_For(self, node: ast.For) -> None:
        """`for i in range(lo, hi)` over i32 (or over the type of a typed bound)."""
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
        bounds = [self.expr(a) for a in node.iter.args]
        low, high = (Value("", None, 0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        t = high.type or low.type or ty.i32
        high = self.as_type(high, t, node)
        if node.target.id not in self.locals:
            self.locals[node.target.id] = (self.slot(t), t)
        slot = self.locals[node.target.id][0]
        self.emit(f"store {t.name} {self.as_type(low, t, node).name}, ptr {slot}")
        head, body, step, end = (self.fresh(x) for x in ("for", "body", "step", "endfor"))
        self.jump(head)
        self.label(head)
        index = self.value(f"load {t.name}, ptr {slot}", t)
        self.branch(self.value(f"icmp ult {t.name} {index.name}, {high.name}", ty.i1), body, end)
        self.label(body)
        self.loops.append((step, end))
        self.body(node.body)
        self.loops.pop()
        self.jump(step)
        self.label(step)
        now = self.value(f"load {t.name}, ptr {slot}", t)
        self.emit(f"store {t.name} {self.value(f'add {t.name} {now.name}, 1', t).name}, ptr {slot}")
        self.jump(head)
        self.label(end)

    def stmt_Break(self, node: ast.Break) -> None:
        self.jump(self.loops[-1][1])

    def stmt_Continue(self, node: ast.Continue) -> None:
        self.jump(self.loops[-1][0])

    def stmt_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.emit("ret void")
        else:
            a = self.as_type(self.expr(node.value), self.returned, node)
            self.emit(f"ret {self.returned.name} {a.name}")
        self.open = False

    # -- the function ------------------------------------------------------------------------------------------
    def compile(self) -> str:
        parameters, self.returned = self.template.signature(self.constants)
        for name, t in parameters:
            slot = self.slot(t)
            self.locals[name] = (slot, t)
            self.emit(f"store {t.name} %{name}, ptr {slot}")
        self.body(self.node.body)
        if self.open:
            self.emit("ret void" if self.returned == ty.void else "unreachable")
        header = ", ".join(f"{t.name} %{name}" for name, t in parameters)
        allocas = "\n".join("  " + a for a in self.allocas)
        text = "\n".join(self.lines)
        kind = "internal" if self.template.inline else ""
        attribute = "alwaysinline" if self.template.inline else "noinline"
        return (
            f"define {kind} {self.returned.name} @{self.template.symbol(self.constants)}({header}) {attribute} nounwind"
            f" {{\nentry:\n{allocas}\n{text}\n}}\n"
        )

    def declaration(self) -> str:
        parameters, returned = self.template.signature(self.constants)
        types = ", ".join(t.name for _, t in parameters)
        return f"declare {returned.name} @{self.template.symbol(self.constants)}({types})"


@dataclass(frozen=True)
class Unit:
    """One runtime function as a module of its own: machine code for it is shared by all kernels."""

    symbol: str
    text: str


class Library:
    """The runtime functions one kernel needs, compiled on demand."""

    def __init__(self, constants: Mapping[str, Any]) -> None:
        self.constants = dict(constants)
        self.compiled: dict[str, Compiler] = {}
        self.bodies: dict[str, str] = {}

    def need(self, function: Callable[..., Any], **more: Any) -> str:
        """Compile `function` (and what it calls) under the library's constants and `more`; returns its symbol."""
        return self._need(Template.of(function), {**self.constants, **more})

    def _need(self, template: Template, constants: Mapping[str, Any]) -> str:
        symbol = template.symbol(constants)
        if symbol not in self.compiled:
            compiler = self.compiled[symbol] = Compiler(template, constants)
            self.bodies[symbol] = compiler.compile()
            for callee in compiler.calls:
                self._need(callee, constants)
        return symbol

    @property
    def declarations(self) -> list[str]:
        """For a module that calls any of them."""
        return [c.declaration() for c in self.compiled.values() if not c.template.inline]

    def units(self) -> list[Unit]:
        return [Unit(symbol, self._unit(symbol)) for symbol, c in self.compiled.items() if not c.template.inline]

    def _unit(self, root: str) -> str:
        """The function with the inline ones it uses; the rest is declared."""
        bodies, declares, work, seen = [], set(), [root], {root}
        while work:
            symbol = work.pop()
            compiler = self.compiled[symbol]
            bodies.append(self.bodies[symbol])
            declares |= compiler.declares
            for callee in compiler.calls:
                name = callee.symbol(compiler.constants)
                if name in seen:
                    continue
                seen.add(name)
                if callee.inline:
                    work.append(name)
                else:
                    declares.add(self.compiled[name].declaration())
        if "@warp_body" in "".join(bodies):
            declares.add("declare i32 @warp_body(ptr, ptr, ptr, i32)")
        return "\n".join([*sorted(declares), *bodies])
