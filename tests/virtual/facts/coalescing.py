"""Global accesses: which sectors a warp's lanes touch, and nothing else, decides (F-1 to F-5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from warpgauge.build import compile_source
from warpgauge.contracts import Case, Trial, judge
from warpgauge.evidence import Execution
from warpgauge.problem.settings import CONTRACTS, ContractSettings
from warpgauge.vgpu import GlobalMemory, execute

from .execution import built, launched, of_buffer
from .record import Fact

TYPES = ("float", "half", "half2", "float4", "unsigned char", "double")
ENTRIES = tuple(f"gather<{kind}>" for kind in TYPES)
Lanes = Callable[[int], int]
Figure = tuple[float, float, str]  # sectors per request, efficiency, verdict of the memory-access contract


def verdict(execution: Execution) -> str:
    row = CONTRACTS["memory_access"]
    trial = Trial("judge", {"n": 32}, "declared", (execution,))
    settings = ContractSettings("memory_access", True, True, row.sound)
    return judge("memory_access", Case(trials=(trial,)), settings).verdict.value


def gathered(kind: str, element: Lanes) -> Figure:
    """One request of 32 lanes, lane l at element `element(l)` of type `kind`; a negative element leaves a lane out."""
    table = np.array([element(lane) for lane in range(32)], np.int32)
    build = built("patterns.cu", ENTRIES)
    a = np.zeros(1 << 19, np.uint8)
    execution = launched(build, f"gather<{kind}>", table, a=a)
    assert execution.completed and not execution.faults
    site = of_buffer(execution, "a")
    return site.sectors / site.requests, round(site.efficiency, 4), verdict(execution)


FLOAT4 = {"whole": "whole", "member": "member", "selected": "selected", "plain": "plain"}


def float4(entry: str) -> tuple[int, float, float, int]:
    """(bytes per lane in the machine code, sectors, efficiency, bytes of stack) of a load of float4 data."""
    build = built("float4.cu", tuple(FLOAT4))
    site = of_buffer(launched(build, entry), "a")
    return site.bytes_per_lane, site.sectors / site.requests, site.efficiency, build.resources[entry].stack_frame


def product_operand(form: int, entry: str) -> tuple[float, bool]:
    """(sectors per request of the load of B, efficient) in a product of 32 x 64 x 96."""
    m, n, k = 32, 64, 96
    build = compile_source(Path(__file__).parents[1] / "layouts" / "gemm.cu", defines={"INDEX": form})
    memory = GlobalMemory()
    a, b, c = (memory.add(name, np.ones(size, np.float32)) for name, size in (("a", m * k), ("b", k * n), ("c", m * n)))
    grid = (n // 32, m // 4, 1) if entry == "lanes_over_n" else (n, m // 4, 1)
    execution = execute(
        build, entry, grid=grid, block=(32, 4, 1), arguments=[a, b, c, m, n, k, n if form == 0 else k], memory=memory,
        mode="count",
    )  # fmt: skip
    sites = [s for s in execution.sites if s.worst and s.worst.buffer == "b"]
    sectors, ideal, requests = (sum(getattr(s, f) for s in sites) for f in ("sectors", "ideal_sectors", "requests"))
    return sectors / requests, ideal == sectors


def row(id: str, claim: str, kind: str, element: Lanes, sectors: int, efficiency: float, asked: str) -> Fact:
    return Fact(id, claim, partial(gathered, kind, element), (sectors, efficiency, asked))


FACTS = (
    row("F-1", "contiguous floats are four sectors", "float", lambda n: n, 4, 1.0, "PASS"),
    row("F-1", "a run at +4 bytes costs one sector more", "float", lambda n: n + 1, 5, 0.8, "PASS"),
    row("F-1", "the order of the lanes is free: reversed", "float", lambda n: 31 - n, 4, 1.0, "PASS"),
    row("F-1", "the order of the lanes is free: permuted", "float", lambda n: n * 7 % 32, 4, 1.0, "PASS"),
    row("F-1", "one address for all is one sector, all of it needed", "float", lambda n: 9, 1, 1.0, "PASS"),
    row("F-1", "a partial warp of 20 lanes wastes nothing", "float", lambda n: n if n < 20 else -1, 3, 1.0, "PASS"),
    row("F-1", "a step of two floats uses half", "float", lambda n: 2 * n, 8, 0.5, "FAIL"),
    row("F-1", "four bytes each from 16 are a quarter", "float", lambda n: 4 * n, 16, 0.25, "FAIL"),
    row("F-1", "bytes: a whole warp fits one sector", "unsigned char", lambda n: n, 1, 1.0, "PASS"),
    row("F-1", "doubles: contiguous is eight sectors", "double", lambda n: n, 8, 1.0, "PASS"),
    row("F-2", "0x1000, 0x1004, ... is perfect", "float", lambda n: 1024 + n, 4, 1.0, "PASS"),
    row("F-2", "a step of 32 bytes: a sector for every float", "float", lambda n: 8 * n, 32, 0.125, "FAIL"),
    row("F-2", "a step of 32 bytes: a sector for every half", "half", lambda n: 16 * n, 32, 0.0625, "FAIL"),
    row("F-2", "a step of 8192 bytes costs the same", "float", lambda n: 2048 * n, 32, 0.125, "FAIL"),
    row("F-3", "a step of two halves uses half of four sectors", "half", lambda n: 2 * n, 4, 0.5, "FAIL"),
    row("F-3", "scalar halves ask for two sectors a request", "half", lambda n: n, 2, 1.0, "PASS"),
    row("F-3", "half2 asks for four", "half2", lambda n: n, 4, 1.0, "PASS"),
    row("F-3", "eight halves a lane ask for sixteen", "float4", lambda n: n, 16, 1.0, "PASS"),
    Fact("F-4", "B[k*N + n], lanes over n: coalesced", partial(product_operand, 0, "lanes_over_n"), (4, True)),
    Fact("F-4", "B[k*N + n], lanes over k: 32 sectors", partial(product_operand, 0, "lanes_over_k"), (32, False)),
    Fact("F-4", "B[n*K + k], lanes over n: 32 sectors", partial(product_operand, 1, "lanes_over_n"), (32, False)),
    Fact("F-4", "B[n*K + k], lanes over k: coalesced", partial(product_operand, 1, "lanes_over_k"), (4, True)),
    Fact("F-5", "neighbouring float4 loads are ideal", partial(float4, "whole"), (16, 16, 1.0, 0)),
    Fact("F-5", ".x of each wastes three quarters", partial(float4, "member"), (4, 16, 0.25, 0)),
    Fact("F-5", "four lanes per vector and a select move no less", partial(float4, "selected"), (16, 4, 1.0, 0)),
    Fact("F-5", "the same data as plain floats", partial(float4, "plain"), (4, 4, 1.0, 0)),
)  # fmt: skip
