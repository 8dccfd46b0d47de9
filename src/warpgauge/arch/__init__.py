"""Ground floor: what an architecture allows and what a chip has."""

from .banks import BankCost, bank_cost
from .chips import CHIPS, Chip, chip
from .latency import ARITHMETIC_LATENCY, LAUNCH_COST, InFlight, needed_in_flight, warps_for
from .limits import LIMITS, Limits, limits
from .occupancy import Demand, Occupancy, ResourceLimit, Step, block_ladder, occupancy, register_ladder, steps
from .residency import Residency, residency
from .tensor import product_error, short_sums, virtual_error
from .waves import Warp, Waves, thread_index, warps_of, waves

__all__ = [
    "ARITHMETIC_LATENCY",
    "CHIPS",
    "LAUNCH_COST",
    "LIMITS",
    "BankCost",
    "Chip",
    "Demand",
    "InFlight",
    "Limits",
    "Occupancy",
    "Residency",
    "ResourceLimit",
    "Step",
    "Warp",
    "Waves",
    "bank_cost",
    "block_ladder",
    "chip",
    "limits",
    "needed_in_flight",
    "occupancy",
    "product_error",
    "register_ladder",
    "residency",
    "short_sums",
    "steps",
    "thread_index",
    "virtual_error",
    "warps_for",
    "warps_of",
    "waves",
]
