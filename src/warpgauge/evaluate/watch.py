"""Waiting until a file that a check rests on changes. By polling: that works on every file system."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from warpgauge.candidate.load import FOLDER_NAME
from warpgauge.problem.load import FILE_NAME

from .record import Evaluation

INTERVAL = 0.3
"""Seconds between two looks. A change counts once two looks agree on it, so that no file is read half-written."""

_State = tuple[int, int] | None


def _state(path: Path) -> _State:
    """Time of change and size; None for a file that is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class Watch:
    """Looks at every file that a check has read, and at whatever lies beside the problem and its candidates.

    So a candidate or a reference that is added counts too, without walking whole trees.
    """

    def __init__(self, problem: Path, candidates: Sequence[Path] = ()) -> None:
        folder = problem if problem.is_dir() else problem.parent
        # A folder's own time changes with any file in it.
        self._files = {folder / FILE_NAME if problem.is_dir() else problem, *candidates}
        self._folders = (folder, folder / FOLDER_NAME, *(path.parent for path in candidates))
        self._before: dict[Path, _State] = {}

    def _look(self) -> dict[Path, _State]:
        files = set(self._files)
        for folder in self._folders:
            if folder.is_dir():
                files |= {path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")}
        return {path: _state(path) for path in files}

    def begin(self) -> None:
        """Remembers how the files are, before a check reads them."""
        self._before = self._look()

    def wait(self, evaluations: Iterable[Evaluation], *, sleep: Callable[[float], None] = time.sleep) -> list[Path]:
        """The files that differ from how they were at `begin`, as soon as there are any.

        Files that the evaluations name and that were not looked at before count from now on.
        """
        self._files |= {Path(file) for evaluation in evaluations for file in evaluation.sources}
        last = self._look()
        before = {path: state for path, state in last.items() if path in self._files} | self._before
        while True:
            sleep(INTERVAL)
            now = self._look()
            changed = sorted(path for path in now.keys() | before.keys() if now.get(path) != before.get(path))
            if changed and now == last:
                return changed
            last = now
