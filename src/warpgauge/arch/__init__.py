"""Ground floor: what an architecture allows and what a chip has."""

from .banks import WAVEFRONT_BYTES, BankCost, avoidable, bank_cost
from .chips import CHIPS, Chip, chip
from .latency import ARITHMETIC_LATENCY, LAUNCH_COST, InFlight, needed_in_flight, warps_for
from .limits import LIMITS, Limits, limits
from .occupancy import Demand, Occupancy, ResourceLimit, Step, block_ladder, occupancy, register_ladder, steps
from .residency import Residency, residency
from .waves import Warp, Waves, thread_index, warps_of, waves

__all__ = [
    "ARITHMETIC_LATENCY",
    "CHIPS",
    "LAUNCH_COST",
    "LIMITS",
    "WAVEFRONT_BYTES",
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
    "avoidable",
    "bank_cost",
    "block_ladder",
    "chip",
    "limits",
    "needed_in_flight",
    "occupancy",
    "register_ladder",
    "residency",
    "steps",
    "thread_index",
    "warps_for",
    "warps_of",
    "waves",
]
