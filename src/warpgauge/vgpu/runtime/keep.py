"""Registers written to the state of a warp where one basic block writes many: a call each is less to compile than the
stores of every row."""

from .base import *  # noqa: F403

UNIT = i32


@runtime("UNIT")
def keep_rows(to: ptr(UNIT), rows: ptr(UNIT), count: i32, mask: i32) -> void:
    """The lanes of `mask` of `count` registers that lie one after the other, in both places."""
    for _ in range(count):
        vstore(to, vload(rows, v(UNIT)) if lanes(mask) else vload(to, v(UNIT)))
        to = to + 32
        rows = rows + 32


@runtime("UNIT")
def keep_value(to: ptr(UNIT), value: UNIT, count: i32, mask: i32) -> void:
    """One value for `count` registers that lie one after the other."""
    for _ in range(count):
        vstore(to, v(UNIT)(value) if lanes(mask) else vload(to, v(UNIT)))
        to = to + 32
