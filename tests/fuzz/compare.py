"""One kernel on the oracle and on the engine in all its modes: everything that differs, in words."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from tests.oracle import engine as oracle
from tests.oracle.case import differing
from tests.oracle.driver import Driver
from tests.virtual.engines import artifact, divergence_differences
from warpgauge.evidence import Execution
from warpgauge.ptx import parsed
from warpgauge.vgpu import GlobalMemory, execute

from .kernel import NAME, Kernel

Run = tuple[Execution, dict[str, np.ndarray]]
Sites = dict[tuple[int, str], tuple[object, ...]]  # by PTX line and space: operation, bytes per lane, counts
OTHER_MODES = ("shadow", "run", "trace")
TRACE_ROWS = 1 << 16  # what a trace has room for
COUNTS = ("requests", "lanes", "sectors", "ideal_sectors", "wavefronts", "conflicts")


def run_engine(kernel: Kernel, mode: str, threads: int = 1) -> Run:
    memory = GlobalMemory()
    addresses = [memory.add(name, data) for name, data in kernel.buffers.items()]
    execution = execute(
        artifact(kernel.text), NAME, grid=kernel.grid, block=kernel.block, arguments=[*addresses, *kernel.scalars],
        memory=memory, dynamic_shared=kernel.dynamic_shared, mode=mode, threads=threads,
    )  # fmt: skip
    return execution, {name: memory.read(name) for name in kernel.buffers}


def run_oracle(kernel: Kernel) -> oracle.OracleResult:
    places = oracle.layout(kernel.buffers)
    return oracle.run(
        parsed(kernel.text), NAME, grid=kernel.grid, block=kernel.block, buffers=kernel.buffers,
        arguments=[*places.values(), *kernel.scalars], dynamic_shared=kernel.dynamic_shared,
    )  # fmt: skip


@cache
def _driver() -> Driver:
    """One context per process: made after the fork that began it."""
    return Driver()


def run_device(kernel: Kernel) -> dict[str, np.ndarray]:
    """The buffers after a launch on the GPU of this machine."""
    sizes = [p.size for p in parsed(kernel.text).kernels[NAME].params[len(kernel.buffers) :]]
    scalars = [value.to_bytes(size, "little") for value, size in zip(kernel.scalars, sizes, strict=True)]
    return _driver().run(
        kernel.text, NAME, kernel.buffers, scalars,
        grid=kernel.grid, block=kernel.block, dynamic_shared=kernel.dynamic_shared,
    )  # fmt: skip


def differences(kernel: Kernel, modes: tuple[str, ...] = OTHER_MODES, device: bool = False) -> list[str]:
    """Empty if the engine in count mode equals the oracle, and every other mode and two threads equal that.

    With `device`, also if the outputs equal what the GPU of this machine writes.
    """
    count = run_engine(kernel, "count")
    out = _sound("count", count[0])
    if out:
        return out
    try:
        expected = run_oracle(kernel)
    except (oracle.OracleFault, oracle.Unsupported) as error:
        return [f"oracle: {error}"]
    out += _bits("count", kernel, count[1], expected.buffers, "the oracle")
    out += _sites(kernel, count[0], expected)
    # Which lane elect.sync elects is for each machine to say.
    if device and "elect.sync" not in kernel.text:
        out += _bits("count", kernel, count[1], run_device(kernel), "the GPU")
    for mode in modes:
        run = run_engine(kernel, mode)
        out += _sound(mode, run[0]) + _bits(mode, kernel, run[1], count[1], "count")
        out += _same_execution(mode, run[0], count[0])
        out += _trace(run[0]) if mode == "trace" else []
    two = run_engine(kernel, "count", threads=2)
    out += _bits("two threads", kernel, two[1], count[1], "one") + _same_execution("two threads", two[0], count[0])
    return out


def _sound(mode: str, execution: Execution) -> list[str]:
    out = [f"{mode}: stopped: {execution.stopped}"] if not execution.completed else []
    return out + [f"{mode}: fault: {f.code} {f.message} {f.location}" for f in execution.faults if not f.warning]


def _bits(
    mode: str, kernel: Kernel, got: dict[str, np.ndarray], want: dict[str, np.ndarray], reference: str
) -> list[str]:
    out = []
    for name, kind in kernel.kinds.items():
        at = differing(kind, got[name], want[name])
        if len(at):
            n = int(at[0])
            values = f"{int(got[name][n]):#x}, {reference} has {int(want[name][n]):#x}"
            out.append(f"{mode}: {name}[{n}] is {values}; {len(at)} of {len(got[name])} differ")
    return out


def _sites(kernel: Kernel, execution: Execution, expected: oracle.OracleResult) -> list[str]:
    lines = kernel.text.splitlines()
    engine: Sites = {
        (s.ptx_line, s.space): (s.op, s.bytes_per_lane, *(getattr(s, c) for c in COUNTS)) for s in execution.sites
    }
    wanted: Sites = {
        place: (a.op, a.width, *(getattr(a, c) for c in COUNTS))
        for place, a in expected.accesses.items()
        if a.space in ("global", "shared") and a.requests
    }
    out = [
        f"count: line {line} in {space} ({lines[line - 1].strip()}): engine {engine.get((line, space))},"
        f" oracle {wanted.get((line, space))} of (op, bytes, {', '.join(COUNTS)})"
        for line, space in sorted(engine.keys() | wanted.keys())
        if engine.get((line, space)) != wanted.get((line, space))
    ]
    if execution.counters != expected.totals:
        out.append(f"count: totals {execution.counters}, oracle {expected.totals}")
    if execution.thread_instructions != expected.thread_instructions:
        out.append(f"count: {execution.thread_instructions} thread instructions, oracle {expected.thread_instructions}")
    return out + [f"count: {text}" for text in divergence_differences(execution, expected)]


def _same_execution(mode: str, got: Execution, count: Execution) -> list[str]:
    """The parts of the record that do not depend on the mode."""
    names = ["completed", "stopped", "coverage", "thread_instructions", "unsupported", "lines", "branches"]
    names += [] if mode == "run" else ["counters", "sites"]
    out = []
    for name in names:
        a, b = getattr(got, name), getattr(count, name)
        if a != b:
            pairs = [(x, y) for x, y in zip(a, b, strict=False) if x != y][:1] if isinstance(a, tuple) else [(a, b)]
            out.append(f"{mode}: {name} other than in count mode: {pairs or (len(a), len(b))}")
    return out


def _trace(execution: Execution) -> list[str]:
    """The requests that were written down one by one add up to what the sites counted."""
    if len(execution.requests) >= TRACE_ROWS:
        return []
    seen: Counter[tuple[int, str]] = Counter()
    lanes: Counter[tuple[int, str]] = Counter()
    for request in execution.requests:
        place = (request.ptx_line, request.space)
        seen[place] += 1
        lanes[place] += sum(address is not None for address in request.lanes)
    return [
        f"trace: line {s.ptx_line} in {s.space}: {seen[s.ptx_line, s.space]} requests of {lanes[s.ptx_line, s.space]}"
        f" lanes were written down, {s.requests} of {s.lanes} counted"
        for s in execution.sites
        if (seen[s.ptx_line, s.space], lanes[s.ptx_line, s.space]) != (s.requests, s.lanes)
    ]
