"""Layouts of a tile in shared memory: what its accesses cost, and the smallest padding or swizzle that frees them."""

from .access import Access, Cost, Lanes, cost
from .layout import Layout, Swizzle, Tile
from .search import Advice, Option, advise, option

__all__ = ["Access", "Advice", "Cost", "Lanes", "Layout", "Option", "Swizzle", "Tile", "advise", "cost", "option"]
