"""The kernels of variants.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KERNELS = HERE / "kernels"
ENTRY = "k"


@dataclass(frozen=True)
class Variant:
    """One kernel and its launch; `args` as variants.toml has them."""

    family: str
    name: str
    defines: dict[str, int]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared: int
    args: tuple[str, ...]

    @property
    def source(self) -> Path:
        return KERNELS / f"{self.family}.cu"


def variants() -> list[Variant]:
    """All of them, in the order of the file."""
    table = tomllib.loads((HERE / "variants.toml").read_text(encoding="utf-8"))
    return [_variant(family, base, row) for family, base in table.items() for row in base["variants"]]


def _variant(family: str, base: dict[str, Any], row: dict[str, Any]) -> Variant:
    unknown = row.keys() - {"name", "defines", "grid", "block", "dynamic_shared", "args"}
    if unknown:
        raise ValueError(f"{family}: {row['name']}: unknown keys {sorted(unknown)}")
    both = {**base, **row}
    return Variant(
        family,
        row["name"],
        base["defines"] | row.get("defines", {}),
        tuple(both["grid"]),
        tuple(both["block"]),
        both.get("dynamic_shared", 0),
        tuple(both["args"]),
    )
