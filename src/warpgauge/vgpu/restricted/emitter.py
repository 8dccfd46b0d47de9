"""What every part of the compiler needs: text, names, blocks, types of values."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ..types import Type
from .template import RestrictedError, Template, Value, annotation


class TextEmitter:
    """State of one compilation. `constants` override the function's module globals."""

    def __init__(self, template: Template, constants: Mapping[str, Any]) -> None:
        self.template, self.constants = template, constants
        self.function, self.node = template.function, template.node
        self.scope: dict[str, Any] = {**self.function.__globals__, **constants}
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.locals: dict[str, tuple[str, Type]] = {}
        self.loops: list[tuple[str, str]] = []
        self.fixed: dict[str, int] = {}  # variables of unrolled loops
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

    # -- storage -----------------------------------------------------------------------------------------------
    def slot(self, t: Type) -> str:
        name = "%" + self.fresh("slot")
        self.allocas.append(f"{name} = alloca {t.name}")
        return name
