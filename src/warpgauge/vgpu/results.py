"""Raw counters, fault entries and stop reasons -> evidence records."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from warpgauge import ptx
from warpgauge.arch.tensor import FP8_FRACTION_BITS, short_sums
from warpgauge.evidence import (
    BY_TILE,
    Counters,
    Coverage,
    Execution,
    Location,
    Provenance,
    Site,
    TracedRequest,
    Unsupported,
    WorstRequest,
)

from .activity import branches, line_activity, ptx_blocks, thread_instructions
from .faults import decode_faults, stop_fault, stray_faults, unravel
from .frame import SiteKey
from .layout import CTX, LANES, SITE, SITE_ADDRESSES, SITE_SLOTS, STOP_UNSUPPORTED
from .memory import GlobalMemory
from .outcome import Outcome
from .prepare import Prepared
from .shared_arrays import owner, plain
from .slots import Worker
from .writers import executed_writers

#: Architectures on which the wavefront rule was compared with hardware counters.
CALIBRATED = ("sm_90", "sm_90a")


def build_execution(
    prepared: Prepared, entry: str, memory: GlobalMemory, outcome: Outcome, files: Container[str], arch: str
) -> Execution:
    """Merge the workers' tables (order-independent sums; the earliest worst request) into one record."""
    sites = _sites(prepared, memory, outcome, files, arch)
    copies = {key.instruction.ptx_line for key in prepared.sites if key.asynchronous}
    faults = decode_faults(prepared, memory, outcome.workers, outcome.grid, outcome.block, files)
    faults += stray_faults(prepared, memory, outcome, files)
    total = outcome.grid[0] * outcome.grid[1] * outcome.grid[2]
    done, stopped = total if outcome.sampled is None else outcome.sampled, ""
    if outcome.stop is not None:
        done = outcome.stop.done
        if outcome.stop.timed:
            faults = [replace(fault, count=None) for fault in faults]
        extra, stopped = stop_fault(prepared, memory, outcome, files)
        faults += extra
    return Execution(
        kernel=entry,
        grid=outcome.grid,
        block=outcome.block,
        counters=_counters(tuple(s for s in sites if s.space == "global" or s.ptx_line not in copies)),
        sites=sites,
        faults=tuple(faults),
        unsupported=_unsupported(prepared, outcome, files),
        completed=outcome.stop is None,
        coverage=Coverage(done, total, "blocks"),
        thread_instructions=thread_instructions(prepared, outcome),
        checked=prepared.mode == "shadow",
        stopped=stopped,
        printed=outcome.printed,
        lines=line_activity(prepared, outcome, files),
        ptx_blocks=ptx_blocks(prepared, outcome),
        branches=branches(prepared, outcome, files),
        requests=_requests(prepared, outcome, files),
        caveat=_caveat(prepared, arch),
        footprint=outcome.footprint,
        writers=executed_writers(prepared, outcome, files),
        seconds=outcome.seconds,
        jit_seconds=prepared.seconds,
    )


def _caveat(prepared: Prepared, arch: str) -> str:
    """What the kernel's tensor-core sums lose on this architecture's hardware and not here."""
    number = int(arch.removeprefix("sm_").rstrip("af"))
    short = any(
        i.opcode == "mma" and any(short_sums(number, kind) for kind in i.types) for i in prepared.kernel.instructions
    )
    return f"FP8 products summed in f32, of which {arch} may keep about {FP8_FRACTION_BITS + 1} bits" if short else ""


def _merge(workers: list[Worker]) -> NDArray[np.int64]:
    tables = [w.sites.reshape(-1, SITE_SLOTS) for w in workers]
    merged = tables[0].copy()
    sums = slice(SITE["REQUESTS"], SITE["CONFLICTS"] + 1)
    worst = SITE["WORST"]
    for table in tables[1:]:
        merged[:, sums] += table[:, sums]
        better = table[:, worst] > merged[:, worst]
        keep = np.r_[worst : SITE["WWAVEFRONTS"] + 1, SITE_ADDRESSES : SITE_ADDRESSES + LANES]
        merged[np.ix_(better, keep)] = table[np.ix_(better, keep)]
    return merged


