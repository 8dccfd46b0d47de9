"""What a review reads: the build, the launches that the plan makes of it, and a way to compile a changed source."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from warpgauge.candidate import PlannedLaunch
from warpgauge.evidence import BuildArtifact, KernelResources
from warpgauge.ptx import Instruction, Kernel, Module, PtxError, parsed
from warpgauge.sass import SassInstruction, parse_sass
from warpgauge.sass.parallelism import loops_of

#: Compiles the source anew with another text in its place; None where that does not compile.
Rebuild = Callable[[str], BuildArtifact | None]


@dataclass(frozen=True)
class Subject:
    """One built candidate. `launches` are those of every shape, `source` is the path of its source file.

    `sms` is the number of multiprocessors of the chip that the problem names, 0 where it names none.
    """

    build: BuildArtifact
    launches: tuple[PlannedLaunch, ...]
    source: str
    rebuild: Rebuild
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

    def loops(self, entry: str) -> tuple[tuple[int, int], ...]:
        """(backward branch, first instruction) of each loop in the machine code, by position in `code`."""
        return loops_of(self.code(entry), self.build.sass, self.build.lowered[entry])

    def places(self, ptx_line: int) -> tuple[tuple[str, int], ...]:
        """(path, line) of the source that a line of the PTX came from, innermost first."""
        i = self.by_ptx_line.get(ptx_line)
        if i is None or self.module is None:
            return ()
        files = self.module.files
        return tuple((os.path.normpath(files.get(p.file, "")), p.line) for p in i.chain if p.line)
