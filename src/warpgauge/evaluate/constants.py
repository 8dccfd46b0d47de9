"""What a candidate's `[constants]` put into the module's `__constant__` variables."""

from __future__ import annotations

from collections.abc import Mapping

from warpgauge.build.names import readable
from warpgauge.candidate import Candidate, constant_bytes
from warpgauge.candidate.scope import Scope
from warpgauge.evidence import BuildArtifact
from warpgauge.problem.place import Place, fail, near
from warpgauge.ptx import Variable, parsed


def constant_values(build: BuildArtifact, names: Scope) -> dict[str, bytes]:
    """Symbol -> bytes. PRB905 for a variable that is not there, is no `__constant__` one or has another size.

    A key of the table is the variable's name with its namespaces (`ns::table`), or its mangled symbol.
    """
    if not names.candidate.constants:
        return {}
    variables = parsed(build.ptx).variables
    filled = {}
    for name, data in constant_bytes(names).items():
        variable = _find(variables, name, names.candidate)
        if len(data) != variable.size:
            message = f"{len(data)} bytes for a variable of {variable.size}"
            raise fail("PRB905", message, names.candidate.place("constants", name))
        filled[variable.name] = data
    return filled


def _find(variables: Mapping[str, Variable], name: str, candidate: Candidate) -> Variable:
    place: Place = candidate.place("constants", name)
    there = {v.name: readable(v.name) for v in variables.values() if v.space in ("const", "global")}
    found = [variables[symbol] for symbol, plain in there.items() if name in (symbol, plain)]
    constant = [plain for symbol, plain in there.items() if variables[symbol].space == "const"]
    if not found:
        help = near(name, constant) or "no __constant__ variable is left in the compiled module"
        raise fail("PRB905", f'the module has no __constant__ variable "{name}"', place, help=help)
    if len(found) > 1:
        symbols = ", ".join(v.name for v in found)
        raise fail("PRB905", f'"{name}" is the name of several variables', place, help=f"name one of {symbols}")
    if found[0].space != "const":
        message = f'"{name}" is a __device__ variable: [constants] fill __constant__ memory only'
        raise fail("PRB905", message, place, help="pass its value as an argument, or make it __constant__")
    return found[0]
