"""`python -m warpgauge.checkers NAME ...`; without a name, the table."""

from __future__ import annotations

import sys

from .entry import run_checker
from .table import CHECKERS


def main(argv: list[str]) -> int:
    if argv and argv[0] in CHECKERS:
        return run_checker(argv[0], argv[1:])
    width = max(map(len, CHECKERS))
    text = "\n".join(f"{row.name:<{width}}  {row.what}" for row in CHECKERS.values())
    if argv and argv[0] not in ("-h", "--help"):
        print(f"no checker is called {argv[0]!r}; there are\n{text}", file=sys.stderr)
        return 2
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
