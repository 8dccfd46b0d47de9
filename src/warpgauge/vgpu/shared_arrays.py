"""Which `__shared__` array an address of the block's shared memory lies in."""

from __future__ import annotations

from warpgauge import ptx

from .prepare import Prepared


def owner(prepared: Prepared, address: int) -> tuple[ptx.Variable, int] | None:
    """The array that begins last at or before a byte address, and where it begins; its size may be less than that."""
    begins = [(at, v) for v in prepared.kernel.shared if (at := prepared.shared[v.name]) <= address]
    if not begins:
        return None
    at, variable = max(begins, key=lambda pair: pair[0])
    return variable, at


def plain(symbol: str) -> str:
    """The source name inside a mangled local's symbol (`_ZZ6kernelE4tile` -> `tile`)."""
    end = symbol.rfind("E")
    if not symbol.startswith("_ZZ") or end < 0:
        return symbol
    tail = symbol[end + 1 :]
    digits = len(tail) - len(tail.lstrip("0123456789"))
    length = int(tail[:digits] or 0)
    return tail[digits : digits + length] or symbol
