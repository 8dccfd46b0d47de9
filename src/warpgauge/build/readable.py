"""Reading a source file, or saying why it cannot be one: too large, or not text."""

from __future__ import annotations

import os
import re
from pathlib import Path

from warpgauge.diagnostics import Diagnostic, Span, WarpgaugeError
from warpgauge.evidence import Location

#: The largest file that is taken for source. CUTLASS with all of its headers has a tenth of this.
MOST_BYTES = 16 << 20
# Characters that no editor writes into source; form feed, vertical tab and the old end-of-file mark it may.
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")


def read_source(path: str | Path) -> bytes:
    """The bytes of a source or header file.

    Raises OSError if it cannot be read, WarpgaugeError PRB907 if it is larger than `MOST_BYTES` or holds bytes that
    are not text. Any encoding passes: what is beyond ASCII can only stand in comments and strings.
    """
    size = os.stat(path).st_size
    if size > MOST_BYTES:
        message = f"{path} has {size:,} bytes; a source file may have {MOST_BYTES:,}"
        raise _refusal(message, Location(str(path), 0), "leave generated tables out of it, and pass data as tensors")
    content = Path(path).read_bytes()
    if odd := _NOT_TEXT.search(content):
        at = odd.start()
        line = content.count(b"\n", 0, at) + 1
        message = f"{path} is not text: byte {content[at]:#04x} at offset {at:,}"
        raise _refusal(message, Location(str(path), line), "name the CUDA C++ (.cu) or PTX (.ptx) source, not a binary")
    return content


def _refusal(message: str, where: Location, help: str) -> WarpgaugeError:
    return WarpgaugeError(Diagnostic("PRB907", "error", message, Span(where), help=help))
