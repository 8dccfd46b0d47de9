"""The review of a built candidate, as `evaluate` asks for it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from warpgauge.build import compile_source
from warpgauge.candidate import Candidate
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.evidence import BuildArtifact
from warpgauge.problem import Problem
from warpgauge.review import Subject, review

from .launch_facts import named_chip
from .trials import Planned


def reviewed(
    problem: Problem, candidate: Candidate, build: BuildArtifact, planned: Sequence[Planned]
) -> tuple[Diagnostic, ...]:
    """Findings about the source and its machine code; none about PTX, which has no source."""
    if candidate.source.suffix == ".ptx":
        return ()
    launches = tuple(launch for trial in planned for launch in trial.launches)
    entries = tuple(dict.fromkeys(launch.entry for launch in launches))

    def rebuild(text: str) -> BuildArtifact | None:
        try:
            return compile_source(
                candidate.source,
                arch=build.arch,
                entries=entries,
                defines=candidate.defines,
                include=candidate.include,
                text=text,
            )
        except WarpgaugeError:
            return None

    chip = named_chip(problem)
    source = os.path.abspath(candidate.source)
    return review(Subject(build, launches, source, rebuild, candidate.defines, chip.sms if chip else 0))
