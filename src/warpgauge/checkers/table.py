"""Which checkers there are, and what each one is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["contract", "occupancy", "layout", "device"]
View = Literal["contract", "requests", "degrees", "shuffles"]


@dataclass(frozen=True)
class Checker:
    """`contract` is what it judges, for the kind "contract"; `view` what it prints beside the verdict.

    A checker of the kind "device" needs a GPU that this version does not drive: it says so and stays UNKNOWN.
    """

    name: str
    what: str
    kind: Kind
    contract: str = ""
    view: View = "contract"


CHECKERS: dict[str, Checker] = {
    row.name: row
    for row in (
        Checker(
            "check_memory_coalescing", "sectors of global accesses against the fewest", "contract", "memory_access"
        ),
        Checker(
            "validate_coalescing",
            "the same, with the 32 addresses of the worst request of every access",
            "contract",
            "memory_access",
            "requests",
        ),
        Checker(
            "check_bank_conflict",
            "bank conflicts, with the degree at every shared access",
            "contract",
            "bank_conflicts",
            "degrees",
        ),
        Checker(
            "check_shuffle",
            "masks of shuffles, votes and other warp-synchronous instructions",
            "contract",
            "safety",
            "shuffles",
        ),
        Checker("validate_numerical", "outputs against a float64 reference", "contract", "numerics"),
        Checker("check_occupancy", "blocks per SM and what limits them", "occupancy"),
        Checker("check_tensor_layout", "shape, strides, dtype and alignment of an array or tensor", "layout"),
        Checker("stall_analyzer", "why warps wait", "device"),
        Checker("benchmark_kernel", "how long a kernel takes", "device"),
    )
}
