"""Fixtures of the tests that execute kernels."""

from __future__ import annotations

from typing import Any

import pytest

from warpgauge.build import compile_source
from warpgauge.evaluate import flow, trace
from warpgauge.evidence import BuildArtifact


@pytest.fixture
def ptx_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """For files that assert nothing about counters, which are all that machine code changes.

    Builds leave SASS out, which costs more than the rest of a small test. The pages of docs/codes, the examples and the
    labelled corpus find the same kinds of faults in full builds.
    """

    def without_sass(*arguments: Any, **options: Any) -> BuildArtifact:
        return compile_source(*arguments, **{**options, "sass": False})

    for module in (flow, trace):
        monkeypatch.setattr(module, "compile_source", without_sass)
