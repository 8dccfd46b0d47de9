"""What a review reads: the build, the launches that the plan makes of it, and a way to compile a changed source."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from warpgauge.build.names import DeclaredKernel, readable, source_kernels
from warpgauge.candidate import PlannedLaunch
from warpgauge.diagnostics import Span
from warpgauge.evidence import BuildArtifact, KernelResources, Location
from warpgauge.ptx import Instruction, Kernel, Module, PtxError, locate, parsed
from warpgauge.sass import SassInstruction, labels, parse_sass
from warpgauge.sass.loops import Loop, find_loops

#: Compiles the source anew with another text in its place; None where that does not compile.
Rebuild = Callable[[str], BuildArtifact | None]


def plain_name(entry: str) -> str:
    """The name of a kernel as its declaration has it: without template arguments and namespaces."""
    return readable(entry).partition("<")[0].rpartition("::")[2]


@dataclass(frozen=True)
class Subject:
    """One built candidate. `launches` are those of every shape, `source` is the path of its source file.

    `defines` are its macros; `sms` counts the multiprocessors of the chip that the problem names, 0: it names none.
    """

    build: BuildArtifact
    launches: tuple[PlannedLaunch, ...]
    source: str
    rebuild: Rebuild
    defines: Mapping[str, object] = field(default_factory=dict)
    sms: int = 0

    @property
    def entries(self) -> tuple[str, ...]:
        """The kernels that are launched, as the plan names them."""
        return tuple(dict.fromkeys(launch.entry for launch in self.launches))

    def launches_of(self, entry: str) -> tuple[PlannedLaunch, ...]:
        return tuple(launch for launch in self.launches if launch.entry == entry)

    @cached_property
    def module(self) -> Module | None:
        """The PTX; None where it cannot be read."""
        try:
            return parsed(self.build.ptx)
        except PtxError:
            return None

    def kernel(self, entry: str) -> Kernel | None:
        return self.module.kernels.get(self.build.lowered[entry]) if self.module else None

    def resources(self, entry: str) -> KernelResources | None:
        return self.build.resources.get(self.build.lowered[entry])

    @cached_property
    def by_ptx_line(self) -> Mapping[int, Instruction]:
        """The PTX instruction at each line of the PTX."""
        if self.module is None:
            return {}
        bodies = (*self.module.kernels.values(), *self.module.functions.values())
        return {i.ptx_line: i for body in bodies for i in body.instructions}

    @cached_property
    def _code(self) -> dict[str, tuple[SassInstruction, ...]]:
        return {entry: tuple(parse_sass(self.build.sass, self.build.lowered[entry])) for entry in self.entries}

    def code(self, entry: str) -> Sequence[SassInstruction]:
        """The machine code of an entry; empty where the build has none."""
        return self._code[entry]

    def loops(self, entry: str) -> tuple[Loop, ...]:
        """The loops in the machine code, by position in `code`."""
        return find_loops(self.code(entry), labels(self.build.sass, self.build.lowered[entry]))

    def places(self, ptx_line: int) -> tuple[tuple[str, int], ...]:
        """(path, line) of the source that a line of the PTX came from, innermost first."""
        i = self.by_ptx_line.get(ptx_line)
        if i is None or self.module is None:
            return ()
        files = self.module.files
        return tuple((os.path.normpath(files.get(p.file, "")), p.line) for p in i.chain if p.line)

    def line_of(self, ptx_line: int) -> Location | None:
        """The user's line behind a line of the PTX, without a column; None where there is none."""
        i = self.by_ptx_line.get(ptx_line)
        if i is None or self.module is None:
            return None
        place, _ = locate(self.module, i, self.build.sources)
        return Location(place.file, place.line) if place.line else None

    def head(self, entry: str) -> Span | None:
        """Where the source declares a kernel; None where that cannot be told."""
        name = plain_name(entry)
        found = [k for k in self._declared if k.name == name]
        return Span(found[0].location, len(name)) if len({k.location.file for k in found}) == 1 else None

    @cached_property
    def _declared(self) -> list[DeclaredKernel]:
        return source_kernels(self.build.sources)

    def chain(self, ptx_line: int) -> object:
        """Equal for instructions from one place of the source, by one way of inlining; None where that is unknown."""
        i = self.by_ptx_line.get(ptx_line)
        return i.chain if i else None
