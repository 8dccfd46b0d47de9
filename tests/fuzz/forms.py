"""Value instructions to draw from: the exact one-line cases of the oracle's table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.oracle.cases import CASES

# PTX type -> pool of registers that may hold its values. Floats have pools of their own, because the bits of a NaN are
# not specified and must not become an integer.
POOL_OF = {
    **{f"{letter}{bits}": f"b{bits}" for letter in "usb" for bits in (16, 32, 64)},
    **{name: name for name in ("f16", "bf16", "f16x2", "bf16x2", "f32", "f64")},
    "u16x2": "b32", "s16x2": "b32",
}  # fmt: skip
INTEGER_POOLS = ("b16", "b32", "b64")
# Domain of an operand -> instruction that brings any value into it.
INTO = {"nonzero": "or.b{n} {t}, {x}, 1;", "bit place": "and.b{n} {t}, {x}, 255;", "few": "and.b{n} {t}, {x}, 3;"}
INTO |= {"lane": "and.b{n} {t}, {x}, 31;", "slot": "and.b{n} {t}, {x}, 15;"}
# Lanes see each other, the result depends on the sign of a NaN, or (tf32) it must not be a register of floats.
LEFT_OUT = re.compile(r"tf32|shfl|vote|match|redux|activemask|elect|copysign|xorsign|^ld|^mov|cvta|fns")


@dataclass(frozen=True)
class Form:
    """`text` with {d}, {a}, {b}, {c}; `sources` are (pool, domain)."""

    text: str
    result: str
    sources: tuple[tuple[str, str], ...]


def _forms() -> tuple[Form, ...]:
    out = []
    for case in CASES:
        line = case.body[0]
        names = set(re.findall(r"%\w+", line))
        kinds = [case.output, *(kind for kind, _ in case.operands)]
        if len(case.body) > 1 or case.module_lines or case.lines_before or case.ulp or case.absolute:
            continue
        if not names <= {"%d", "%a", "%b", "%c"} or "%d" not in names or not set(kinds) <= POOL_OF.keys():
            continue
        leaks = case.output[0] == "b" and POOL_OF[case.output] in INTEGER_POOLS
        if LEFT_OUT.search(line) or (leaks and any("f" in kind for kind in kinds[1:])):
            continue
        text = re.sub(r"%([dabc])\b", r"{\1}", line)
        out.append(Form(text, POOL_OF[case.output], tuple((POOL_OF[kind], domain) for kind, domain in case.operands)))
    return tuple(dict.fromkeys(out))


FORMS = _forms()
