"""SASS text -> instructions, and what they say about the PTX that they came from."""

from .atomics import AtomicForm, atomic_forms
from .parallelism import parallelism
from .parse import SassInstruction, labels, parse_sass
from .tile_lanes import TileAccess, TileRequest, tile_accesses
from .widthmap import AccessWidth, WidthMap, width_map

__all__ = [
    "AccessWidth",
    "AtomicForm",
    "SassInstruction",
    "TileAccess",
    "TileRequest",
    "WidthMap",
    "atomic_forms",
    "labels",
    "parallelism",
    "parse_sass",
    "tile_accesses",
    "width_map",
]
