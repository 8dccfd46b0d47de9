"""From a PTX instruction to the user's line."""

from __future__ import annotations

from collections.abc import Container

from warpgauge.evidence import Location

from .model import Instruction, Module


def locate(module: Module, i: Instruction, user_files: Container[str]) -> tuple[Location, tuple[Location, ...]]:
    """The innermost line inside a user's file, and the rest of the inlining chain, innermost first.

    Without any user file in the chain the innermost point stands; without a `.loc` the line is 0.
    """
    chain = [Location(module.files.get(p.file, ""), p.line, p.column) for p in i.chain if p.line]
    if not chain:
        return Location("", 0), ()
    primary = next((place for place in chain if place.file in user_files), chain[0])
    return primary, tuple(place for place in chain if place is not primary)