def _sites(
    prepared: Prepared, memory: GlobalMemory, outcome: Outcome, files: Container[str], arch: str
) -> tuple[Site, ...]:
    if prepared.mode == "run":
        return ()
    table = _merge(outcome.workers)
    out = []
    for key, row in zip(prepared.sites, table, strict=False):
        if key.space not in ("global", "shared"):
            continue
        if row[SITE["REQUESTS"]] == 0:
            continue
        location, inlined = ptx.locate(prepared.module, key.instruction, files)
        shared, copy = key.space == "shared", key.asynchronous
        assumed = arch not in CALIBRATED if shared or copy else False
        assumed |= shared and (copy or _is_loop(key))
        detail = BY_TILE if key.by_tile else "rule assumed" if assumed else ""
        out.append(
            Site(
                location=location,
                space=key.space,  # type: ignore[arg-type]
                op=key.op,  # type: ignore[arg-type]
                bytes_per_lane=int(row[SITE["WIDTH"]]),
                requests=int(row[SITE["REQUESTS"]]),
                lanes=int(row[SITE["LANES"]]),
                sectors=int(row[SITE["SECTORS"]]),
                ideal_sectors=int(row[SITE["IDEAL"]]),
                wavefronts=int(row[SITE["WAVEFRONTS"]]),
                conflicts=int(row[SITE["CONFLICTS"]]),
                worst=_worst(row, key.space, memory, outcome.grid, prepared),
                provenance=Provenance("counted", detail),
                inlined=inlined,
                ptx_line=key.instruction.ptx_line,
            )
        )
    return tuple(out)


def _requests(prepared: Prepared, outcome: Outcome, files: Container[str]) -> tuple[TracedRequest, ...]:
    """The trace buffer in words; as many rows as it holds."""
    if outcome.trace is None:
        return ()
    recorded = min(int(outcome.workers[0].ctx[CTX["TRACE_N"]]), len(outcome.trace))
    out = []
    for site, block, warp, mask, *addresses in outcome.trace[:recorded].tolist():
        key = prepared.sites[site]
        lanes = tuple(a if mask >> lane & 1 else None for lane, a in enumerate(addresses))
        location = ptx.locate(prepared.module, key.instruction, files)[0]
        where = unravel(block, outcome.grid)
        out.append(TracedRequest(location, key.instruction.ptx_line, key.space, key.op, where, warp, lanes))
    return tuple(out)


def _is_loop(key: SiteKey) -> bool:
    """Shared atomics that the hardware runs as a compare-and-swap loop: 64-bit and floating-point ones."""
    if key.op != "atomic" or {"cas", "exch"} & set(key.instruction.modifiers):
        return False
    kind = key.instruction.types[-1]
    return (kind[0] in "fb" and kind not in ("b32",)) or kind in ("u64", "s64", "b64")


def _worst(
    row: NDArray[np.int64], space: str, memory: GlobalMemory, grid: tuple[int, int, int], prepared: Prepared
) -> WorstRequest | None:
    if row[SITE["WORST"]] == 0:
        return None
    mask = int(row[SITE["WMASK"]]) & 0xFFFFFFFF
    addresses = [int(a) for a in row[SITE_ADDRESSES : SITE_ADDRESSES + LANES]]
    base, name, extent = 0, "", None
    first = next(a for lane, a in enumerate(addresses) if mask >> lane & 1)
    if space == "global":
        if found := memory.locate(first):
            name, base = found[0].name, found[0].address
    elif array := owner(prepared, first):
        name = plain(array[0].name)
        extent = (array[1], array[0].size) if array[0].size else None
    return WorstRequest(
        block=unravel(int(row[SITE["WBLOCK"]]), grid),
        warp=int(row[SITE["WWARP"]]),
        lanes=tuple(a - base if mask >> lane & 1 else None for lane, a in enumerate(addresses)),
        buffer=name,
        sectors=int(row[SITE["WSECTORS"]]),
        wavefronts=int(row[SITE["WWAVEFRONTS"]]),
        extent=extent,
    )


_TOTALS = {
    ("global", "load"): ("global_load_requests", "global_load_sectors"),
    ("global", "store"): ("global_store_requests", "global_store_sectors"),
    ("shared", "load"): ("shared_load_wavefronts", "shared_load_conflicts"),
    ("shared", "store"): ("shared_store_wavefronts", "shared_store_conflicts"),
    ("shared", "atomic"): ("shared_atomic_wavefronts", "shared_atomic_conflicts"),
}


def _counters(sites: tuple[Site, ...]) -> Counters:
    """Launch totals. As on hardware, global atomics are not part of the load and store counters. Asynchronous copies
    are among the global loads, but their writes to shared memory have counters of their own."""
    totals: dict[str, int] = {}
    for site in sites:
        names = _TOTALS.get((site.space, site.op), ())
        values = (site.requests, site.sectors) if site.space == "global" else (site.wavefronts, site.conflicts)
        for name, value in zip(names, values, strict=False):
            totals[name] = totals.get(name, 0) + value
    return Counters(**totals)


def _unsupported(prepared: Prepared, outcome: Outcome, files: Container[str]) -> tuple[Unsupported, ...]:
    reached = {int(w.ctx[CTX["STOP_INS"]]) for w in outcome.workers if int(w.ctx[CTX["STOP"]]) == STOP_UNSUPPORTED}
    instructions = prepared.kernel.instructions
    out = []
    for index in sorted(prepared.unsupported):
        i = instructions[index]
        location: Location = ptx.locate(prepared.module, i, files)[0]
        out.append(Unsupported(i.text, location, i.ptx_line, index in reached))
    return tuple(out)
