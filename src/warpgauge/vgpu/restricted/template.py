"""A runtime function before compilation: its syntax tree and the constants that its code depends on."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .. import types as ty
from ..types import Type


@dataclass(frozen=True)
class Value:
    """An SSA name or constant with its type; `type` None is an integer constant that takes its partner's type."""

    name: str
    type: Type | None
    constant: Any = None


class Record:
    """A constant of a template that answers while it is compiled: its attributes, and its methods of constants, fold.

    `name` stands for it in symbols, so equal names mean equal records.
    """

    @property
    def name(self) -> str:
        raise NotImplementedError


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
        node = _definitions(function.__code__.co_filename)[function.__name__]
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


@cache
def _definitions(file: str) -> dict[str, ast.FunctionDef]:
    """Functions of a runtime module by name."""
    body = ast.parse(Path(file).read_text(encoding="utf-8")).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def annotation(node: ast.expr | None, scope: Mapping[str, Any]) -> Type:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ty.void
    if isinstance(node, ast.Name):
        value = scope[node.id]
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        value = getattr(scope[node.value.id], node.attr)
    else:
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name), ast.dump(node)
        value = scope[node.func.id](*(annotation(a, scope) for a in node.args))
    assert isinstance(value, Type), ast.dump(node)
    return value
