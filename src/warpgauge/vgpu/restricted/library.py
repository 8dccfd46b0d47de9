"""The instances that one kernel needs, and each of them as a module of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .compiler import Compiler
from .template import Template


@dataclass(frozen=True)
class Unit:
    """One runtime function as a module of its own: machine code for it is shared by all kernels."""

    symbol: str
    text: str


_instances: dict[str, tuple[Compiler, str]] = {}


def _compiled(symbol: str, template: Template, constants: Mapping[str, Any]) -> tuple[Compiler, str]:
    """A symbol names everything that its code depends on, so one compilation serves every kernel of the process."""
    if symbol not in _instances:
        compiler = Compiler(template, {p: constants[p] for p in template.parameters if p in constants})
        _instances[symbol] = (compiler, compiler.compile())
    return _instances[symbol]


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
            compiler, body = _compiled(symbol, template, constants)
            self.compiled[symbol], self.bodies[symbol] = compiler, body
            for callee in compiler.calls:
                self._need(callee, compiler.constants)
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
            declares.add("declare i32 @warp_body(ptr, ptr, ptr, i32, ptr)")
        return "\n".join([*sorted(declares), *bodies])
