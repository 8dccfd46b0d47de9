"""Hardware readings beside the virtual GPU's counters.

A folder of readings holds one `counters*.json` and the sources it speaks of. Each group of kernels ("micro", say) lies
in the source of that name (`micro.cu`); a kernel's table holds its block, its grid (or the group's `<group>_launch`
does), what was read under the names of `Counters`, and its arguments:

* a list per kernel: `in:f32[4096]`, `i32=128`, `in:struct of 4 x f32, 4096 records`, each with an optional content
  `in[i] = formula`;
* or a sentence per group: signatures such as `(T* out, const int* perm)`, of which the one with as many parameters as
  the kernel is meant, and contents such as `perm[i] = (i*389+17) % 1024 for i in 0..1023`.

Contents that are not given are zero; sizes that are not given are ample.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpgauge.build import compile_source
from warpgauge.diagnostics import Diagnostic, Span, WarpgaugeError
from warpgauge.evidence import BuildArtifact, Counters, Location
from warpgauge.problem.dtypes import DTYPES
from warpgauge.ptx import parse
from warpgauge.vgpu import GlobalMemory, execute

AMPLE_BYTES = 1 << 20
_COUNTERS = tuple(field.name for field in fields(Counters))
_BUFFER = re.compile(r"(?P<name>\w+):(?P<dtype>\w+)\[(?P<count>\d+)\]")
_RECORDS = re.compile(r"(?P<name>\w+):struct of (?P<members>\d+) x (?P<dtype>\w+), (?P<count>\d+) records")
_SCALAR = re.compile(r"(?P<dtype>[iuf]\d+)=(?P<value>[-+.\w]+)$")
_CONTENT = re.compile(r"(?P<name>\w+)\[i\] = (?P<formula>[^;]+?)(?: for i in 0\.\.(?P<last>\d+))?\s*(?:;|$)")
_SIGNATURE = re.compile(r"\(([^()]*\*[^()]*)\)")

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Mod: np.mod,
    ast.RShift: np.right_shift,
    ast.LShift: np.left_shift,
    ast.BitAnd: np.bitwise_and,
    ast.BitXor: np.bitwise_xor,
}
_CASTS = {"uint32": np.uint32, "int32": np.int32, "uint8": np.uint8}


@dataclass(frozen=True)
class Reading:
    """One counter of one kernel: what the virtual GPU predicts and what hardware read.

    `predicted` is None where the kernel could not be executed to its end; `stopped` then says why.
    """

    group: str
    kernel: str
    counter: str
    predicted: int | None
    read: int
    stopped: str = ""

    @property
    def equal(self) -> bool:
        return self.predicted == self.read


def _fail(message: str, file: Path) -> WarpgaugeError:
    return WarpgaugeError(Diagnostic("PRB901", "error", message, Span(Location(str(file), 0))))


def content(formula: str, count: int) -> NDArray[np.int64]:
    """The values of `formula` for i = 0 .. count - 1; integers, + - * % >> << & ^ and casts by the names of NumPy.

    Raises ValueError for anything else.
    """

    def walk(node: ast.AST) -> Any:
        match node:
            case ast.Constant(value=int() as value):
                return np.int64(value)
            case ast.Name(id="i"):
                return np.arange(count, dtype=np.int64)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](walk(left), walk(right))
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _CASTS:
                return walk(argument).astype(_CASTS[name]).astype(np.int64)
        raise ValueError(f"not a formula over i: {formula}")

    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except SyntaxError:
        raise ValueError(f"not a formula over i: {formula}") from None
    return np.broadcast_to(walk(tree), (count,)).astype(np.int64)


def _filled(dtype: str, count: int, formula: str | None) -> NDArray[Any]:
    storage = DTYPES[dtype].storage
    return content(formula, count).astype(storage) if formula else np.zeros(count, storage)


def listed_arguments(texts: Sequence[str], memory: GlobalMemory) -> list[int | float]:
    """Arguments of the list form: buffers are added to `memory`; ValueError for a text of no known form."""
    arguments: list[int | float] = []
    for text in texts:
        if scalar := _SCALAR.match(text):
            value = scalar["value"]
            arguments.append(float(value) if scalar["dtype"].startswith("f") else int(value, 0))
            continue
        found = _BUFFER.match(text) or _RECORDS.match(text)
        if found is None or found["dtype"] not in DTYPES:
            raise ValueError(f"not an argument: {text}")
        count = int(found["count"]) * int(found.groupdict().get("members") or 1)
        formula = next((c["formula"] for c in _CONTENT.finditer(text) if c["name"] == found["name"]), None)
        arguments.append(memory.add(found["name"], _filled(found["dtype"], count, formula)))
    return arguments


def described_arguments(text: str, parameters: int, memory: GlobalMemory) -> list[int | float]:
    """Arguments of the sentence form: one buffer per parameter of the signature that has as many."""
    signatures = [re.findall(r"(\w+)\s*(?:,|$)", signature) for signature in _SIGNATURE.findall(text)]
    names = next((names for names in signatures if len(names) == parameters), None)
    if names is None:
        raise ValueError(f"no signature of {parameters} parameters in: {text}")
    contents = {c["name"]: c for c in _CONTENT.finditer(text)}
    addresses: list[int | float] = []
    for name in names:
        known = contents.get(name)
        if known:
            array = _filled("i32", int(known["last"] or 0) + 1, known["formula"])
        else:
            array = np.zeros(AMPLE_BYTES, np.uint8)
        addresses.append(memory.add(name, array))
    return addresses


def _compare(
    build: BuildArtifact, group: str, kernel: str, table: Mapping[str, Any], launch: Mapping[str, Any], parameters: int
) -> list[Reading]:
    memory = GlobalMemory()
    convention = table.get("args", launch.get("args", ""))
    if isinstance(convention, str):
        arguments = described_arguments(convention, parameters, memory)
    else:
        arguments = listed_arguments(convention, memory)
    gx, gy, gz = table.get("grid", launch.get("grid", (1, 1, 1)))
    bx, by, bz = table["block"]
    execution = execute(
        build, kernel, grid=(gx, gy, gz), block=(bx, by, bz), arguments=arguments, memory=memory, mode="count"
    )
    stopped = "" if execution.completed else execution.stopped or "stopped early"
    counted = {name: None if stopped else getattr(execution.counters, name) for name in _COUNTERS}
    return [
        Reading(group, kernel, name, counted[name], round(table[name]), stopped) for name in _COUNTERS if name in table
    ]


def compare_folder(folder: Path, *, only: Sequence[str] = (), arch: str = "sm_90") -> list[Reading]:
    """Every reading of a folder beside its prediction, in the order of the JSON file.

    WarpgaugeError: PRB907 for a missing file, PRB901 for a table that does not follow the form above, and whatever
    compiling a source raises.
    """
    files = sorted(folder.glob("counters*.json")) if folder.is_dir() else []
    if not files:
        raise WarpgaugeError(Diagnostic("PRB907", "error", f"no counters*.json in {folder}"))
    rows: list[Reading] = []
    known: set[str] = set()
    for file in files:
        data = json.loads(file.read_text(encoding="utf-8"))
        for group, kernels in data.items():
            if not isinstance(kernels, dict) or not all(isinstance(k, dict) and "block" in k for k in kernels.values()):
                continue
            known |= kernels.keys()
            chosen = [name for name in kernels if not only or name in only]
            if not chosen:
                continue
            build = compile_source(folder / f"{group}.cu", arch=arch, entries=chosen)
            module = parse(build.ptx)
            for name in chosen:
                parameters = len(module.kernels[build.lowered[name]].params)
                try:
                    rows += _compare(build, group, name, kernels[name], data.get(f"{group}_launch", {}), parameters)
                except (ValueError, KeyError, TypeError) as error:
                    raise _fail(f"{group}.{name}: {error}", file) from None
    if missing := [name for name in only if name not in known]:
        raise WarpgaugeError(Diagnostic("PRB901", "error", f"no readings of {', '.join(missing)} in {folder}"))
    return rows
