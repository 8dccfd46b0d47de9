"""The virtual GPU: executes compiled PTX on the CPU and counts what it does."""

from .budget import Budget
from .launch import Argument, execute, pack_arguments
from .memory import GlobalMemory
from .order import Order, opposed
from .sample import sampled_blocks
from .writers import Watched

__all__ = [
    "Argument",
    "Budget",
    "GlobalMemory",
    "Order",
    "Watched",
    "execute",
    "opposed",
    "pack_arguments",
    "sampled_blocks",
]
