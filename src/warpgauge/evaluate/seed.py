"""Where the random inputs of an evaluation come from: from the candidate itself.

With inputs that follow from the problem alone, a kernel could carry every answer in a table. The seed is a digest of
the source (and of all else that a candidate brings), so the text that would have to hold the answers decides what they
are. Equal candidates get equal inputs, on every machine.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping

from warpgauge.candidate import Candidate
from warpgauge.candidate.load import dump_candidate
from warpgauge.problem import Problem
from warpgauge.problem.load import dump_problem

_BYTES = 16


def input_seed(problem: Problem, candidate: Candidate, files: Mapping[str, bytes]) -> int:
    """A number of 128 bits from the problem, the candidate's file and `files`: what its build may read, by path."""
    digest = hashlib.sha256()
    for name, content in _parts(problem, candidate, files):
        for part in (name.encode(), content):
            digest.update(len(part).to_bytes(8, "little") + part)
    return int.from_bytes(digest.digest()[:_BYTES], "little")


def _parts(problem: Problem, candidate: Candidate, files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    yield "problem", dump_problem(problem).encode()
    yield "candidate", dump_candidate(candidate).encode()
    folder = os.path.dirname(os.path.abspath(candidate.source))
    for path in sorted(files):
        yield os.path.relpath(path, folder), files[path]
    for name, constant in sorted(candidate.constants.items()):
        table = candidate.folder / constant.file if constant.file else None
        if table and table.is_file():
            yield name, table.read_bytes()
