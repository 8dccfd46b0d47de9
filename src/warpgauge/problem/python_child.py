"""The child process of `python_function`: loads one file, calls one function, writes its arrays.

Runs as a script and depends on NumPy alone; the request arrives as JSON on stdin, the last line of stderr says in
JSON what went wrong.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import runpy
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np


def _arguments(function: Callable[..., Any], available: Mapping[str, Any]) -> dict[str, Any]:
    """What the function's parameters name; everything for `**rest`."""
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return dict(available)
    missing = [p.name for p in parameters if p.name not in available and p.default is p.empty]
    if missing:
        raise TypeError(f"no value for parameter {', '.join(missing)}; available: {', '.join(sorted(available))}")
    return {p.name: available[p.name] for p in parameters if p.name in available}


def _arrays(result: Any) -> dict[str, np.ndarray]:
    named = result if isinstance(result, dict) else {"": result}
    arrays = {str(name): np.asarray(value) for name, value in named.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "fiub":
            raise TypeError(
                f"result {name!r} is not an array of numbers" if name else "the result is not an array of numbers"
            )
    return arrays


def _available(request: Mapping[str, Any], given: str) -> dict[str, Any]:
    with np.load(given, allow_pickle=False) as archive:
        arrays = {name.removeprefix("array:"): archive[name] for name in archive.files}
    values = dict(request["values"])
    if "seed" in values:
        values["rng"] = np.random.default_rng(values["seed"])
    if "shape" in values:
        values["shape"] = tuple(values["shape"])
    return {**values, **arrays}


def line_of(error: BaseException, file: str) -> int:
    """The innermost line of the user's file in the traceback; 0 if it never got there."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 0
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else 0


def main(given: str, result: str) -> int:
    request = json.load(sys.stdin)
    file, name = request["file"], request["function"]
    # The user's file may import its neighbours; what it prints must not mix with the report.
    sys.path.insert(0, str(Path(file).parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            function = runpy.run_path(file).get(name)
            if not callable(function):
                raise LookupError(f"{Path(file).name} has no function {name}")
            arrays = _arrays(function(**_arguments(function, _available(request, given))))
        np.savez(result, **{f"array:{key}": array for key, array in arrays.items()})  # type: ignore[arg-type]
    except BaseException as error:
        text = str(error) if isinstance(error, LookupError) else f"{type(error).__name__}: {error}"
        print("\n" + json.dumps({"message": text[:2000], "line": line_of(error, file)}), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
