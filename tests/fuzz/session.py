"""Batches of kernels in child processes: seeds in, failures out, each shrunk and written to a folder.

A batch is one seeded Hypothesis run, so its number is all that is needed to see it again. The parent compiles the
engine's runtime functions once and forks, so that children need not; a child that crashes leaves the kernel it ran.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.database import InMemoryExampleDatabase

from .compare import OTHER_MODES, differences
from .kernel import Kernel, build
from .tree import programs

NOWHERE = os.path.join(os.devnull, "none")  # a cache folder that cannot be: thousands of kernels would fill a real one


class Difference(AssertionError):
    """The engines disagree; the text says where."""


@dataclass(frozen=True)
class Batch:
    number: int
    kernels: int
    every: int  # the other modes take turns: each kernel runs in `every` of them
    device: bool = False  # also on the GPU of this machine
    seconds: float = 3600.0  # after which it is ended: a kernel hangs


def modes_of(kernel: Kernel, every: int) -> tuple[str, ...]:
    """Which other modes a kernel runs in: decided by its text, so that shrinking and replaying decide alike."""
    start = len(kernel.text) % len(OTHER_MODES)
    return (OTHER_MODES * 2)[start : start + every]


def without_cache() -> None:
    os.environ["WARPGAUGE_CACHE"] = NOWHERE
    logging.getLogger("warpgauge.store").setLevel(logging.ERROR)


def run_batch(batch: Batch, shrink: bool, before: Callable[[Kernel], None]) -> tuple[int, Kernel | None, str]:
    """(kernels run, the smallest failing one or None, what differs in it)."""
    ran = 0
    failing: list[tuple[Kernel, str]] = []

    @seed(batch.number)
    @settings(
        max_examples=batch.kernels,
        database=InMemoryExampleDatabase(),
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, *([Phase.shrink] if shrink else [])],
    )
    @given(programs)
    def check(program: object) -> None:
        nonlocal ran
        kernel = build(program)  # type: ignore[arg-type]
        ran += not failing
        before(kernel)
        found = differences(kernel, modes_of(kernel, batch.every), batch.device)
        if found:
            failing.append((kernel, "\n".join(found)))
            raise Difference(found[0])

    try:
        check()
    except (Difference, hypothesis.errors.FlakyFailure):
        # What a shrunken example prints last is the smallest.
        kernel, text = failing[-1]
        return ran, kernel, text
    return ran, None, ""


def notes(batch: Batch, kernel: Kernel, text: str) -> str:
    """Comment lines that say how to launch the kernel and what differed."""
    words = [f"seed {batch.number}, grid {kernel.grid}, block {kernel.block}"]
    words += [f"dynamic shared memory {kernel.dynamic_shared} bytes, scalars {kernel.scalars}", *text.splitlines()]
    return "".join(f"// {word}\n" for word in words)


def write_failure(folder: Path, name: str, batch: Batch, kernel: Kernel, text: str) -> None:
    """The kernel's PTX with what differed, and its buffers beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.ptx").write_text(kernel.text + notes(batch, kernel, text), encoding="utf-8")
    buffers = {n: {"kind": kernel.kinds[n], "values": a.tolist()} for n, a in kernel.buffers.items()}
    launch = {"grid": kernel.grid, "block": kernel.block, "dynamic_shared": kernel.dynamic_shared}
    launch |= {"scalars": kernel.scalars, "buffers": buffers}
    (folder / f"{name}.json").write_text(json.dumps(launch), encoding="utf-8")


def _child(batch: Batch, shrink: bool, folder: Path, result: Connection) -> None:
    name = f"running-{batch.number}"

    def before(kernel: Kernel) -> None:
        write_failure(folder, name, batch, kernel, "the process ended while it ran")

    ran, kernel, text = run_batch(batch, shrink, before)
    if kernel is not None:
        write_failure(folder, f"seed-{batch.number}", batch, kernel, text)
    for suffix in ("ptx", "json"):
        (folder / f"{name}.{suffix}").unlink(missing_ok=True)
    result.send((ran, text.partition("\n")[0]))


def run_session(batches: list[Batch], jobs: int, shrink: bool, folder: Path, tell: Callable[[str], None]) -> int:
    """Number of batches with a failure. `tell` gets a line per batch."""
    without_cache()
    folder.mkdir(parents=True, exist_ok=True)
    tell("compiling the engine's runtime functions")
    run_batch(Batch(0, 15, len(OTHER_MODES)), False, lambda kernel: None)
    context = multiprocessing.get_context("fork")
    waiting = list(batches)
    running: dict[int, tuple[ForkProcess, Connection, float]] = {}
    limits = {batch.number: batch.seconds for batch in batches}
    done = failures = 0
    start, total = time.monotonic(), sum(b.kernels for b in batches)
    while waiting or running:
        while waiting and len(running) < jobs:
            batch = waiting.pop(0)
            result, given_to = context.Pipe(duplex=False)
            process = context.Process(target=_child, args=(batch, shrink, folder, given_to), daemon=True)
            process.start()
            running[batch.number] = process, result, time.monotonic()
        for number, (process, result, since) in list(running.items()):
            process.join(0.1 / jobs)
            if process.exitcode is None and time.monotonic() - since < limits[number]:
                continue
            del running[number]
            what = f"crashed with exit code {process.exitcode}, see running-{number}.ptx"
            if process.exitcode is None:
                process.kill()
                what = f"did not end in {limits[number]:.0f} s, see running-{number}.ptx"
            if process.exitcode == 0:
                ran, what = result.recv()
                done += ran
            failures += bool(what)
            pace = done / max(time.monotonic() - start, 1e-9)
            tell(f"seed {number}: {what or 'same'} | {done:,} of {total:,} kernels, {pace:.1f}/s, {failures} failures")
    return failures
