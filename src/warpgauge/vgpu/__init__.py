"""The virtual GPU: executes compiled PTX on the CPU and counts what it does."""

from .budget import Budget
from .launch import Argument, execute, pack_arguments
from .memory import GlobalMemory

__all__ = ["Argument", "Budget", "GlobalMemory", "execute", "pack_arguments"]
