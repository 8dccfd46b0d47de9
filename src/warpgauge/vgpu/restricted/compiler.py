"""Statements, and the whole of a function."""

from __future__ import annotations

import ast

from .. import types as ty
from .expressions import Expressions
from .template import Value


class Compiler(Expressions):
    """Compiles one instance of a template."""

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
        """`for i in range(lo, hi)` over i32 (or over the type of a typed bound); `unrolled(n)` repeats the body with
        i as a constant."""
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
        if isinstance(node.iter.func, ast.Name) and node.iter.func.id == "unrolled":
            for value in range(self.expr(node.iter.args[0]).constant):
                self.fixed[node.target.id] = value
                self.body(node.body)
            del self.fixed[node.target.id]
            return
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
