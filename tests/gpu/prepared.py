"""What a machine with a GPU and no compiler needs to run examples: cubins, parameter blocks, buffers, what is expected.

Written where the compiler is, read where the GPU is. Nothing here but NumPy is needed to read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

Index3 = tuple[int, int, int]
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Launch:
    """One launch. `buffers`: byte in the parameter block -> the buffer whose address belongs there."""

    symbol: str
    grid: Index3
    block: Index3
    dynamic_shared: int
    parameters: str
    buffers: dict[int, str]


@dataclass(frozen=True)
class Case:
    """One candidate on one shape with one kind of inputs.

    `buffers` are as before the call; `expected` (float64, the reference) and `virtual` (the virtual GPU's bits) hold
    the outputs. `rel_l2` is what the problem allows, 0 where it asks for equality.
    """

    name: str
    cubin: bytes
    launches: tuple[Launch, ...]
    buffers: Arrays
    expected: Arrays
    virtual: Arrays
    rel_l2: float

    def save(self, folder: Path) -> None:
        said = {"name": self.name, "rel_l2": self.rel_l2, "launches": [asdict(launch) for launch in self.launches]}
        arrays: Arrays = {"said": np.array(json.dumps(said)), "cubin": np.frombuffer(self.cubin, np.uint8)}
        for kind in ("buffers", "expected", "virtual"):
            arrays |= {f"{kind}/{name}": array for name, array in getattr(self, kind).items()}
        np.savez_compressed(folder / f"{self.name.replace('/', '_')}.npz", **arrays)


def load(path: Path) -> Case:
    with np.load(path, allow_pickle=False) as archive:
        said = json.loads(str(archive["said"]))
        kinds: dict[str, Arrays] = {"buffers": {}, "expected": {}, "virtual": {}}
        for key in archive.files:
            kind, _, name = key.partition("/")
            if name:
                kinds[kind][name] = archive[key]
        launches = tuple(_launch(row) for row in said["launches"])
        return Case(said["name"], archive["cubin"].tobytes(), launches, **kinds, rel_l2=said["rel_l2"])


def _launch(row: dict) -> Launch:
    grid, block = (tuple(int(n) for n in row[key]) for key in ("grid", "block"))
    buffers = {int(at): name for at, name in row["buffers"].items()}
    return Launch(row["symbol"], grid, block, row["dynamic_shared"], row["parameters"], buffers)


def cases(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.npz")):
        yield load(path)
