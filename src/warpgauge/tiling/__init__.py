"""Block tiles of matrix products: which fit on a chip, how they rank by a model, and why others do not fit."""

from .gemm import Gemm
from .model import Estimate, estimate
from .solve import Score, Shift, Solution, shift, solve
from .tile import BlockTile, Fit, Reason, fit

__all__ = [
    "BlockTile",
    "Estimate",
    "Fit",
    "Gemm",
    "Reason",
    "Score",
    "Shift",
    "Solution",
    "estimate",
    "fit",
    "shift",
    "solve",
]
