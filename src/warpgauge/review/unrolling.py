"""UTL403: a loop under `#pragma unroll` that the machine code still has.

The machine code decides. Its loops name the line of their source through the PTX; a loop counts as the one under the
pragma if its branch back stands at that loop's keyword and everything in it comes from that loop's lines. Where a line
holds several loops, nothing is said.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Location

from .pragmas import UnrollPragma, unroll_pragmas
from .subject import Subject

# Instructions that stand for the work of a loop's body, not for counting its turns or computing addresses.
_WORK = re.compile(r"(LD|ST)[GSL]?|LDSM|ATOM\w?|RED\w?|[DF](ADD|MUL|FMA)|FMNMX|H(ADD|MUL|FMA)2|MUFU|\w*MMA|SHFL")
_HELP_WHOLE = (
    "give the loop a start and a bound that are known when compiling (template parameters, constexpr, macros; a local "
    "that never changes will do), or write the factor that you want, as in #pragma unroll 4"
)
_HELP_FACTOR = "move what ends the loop early out of it, or give it a bound that the compiler can count to"


@dataclass(frozen=True)
class _Kept:
    """A loop of the machine code: instructions per turn, and how often a turn holds the body.

    `copies` is what all the body's work agrees on as a least, `most` the largest of it; 0 where a turn has no work.
    """

    instructions: int
    copies: int
    most: int


def find(subject: Subject) -> Iterator[Diagnostic]:
    """A warning for each pragma without effect, a note for a factor that left a second loop for the rest."""
    seen = set()
    for file, text in subject.build.sources.items():
        if (path := os.path.normpath(file)) in seen:
            continue
        seen.add(path)
        for pragma in unroll_pragmas(path, text, subject.defines):
            if pragma.crowded or (pragma.factor is not None and pragma.factor < 2):
                continue
            for entry in subject.entries:
                kept = _kept(subject, entry, pragma)
                if kept and (finding := _finding(entry, pragma, kept)):
                    yield finding
                    break


def _kept(subject: Subject, entry: str, pragma: UnrollPragma) -> list[_Kept]:
    code = subject.code(entry)
    lines = range(pragma.first, pragma.last + 1)
    found = []
    for loop in subject.loops(entry):
        back = subject.places(code[loop.branch].ptx_line)
        if back[:1] != ((pragma.file, pragma.first),):
            continue
        body = [code[n] for n in loop.body]
        places = [place for i in body if (place := subject.places(i.ptx_line))]
        if not all(any(file == pragma.file and line in lines for file, line in place) for place in places):
            continue
        work = Counter((subject.chain(i.ptx_line), i.opcode) for i in body if _WORK.fullmatch(i.opcode))
        found.append(_Kept(len(body), min(work.values(), default=0), max(work.values(), default=0)))
    return found


def _finding(entry: str, pragma: UnrollPragma, kept: list[_Kept]) -> Diagnostic | None:
    most = max(kept, key=lambda loop: loop.copies)
    asked = "#pragma unroll" if pragma.factor is None else f"#pragma unroll {pragma.factor}"
    loops = " and ".join(f"a loop of {k.instructions} instructions{_copies(k.copies)}" for k in kept[:3])
    evidence = {
        "entry": entry,
        "factor": pragma.factor,
        "loops": [{"instructions": k.instructions, "copies": k.copies} for k in kept],
    }
    where = Span(Location(pragma.file, pragma.line, pragma.column))
    related = (Span(Location(pragma.file, pragma.first), label="this loop"),)
    machine = f"the machine code of {entry} keeps {loops}"
    if pragma.factor is None:
        return Diagnostic(
            "UTL403",
            "warning",
            f"{asked} did not unroll this {pragma.keyword} loop: {machine}",
            where,
            related,
            _HELP_WHOLE,
            evidence,
        )
    if all(k.most == 1 for k in kept):
        message = f"{asked} did not unroll this {pragma.keyword} loop: {machine}"
        return Diagnostic("UTL403", "warning", message, where, related, _HELP_FACTOR, evidence)
    if len(kept) > 1 and most.copies > 1:
        message = f"{asked} unrolled in part, with a second loop for the turns that are left over: {machine}"
        help = (
            f"where the count is always a multiple of {pragma.factor}: step by {pragma.factor}, with an inner loop of "
            f"{pragma.factor} under #pragma unroll, and there is no second loop"
        )
        return Diagnostic("UTL403", "note", message, where, related, help, evidence)
    return None


def _copies(count: int) -> str:
    return "" if count == 0 else " (the body once)" if count == 1 else f" (the body {count} times)"
