"""`execute`: run one launch of a kernel on the virtual GPU."""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from warpgauge import ptx
from warpgauge.arch import limits
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.sass import AccessWidth, AtomicForm, atomic_forms, width_map

from .budget import Budget
from .console import Console
from .footprint import footprint_of
from .functions import function_numbers
from .layout import (
    ARENA_BASE,
    ATOMIC_KIND,
    COMPARE_KIND,
    CTX,
    HOST_WRITER,
    LANES,
    LOAD_KIND,
    MAX_WARPS,
    MERGING_ATOMIC_KIND,
    STOP_CANCELLED,
    STORE_KIND,
)
from .memory import GlobalMemory
from .order import Order
from .outcome import Outcome
from .prepare import Mode, Prepared, prepare
from .results import build_execution
from .schedule import FUEL, Resident, run_blocks
from .slots import BlockSlot, GlobalShadow, Worker, address, aligned
from .sync import Bookkeeper
from .writers import Watched, last_writers

Argument = int | float | bytes
_KINDS = {"load": LOAD_KIND, "store": STORE_KIND, "atomic": ATOMIC_KIND}
_ATOMIC_KINDS: dict[AtomicForm, int] = {
    "merging": MERGING_ATOMIC_KIND,
    "plain": ATOMIC_KIND,
    "loop": ATOMIC_KIND,
    "compare": COMPARE_KIND,
}
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def execute(
    build: BuildArtifact,
    entry: str,
    *,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: Sequence[Argument],
    memory: GlobalMemory,
    dynamic_shared: int = 0,
    mode: Mode = "shadow",
    budget: Budget | None = None,
    user_files: Container[str] | None = None,
    threads: int | None = None,
    cooperative: bool = False,
    order: Order | None = None,
    watch: Watched | None = None,
    sample: NDArray[np.int64] | None = None,
    footprint: bool = False,
    constants: Mapping[str, bytes] = MappingProxyType({}),
) -> Execution:
    """Run a launch to its end (or to where it cannot go on); its outputs are left in `memory`.

    `arguments`: one per kernel parameter, an int (device address or integer, packed two's complement to the parameter's
    size), a float (f16, f32 or f64 by size) or the exact bytes. `mode`: run, count, shadow (count, races, uninitialised
    reads) or trace. `cooperative` launches may use a grid-wide barrier. `order` permutes blocks and warps (None: by
    their numbers). `watch` marks bytes of buffers whose last writers are wanted; only shadow mode knows them.
    `sample` holds the numbers of the blocks to run (None: all); `footprint` asks for what blocks did to global memory.
    `constants`: whole contents of `__constant__` variables by symbol, for those that `memory` does not hold from an
    earlier launch. Results of kernels whose blocks do not race do not depend on `threads`; shadow mode, kernels with
    global atomics and permuted orders use one.
    Raises WarpgaugeError PRB903 (no such entry), PRB904 (launch that cannot be), PRB905 (arguments do not fit).
    """
    budget = budget or Budget()
    prepared = prepare(build, entry, mode)
    kernel = prepared.kernel
    warps = _check_shape(kernel, grid, block)
    params = pack_arguments(kernel, arguments)
    blocks = grid[0] * grid[1] * grid[2]
    workspace = _grid_workspace(memory, blocks, budget) if cooperative else 0
    variables, relocations = _place_variables(prepared, memory, build.key, constants)
    param_address = _place(memory, f"(parameters of {entry} {len(memory.buffers)})", params)
    start = time.perf_counter()
    arena = memory.arena
    _relocate(arena, relocations)
    shared = prepared.dynamic_at + dynamic_shared if dynamic_shared else prepared.shared_static
    most = limits(build.arch).shared_per_block_optin
    if shared > most:
        static = prepared.shared_static
        message = f"{shared} bytes of shared memory ({static} of them static): {build.arch} has {most} per block"
        raise WarpgaugeError(Diagnostic("PRB904", "error", message))
    ranges, table = memory.ranges(), np.array(variables or [0], np.int64)
    tids = _thread_indices(block, warps)
    started, turns = (order.blocks(blocks), order.warps(warps)) if order else (None, None)
    if sample is not None:
        started = sample if order is None else sample[order.blocks(sample.size)]
    running = blocks if started is None else int(started.size)
    resumes = np.array(prepared.resumes or (0,), np.int32)
    fields = {
        "GDELTA": address(arena) - ARENA_BASE,
        "BUFFERS": address(ranges),
        "NBUFFERS": ranges.size // 3,
        "PARAMS": address(params),
        "NTHREADS": block[0] * block[1] * block[2],
        "NWARPS": warps,
        **{f"B{axis}": n for axis, n in zip("XYZ", block, strict=True)},
        **{f"G{axis}": n for axis, n in zip("XYZ", grid, strict=True)},
        "SHARED_BYTES": shared,
        "DYNAMIC_BYTES": dynamic_shared,
        "LOCAL_BYTES": prepared.local_bytes,
        "STATE_BYTES": prepared.state_bytes,
        "PARTED_BYTES": prepared.parted_bytes,
        "NBLOCKS": blocks,
        "CONSTANTS": address(resumes),
        "RESUMES": len(prepared.resumes),
        "TIDS": address(tids),
        "VARIABLES": address(table),
        "PARAM_ADDRESS": param_address,
        "GRID_WORKSPACE": workspace,
        "ENTRY": prepared.entry_block,
        "FUEL": FUEL,
        "BLOCK_ORDER": 0 if started is None else address(started),
        "WARP_ORDER": 0 if turns is None else address(turns),
    }
    widths = _widths(prepared, build)
    count = _thread_count(prepared, 1 if order else threads, running)
    workers = [Worker(prepared, fields, widths) for _ in range(count)]
    shadow = None
    slots: list[BlockSlot] = []
    if mode == "shadow":
        shadow = GlobalShadow(memory.initialised, prepared.granule_shift["global"], HOST_WRITER)
        shadow.attach(workers[0].ctx)
        keeper = Bookkeeper(workers[0].ctx, slots, blocks, warps)
        workers[0].ctx[CTX["CALLBACK"]] = keeper.pointer
    trace = _trace_area(workers, mode)
    console = Console(workers[0].ctx, slots, prepared.local, prepared.local_bytes, arena) if prepared.prints else None

    def make_slot() -> BlockSlot:
        slot = BlockSlot.make(prepared, warps, shared, len(slots))
        slots.append(slot)
        return slot

    stops = _run(prepared, workers, running, make_slot, budget, started, arena)
    marks = None
    strays: list[tuple[int, int, int]] = []
    if shadow is not None:
        if (gaps := memory.gaps()) is not None:
            strays = shadow.strays(gaps, HOST_WRITER)
        shadow.mark_written(memory.initialised)
        marks = footprint_of(prepared, memory, params, shadow, workers[0]) if footprint else None
    outcome = Outcome(
        workers=workers,
        stop=next((s for s in stops if s is not None), None),
        grid=grid,
        block=block,
        seconds=time.perf_counter() - start,
        trace=trace,
        printed=console.text if console else "",
        sampled=None if sample is None else running,
        footprint=marks,
        watched=last_writers(memory, shadow, watch) if shadow is not None and watch is not None else None,
        strays=tuple(strays),
    )
    files = build.sources.keys() if user_files is None else user_files
    return build_execution(prepared, entry, memory, outcome, files, build.arch)


