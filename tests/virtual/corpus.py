"""Reads the kernels of `kernels/`: their launches, and what each line expects (see kernels/README.md)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "kernels"
_HEADER = re.compile(r"^/\* (launch|detail|sweep)(?: (\w+))?\n(.*?)^\*/", re.S | re.M)
_MARK = re.compile(r"// (expect|related|also)(?:@(\w+))?: ([A-Z0-9|]+)")


@dataclass(frozen=True)
class Mark:
    """`kind` expect, related or also; `codes` any of which will do; `launch` None for every launch."""

    kind: str
    line: int
    codes: frozenset[str]
    launch: str | None


@dataclass(frozen=True)
class CorpusKernel:
    path: Path
    launches: dict[str, dict[str, Any]]
    detail: dict[str, Any]
    marks: tuple[Mark, ...]
    sweep: dict[str, Any] = field(default_factory=dict)

    def marked(self, launch: str, *kinds: str) -> list[Mark]:
        return [m for m in self.marks if m.kind in kinds and m.launch in (None, launch)]


def read(path: Path) -> CorpusKernel:
    text = path.read_text()
    launches: dict[str, dict[str, Any]] = {}
    other: dict[str, dict[str, Any]] = {"detail": {}, "sweep": {}}
    for word, name, body in _HEADER.findall(text):
        if word == "launch":
            launches[name] = tomllib.loads(body)
        else:
            other[word] = tomllib.loads(body)
    marks = [
        Mark(kind, number, frozenset(codes.split("|")), launch or None)
        for number, line in enumerate(text.splitlines(), 1)
        for kind, launch, codes in _MARK.findall(line)
    ]
    return CorpusKernel(path, launches, other["detail"], tuple(marks), other["sweep"])


def kernels(folder: str) -> list[CorpusKernel]:
    return [read(p) for p in sorted((FOLDER / folder).glob("*.cu"))]


def cases(folder: str) -> list[tuple[CorpusKernel, str]]:
    """Every kernel with the name of each of its launches."""
    return [(k, name) for k in kernels(folder) for name in k.launches]
