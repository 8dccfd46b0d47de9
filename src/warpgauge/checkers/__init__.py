"""Single checks under the names that articles about GPU kernels use: other doors to the same code."""

from .table import CHECKERS, Checker

__all__ = ["CHECKERS", "Checker"]
