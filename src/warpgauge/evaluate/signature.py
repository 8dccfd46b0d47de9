"""Kernel signatures as the source writes them: names that PTX no longer has, and what a pointer points at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from warpgauge.build.names import source_kernels
from warpgauge.build.text import blank_comments

_DROPPED = re.compile(
    r"\b(?:__restrict__|__restrict|restrict|__grid_constant__|volatile|struct|class|register|std::)\b"
    r"|\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)|__align__\s*\(.*?\)|alignas\s*\(.*?\)|\bstd::"
)
_DECLARATOR = re.compile(r"(?P<type>.*?)(?P<name>[A-Za-z_]\w*)?\s*(?P<array>\[[^\]]*\])?\s*$", re.DOTALL)

_WORDS: dict[str, str] = {
    **dict.fromkeys(("float", "float2", "float3", "float4"), "f32"),
    **dict.fromkeys(("double", "double2", "double3", "double4"), "f64"),
    **dict.fromkeys(("half", "__half", "half2", "__half2"), "f16"),
    **dict.fromkeys(("nv_bfloat16", "__nv_bfloat16", "nv_bfloat162", "__nv_bfloat162"), "bf16"),
    **dict.fromkeys(("__nv_fp8_e4m3",), "e4m3"),
    **dict.fromkeys(("__nv_fp8_e5m2",), "e5m2"),
    **dict.fromkeys(("char", "signed char", "int8_t", "char2", "char4"), "i8"),
    **dict.fromkeys(("unsigned char", "uint8_t", "uchar2", "uchar4"), "u8"),
    **dict.fromkeys(("short", "short int", "int16_t"), "i16"),
    **dict.fromkeys(("unsigned short", "unsigned short int", "uint16_t"), "u16"),
    **dict.fromkeys(("int", "signed", "signed int", "int32_t", "int2", "int3", "int4"), "i32"),
    **dict.fromkeys(("unsigned", "unsigned int", "uint32_t", "uint", "uint2", "uint4"), "u32"),
    **dict.fromkeys(("long", "long int", "long long", "long long int", "int64_t", "ptrdiff_t"), "i64"),
    **dict.fromkeys(("unsigned long", "unsigned long long", "uint64_t", "size_t", "unsigned long int"), "u64"),
    "bool": "bool",
}


@dataclass(frozen=True)
class Declared:
    """One parameter. `dtype` is that of the value, or of what a pointer points at; empty for a type of the user's own.

    `constant` pointers are only read through.
    """

    name: str
    dtype: str
    pointer: bool
    constant: bool


@dataclass(frozen=True)
class Signature:
    """A `__global__` function. `template` if it has to be instantiated by name."""

    name: str
    parameters: tuple[Declared, ...]
    template: bool


def _split(text: str) -> list[str]:
    """`text` at its commas, except within brackets of any kind."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += {**dict.fromkeys("(<[{", 1), **dict.fromkeys(")>]}", -1)}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in (*parts, text[start:]) if part.strip() not in ("", "void")]


def declared(text: str, index: int) -> Declared:
    """One parameter of a signature, `index` naming it if the source does not."""
    match = _DECLARATOR.match(_DROPPED.sub(" ", text.partition("=")[0]).strip())
    assert match is not None
    kind, name = match["type"], match["name"] or ""
    if not kind.strip() or (name and f"{kind.strip()} {name}" in _WORDS):
        kind, name = f"{kind} {name}", ""
    pointer = "*" in kind or match["array"] is not None
    pointee = kind.partition("*")[0] if "*" in kind else kind
    words = pointee.replace("&", " ").split()
    plain = " ".join(word for word in words if word != "const")
    return Declared(name or f"p{index}", _WORDS.get(plain, ""), pointer, "const" in words)


def signatures(sources: Mapping[str, str]) -> list[Signature]:
    """Every kernel in files by path, where it is first declared, in order."""
    found = []
    texts = {file: blank_comments(text) for file, text in sources.items()}
    for kernel in source_kernels(sources):
        lines = texts[kernel.location.file].splitlines(keepends=True)
        start = sum(map(len, lines[: kernel.location.line - 1])) + kernel.location.column - 1
        code = texts[kernel.location.file]
        opening = code.index("(", start)
        depth, at = 1, opening + 1
        while depth and at < len(code):
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        before = re.split(r"[;{}]", code[:start])[-1]
        parameters = tuple(declared(part, index) for index, part in enumerate(_split(code[opening + 1 : at - 1])))
        found.append(Signature(kernel.name, parameters, re.search(r"\btemplate\s*<", before) is not None))
    return found
