"""At the end of a basic block: registers that later blocks read go to the warp's state, active lanes only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warpgauge import ptx

from . import types as ty
from .emit import Emitter, Row, Val, llvm_type, raw
from .layout import LANES
from .runtime import keep as rt_keep

# From here on less is compiled where registers are kept by calls. In a loop of few registers stores are faster.
MANY = 8


@dataclass(frozen=True)
class _Run:
    """`count` registers of one type, one after the other from byte `at` of the state on: all from one value, or from
    rows that follow each other."""

    at: int
    kind: str
    source: Row | Val
    count: int = 1

    @property
    def bytes(self) -> int:
        return LANES * ptx.TYPE_BYTES[self.kind]

    def joined(self, other: _Run) -> _Run | None:
        """With a run that goes on where this one ends."""
        if other.kind != self.kind or other.at != self.at + self.count * self.bytes:
            return None
        wanted = self.source
        if isinstance(wanted, Row):
            wanted = Row(wanted.area, wanted.offset + self.count * self.bytes, wanted.kind)
        return _Run(self.at, self.kind, self.source, self.count + other.count) if other.source == wanted else None


class Keeping(Emitter):
    """Emits what a block leaves to others."""

    def keep_all(self, names: Sequence[str]) -> None:
        runs = {name: run for name in names if (run := self._run(name)) is not None}
        if len(runs) < MANY:
            runs = {}
        for name in names:
            if name not in runs:
                self.keep(name)
        joined: list[_Run] = []
        for run in sorted(runs.values(), key=lambda run: run.at):
            if joined and (longer := joined[-1].joined(run)) is not None:
                joined[-1] = longer
            else:
                joined.append(run)
        for run in joined:
            self._keep_run(run)

    def _run(self, name: str) -> _Run | None:
        """A register that a call can keep: one that lies in memory, or has one value for all lanes."""
        kind = raw(self.kernel.registers[name])
        if kind not in ("b32", "b64"):
            return None
        source: Row | Val | None = self.lying.get(name)
        if source is None and self.current[name].uniform:
            source = self.current[name]
        return None if source is None else _Run(self.slots[name], kind, source)

    def _keep_run(self, run: _Run) -> None:
        to = self.let(f"getelementptr i8, ptr %state, i64 {run.at}", "b64", True).name
        if isinstance(run.source, Row):
            function = rt_keep.keep_rows
            source = self.let(f"getelementptr i8, ptr {run.source.area}, i64 {run.source.offset}", "b64", True)
            value = f"ptr {source.name}"
        else:
            function = rt_keep.keep_value
            value = f"{llvm_type(run.kind, True)} {run.source.name}"
        symbol = self.library.need(function, UNIT=ty.INTS[8 * ptx.TYPE_BYTES[run.kind]])
        self.call(symbol, "void", [f"ptr {to}", value, f"i32 {run.count}", f"i32 {self.mact}"])
