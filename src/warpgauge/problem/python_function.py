"""Runs a Python function of the user's (a reference, or an input generator) in a process of its own.

The parent never imports the file. Arrays travel as .npz files without pickles; the child gets a time limit.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from warpgauge.diagnostics import WarpgaugeError
from warpgauge.evidence import Location

from .child_process import run_child
from .dtypes import Array
from .place import Place, fail

DEFAULT_TIMEOUT = 300.0
_CHILD = Path(__file__).with_name("python_child.py")


def call_python(
    source: str,
    folder: Path,
    arrays: Mapping[str, Array],
    values: Mapping[str, Any],
    *,
    where: Place,
    timeout: float = DEFAULT_TIMEOUT,
) -> dict[str, Array]:
    """Calls `file.py:function` with those of `arrays` and `values` that its parameters name, and returns its arrays.

    `values` are plain JSON data. A single returned array has the key "". The file is looked up in `folder`, where the
    child also runs. WarpgaugeError PRB907 if there is no such file, PRB906 for an exception (with its line), for a
    result that is no array, and after `timeout` seconds.
    """
    file, _, function = source.rpartition(":")
    path = (folder / file).resolve()
    if not path.is_file():
        raise fail("PRB907", f"no file {folder / file}", where)
    with tempfile.TemporaryDirectory(prefix="warpgauge-") as scratch:
        given, result = Path(scratch, "given.npz"), Path(scratch, "result.npz")
        np.savez(given, **{f"array:{name}": array for name, array in arrays.items()})  # type: ignore[arg-type]
        request = {"file": str(path), "function": function, "values": dict(values)}
        try:
            run = run_child(
                _CHILD, [str(given), str(result)], folder=path.parent, timeout=timeout, text=json.dumps(request)
            )
        except subprocess.TimeoutExpired:
            raise fail("PRB906", f"{source} did not return within {timeout:g} s", where) from None
        if run.returncode or not result.is_file():
            raise _failure(run, source, folder / file, where)
        with np.load(result, allow_pickle=False) as archive:
            return {name.removeprefix("array:"): archive[name] for name in archive.files}


def _failure(run: subprocess.CompletedProcess[str], source: str, file: Path, where: Place) -> WarpgaugeError:
    """The child's last word: its own report of an exception, or how it died."""
    try:
        report = json.loads(run.stderr.strip().splitlines()[-1])
        message, line = str(report["message"]), int(report["line"])
    except (ValueError, KeyError, IndexError, TypeError):
        last = run.stderr.strip().splitlines()[-1:] or [""]
        message, line = f"the process ended with status {run.returncode} {last[0]}".rstrip(), 0
    if not line:
        return fail("PRB906", f"{source} failed: {message}", where)
    place = Place(where.key, Location(str(file), line))
    text = file.read_text(encoding="utf-8", errors="replace")
    return fail("PRB906", f"{source} failed: {message}", place).showing({str(file): text})
