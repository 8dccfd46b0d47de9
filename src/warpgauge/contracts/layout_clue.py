"""What an index that contradicts a declared layout looks like: the one layout that would make the output right.

It says nothing about how well the accesses coalesce. An index may be right and slow, or wrong and fast.
"""

from __future__ import annotations

from warpgauge.diagnostics import Diagnostic, Span

from .case import Case, LayoutClue

_OPS = {"read": ("load",), "written": ("store", "atomic"), "read and written": ("load", "store", "atomic")}
_LABELS = {"load": "read here", "store": "written here", "atomic": "updated here"}


def _places(case: Case, clue: LayoutClue) -> list[Span]:
    """The lines that access the tensor in that way, in the runs that counted."""
    found: dict[tuple[str, int], Span] = {}
    sites = [site for trial in case.trials for execution in trial.executions for site in execution.sites]
    for site in sorted(sites, key=lambda site: site.location):
        if site.space == "global" and site.op in _OPS[clue.access] and site.worst and site.worst.buffer == clue.tensor:
            where = site.location
            found.setdefault((where.file, where.line), Span(where, label=_LABELS[site.op]))
    return list(found.values())


def _index(strides: tuple[int, ...], offset: int) -> str:
    terms = [f"{stride} i{axis}" if stride != 1 else f"i{axis}" for axis, stride in enumerate(strides)]
    return " + ".join(([str(offset)] if offset else []) + terms)


def diagnose(case: Case) -> Diagnostic | None:
    """NUM507 where exactly one other layout explains the outputs; None where nothing does, or several do."""
    clue = case.layout_clue
    if clue is None:
        return None
    declared, taken = _index(clue.strides, clue.offset), _index(clue.taken_strides, clue.taken_offset)
    names = ", ".join(f"i{axis}" for axis in range(len(clue.strides)))
    title = ", ".join(f"{name}={value}" for name, value in clue.dims.items())
    message = (
        f"{clue.tensor} is {clue.access} as if it were {clue.words}: the outputs are right for element [{names}] at "
        f"{taken}, and the problem declares {declared} (shape {list(clue.shape)}, at {title})"
    )
    start = f" and offset {clue.offset}" if clue.offset else ""
    help = (
        f"index {clue.tensor} by its declared strides {list(clue.strides)}{start}; if its data do lie the other way, "
        "declare strides for it in the problem instead, which makes it another problem"
    )
    evidence = {
        "tensor": clue.tensor,
        "access": clue.access,
        "shape": dict(clue.dims),
        "declared": {"strides": list(clue.strides), "offset": clue.offset},
        "taken": {"strides": list(clue.taken_strides), "offset": clue.taken_offset, "words": clue.words},
    }
    spans = _places(case, clue)
    primary, related = (spans[0], tuple(spans[1:])) if spans else (None, ())
    return Diagnostic("NUM507", "error", message, primary, related, help, evidence)
