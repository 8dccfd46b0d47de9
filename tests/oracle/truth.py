"""What an H200 answered for the instruction cases, kept as digests.

`h200.json` holds for each case the digest of its inputs, of `d` and of `scratch` as the GPU left them (`error` for sums
of tensor cores: their largest error as a share of the bound in `warpgauge.arch.tensor`). It is written
by `python -m tests.oracle.read_device OUT.json` on a machine with a GPU. A case whose inputs changed since
has no reading.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np

from .case import Case, split_type
from .formats import CANONICAL_NAN
from .inputs import FLOATS, PACKED

FILE = Path(__file__).with_name("h200.json")
# Atomics whose final memory does not depend on their order.
COMMUTING = (".and.", ".or.", ".xor.", ".min.", ".max.", ".add.u", ".add.s")

# Instructions whose cases have not been read yet: `read_device` on a GPU fills them in, and the word leaves this list.
AWAITED: tuple[str, ...] = ()
# What an H200 with a driver of CUDA 13.0 stops at with an illegal instruction, though the driver assembles it.
REFUSED = ("L2::cache_hint.L2::128B",)


def readable(case: Case) -> bool:
    """Whether an H200 with a driver of CUDA 13.0 takes the case: its architecture, and PTX up to 9.0."""
    if any(word in case.id for word in REFUSED):
        return False
    return case.target == "sm_90" and tuple(map(int, case.version.split("."))) <= (9, 0)


def _one_nan(bits: np.ndarray, kind: str) -> np.ndarray:
    """Every NaN of a float format as the canonical one."""
    exponent, fraction = FLOATS[kind]
    limit = ((1 << exponent) - 1) << fraction
    size = bits & bits.dtype.type((1 << (exponent + fraction)) - 1)
    return np.where(size > limit, bits.dtype.type(CANONICAL_NAN[kind]), bits)


def digest(array: np.ndarray, kind: str) -> str:
    """CRC-32 of a raw array of a PTX type, NaNs made equal first."""
    base = split_type(kind)[0]
    if base in FLOATS:
        array = _one_nan(array, base)
    elif PACKED.get(base) in FLOATS:
        array = _one_nan(array.view(np.uint16), PACKED[base])
    return f"{zlib.crc32(np.ascontiguousarray(array).tobytes()):08x}"


def fixed_outputs(case: Case) -> tuple[str, ...]:
    """The buffers whose content PTX fixes to the bit, whatever the machine and its schedule."""
    if case.device_may_differ:
        return ()
    if case.ordered:
        return ("scratch",) if any(word in case.id for word in COMMUTING) else ()
    return ("scratch",) if case.ulp or case.absolute or case.sums else ("d", "scratch")


def digests(case: Case, buffers: dict[str, np.ndarray]) -> dict[str, str]:
    kinds = {"d": case.output, "scratch": case.scratch[0]}
    return {name: digest(buffers[name], kinds[name]) for name in fixed_outputs(case)}


def inputs_digest(buffers: dict[str, np.ndarray]) -> str:
    return f"{zlib.crc32(b''.join(a.tobytes() for a in buffers.values())):08x}"


def readings() -> dict[str, dict[str, str]]:
    """Case id -> {"inputs", "d", "scratch"} as read on the GPU."""
    return json.loads(FILE.read_text())["cases"]
