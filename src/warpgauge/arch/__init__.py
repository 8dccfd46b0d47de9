"""Ground floor: what an architecture allows and what a chip has."""

from .banks import BankCost, bank_cost
from .chips import CHIPS, Chip, chip
from .limits import LIMITS, Limits, limits

__all__ = ["CHIPS", "LIMITS", "BankCost", "Chip", "Limits", "bank_cost", "chip", "limits"]
