"""Whether buffers are of a size that can be: none beyond every device, and all of them within this machine's memory."""

from __future__ import annotations

import os

from warpgauge.problem.layout import Layout
from warpgauge.problem.model import LARGEST_BUFFER
from warpgauge.problem.place import Place, fail

#: A byte of a buffer takes about so many here: its initial content, the device's copy, and what is known about it.
COPIES = 4


def machine_bytes() -> int:
    """Physical memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def check_buffer(layout: Layout, where: Place) -> None:
    """PRB904 for a buffer that no device holds."""
    if layout.bytes > LARGEST_BUFFER:
        raise fail("PRB904", f"a buffer of {layout.bytes:,} bytes; the largest is {LARGEST_BUFFER:,}", where)


def check_room(buffers: int, where: Place) -> None:
    """PRB904 where executing on `buffers` bytes would not fit into this machine's memory."""
    has = machine_bytes()
    if buffers * COPIES > has:
        message = f"buffers of {buffers / 2**30:,.1f} GiB need {COPIES} times as much memory; this machine has "
        raise fail("PRB904", f"{message}{has / 2**30:,.1f} GiB", where)
