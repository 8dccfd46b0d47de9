"""The good candidates of the examples, compiled and run on the virtual GPU, as cases for a GPU.

Usage: `python -m tests.gpu.prepare_examples FOLDER [EXAMPLE ...]`, by default every example. Needs no GPU.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.virtual.test_examples import FOLDER, promised
from warpgauge.build import compile_source
from warpgauge.candidate import Candidate, load_candidate
from warpgauge.candidate.arguments import BufferArg
from warpgauge.candidate.plan import PlannedLaunch
from warpgauge.evaluate.givens import Givens
from warpgauge.evaluate.launches import arguments
from warpgauge.evaluate.trials import Bench, Planned, execute_plan, fill, plan_trials
from warpgauge.evidence import BuildArtifact
from warpgauge.problem import Problem, load_problem
from warpgauge.problem.inputs import variants
from warpgauge.ptx import parsed
from warpgauge.vgpu import Budget, GlobalMemory
from warpgauge.vgpu.launch import pack_arguments

from .prepared import Case, Launch


def prepared(problem: Problem, candidate: Candidate) -> Iterator[Case]:
    """Every shape with the declared inputs, and the judged one with the harder ones."""
    planned = plan_trials(problem, candidate, arch=problem.arch, mode="run", small=True, harder=variants(problem)[1:])
    entries = tuple(dict.fromkeys(launch.entry for trial in planned for launch in trial.launches))
    build = compile_source(
        candidate.source, arch=problem.arch, entries=entries, defines=candidate.defines, include=candidate.include
    )
    bench = Bench(problem, candidate, build, Givens(problem), Budget())
    for trial in planned:
        yield _case(bench, trial)


def _case(bench: Bench, trial: Planned) -> Case:
    problem = bench.problem
    given = bench.givens.of(trial.dims, trial.inputs)
    before = GlobalMemory()
    addresses = fill(before, problem, bench.candidate, trial.dims, given)
    executions, after = execute_plan(bench, trial, given)
    assert executions[-1].completed, executions[-1].stopped
    shape = "-".join(f"{name}{value}" for name, value in trial.dims.items())
    return Case(
        name=f"{problem.name}/{bench.candidate.name}/{shape}/{trial.inputs}",
        cubin=bench.build.cubin,
        launches=tuple(_launch(bench.build, launch, addresses) for launch in trial.launches),
        buffers={name: before.read(name) for name in addresses},
        expected={name: array.reshape(-1) for name, array in given.reference.outputs.items()},
        virtual={name: after.read(name) for name in given.reference.outputs},
        rel_l2=problem.tolerance.rel_l2 or 0.0,
    )


def _launch(build: BuildArtifact, launch: PlannedLaunch, addresses: dict[str, int]) -> Launch:
    symbol = build.lowered[launch.entry]
    kernel = parsed(build.ptx).kernels[symbol]
    parameters = pack_arguments(kernel, arguments(build, launch, addresses)).tobytes()
    places = {p.offset: a.name for p, a in zip(kernel.params, launch.args, strict=True) if isinstance(a, BufferArg)}
    return Launch(symbol, launch.grid, launch.block, launch.dynamic_shared, parameters.hex(), places)


def good() -> list[tuple[str, str]]:
    """(example, candidate) of every row of the examples' tables without a FAIL."""
    return [(folder.name, name) for folder, name, verdicts in promised() if "FAIL" not in " ".join(verdicts.values())]


def prepare(into: Path, examples: frozenset[str] = frozenset()) -> int:
    """Writes the cases of the named examples, or of all, and returns how many."""
    into.mkdir(parents=True, exist_ok=True)
    written = 0
    for example, name in good():
        if examples and example not in examples:
            continue
        problem = load_problem(FOLDER / example)
        for case in prepared(problem, load_candidate(FOLDER / example / "candidates" / f"{name}.toml")):
            case.save(into)
            written += 1
    return written


if __name__ == "__main__":
    print(prepare(Path(sys.argv[1]), frozenset(sys.argv[2:])), "cases")
