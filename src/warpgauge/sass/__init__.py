"""SASS text -> instructions, and what they say about the PTX that they came from."""

from .parse import SassInstruction, parse_sass
from .widthmap import AccessWidth, WidthMap, width_map

__all__ = ["AccessWidth", "SassInstruction", "WidthMap", "parse_sass", "width_map"]
