"""python -m tests.corpus [ID...]: judge the corpus (or some of it), record the findings, write docs/corpus.md."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .judge import judge
from .labels import corpus
from .page import page
from .results import FILE, read, write
from .score import score

PAGE = Path(__file__).parents[2] / "docs" / "corpus.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("kernels", nargs="*", metavar="ID", help="hand/name; default: all")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--show", action="store_true", help="only print the page from the recorded findings")
    options = parser.parse_args()
    every = corpus()
    results = read() if FILE.exists() and (options.kernels or options.show) else {}
    chosen = [] if options.show else [k for k in every if not options.kernels or k.id in options.kernels]
    with ProcessPoolExecutor(options.jobs) as pool:
        for kernel, judged in zip(chosen, pool.map(judge, chosen), strict=True):
            results[kernel] = judged
            found = ", ".join(f"{f.code}@{'/'.join(map(str, f.lines))}" for f in judged.findings)
            print(f"{kernel.id}: {judged.verdict}: {found or 'no findings'}", flush=True)
    text = page(score(results), tuple(results))
    if options.show:
        print(text)
        return 0
    write(results)
    PAGE.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
