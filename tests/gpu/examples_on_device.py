"""Prepared examples on the GPU of this machine: the device's outputs beside the reference and the virtual GPU's.

Usage: `python -m tests.gpu.examples_on_device FOLDER OUT.json`, with a folder that `tests.gpu.prepare_examples` wrote.
Needs a CUDA driver and NumPy, neither a compiler nor warpgauge. Exit code 1 if an output is outside its tolerance.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tests.oracle.driver import Driver

from .prepared import Arrays, Case, cases


@dataclass(frozen=True)
class Compared:
    """One output of one case: relative L2 of device and virtual GPU to the reference, of both to each other."""

    case: str
    output: str
    rel_l2_allowed: float
    device: float
    virtual: float
    apart: float
    different_bits: int
    elements: int

    @property
    def right(self) -> bool:
        return self.device <= self.rel_l2_allowed


def distance(values: np.ndarray, reference: np.ndarray) -> float:
    """Relative L2 distance; infinite where one has a value that is not finite and the other another one."""
    wide, expected = values.astype(np.float64), reference.astype(np.float64)
    finite = np.isfinite(wide) & np.isfinite(expected)
    if not ((wide == expected) | (np.isnan(wide) & np.isnan(expected)) | finite).all():
        return float("inf")
    error = np.linalg.norm(wide[finite] - expected[finite])
    return float(error / (np.linalg.norm(expected[finite]) or 1.0))


def on_device(driver: Driver, case: Case) -> Arrays:
    """The buffers of `case.expected` after its launches."""
    module = driver.load(case.cubin)
    places = {name: driver.upload(array) for name, array in case.buffers.items()}
    for launch in case.launches:
        block = bytearray.fromhex(launch.parameters)
        for at, name in launch.buffers.items():
            block[at : at + 8] = places[name].value.to_bytes(8, "little")
        kernel = driver.kernel(module, launch.symbol)
        driver.launch_block(
            kernel, bytes(block), grid=launch.grid, block=launch.block, dynamic_shared=launch.dynamic_shared
        )
    after = {name: driver.download(places[name], array) for name, array in case.buffers.items()}
    driver("cuModuleUnload", module)
    return {name: after[name] for name in case.expected}


def compared(case: Case, device: Arrays) -> list[Compared]:
    rows = []
    for name, expected in case.expected.items():
        virtual, real = case.virtual[name], device[name]
        bits = real.reshape(-1).view(np.uint8).reshape(real.size, -1) != virtual.view(np.uint8).reshape(real.size, -1)
        rows.append(
            Compared(
                case.name, name, case.rel_l2, distance(real, expected), distance(virtual, expected),
                distance(real, virtual), int(bits.any(axis=1).sum()), real.size,
            )
        )  # fmt: skip
    return rows


def main(folder: Path, out: Path) -> int:
    driver = Driver()
    rows = [row for case in cases(folder) for row in compared(case, on_device(driver, case))]
    date = datetime.now(UTC).date().isoformat()
    said = {"device": driver.name, "date": date, "outputs": [asdict(row) for row in rows]}
    out.write_text(json.dumps(said, indent=1) + "\n")
    for row in rows:
        print(
            f"{'right' if row.right else 'WRONG':6}{row.case:60} {row.output}: device {row.device:.2e},"
            f" virtual {row.virtual:.2e}, apart {row.apart:.2e}, {row.different_bits} of {row.elements} differ"
        )
    return 0 if rows and all(row.right for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
