"""What `evaluate` answers about one candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from warpgauge.contracts import ContractResult, Determinism, Verdict
from warpgauge.diagnostics import Diagnostic, Silenced
from warpgauge.evidence import Counters, Coverage, Execution, Site

from .needs import Needs
from .resources import KernelUse

PASSED, FAILED, USAGE, UNDECIDED, INTERRUPTED = 0, 1, 2, 3, 130

# Exit codes in order of precedence: the worst of several candidates is the first of these that any of them has.
_PRECEDENCE = (USAGE, FAILED, UNDECIDED, PASSED)


def worst_code(codes: Iterable[int]) -> int:
    """The exit code of several candidates together."""
    return min(codes, key=_PRECEDENCE.index, default=PASSED)


@dataclass(frozen=True)
class Run:
    """One launch that was executed: what a report says about it."""

    kernel: str
    shape: Mapping[str, int]
    role: str
    inputs: str
    counters: Counters
    coverage: Coverage
    completed: bool
    thread_instructions: int
    seconds: float = field(compare=False)
    jit_seconds: float = field(compare=False)
    sites: tuple[Site, ...] = ()

    @classmethod
    def of(cls, execution: Execution, shape: Mapping[str, int], role: str, inputs: str) -> Run:
        return cls(
            execution.kernel,
            shape,
            role,
            inputs,
            execution.counters,
            execution.coverage,
            execution.completed,
            execution.thread_instructions,
            execution.seconds,
            execution.jit_seconds,
            execution.sites,
        )


@dataclass(frozen=True)
class Evaluation:
    """Verdicts of one candidate on one problem.

    `contracts` has a row per contract that was looked at; `diagnostics` every finding, causes before consequences
    (`Code.rank`). `resources` has a row per kernel of the plan, none where nothing was built. `needs` says which
    architectures can hold the candidate, None where nothing was built. `unusable` marks a candidate or problem that
    could not be read: there are no verdicts then, only the errors. `sources` maps the files whose lines may be shown to
    their texts. `seed` is where the random inputs came from: `make_inputs(problem, dims, seed=seed)` makes them again.
    `determinism` says whether outputs keep their bits under other orders of blocks and warps; None where nothing ran.
    `review` are those of the `diagnostics` that the source and its machine code show without being executed,
    `review_silenced` those of them that somebody silenced.
    """

    problem: str
    candidate: str
    contracts: tuple[ContractResult, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    runs: tuple[Run, ...] = ()
    resources: tuple[KernelUse, ...] = ()
    needs: Needs | None = None
    unusable: bool = False
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)
    seed: int = 0
    determinism: Determinism | None = None
    review: tuple[Diagnostic, ...] = ()
    review_silenced: tuple[Silenced, ...] = ()

    @property
    def silenced(self) -> tuple[Silenced, ...]:
        """Findings that a comment or a baseline silences: those of the rows in their order, then those of no row."""
        return (*(silenced for row in self.contracts for silenced in row.silenced), *self.review_silenced)

    @property
    def silenced_by_title(self) -> tuple[tuple[str, tuple[Silenced, ...]], ...]:
        """The same under what found them: the titles of contracts, and the review."""
        groups = (*((row.title, row.silenced) for row in self.contracts), ("review", self.review_silenced))
        return tuple((title, silenced) for title, silenced in groups if silenced)

    @property
    def exit_code(self) -> int:
        """2 usage or problem error, 1 a binding FAIL, 3 a binding UNKNOWN or nothing asked for, 0 otherwise."""
        if self.unusable:
            return USAGE
        if self.contracts and all(row.verdict is Verdict.NOT_ASKED for row in self.contracts):
            return UNDECIDED
        verdicts = {row.verdict for row in self.contracts if row.binds}
        return FAILED if Verdict.FAIL in verdicts else UNDECIDED if Verdict.UNKNOWN in verdicts else PASSED

    @property
    def verdict(self) -> Verdict:
        """FAIL or UNKNOWN if a binding contract says so (an unusable candidate is UNKNOWN), else PASS."""
        return {PASSED: Verdict.PASS, FAILED: Verdict.FAIL}.get(self.exit_code, Verdict.UNKNOWN)
