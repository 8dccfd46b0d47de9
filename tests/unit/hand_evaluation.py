"""A hand-made evaluation with every kind of row, and a trace, for renderers and schemas."""

from __future__ import annotations

import numpy as np

from tests.unit.hand import COUNTED, global_site, shared_site, strided
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.contracts.bank_conflicts import _diagnostic as bank_diagnostic
from warpgauge.contracts.lines import by_line
from warpgauge.contracts.memory_access import _diagnostic as memory_diagnostic
from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.diagnostics.faults import fault_diagnostic
from warpgauge.evaluate.needs import Fit, Needs
from warpgauge.evaluate.record import Evaluation, Run
from warpgauge.evaluate.resources import KernelUse
from warpgauge.evaluate.trace import TraceResult
from warpgauge.evidence import Counters, Coverage, Fault, Location, Provenance
from warpgauge.ptx.needs import Construct
from warpgauge.ptx.needs_table import NEEDS as NEEDS_TABLE
from warpgauge.ptx.needs_table import Need

SOURCE = """\
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tile[32][32];
  int row = blockIdx.x * 32 + threadIdx.x;
  int col = blockIdx.y * 8 + threadIdx.y;
\tfloat acc = A[row * K];
  tile[threadIdx.y][threadIdx.x] = acc;
  C[row * N + col] = tile[threadIdx.x][threadIdx.y];
}
"""
COLUMN = global_site(strided(4096), 4, line=5, requests=64)
MEMORY = memory_diagnostic(by_line([COLUMN], "global")[0], 0.125, 0.97, 0.75, True)
LINES = by_line([shared_site(strided(128), 4, line=7, requests=64)], "shared")
BANKS = bank_diagnostic(LINES[0], LINES, 0, 0.5)
RACE = fault_diagnostic(
    Fault(
        "SAF601",
        Location("kernel.cu", 7, 22),
        "warp 3 reads tile[96] that warp 0 wrote without a barrier between them",
        (0, 0, 0),
        (0, 3, 0),
        ((Location("kernel.cu", 6, 3), "earlier write"),),
        count=12,
    ),
    shape={"M": 256},
)
NOTE = Diagnostic("PRB908", "note", "no ragged small shape: edges stay untested")
UNWRITTEN = Diagnostic(
    "NUM505",
    "error",
    "C: 1 of 65,536 elements were never written, first C[255, 255], at M=256, N=256, K=256 (judge, declared inputs)",
    Span(Location("kernel.cu", 7), label="stored here"),
    help="check the grid",
    evidence={"produced": float("nan"), "rel_l2": float("inf"), "index": [255, 255]},
)


def _need(name: str) -> Need:
    return next(row for row in NEEDS_TABLE if row.name == name)


NEEDS = Needs(
    "sm_90",
    (Construct(_need("cp.async"), Location("kernel.cu", 6), 40), Construct(_need("wgmma"), Location("", 0), 3)),
    ("gemm: a cooperative launch, all blocks resident at once",),
    (Fit("sm_80", "sm_80", "wgmma needs sm_90a"), Fit("sm_90", "sm_90a")),
)
RESOURCES = (KernelUse("gemm", 40, 4096, 32768, 0, 0, 0), KernelUse("fill", 8, 0, 0, 0, 0, 0))
BLOCKS = Coverage(256, 256, "blocks")
KERNELS = Coverage(1, 1, "kernels")
ELEMENTS = Coverage(65536, 65536, "elements")
QUOTED = Provenance("quoted", "ptxas")
INFINITE = float("inf")
ROWS = (
    ContractResult("memory_access", Verdict.FAIL, True, 0.125, 0.75, "efficiency", COUNTED, BLOCKS, (MEMORY,)),
    ContractResult("bank_conflicts", Verdict.FAIL, True, 1984, 0, "conflicts", COUNTED, BLOCKS, (BANKS,)),
    ContractResult("registers", Verdict.PASS, False, 0, 0, "bytes spilled", QUOTED, KERNELS),
    ContractResult("numerics", Verdict.FAIL, True, INFINITE, 1e-5, "rel. L2", COUNTED, ELEMENTS, (UNWRITTEN,)),
    ContractResult("safety", Verdict.FAIL, True, 1, 0, "findings", COUNTED, BLOCKS, (RACE,)),
    ContractResult("divergence", Verdict.UNKNOWN, False, reason="this contract is not built yet"),
    ContractResult("target", Verdict.NOT_ASKED, False, reason="the problem sets no target"),
)


def evaluation(*rows: ContractResult, candidate: str = "lanes_over_rows", **more: object) -> Evaluation:
    """An evaluation with these rows (default: one of each kind) and their diagnostics."""
    rows = rows or ROWS
    run = Run("gemm", {"M": 256}, "judge", "declared", Counters(), BLOCKS, True, 1000, 0.1, 0.2)
    found = (NOTE, *(d for row in rows for d in row.diagnostics))
    fields: dict[str, object] = {
        "diagnostics": found,
        "needs": NEEDS,
        "resources": RESOURCES,
        "runs": (run,),
        "sources": {"kernel.cu": SOURCE},
    } | more
    return Evaluation("gemm_f32", candidate, rows, **fields)  # type: ignore[arg-type]


def row(verdict: Verdict, binds: bool = True) -> ContractResult:
    coverage = BLOCKS if verdict in (Verdict.PASS, Verdict.FAIL) else None
    return ContractResult("safety", verdict, binds, 0, 0, "findings", COUNTED, coverage)


FAULT = Fault("SAF603", Location("k.cu", 4), "A[128] lies past the end of A", (1, 0, 0), (3, 0, 0))
TRACE = TraceResult(
    kernel="copy",
    grid=(4, 1, 1),
    block=(32, 1, 1),
    counters=Counters(global_load_requests=4, global_load_sectors=16),
    sites=(global_site(strided(4), 4, line=3), shared_site(strided(128), 4, line=5)),
    faults=(FAULT,),
    unsupported=(),
    completed=True,
    stopped="",
    coverage=Coverage(4, 4, "blocks"),
    outputs={"out": np.zeros(4)},
    sources={},
)
