"""python -m tests.fuzz --kernels N --seed S: run N generated kernels; seeds S, S + 1, ... name the batches."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .compare import OTHER_MODES
from .session import Batch, run_session


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--kernels", type=int, default=20_000, help="kernels in all (default 20,000)")
    parser.add_argument("--seed", type=int, default=1, help="the first batch; to go on, the last one printed")
    parser.add_argument("--batch", type=int, default=100, help="kernels per seed (default 100)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument(
        "--modes", type=int, default=1, choices=range(len(OTHER_MODES) + 1),
        help="how many of shadow, run and trace each kernel runs in beside count (default 1, in turns)",
    )  # fmt: skip
    parser.add_argument("--device", action="store_true", help="compare with the GPU of this machine as well")
    parser.add_argument("--patience", type=float, default=3600.0, help="seconds for one seed (default 3600)")
    parser.add_argument("--no-shrink", action="store_true", help="keep failing kernels as they were found")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="folder for failing kernels")
    options = parser.parse_args()
    count = -(-options.kernels // options.batch)
    batches = [
        Batch(options.seed + n, options.batch, options.modes, options.device, options.patience) for n in range(count)
    ]
    tell = lambda line: print(line, flush=True)  # noqa: E731
    failures = run_session(batches, options.jobs, not options.no_shrink, options.out, tell)
    print(f"{failures} of {len(batches)} seeds failed" + (f"; see {options.out}" if failures else ""))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
