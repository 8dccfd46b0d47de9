"""The child process of `own`: loads one file, calls one function with the case, writes its judgement as JSON.

Runs as a script; the last line of stderr says what went wrong.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import pickle
import runpy
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np

from warpgauge.contracts.judgement import Judgement
from warpgauge.problem.python_child import line_of


def _plain(value: object) -> object:
    """A NumPy number as a number of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a judgement holds plain numbers and text, not {type(value).__name__}")


def main(file: str, name: str, given: str, result: str) -> int:
    # The user's file may import its neighbours; what it prints must not mix with the report.
    sys.path.insert(0, str(Path(file).parent))
    case, thresholds = pickle.loads(Path(given).read_bytes())
    try:
        with contextlib.redirect_stdout(sys.stderr):
            function = runpy.run_path(file).get(name)
            if not callable(function):
                raise LookupError(f"{Path(file).name} has no function {name}")
            if len(inspect.signature(function).parameters) != 2:
                raise TypeError(f"{name} takes two arguments: the case and the thresholds")
            judgement = function(case, thresholds)
        if not isinstance(judgement, Judgement):
            raise TypeError(f"{name} returned {type(judgement).__name__}, not a Judgement")
        text = json.dumps(asdict(judgement), default=_plain)
    except BaseException as error:
        line = line_of(error, file)
        where = f" (line {line})" if line else ""
        print(" ".join(f"{type(error).__name__}: {error}{where}".split()), file=sys.stderr)
        return 1
    Path(result).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
