"""The code table: every diagnostic code, its default severity and its one-line meaning.

`docs/codes/<CODE>.md` is the page; tests execute the bad and the good kernel that the page shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .record import Severity

# Findings about speed are a matter of judgement. Whether a result is right, or a kernel safe, is not.
_SILENCEABLE = ("MEM", "SHM", "OCC", "UTL")
# A race, a contradicted layout or an element that nothing wrote is why values are wrong; speed matters once they are
# right. The first row that a code begins with counts.
_CAUSES_FIRST = ("SRC", "SAF615", "SAF", "NUM507", "NUM505", "NUM", "MEM", "SHM", "OCC", "UTL", "USR", "TGT", "PRB")


@dataclass(frozen=True)
class Code:
    code: str
    severity: Severity
    title: str

    @property
    def silenceable(self) -> bool:
        """Whether a comment or a baseline may silence findings of this code."""
        return self.code.startswith(_SILENCEABLE)

    @property
    def rank(self) -> int:
        """Findings are told in the order of this number: causes before what follows from them."""
        return next(rank for rank, start in enumerate(_CAUSES_FIRST) if self.code.startswith(start))


_ROWS: tuple[tuple[str, Severity, str], ...] = (
    ("MEM101", "error", "uncoalesced global access"),
    ("MEM102", "warning", "global access moves more sectors than it needs"),
    ("MEM103", "warning", "neighbouring accesses that one wider access would serve"),
    ("MEM104", "note", "pointers without __restrict__ that keep loads back"),
    ("SHM201", "error", "shared-memory bank conflict"),
    ("OCC301", "error", "register spills to local memory"),
    ("OCC302", "error", "too little in flight to hide the latency"),
    ("OCC303", "error", "fewer warps per multiprocessor than asked"),
    ("OCC304", "note", "one block more or less per multiprocessor is a small step away"),
    ("OCC305", "warning", "launch bounds that cost spills"),
    ("UTL401", "warning", "divergent branch: lanes of a warp go different ways"),
    ("UTL402", "note", "product of halves without tensor instructions"),
    ("UTL403", "warning", "#pragma unroll without effect"),
    ("NUM501", "error", "relative L2 error above the tolerance"),
    ("NUM502", "error", "element outside its derived error bound"),
    ("NUM503", "error", "NaN where the reference is finite"),
    ("NUM504", "error", "infinity where the reference is finite"),
    ("NUM505", "error", "output element never written"),
    ("NUM506", "warning", "result depends on the order of warps or blocks"),
    ("NUM507", "error", "index contradicts the declared layout"),
    ("SAF601", "error", "data race in shared memory"),
    ("SAF602", "error", "data race in global memory"),
    ("SAF603", "error", "global access out of bounds"),
    ("SAF604", "error", "shared access out of bounds"),
    ("SAF605", "error", "read of uninitialised shared memory"),
    ("SAF606", "error", "read of uninitialised global memory"),
    ("SAF607", "error", "misaligned access"),
    ("SAF608", "error", "illegal warp synchronisation mask"),
    ("SAF609", "error", "barrier that the block's threads do not all reach"),
    ("SAF610", "warning", "threads exit before a barrier"),
    ("SAF611", "error", "deadlock: every warp waits and none can go on"),
    ("SAF612", "error", "no progress: the kernel spins"),
    ("SAF613", "error", "trap executed"),
    ("SAF614", "error", "write to a read-only buffer"),
    ("SAF615", "error", "asynchronous copy not waited for"),
    ("SAF616", "error", "mbarrier used against its rules"),
    ("SRC801", "error", "compile error"),
    ("SRC802", "error", "instruction that the virtual GPU does not support"),
    ("SRC803", "error", "host code in the source"),
    ("SRC804", "error", "inline assembly that names the compiler's own registers"),
    ("PRB901", "error", "malformed problem or candidate file"),
    ("PRB902", "error", "bad expression"),
    ("PRB903", "error", "entry not found in the source"),
    ("PRB904", "error", "launch plan does not fit the device"),
    ("PRB905", "error", "argument does not match the kernel's parameters"),
    ("PRB906", "error", "reference or input function failed"),
    ("PRB907", "error", "file not found or not readable"),
    ("PRB908", "note", "no ragged small shape: edges stay untested"),
    ("PRB909", "note", "contract not decided: its evidence is missing"),
    ("PRB910", "warning", "comment that cannot silence a finding"),
)

#: Codes of contracts that problems bring along; their meaning is their author's.
_OWN = re.compile(r"USR\d{3}")

CODES: dict[str, Code] = {row[0]: Code(*row) for row in _ROWS}


def code_row(code: str) -> Code:
    """The row of a code, also of one that a problem's own contract gives; KeyError for any other text."""
    return Code(code, "error", "finding of the problem's own contract") if _OWN.fullmatch(code) else CODES[code]
