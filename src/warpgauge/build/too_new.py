"""Compile errors whose cause is the architecture, in words: which construct, since when, what to change.

The compiler's own messages name a symptom: an undefined intrinsic, an incomplete type, a line of generated PTX. What
the source would become on a newer architecture says which construct stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Location
from warpgauge.ptx import Instruction, Module, PtxError, locate, parsed
from warpgauge.ptx.mma_shapes import mma_advice
from warpgauge.ptx.needs import constructs, lacking
from warpgauge.ptx.needs_table import DIRECTIVES, Need, need_of

from .errors import ptxas_messages
from .unknown_ptx import unknown_name_advice

#: Gives the PTX of the same source for another target, not assembled; None where it does not compile.
PtxFor = Callable[[str], str | None]

# A source is first tried on the newest of these, then on the older ones that are newer than its own.
_NEWEST = ("sm_100a", "sm_120a")
_BETWEEN = ("sm_80", "sm_90", "sm_90a")
# What the compiler says where a header has nothing for an architecture; a mere slip of the pen is not tried again.
_SYMPTOM = re.compile(
    r"undefined|incomplete type|no member|not supported|no instance|not declared|#error|static assertion"
)
_MOST_RELATED = 8


def _number(arch: str) -> int:
    return int(arch.removeprefix("sm_").rstrip("af"))


def _module(text: str | None) -> Module | None:
    try:
        return None if text is None else parsed(text)
    except PtxError:
        return None


def too_new(
    need: Need, arch: str, where: Location, related: Sequence[Span] = (), *, directive: bool = False
) -> Diagnostic:
    """SRC801 for one construct that `arch` does not have; `directive` where the file's own `.target` says so."""
    target = need.targets[0] if need.targets else f"sm_{need.since}"
    change = f".target {target} in this file" if directive else f'arch = "{target}" under [problem], or --arch {target}'
    instead = "" if directive or need.targets else f"; or keep it behind #if __CUDA_ARCH__ >= {need.since}0"
    evidence = {"construct": need.name, "since": f"sm_{need.since}", "targets": list(need.targets), "arch": arch}
    message = f"{need.name} needs {need.words}; this is built for {arch}"
    return Diagnostic("SRC801", "error", message, Span(where), tuple(related), f"build for {change}{instead}", evidence)


def explain_front_end(
    errors: Sequence[Diagnostic], arch: str, sources: Mapping[str, str], ptx_for: PtxFor
) -> list[Diagnostic]:
    """The compiler's errors, or in their place what the source asks for that `arch` does not have.

    Only where the same source compiles for a newer architecture: then nothing else is wrong with it.
    """
    found = _first_that_compiles(errors, arch, ptx_for)
    if found is None:
        return list(errors)
    target, module = found
    missing = lacking(constructs(module, list(module.kernels), sources), arch)
    if not missing:
        note = f"the same source compiles for {target}: something in it is not there for {arch}"
        return [replace(error, help=error.help or note) for error in errors]
    told = [too_new(c.need, arch, c.location, _inlining(c.inlined)) for c in missing]
    lines = {(c.location.file, c.location.line) for c in missing}
    rest = [
        Span(e.primary.location, label=f"the compiler says: {e.message}")
        for e in errors
        if e.primary and (e.primary.location.file, e.primary.location.line) not in lines
    ]
    return [replace(told[0], related=(*told[0].related, *rest)[:_MOST_RELATED]), *told[1:]]


def _first_that_compiles(errors: Sequence[Diagnostic], arch: str, ptx_for: PtxFor) -> tuple[str, Module] | None:
    """The oldest architecture after `arch` that the source compiles for, and what it becomes there."""
    if not any(_SYMPTOM.search(error.message) for error in errors):
        return None
    newest = next((target for target in _NEWEST if _number(target) > _number(arch)), None)
    last = _module(ptx_for(newest)) if newest else None
    if newest is None or last is None:
        return None
    for target in _BETWEEN:
        newer = _number(target) > _number(arch) or (target.endswith("a") and target == f"{arch}a")
        if newer and (module := _module(ptx_for(target))):
            return target, module
    return newest, last


def _inlining(chain: Sequence[Location]) -> list[Span]:
    return [Span(place, label="inlined here") for place in chain]


def explain_assembler(log: str, arch: str, sources: Mapping[str, str], text: str | None) -> list[Diagnostic]:
    """The assembler's errors about the PTX of a CUDA source, at the lines of the source; empty where they tell none.

    `text` is that PTX, whose lines the log counts.
    """
    module = _module(text)
    if module is None:
        return []
    by_line = _by_line(module)
    found: dict[tuple[str, Location], Diagnostic] = {}
    for line, message in ptxas_messages(log):
        i = by_line.get(line)
        place, inlined = locate(module, i, sources) if i else (Location("", 0), ())
        if not place.line:
            place = Location(next(iter(sources), ""), 0)
        related = _inlining(inlined)
        need = _need(i, message)
        if need and not need.on(arch):
            found.setdefault((need.name, place), too_new(need, arch, place, related))
        else:
            advice = (mma_advice(i) if i else "") or unknown_name_advice(message)
            diagnostic = Diagnostic("SRC801", "error", message, Span(place), tuple(related), advice)
            found.setdefault((message, place), diagnostic)
    return list(found.values())


def explain_ptx(errors: Sequence[Diagnostic], text: str) -> list[Diagnostic]:
    """The assembler's errors about a PTX file: those of its own `.target` in words, the rest with advice."""
    module = _module(text)
    if module is None:
        return list(errors)
    by_line = _by_line(module)
    found = []
    for error in errors:
        i = by_line.get(error.primary.location.line) if error.primary else None
        need = _need(i, error.message)
        if need and error.primary and not need.on(module.target):
            found.append(too_new(need, module.target, error.primary.location, directive=True))
        else:
            found.append(
                replace(error, help=error.help or (mma_advice(i) if i else "") or unknown_name_advice(error.message))
            )
    return found


def _by_line(module: Module) -> dict[int, Instruction]:
    bodies = (*module.kernels.values(), *module.functions.values())
    return {i.ptx_line: i for body in bodies for i in body.instructions}


def _need(i: Instruction | None, message: str) -> Need | None:
    if i is not None:
        return need_of(i)
    named = re.search(r"'\.(\w+)'", message)
    return DIRECTIVES.get(named[1]) if named else None
