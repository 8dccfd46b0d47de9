"""The facts of docs/corrections.md as rows that execute something. `FACTS` has them all, by number."""

from . import banks, coalescing, compiler, grid, machine, registers, shuffles
from .record import Fact

FACTS: tuple[Fact, ...] = (
    *coalescing.FACTS,
    *banks.FACTS,
    *machine.FACTS,
    *registers.FACTS,
    *compiler.FACTS,
    *shuffles.FACTS,
    *grid.FACTS,
)

__all__ = ["FACTS", "Fact"]
