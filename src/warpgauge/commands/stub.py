"""`warpgauge check FILE.cu`, without a problem: says what a problem needs, as a stub to fill in."""

from __future__ import annotations

import sys
from pathlib import Path


def print_stub(source: Path, arch: str | None) -> None:
    """The stub on stdout, what to do with it on stderr. Writes no file."""
    from warpgauge.evaluate.stub import stub_of
    from warpgauge.report.stub import FILL, stub_text

    text = stub_text(stub_of(source, **({"arch": arch} if arch else {})))
    sys.stdout.write(text)
    places = text.count(FILL) - 1  # the heading names the mark too
    print(
        f"warpgauge: {source} is a kernel without a problem, so there is nothing to hold it against.\n"
        f"This is a stub of one: {places} places are marked {FILL}.",
        file=sys.stderr,
    )
