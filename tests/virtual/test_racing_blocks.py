"""Kernels whose blocks race: what they compute hangs on the order, so they run on one thread, alike every time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from warpgauge.candidate import load_candidate
from warpgauge.evaluate import evaluate, launches
from warpgauge.problem import load_problem

FOLDER = Path(__file__).parents[2] / "examples" / "split_k"


@pytest.mark.parametrize(("name", "threads"), [("no_atomics", {1}), ("two_launches", {None})])
def test_unchecked_runs_of_racing_blocks_use_one_thread(
    name: str, threads: set[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[tuple[str, int | None]] = []
    execute = launches.execute

    def watched(*args: Any, **keywords: Any) -> Any:
        used.append((keywords["mode"], keywords["threads"]))
        return execute(*args, **keywords)

    monkeypatch.setattr(launches, "execute", watched)
    evaluate(load_problem(FOLDER), load_candidate(FOLDER / "candidates" / f"{name}.toml"))
    assert {asked for mode, asked in used if mode == "run"} == threads
