"""A runtime function before compilation: its syntax tree and the constants that its code depends on."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .. import types as ty
from ..types import Type


@dataclass(frozen=True)
class Value:
    """An SSA name or constant with its type; `type` None is an integer constant that takes its partner's type."""

    name: str
    type: Type | None
    constant: Any = None


class RestrictedError(TypeError):
    """The function uses Python that this compiler does not know; the message has the function and line."""


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
