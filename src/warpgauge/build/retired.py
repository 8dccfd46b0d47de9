"""Names that device code once had, or never had, and what to write in their place.

The compiler says only that such a name is undefined (or, for the old votes, that an instruction is not supported). A
row of `NAMES` adds what replaces it and why. Sources: the CUDA C++ Programming Guide (warp shuffle, vote and match
functions; `_sync` forms replace those without a mask from compute capability 7.0 on) and the release notes of CUDA 12
(texture references are gone).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Location

from .text import blank_comments, line_and_column
from .unknown_ptx import unknown_name_advice

_LANES = (
    "lanes of a warp are scheduled independently since sm_70, so the call must name those that take part: 0xffffffff "
    "where all 32 arrive, __ballot_sync of the condition where only some do"
)
_HALF = "half types and their intrinsics are declared in a header of their own"
_TEXTURE = (
    "texture references were removed in CUDA 12; a `const T* __restrict__` load goes through the same cache, and a "
    "cudaTextureObject_t is passed as an argument"
)

_TWO_UNDERSCORES = """
    shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync ballot_sync any_sync all_sync syncthreads syncwarp threadfence
    ldg ldcg ldcs ldca stcg stcs stwb stwt hadd hsub hmul hdiv hfma hadd2 hmul2 hfma2 popc clz
"""

#: name -> (what to write instead, why).
NAMES: dict[str, tuple[str, str]] = {
    "__shfl": ("__shfl_sync(mask, value, lane)", _LANES),
    "__shfl_up": ("__shfl_up_sync(mask, value, delta)", _LANES),
    "__shfl_down": ("__shfl_down_sync(mask, value, delta)", _LANES),
    "__shfl_xor": ("__shfl_xor_sync(mask, value, lanes)", _LANES),
    "__ballot": ("__ballot_sync(mask, condition)", _LANES),
    "__any": ("__any_sync(mask, condition)", _LANES),
    "__all": ("__all_sync(mask, condition)", _LANES),
    "__match_any": ("__match_any_sync(mask, value)", _LANES),
    "__match_all": ("__match_all_sync(mask, value, &same)", _LANES),
    "__stg": (
        "a plain store, or __stcs, __stcg, __stwb or __stwt for a cache hint",
        "__ldg has no counterpart for stores, which never go through the read-only path",
    ),
    **{
        name: (f"__{name}", "intrinsics start with two underscores; _rn only keeps the operation out of an fma")
        for name in ("hadd_rn", "hsub_rn", "hmul_rn", "hadd2_rn", "hsub2_rn", "hmul2_rn")
    },
    **{name: (f"__{name}", "intrinsics start with two underscores") for name in _TWO_UNDERSCORES.split()},
    **dict.fromkeys(
        ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync"),
        (
            "it in device code only, built for sm_70 or later",
            "CUDA 9 and later declare it for every architecture that they compile for, without any #include; a host "
            "compiler never does",
        ),
    ),
    "cudaBindTexture": ("a pointer argument", _TEXTURE),
    "cudaBindTexture2D": ("a pointer argument", _TEXTURE),
    "cudaUnbindTexture": ("a pointer argument", _TEXTURE),
    "texture": ("a pointer argument", _TEXTURE),
    **dict.fromkeys(
        ("half", "half2", "__half", "__half2", "__float2half", "__half2float"), ("#include <cuda_fp16.h>", _HALF)
    ),
    **dict.fromkeys(("__nv_bfloat16", "__nv_bfloat162", "__float2bfloat16"), ("#include <cuda_bf16.h>", _HALF)),
    **dict.fromkeys(
        (f"__reduce_{what}_sync" for what in ("add", "min", "max", "and", "or", "xor")),
        ("arch sm_80 or later, or a loop of __shfl_xor_sync", "reductions across a warp in one instruction need sm_80"),
    ),
}

_UNDEFINED = re.compile(r'identifier "(\w+)" is undefined|incomplete type "(\w+)"')
_VOTE = "Instruction 'vote' without '.sync'"
_OLD_VOTES = re.compile(r"\b(__ballot|__any|__all)\s*\(")


def advice(name: str) -> str:
    """What to do about an undefined name; empty where nothing is known of it."""
    instead, why = NAMES.get(name, ("", ""))
    return f"use {instead}: {why}" if instead else ""


def with_advice(errors: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The same errors; those about a name of the table say what replaces it."""
    found = []
    for error in errors:
        match = _UNDEFINED.search(error.message)
        help = error.help or (advice(match[1] or match[2]) if match else unknown_name_advice(error.message))
        found.append(replace(error, help=help) if help else error)
    return found


def old_votes(message: str, sources: Mapping[str, str]) -> list[Diagnostic]:
    """The calls behind the assembler's complaint about a vote: the compiler lets them pass and names no line."""
    if _VOTE not in message:
        return []
    return [
        Diagnostic(
            "SRC801",
            "error",
            f"{call[1]} does not exist from sm_70 on ({message})",
            Span(Location(file, *line_and_column(code, call.start())), len(call[1])),
            help=advice(call[1]),
        )
        for file, code in ((file, blank_comments(text, strings=False)) for file, text in sources.items())
        for call in _OLD_VOTES.finditer(code)
    ]
