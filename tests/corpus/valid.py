"""python -m tests.corpus.valid FOLDER...: whether kernels of the corpus load, plan, compile and have a reference.

Executes nothing and judges nothing: authors of the corpus use it without learning what warpgauge would say.
"""

from __future__ import annotations

import sys
from pathlib import Path

from warpgauge.build import compile_source
from warpgauge.candidate import load_candidate, plan
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.problem import load_problem
from warpgauge.problem.inputs import make_inputs
from warpgauge.problem.reference import compute_reference


def valid(folder: Path) -> str:
    """An empty text, or what is wrong with the files of one kernel."""
    try:
        problem, candidate = load_problem(folder), load_candidate(folder / "candidate.toml")
        entries: list[str] = []
        for role in ("judge", "small"):
            for dims in problem.dims_of(role):
                entries += [launch.entry for launch in plan(candidate, problem, dims, arch=problem.arch)]
                compute_reference(problem, dims, make_inputs(problem, dims, seed=1))
        compile_source(
            candidate.source,
            arch=problem.arch,
            entries=tuple(dict.fromkeys(entries)),
            defines=candidate.defines,
            include=candidate.include,
        )
    except WarpgaugeError as error:
        return str(error)
    return ""


def main() -> int:
    bad = 0
    for folder in map(Path, sys.argv[1:]):
        text = valid(folder)
        bad += bool(text)
        print(f"{folder}: {text or 'fine'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
