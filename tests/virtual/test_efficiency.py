"""Efficiency of global accesses, counted by execution, on the patterns of kernels/efficiency (marked line by line)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.virtual import corpus
from warpgauge.build import compile_source
from warpgauge.candidate import TraceLaunch, trace_plan
from warpgauge.evaluate.launches import run_launches
from warpgauge.evidence import BuildArtifact, Execution
from warpgauge.vgpu import Budget, GlobalMemory

FILES = ("worked", "vectors_and_halves", "copies")

_LINE = re.compile(r"// efficiency: (.+)$")
_PART = re.compile(r"(load|store) ([\d.]+)")
_ENTRY = re.compile(r"__global__ void (\w+)\(")


def marks(file: str) -> Iterator[tuple[str, int, str, float]]:
    """(entry, line, op, efficiency) of every mark; the entry is the kernel that the line stands in."""
    entry = ""
    for number, line in enumerate((corpus.FOLDER / "efficiency" / f"{file}.cu").read_text().splitlines(), 1):
        if start := _ENTRY.search(line):
            entry = start[1]
        if mark := _LINE.search(line):
            parts = _PART.findall(mark[1])
            assert parts, f"{file}.cu:{number}: not a mark"
            for op, efficiency in parts:
                yield entry, number, op, float(efficiency)


@cache
def kernel(file: str) -> tuple[corpus.CorpusKernel, BuildArtifact]:
    """A file and its build, with all of its kernels in one: disassembling takes longer than executing."""
    found = corpus.read(corpus.FOLDER / "efficiency" / f"{file}.cu")
    return found, compile_source(found.path, entries=[keys["entry"] for keys in found.launches.values()])


@cache
def executed(file: str, entry: str) -> Execution:
    found, build = kernel(file)
    (keys,) = [keys for keys in found.launches.values() if keys["entry"] == entry]
    planned = trace_plan(TraceLaunch.model_validate(keys), entry, arch="sm_90", seed=0)
    memory = GlobalMemory()
    addresses = {name: memory.add(name, array) for name, array in planned.buffers.items()}
    (execution,) = run_launches(build, [planned.launch], memory, addresses, mode="count", budget=Budget())
    return execution


def efficiency(result: Execution, line: int, op: str) -> float:
    """Ideal over moved sectors of all global sites of one line with one operation."""
    sites = [s for s in result.sites if s.space == "global" and s.op == op and s.location.line == line]
    assert sites, f"no global {op} was counted at line {line}"
    return sum(s.ideal_sectors for s in sites) / sum(s.sectors for s in sites)


CASES = [(file, *mark) for file in FILES for mark in marks(file)]
IDS = [f"{entry}-{op}-line{line}" for _, entry, line, op, _ in CASES]


@pytest.mark.parametrize(("file", "entry", "line", "op", "wanted"), CASES, ids=IDS)
def test_a_marked_line_has_its_efficiency(file: str, entry: str, line: int, op: str, wanted: float) -> None:
    result = executed(file, entry)
    assert result.completed and not result.faults
    assert efficiency(result, line, op) == pytest.approx(wanted, abs=5e-7)


def test_every_counted_line_is_marked() -> None:
    """No global access of these files escapes: what the executions count is what the marks speak of."""
    for file in FILES:
        marked = {(entry, line, op) for entry, line, op, _ in marks(file)}
        counted = {
            (entry, site.location.line, site.op)
            for entry in {entry for entry, *_ in marked}
            for site in executed(file, entry).sites
            if site.space == "global"
        }
        assert counted == marked