def _run(
    prepared: Prepared,
    workers: list[Worker],
    blocks: int,
    make_slot: object,
    budget: Budget,
    order: NDArray[np.int64] | None,
    arena: NDArray[np.uint8],
) -> list[Resident | None]:
    """Share the grid out in contiguous ranges, one per worker."""
    assert callable(make_slot)
    alone = arena if len(workers) == 1 else None
    lock = threading.Lock()

    def slot() -> BlockSlot:
        with lock:
            return make_slot()

    cuts = [blocks * n // len(workers) for n in range(len(workers) + 1)]
    stops: list[Resident | None] = [None] * len(workers)
    failures: list[BaseException] = []

    def go(n: int) -> None:
        try:
            stops[n] = run_blocks(prepared, workers[n], cuts[n], cuts[n + 1], slot, budget, order, alone)
        except BaseException as error:
            failures.append(error)

    pool = [threading.Thread(target=go, args=(n,)) for n in range(len(workers))]
    try:
        for thread in pool:
            thread.start()
        for thread in pool:
            thread.join()
    except BaseException:
        # Ctrl-C: generated code must have returned before the memory that it writes to goes away.
        for worker in workers:
            worker.ctx[CTX["STOP"]] = STOP_CANCELLED
        for thread in pool:
            thread.join()
        raise
    if failures:
        raise failures[0]
    return stops


def _thread_count(prepared: Prepared, threads: int | None, blocks: int) -> int:
    if prepared.mode in ("shadow", "trace") or prepared.global_atomics or prepared.prints:
        return 1
    wanted = threads if threads is not None else min(8, os.cpu_count() or 1)
    return max(1, min(wanted, blocks // 2))


def _check_shape(kernel: ptx.Kernel, grid: tuple[int, int, int], block: tuple[int, int, int]) -> int:
    total = block[0] * block[1] * block[2]
    if min(*grid, *block) < 1 or total > LANES * MAX_WARPS:
        message = f"grid {grid}, block {block}: every extent must be at least 1 and a block at most 1024 threads"
        raise WarpgaugeError(Diagnostic("PRB904", "error", message))
    limit = kernel.directives.get("maxntid")
    if limit and total > np.prod(limit):
        message = (
            f"block of {total} threads, but the kernel was compiled for at most {int(np.prod(limit))} (launch bounds)"
        )
        raise WarpgaugeError(Diagnostic("PRB904", "error", message))
    return -(-total // LANES)


def pack_arguments(kernel: ptx.Kernel, arguments: Sequence[Argument]) -> NDArray[np.uint8]:
    """The kernel's parameter block. Raises WarpgaugeError PRB905 naming the parameter that does not fit."""
    if len(arguments) != len(kernel.params):
        message = f"kernel '{kernel.name}' takes {len(kernel.params)} parameters, {len(arguments)} arguments given"
        raise WarpgaugeError(Diagnostic("PRB905", "error", message))
    out = aligned(max(kernel.param_bytes, 8))
    for n, (p, value) in enumerate(zip(kernel.params, arguments, strict=True)):
        try:
            raw = _pack(value, p.size)
        except (ValueError, OverflowError, struct.error) as error:
            message = f"argument {n} of '{kernel.name}' is {value!r}; parameter {n} has {p.size} bytes: {error}"
            raise WarpgaugeError(Diagnostic("PRB905", "error", message)) from error
        out[p.offset : p.offset + p.size] = np.frombuffer(raw, np.uint8)
    return out


def _pack(value: Argument, size: int) -> bytes:
    if isinstance(value, bytes):
        if len(value) != size:
            raise ValueError(f"{len(value)} bytes given")
        return value
    if isinstance(value, float):
        if size not in _FLOATS:
            raise ValueError("a float needs a parameter of 2, 4 or 8 bytes")
        return struct.pack(_FLOATS[size], value)
    value = int(value)
    if not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
        raise OverflowError("the integer does not fit")
    return (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def _grid_workspace(memory: GlobalMemory, blocks: int, budget: Budget) -> int:
    """What the driver gives a cooperative launch: zeroed words that the grid barrier counts in."""
    if blocks > budget.resident_blocks:
        message = f"a cooperative grid of {blocks} blocks: at most {budget.resident_blocks} can be resident together"
        raise WarpgaugeError(Diagnostic("PRB904", "error", message))
    name = f"(grid workspace {len(memory.buffers)})"
    return memory.add(name, np.zeros(64, np.uint8), internal=True)


def _place(memory: GlobalMemory, name: str, data: NDArray[np.uint8]) -> int:
    return memory.add(name, data, internal=True, writable=False)


def _place_variables(
    prepared: Prepared, memory: GlobalMemory, key: str, given: Mapping[str, bytes]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Addresses of the kernel's module variables; they start as the PTX or `given` says, once per GlobalMemory."""
    addresses, fresh = {}, []
    for v in prepared.variables:
        name = f"{v.name}@{key[:12]}"
        if name in memory.buffers:
            addresses[v.name] = memory.buffers[name].address
            continue
        data = np.frombuffer(given.get(v.name) or v.init or bytes(max(v.size, 1)), np.uint8)
        addresses[v.name] = memory.add(name, data, writable=v.space != "const")
        if v.name not in given:
            fresh.append(v)
    known = {**function_numbers(prepared.module), **addresses}
    patches = [
        (addresses[v.name] + at, known[target.split("+")[0]] + int([*target.split("+"), "0"][1]))
        for v in fresh
        for at, target in v.relocations
    ]
    return [addresses[v.name] for v in prepared.variables], patches


def _relocate(arena: NDArray[np.uint8], patches: list[tuple[int, int]]) -> None:
    for place, value in patches:
        at = place - ARENA_BASE
        arena[at : at + 8] = np.frombuffer(value.to_bytes(8, "little"), np.uint8)


def _thread_indices(block: tuple[int, int, int], warps: int) -> NDArray[np.uint8]:
    """tid.x, .y, .z of every lane: warps x 3 x 32 ints."""
    linear = np.arange(warps * LANES, dtype=np.int64)
    axes = [linear % block[0], linear // block[0] % block[1], linear // (block[0] * block[1])]
    table = np.stack([a.reshape(warps, LANES) for a in axes], axis=1).astype(np.int32)
    out = aligned(table.nbytes)
    out[:] = table.reshape(-1).view(np.uint8)
    return out


def _widths(prepared: Prepared, build: BuildArtifact) -> NDArray[np.int64]:
    """Per site: bytes per lane to count, distance of the first byte, counted or not, kind of access."""
    fused, forms = _sass_facts(prepared.kernel, build.sass)
    rows = []
    for site in prepared.sites:
        line = site.instruction.ptx_line
        width, delta, counted = site.bytes_per_lane, 0, 1
        # Merging is a matter of banks; elsewhere the kind says which way the bytes go, and inputs are only read.
        kind = STORE_KIND if site.space == "shared" and not site.merges else _KINDS[site.op]
        if site.op == "atomic":
            kind = _ATOMIC_KINDS[forms.get(line) or _assumed_form(site.instruction)]
        elif entry := fused.get(line):
            width, delta, counted = entry.bytes_per_lane, entry.offset_delta, int(entry.counted)
        rows.append((width, delta, counted, kind))
    return np.array(rows, np.int64).reshape(-1, 4)


@lru_cache(maxsize=64)
def _sass_facts(kernel: ptx.Kernel, sass: str) -> tuple[Mapping[int, AccessWidth], Mapping[int, AtomicForm]]:
    """What ptxas made of the kernel's accesses and atomics, by PTX line; nothing is known without SASS."""
    if not sass:
        return {}, {}
    return width_map(kernel, sass, kernel.name).entries, atomic_forms(sass, kernel.name)


def _assumed_form(i: ptx.Instruction) -> AtomicForm:
    """What ptxas makes of an atomic, for PTX without SASS."""
    if "cas" in i.modifiers:
        return "compare"
    one = i.operands[-1] == ptx.Immediate("int", 1) and "add" in i.modifiers and i.types[-1] in ("u32", "s32")
    return "merging" if one else "plain"


_TRACE_ROWS = 1 << 16


def _trace_area(workers: list[Worker], mode: Mode) -> NDArray[np.int64] | None:
    if mode != "trace":
        return None
    area = np.zeros((_TRACE_ROWS, 36), np.int64)
    workers[0].ctx[CTX["TRACE"]] = address(area)
    workers[0].ctx[CTX["TRACE_CAP"]] = _TRACE_ROWS
    return area
