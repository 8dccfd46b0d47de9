"""The case that contracts judge: one candidate's evidence, whoever produced it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from warpgauge.arch import Chip
from warpgauge.evidence import BuildArtifact, Coverage, Execution, Parallelism
from warpgauge.problem.compare import Comparison

Role = Literal["judge", "small"]
Inputs = Literal["declared", "large", "cancellation"]


@dataclass(frozen=True)
class Trial:
    """All launches of the plan on one shape with one kind of inputs, in order, and how the outputs compare.

    `comparisons` has one entry per tensor that the candidate writes. `missing` says why not every launch was executed,
    `uncompared` why there are no comparisons; both are empty where everything is there. `order` is the order in which
    blocks and warps ran, empty for that of their numbers. `sampled`: only some blocks ran. `ties`: why a sample of the
    blocks would not stand for the rest, looked for only where the judged shape is sampled. `again`: the second of two
    calls, on workspaces as the first one left them.
    """

    role: Role
    dims: Mapping[str, int]
    inputs: Inputs
    executions: tuple[Execution, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    missing: str = ""
    uncompared: str = ""
    order: str = ""
    sampled: bool = False
    ties: str = ""
    again: bool = False

    @property
    def shape(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.dims.items())

    @property
    def title(self) -> str:
        order = f", blocks and warps in {self.order}" if self.order else ""
        call = ", second call on kept workspaces" if self.again else ""
        return f"{self.shape} ({self.role}, {self.inputs} inputs{order}{call})"


@dataclass(frozen=True)
class Difference:
    """Elements of one output whose bits changed with the order: how many, the first, and what it held each time.

    `natural` and `other` are bit patterns, `values` what they stand for, both in that order.
    """

    tensor: str
    count: int
    elements: int
    index: tuple[int, ...]
    natural: str
    other: str
    values: tuple[float, float]


@dataclass(frozen=True)
class OrderRun:
    """A plan under one permuted order. `trial` has comparisons with the reference only where bits changed."""

    trial: Trial
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True)
class Reordered:
    """One shape under permuted orders. `blocks` and `warps` are the most that any of its launches permutes.

    Where bits changed, `witnesses` are the launches in natural order, checked and with the writers of the bytes that
    changed, and `carriers` the changed buffers that are no outputs.
    """

    dims: Mapping[str, int]
    blocks: int
    warps: int
    runs: tuple[OrderRun, ...]
    witnesses: tuple[Execution, ...] = ()
    carriers: tuple[str, ...] = ()


@dataclass(frozen=True)
class LayoutClue:
    """The one layout of one tensor, other than the declared one, under which wrong outputs would be right.

    `access` says whether the kernel reads it so, writes it so, or both; `words` describe the layout; strides and
    offsets in elements, for the shape that `dims` give.
    """

    tensor: str
    access: Literal["read", "written", "read and written"]
    words: str
    dims: Mapping[str, int]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    taken_strides: tuple[int, ...]
    taken_offset: int


@dataclass(frozen=True)
class LaunchShape:
    """What one planned launch asks of an SM besides the kernel's own resources; shared memory in bytes.

    `cluster` is the number of blocks in a cluster, 1 without clusters.
    """

    entry: str
    threads: int
    dynamic_shared: int = 0
    cluster: int = 1
    cooperative: bool = False


@dataclass(frozen=True)
class Case:
    """Everything known about one candidate. `entries` are the kernels that the launch plan names.

    `missing` maps a kind of evidence ("build", "virtual", "device") to the sentence that says why it is not there.
    `rel_l2` is the tolerance on the relative L2 error, None where the problem gives none; `asked_target` the problem's
    target in words, empty where it sets none. `launches` are those of the judged shapes, in the order of their
    executions; `parallelism` says of an entry what its machine code shows; `chip` is the one that the problem names.
    `reordered` are the shapes that also ran under permuted orders of blocks and warps; `not_reordered` says why none
    did, and is empty where there was nothing to permute. `layout_clue` is looked for only where outputs are wrong.
    """

    build: BuildArtifact | None = None
    entries: tuple[str, ...] = ()
    trials: tuple[Trial, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    rel_l2: float | None = None
    asked_target: str = ""
    launches: tuple[LaunchShape, ...] = ()
    parallelism: Mapping[str, Parallelism] = field(default_factory=dict)
    chip: Chip | None = None
    reordered: tuple[Reordered, ...] = ()
    not_reordered: str = ""
    layout_clue: LayoutClue | None = None

    def declared(self, role: Role | None = None) -> tuple[Trial, ...]:
        """The trials on declared inputs: of one role, or of every shape. A second call belongs to no role."""
        return tuple(
            t for t in self.trials if t.inputs == "declared" and (role is None or (t.role == role and not t.again))
        )

    @property
    def permuted(self) -> tuple[Trial, ...]:
        """The runs under permuted orders."""
        return tuple(run.trial for shape in self.reordered for run in shape.runs)


def blocks(executions: tuple[Execution, ...]) -> Coverage:
    """Coverage of several launches taken together, in blocks."""
    return Coverage(sum(e.coverage.done for e in executions), sum(e.coverage.total for e in executions), "blocks")


def gap(trial: Trial) -> str:
    """Why the executions of a trial cannot carry a verdict; empty if they can."""
    for execution in trial.executions:
        reached = [u for u in execution.unsupported if u.reached]
        if reached:
            return f"{execution.kernel}: the virtual GPU does not support {reached[0].instruction}"
        if not execution.completed:
            return f"{execution.kernel} did not run to its end: {execution.stopped or 'stopped early'}"
        if not execution.coverage.complete and not trial.sampled:
            return f"{execution.kernel}: only {execution.coverage} were executed"
    if not trial.executions:
        return trial.missing or "nothing was executed"
    if trial.sampled and trial.ties:
        return f"a sample of the blocks does not stand for the rest: {trial.ties}"
    # A plan that stopped before its last launch has executions that are whole and still tells half the story.
    return trial.missing


def support(case: Case) -> str:
    """Why a sample of the judged shapes carries no verdict; empty if it does, or if all blocks ran.

    Beside a sound sample, every small shape must have run in full, at least one of them with several blocks of each
    sampled kernel, and none may show a dependence between blocks that a sample spread over the grid can miss.
    """
    sampled = [t for t in case.declared("judge") if t.sampled]
    if not sampled:
        return ""
    small = case.declared("small")
    if not small:
        return 'only a sample of the blocks ran, and no small shape in full: add a [[shapes]] table with role = "small"'
    for trial in small:
        if reason := gap(trial):
            return f"only a sample of the blocks ran, and not all of {trial.title}: {reason}"
        if trial.ties:
            return f"a sample of the blocks does not stand for the rest: at {trial.title}, {trial.ties}"
    several = {e.kernel for trial in small for e in trial.executions if e.coverage.total > 1}
    kernels = [e.kernel for trial in sampled for e in trial.executions if not e.coverage.complete]
    alone = [kernel for kernel in kernels if kernel not in several]
    return f"only a sample of the blocks ran, and no small shape runs several blocks of {alone[0]}" if alone else ""


def judged(case: Case) -> tuple[tuple[Execution, ...], str]:
    """The launches on every judged shape, and why they cannot carry a verdict (empty if they can)."""
    trials = case.declared("judge")
    reason = "" if trials else case.missing.get("virtual", "the judged shape was not executed")
    for trial in trials:
        reason = reason or gap(trial)
    reason = reason or support(case)
    return tuple(execution for trial in trials for execution in trial.executions), reason
