"""What the authors say about their kernels: labels, read from the comments of each `kernel.cu`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

KERNELS = Path(__file__).parent / "kernels"
ADJUDICATED = Path(__file__).with_name("adjudicated.toml")

# Kind of fault -> codes of which one must be reported for it.
KINDS: dict[str, tuple[str, ...]] = {
    "uncoalesced": ("MEM101",),
    "bank-conflict": ("SHM201",),
    "spill": ("OCC301",),
    "divergent": ("UTL401",),
    "race-shared": ("SAF601",),
    "race-global": ("SAF602",),
    "out-of-bounds-global": ("SAF603",),
    "out-of-bounds-shared": ("SAF604",),
    "uninitialised-shared": ("SAF605",),
    "uninitialised-global": ("SAF606",),
    "misaligned": ("SAF607",),
    "warp-mask": ("SAF608",),
    "barrier": ("SAF609", "SAF611"),
    "deadlock": ("SAF611", "SAF612", "SAF609"),
    "endless": ("SAF612",),
    "trap": ("SAF613",),
    "writes-input": ("SAF614",),
    "wrong-result": ("NUM501", "NUM502"),
    "imprecise": ("NUM501", "NUM502"),
    "nan": ("NUM503",),
    "infinity": ("NUM504",),
    "unwritten": ("NUM505",),
    "order-dependent": ("NUM506",),
    "layout": ("NUM507",),
    "compile-error": ("SRC801",),
    "host-code": ("SRC803",),
}
# Found in outputs, which have no line in the source.
WITHOUT_A_LINE = ("NUM", "OCC")
_COMMENT = re.compile(r"//\s*(defect-also|defect|consequence):\s*([\w-]+)")


@dataclass(frozen=True)
class Label:
    """One fault. `word` is defect, defect-also (another place of a fault) or consequence (follows from a fault)."""

    word: str
    kind: str
    line: int

    @property
    def codes(self) -> tuple[str, ...]:
        return KINDS[self.kind]


@dataclass(frozen=True)
class Labelled:
    hand: str
    name: str
    labels: tuple[Label, ...]

    @property
    def folder(self) -> Path:
        return KERNELS / self.hand / self.name

    @property
    def id(self) -> str:
        return f"{self.hand}/{self.name}"

    @property
    def good(self) -> bool:
        return not self.labels

    @property
    def defects(self) -> tuple[Label, ...]:
        return tuple(label for label in self.labels if label.word == "defect")


def labels_of(text: str) -> tuple[Label, ...]:
    """KeyError for a kind that is not in the table."""
    found = [
        Label(word, kind, number)
        for number, line in enumerate(text.splitlines(), 1)
        for word, kind in _COMMENT.findall(line)
    ]
    for label in found:
        assert label.codes
    return tuple(found)


def corpus() -> tuple[Labelled, ...]:
    folders = sorted(path.parent for path in KERNELS.glob("*/*/kernel.cu"))
    return tuple(Labelled(f.parent.name, f.name, labels_of((f / "kernel.cu").read_text())) for f in folders)


def adjudicated() -> tuple[dict[str, str], ...]:
    """Labels that were changed after warpgauge had been run: kernel, was, now, reason, found by."""
    return tuple(tomllib.loads(ADJUDICATED.read_text()).get("change", ())) if ADJUDICATED.exists() else ()
