"""SASS text -> instructions, and what they say about the PTX that they came from."""

from .atomics import AtomicForm, atomic_forms
from .loops import Loop, innermost, loops_of
from .parallelism import parallelism
from .parse import SassInstruction, labels, parse_sass
from .widthmap import AccessWidth, WidthMap, width_map

__all__ = [
    "AccessWidth",
    "AtomicForm",
    "Loop",
    "SassInstruction",
    "WidthMap",
    "atomic_forms",
    "innermost",
    "labels",
    "loops_of",
    "parallelism",
    "parse_sass",
    "width_map",
]
