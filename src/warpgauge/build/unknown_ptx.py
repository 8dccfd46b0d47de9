"""What the assembler does not know in inline assembly, and what PTX has instead.

Most are names of the machine's own instructions (SASS), which no assembler takes: PTX is one level above. Sources: the
PTX ISA (list of instructions) and the instruction set reference of the CUDA binary utilities.
"""

from __future__ import annotations

import re

_HALF_WORD = "PTX has one name for all types, which stand behind it"
_SPACE = "PTX writes the space behind the name"

#: PTX has no such instruction -> (what to write instead, why).
INSTRUCTIONS: dict[str, tuple[str, str]] = {
    "nop": (
        "no filler at all",
        "PTX has no nop, hazards are tracked by scoreboards, and idle slots hide no latency; loads that are issued "
        "earlier, cp.async into a second buffer, wider loads and more independent work do",
    ),
    "ldg": ("ld.global (ld.global.nc for data that the kernel never writes)", _SPACE),
    "stg": ("st.global (.cg, .cs, .wb or .wt for a cache hint)", _SPACE),
    "lds": ("ld.shared", _SPACE),
    "sts": ("st.shared", _SPACE),
    "ldl": ("ld.local", _SPACE),
    "stl": ("st.local", _SPACE),
    "ldsm": ("ldmatrix", "LDSM is what ldmatrix becomes"),
    "stsm": ("stmatrix", "STSM is what stmatrix becomes"),
    "ldgsts": ("cp.async", "LDGSTS is what cp.async becomes"),
    "depbar": ("cp.async.wait_group", "scoreboards belong to the assembler; groups of copies are what PTX waits for"),
    **dict.fromkeys(("ffma", "dfma"), ("fma.rn.f32 or fma.rn.f64", _HALF_WORD)),
    **dict.fromkeys(("fadd", "dadd", "iadd", "iadd3"), ("add", _HALF_WORD)),
    **dict.fromkeys(("fmul", "dmul"), ("mul", _HALF_WORD)),
    **dict.fromkeys(("hadd2", "hmul2", "hfma2"), ("add, mul or fma.rn with .f16x2", _HALF_WORD)),
    **dict.fromkeys(("imad", "xmad"), ("mad.lo or mad.wide", _HALF_WORD)),
    **dict.fromkeys(("fsetp", "isetp", "cmp"), ("setp", _HALF_WORD)),
    **dict.fromkeys(("i2f", "f2i", "f2f", "i2i"), ("cvt", _HALF_WORD)),
    **dict.fromkeys(("hmma", "imma", "hgmma"), ("mma.sync, or wgmma.mma_async on sm_90a", "HMMA is what these become")),
    "mufu": (
        "ex2.approx, lg2.approx, rcp.approx, rsqrt.approx, sin.approx or cos.approx",
        "each has a name of its own",
    ),
    **dict.fromkeys(("s2r", "s2ur", "cs2r"), ("mov from %tid.x, %laneid, %clock, ...", "they are registers in PTX")),
    **dict.fromkeys(("load", "store"), ("ld or st, with the space and the type behind it", _SPACE)),
    "jmp": ("bra", "that is its name in PTX"),
    **dict.fromkeys(("syncthreads", "__syncthreads"), ("bar.sync 0", "that is its name in PTX")),
}

_UNKNOWN = re.compile(r"Not a name of any known instruction: '([\w$]+)'")
_SYMBOL = re.compile(r"Unknown symbol '(%[\w$]+)'")
_MODIFIER = re.compile(r'Asm operand modifier not supported at "%')


def unknown_name_advice(message: str) -> str:
    """What to do about a message of the assembler, or of the compiler about a template; empty where unknown."""
    if name := _UNKNOWN.search(message):
        instead, why = INSTRUCTIONS.get(name[1].lower(), ("", ""))
        return f"{name[1]} is no PTX instruction; use {instead}: {why}" if instead else ""
    if symbol := _SYMBOL.search(message):
        return (
            f"{symbol[1]} is declared nowhere: pass the value as an operand (%0), or declare a register inside braces, "
            "{ .reg .b32 t; ... }"
        )
    if _MODIFIER.search(message):
        return (
            "in a statement with operands, % starts one of them: write %%tid.x for a register of the hardware, and "
            "give registers of the statement's own a name without %, { .reg .b32 t; ... }"
        )
    return ""
