"""Chips by name: what launch plans and waves need to know about a product.

Sources: NVIDIA architecture white papers (GA100: 108 of 128 SMs and 40 MB L2 enabled in A100;
AD102: 128 of 144 SMs and 72 MB in GeForce RTX 4090; GH100: 132 SMs and 50 MB in the SXM5 board, 114 on PCIe) and the
H200 data sheet, whose GPU is the GH100 of the SXM5 board. A live device query wins over this table where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Chip:
    """A product: its architecture, the number of SMs a kernel sees, L2 in bytes."""

    name: str
    arch: str
    sms: int
    l2_bytes: int


_ROWS: tuple[tuple[str, str, int, int], ...] = (
    ("H200", "sm_90", 132, 50),
    ("H100", "sm_90", 132, 50),
    ("H100 PCIe", "sm_90", 114, 50),
    ("A100", "sm_80", 108, 40),
    ("RTX 4090", "sm_89", 128, 72),
)

CHIPS: dict[str, Chip] = {name: Chip(name, arch, sms, l2 * _MIB) for name, arch, sms, l2 in _ROWS}


def chip(name: str) -> Chip:
    """Return the chip called `name`. Raises KeyError with the known names when there is none."""
    if name not in CHIPS:
        raise KeyError(f"no chip called {name!r}; known: {', '.join(CHIPS)}")
    return CHIPS[name]
