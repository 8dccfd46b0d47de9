"""MEM104: pointer parameters without `__restrict__`, where the promise changes what the compiler makes of the kernel.

The compiler is asked twice, with and without. Nothing is said where it makes the same of both, nor where the plan
passes one buffer for two parameters: the promise would not hold then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warpgauge.candidate.arguments import BufferArg
from warpgauge.diagnostics import Diagnostic
from warpgauge.evidence import BuildArtifact
from warpgauge.ptx import Instruction, Kernel
from warpgauge.sass import parallelism, parse_sass

from .signatures import heads, open_pointers, restricted
from .subject import Subject, plain_name

_ELSEWHERE = {"shared", "local", "param", "const"}
_ORDERED = {"volatile", "relaxed", "acquire", "release", "mmio"}
_LOADS = ("LDG", "LD")


@dataclass(frozen=True)
class _Made:
    """What the compiler made: registers per thread, global loads in the code, loads under way at one time."""

    registers: int
    loads: int
    batch: int


def find(subject: Subject) -> Iterator[Diagnostic]:
    """A note per kernel whose loads the promise would change."""
    text = subject.build.sources.get(subject.source, "")
    wanted: dict[str, list[tuple[int, str, int]]] = {}
    for entry in subject.entries:
        kernel = subject.kernel(entry)
        if not subject.code(entry) or kernel is None or not _may_gain(kernel):
            continue
        named = [head for head in heads(text) if head.name == plain_name(entry)]
        if not named or len({len(open_pointers(text, head)) for head in named}) != 1:
            continue
        pointers = [p for p in open_pointers(text, named[0]) if _alone(subject, entry, p[0])]
        if pointers:
            wanted[entry] = pointers
    if not wanted:
        return
    changed = text
    for entry, pointers in wanted.items():
        changed = restricted(changed, plain_name(entry), frozenset(index for index, *_ in pointers))
    other = subject.rebuild(changed)
    if other is None:
        return
    for entry, pointers in wanted.items():
        before, after = _made(subject.build, entry), _made(other, entry)
        if (before.loads, before.batch) != (after.loads, after.batch):
            yield _finding(subject, entry, [name for _, name, _ in pointers], before, after)


def _alone(subject: Subject, entry: str, index: int) -> bool:
    """Whether every launch passes a buffer here, and passes it nowhere else."""
    launches = subject.launches_of(entry)
    passed = [launch.args[index] if index < len(launch.args) else None for launch in launches]
    return bool(launches) and all(
        isinstance(argument, BufferArg) and launch.args.count(argument) == 1
        for launch, argument in zip(launches, passed, strict=True)
    )


def _may_gain(kernel: Kernel) -> bool:
    """Whether a load can follow a store: only then does a store keep a load back.

    A kernel whose blocks talk to each other through memory is left alone: what it reads again, it means to read again.
    """
    if any(_talks(i) for i in kernel.instructions):
        return False
    reached: set[int] = set()
    waiting: list[int] = []
    for block in kernel.blocks:
        stored = False
        for i in block.instructions:
            if stored and _is(i, "ld"):
                return True
            stored = stored or _is(i, "st")
        if stored:
            waiting += block.successors
    while waiting:
        index = waiting.pop()
        if index in reached:
            continue
        reached.add(index)
        if any(_is(i, "ld") for i in kernel.blocks[index].instructions):
            return True
        waiting += kernel.blocks[index].successors
    return False


def _talks(i: Instruction) -> bool:
    if i.opcode in ("membar", "fence") or _is(i, "atom", "red"):
        return True
    return _is(i, "ld", "st") and bool(_ORDERED & set(i.modifiers))


def _is(i: Instruction, *opcodes: str) -> bool:
    return i.opcode in opcodes and not _ELSEWHERE & set(i.modifiers)


def _made(build: BuildArtifact, entry: str) -> _Made:
    symbol = build.lowered[entry]
    resources = build.resources.get(symbol)
    facts = parallelism(build.sass, symbol)
    batches = [len(b.ptx_lines) for b in facts.batches if b.space == "global"] if facts else []
    loads = sum(i.opcode in _LOADS for i in parse_sass(build.sass, symbol))
    return _Made(resources.registers if resources else 0, loads, max(batches, default=0))


def _finding(subject: Subject, entry: str, names: list[str], before: _Made, after: _Made) -> Diagnostic:
    message = (
        f"{entry}: __restrict__ on {', '.join(names)} changes the code, compiled both ways: {before.loads} -> "
        f"{after.loads} global loads, {before.batch} -> {after.batch} of them under way at one time, "
        f"{before.registers} -> {after.registers} registers per thread"
    )
    help = (
        "the promise is that what is written through one of them is reached through no other; the plan passes each of "
        "them a buffer of its own. Measure: fewer loads and more registers can go either way"
    )
    evidence = {
        "entry": entry,
        "parameters": names,
        "registers": [before.registers, after.registers],
        "loads": [before.loads, after.loads],
        "under_way": [before.batch, after.batch],
    }
    return Diagnostic("MEM104", "note", message, subject.head(entry), (), help, evidence)
