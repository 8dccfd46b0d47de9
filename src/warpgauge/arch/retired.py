"""Architectures that this toolkit no longer builds for, and the last one that did.

Source: the release notes of the CUDA toolkits that removed them (7.0, 9.0, 11.0, 12.0, 13.0).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# (first and last compute capability, generation, last toolkit)
_RETIRED: tuple[tuple[int, int, str, str], ...] = (
    (10, 13, "Tesla", "6.5"),
    (20, 21, "Fermi", "8.0"),
    (30, 32, "Kepler", "10.2"),
    (35, 37, "Kepler", "11.8"),
    (50, 53, "Maxwell", "12.9"),
    (60, 62, "Pascal", "12.9"),
    (70, 72, "Volta", "12.9"),
)
_FORM = re.compile(r"sm_(\d+)([af]?)")
_FIRST_WITH = {"a": 90, "f": 100}


def buildable(arch: str, numbers: Iterable[int]) -> bool:
    """Whether `arch` is one that a compiler for these compute capabilities builds for; "a" and "f" start late."""
    match = _FORM.fullmatch(arch)
    return match is not None and int(match[1]) in set(numbers) and int(match[1]) >= _FIRST_WITH.get(match[2], 0)


def why_not(arch: str) -> str:
    """Why nothing can be built for a name that is not buildable, as far as it tells; empty for an unknown number."""
    match = _FORM.fullmatch(arch)
    if match is None:
        return "an architecture is written sm_NN, sm_NNa or sm_NNf"
    number, suffix = int(match[1]), match[2]
    for first, last, generation, toolkit in _RETIRED:
        if first <= number <= last:
            return (
                f"{generation}; CUDA {toolkit} was the last toolkit to build for it, and code for a newer "
                "architecture does not run on it"
            )
    if suffix and number < _FIRST_WITH[suffix]:
        return f"the suffix {suffix} exists from sm_{_FIRST_WITH[suffix]}{suffix} on"
    return ""
