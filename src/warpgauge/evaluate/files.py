"""`check` on files: find the candidates of a problem, judge each, keep their order."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar

from warpgauge.candidate import find_candidates, load_candidate
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.problem import load_problem

from .flow import evaluate
from .record import Evaluation
from .selection import selected
from .silencing import Silencing

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_threads(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """`work` on every item with at most `threads` at a time, results in the order of the items.

    The first item's exception (in that order) is raised. The threads are daemons, so that an interrupt ends the
    process at once instead of waiting for executions that nobody wants any more.
    """
    if min(threads, len(items)) <= 1:
        return [work(item) for item in items]
    results: dict[int, Result] = {}
    errors: dict[int, BaseException] = {}
    waiting = iter(range(len(items)))
    lock = Lock()

    def worker() -> None:
        while True:
            with lock:
                index = next(waiting, None)
            if index is None:
                return
            try:
                results[index] = work(items[index])
            except BaseException as error:
                errors[index] = error

    workers = [Thread(target=worker, daemon=True) for _ in range(min(threads, len(items)))]
    for thread in workers:
        thread.start()
    for thread in workers:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return [results[index] for index in range(len(items))]


def check_files(
    problem_path: Path,
    candidate_paths: Sequence[Path] = (),
    *,
    arch: str | None = None,
    only: Collection[str] = (),
    skip: Collection[str] = (),
    stop_on_fail: bool = False,
    silencing: Silencing | None = None,
) -> list[Evaluation]:
    """Judges the given candidate files, or those of the problem's folder, in that order.

    A candidate file that cannot be read gives an `unusable` evaluation; the others are still judged. Raises
    WarpgaugeError for the problem file, for a folder without candidates and for an unknown contract name.
    """
    problem = load_problem(problem_path)
    selected(problem, only, skip)
    paths = list(candidate_paths) or find_candidates(problem.folder)
    options: dict[str, Any] = {
        "arch": arch,
        "only": only,
        "skip": skip,
        "stop_on_fail": stop_on_fail,
        "silencing": silencing,
    }

    def one(path: Path) -> Evaluation:
        try:
            candidate = load_candidate(path)
        except WarpgaugeError as error:
            found = tuple(error.diagnostics)
            return Evaluation(problem.name, path.stem, diagnostics=found, unusable=True, sources=error.sources)
        return evaluate(problem, candidate, **options)

    return in_threads(one, paths, min(2, os.cpu_count() or 1))
