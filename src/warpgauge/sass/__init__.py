"""SASS text -> instructions, and what they say about the PTX that they came from."""

from .atomics import AtomicForm, atomic_forms
from .control import Control, controls
from .loops import Loop, innermost, loops_of
from .model import Costs, Parts, machine_code, parts_of
from .parallelism import parallelism
from .parse import SassInstruction, labels, parse_sass
from .pipes import SOURCES, Machine
from .predict import costs_of, passes, predict
from .tensor import tensor_path, tensor_paths
from .tile_lanes import TileAccess, TileRequest, tile_accesses
from .widthmap import AccessWidth, WidthMap, width_map

__all__ = [
    "SOURCES",
    "AccessWidth",
    "AtomicForm",
    "Control",
    "Costs",
    "Loop",
    "Machine",
    "Parts",
    "SassInstruction",
    "TileAccess",
    "TileRequest",
    "WidthMap",
    "atomic_forms",
    "controls",
    "costs_of",
    "innermost",
    "labels",
    "loops_of",
    "machine_code",
    "parallelism",
    "parse_sass",
    "parts_of",
    "passes",
    "predict",
    "tensor_path",
    "tensor_paths",
    "tile_accesses",
    "width_map",
]
