"""What a compiler makes of `__restrict__` and of local arrays (F-13, F-14). The figures are those of the pinned one."""

from __future__ import annotations

import re
from functools import partial

from .execution import built
from .record import Fact

_SECTION = re.compile(r"^\s*\.section\s+\.text\.(\w+)", re.M)
_LOADS = re.compile(r"\bLDG\.")


def _code(sass: str, entry: str) -> str:
    parts = _SECTION.split(sass)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[entry]


def cost(entry: str, promise: bool) -> tuple[int, int]:
    """(registers per thread, global loads in the machine code)."""
    build = built("registers.cu", (), (("PROMISE", 1),) if promise else ())
    return build.resources[entry].registers, len(_LOADS.findall(_code(build.sass, entry)))


def difference(entry: str) -> tuple[str, str]:
    """What the promise does to registers and to loads."""
    without, with_ = cost(entry, False), cost(entry, True)
    change = [(after > before) - (after < before) for before, after in zip(without, with_, strict=True)]
    words = {-1: "fewer", 0: "as many", 1: "more"}
    return words[change[0]], words[change[1]]


def stack(entry: str) -> int:
    return built("registers.cu", ()).resources[entry].stack_frame


FACTS = (
    Fact("F-13", "repeated reads: fewer loads and fewer registers", partial(difference, "reloads"), ("fewer", "fewer")),
    Fact("F-13", "reads before stores: more registers", partial(difference, "gathers"), ("more", "as many")),
    Fact("F-13", "repeated reads: ten loads without the promise", lambda: cost("reloads", False)[1], 10),
    Fact("F-13", "repeated reads: three loads with it", lambda: cost("reloads", True)[1], 3),
    Fact("F-14", "an array with constant indices needs no stack", partial(stack, "fixed"), 0),
    Fact("F-14", "100 floats indexed at run time are 400 bytes of stack", partial(stack, "indexed"), 400),
)  # fmt: skip
