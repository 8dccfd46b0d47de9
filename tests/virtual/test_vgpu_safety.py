"""The safety contract on the kernel corpus: every planted fault at its line, nothing on the clean twins."""

from __future__ import annotations

import pytest

from tests.virtual import corpus
from warpgauge.candidate import TraceLaunch
from warpgauge.evaluate.trace import TraceResult, trace_kernel
from warpgauge.evidence import Fault
from warpgauge.vgpu import Budget

pytestmark = pytest.mark.usefixtures("ptx_alone")


def trace(kernel: corpus.CorpusKernel, launch: str) -> TraceResult:
    keys = dict(kernel.launches[launch])
    plan = TraceLaunch.model_validate(keys)
    # A correct kernel moves on, however slow a busy machine is.
    patience = 60.0 if kernel.path.parent.name == "clean" else 1.0
    return trace_kernel(kernel.path, keys["entry"], plan, budget=Budget(no_progress_seconds=patience))


def _named(fault: Fault) -> set[int]:
    return {fault.location.line, *(place.line for place, _ in fault.related)}


def _id(case: tuple[corpus.CorpusKernel, str]) -> str:
    return f"{case[0].path.stem}{'@' + case[1] if case[1] else ''}"


@pytest.mark.parametrize("case", corpus.cases("faulty"), ids=_id)
def test_faulty_kernel_is_found_at_its_line(case: tuple[corpus.CorpusKernel, str]) -> None:
    kernel, launch = case
    result = trace(kernel, launch)
    story = "\n".join(
        f"{f.code} {f.location.line} {f.message} {[(p.line, w) for p, w in f.related]}" for f in result.faults
    )
    for mark in kernel.marked(launch, "expect", "related"):
        hits = [f for f in result.faults if f.code in mark.codes and mark.line in _named(f)]
        assert hits, f"line {mark.line} should be named by {set(mark.codes)}; found:\n{story}"
    allowed = kernel.marked(launch, "expect", "related", "also")
    for fault in result.faults:
        fits = any(fault.code in m.codes and fault.location.line == m.line for m in allowed)
        assert fits, f"{fault.code} at line {fault.location.line} is not planted there; found:\n{story}"


@pytest.mark.parametrize("kernel", [k for k in corpus.kernels("faulty") if k.detail], ids=lambda k: k.path.stem)
def test_first_occurrence_says_where_and_who(kernel: corpus.CorpusKernel) -> None:
    want = kernel.detail
    launch = next(iter(kernel.launches))
    fault = next(f for f in trace(kernel, launch).faults if f.code == want["code"])
    if "block" in want:
        assert list(fault.block or ()) == want["block"]
    if "thread" in want:
        assert list(fault.thread or ()) == want["thread"]
    if "buffer" in want:
        assert f"{want['buffer']}[{want['index']}]" in fault.message


@pytest.mark.parametrize("case", corpus.cases("clean"), ids=_id)
def test_clean_twin_reports_nothing(case: tuple[corpus.CorpusKernel, str]) -> None:
    kernel, launch = case
    result = trace(kernel, launch)
    assert result.completed, result.stopped
    assert result.faults == ()


@pytest.mark.parametrize(
    ("name", "writer", "reader"),
    [
        ("prefix_in_place_in_a_warp", "thread (1, 0, 0) writes", "which thread (2, 0, 0) read"),
        ("second_warp_writes_what_both_read", "thread (32, 0, 0) writes", "which a thread of warp 0 read"),
        ("two_blocks_read_one_writes", "block (1, 0, 0), thread (0, 0, 0) writes", "a thread of block (0, 0, 0) read"),
    ],
)
def test_a_writer_that_read_last_is_not_named_as_the_reader_it_races_with(name: str, writer: str, reader: str) -> None:
    kernel = corpus.read(corpus.FOLDER / "faulty" / f"{name}.cu")
    (fault,) = [f for f in trace(kernel, "").faults if " writes " in f.message]
    assert writer in fault.message and reader in fault.message
    assert not fault.related  # the place of that read is not remembered: none is better than a wrong one
