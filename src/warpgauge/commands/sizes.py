"""Sizes on the command line: `256`, `16x16`, `8,8,4`."""

from __future__ import annotations

import argparse
import re

_SIZES = re.compile(r"\d+([x,]\d+)*$")


def sizes(text: str, least: int, most: int, example: str) -> tuple[int, ...]:
    """The numbers of a size; argparse's own error for anything else, with an example of what is wanted."""
    numbers = tuple(int(part) for part in re.split("[x,]", text)) if _SIZES.match(text) else ()
    if not least <= len(numbers) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as {example}")
    return numbers


def three(text: str) -> tuple[int, int, int]:
    """One to three sizes; those that are missing are 1."""
    x, y, z = (*sizes(text, 1, 3, "256, 16x16 or 8,8,4"), 1, 1)[:3]
    return x, y, z


def two(text: str) -> tuple[int, int]:
    rows, columns = sizes(text, 2, 2, "64x64")
    return rows, columns
