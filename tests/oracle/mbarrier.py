"""mbarrier objects. The word keeps four numbers in 16 bits each, a layout of the oracle's own: pending arrivals, the
count of a phase, transaction bytes, and the number of the phase."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warpgauge.ptx import Instruction, Operand, Register

from .access import address_reader, space_of
from .counting import Tally
from .memory import OracleFault, spaces_of
from .state import Operands, Warp

Step = Callable[[Warp, np.ndarray], None]
Word = list[int]  # pending, count, bytes, phase


def _place(i: Instruction, operand: Operand, operands: Operands) -> Callable[[Warp], np.ndarray]:
    space = space_of(i)
    read = address_reader(operand, operands, space)
    return read if space == "shared" else lambda w: spaces_of(read(w))[1]


def _load(w: Warp, at: np.ndarray) -> Word:
    return [int(x) for x in w.view.read("shared", np.array([0]), at, 8, 2)[0]]


def _save(w: Warp, at: np.ndarray, word: Word) -> None:
    values = np.array([[x & 0xFFFF for x in word]], np.uint64)
    w.view.write("shared", np.array([0]), at, values, 2)


def _pack(word: Word) -> int:
    return sum((x & 0xFFFF) << (16 * n) for n, x in enumerate(word))


def _settle(word: Word) -> None:
    """A phase ends when no arrival and no byte is missing."""
    if word[0] == 0 and word[2] == 0:
        word[0], word[3] = word[1], word[3] + 1


def barrier(i: Instruction, operands: Operands, tally: Tally) -> Step:
    kind = i.modifiers[0]
    if kind == "pending_count":
        source, put = operands.reader(i.operands[1], "b64"), operands.writer(i.operands[0], "b32")
        return lambda w, mask: put(w, source(w) & np.uint64(0xFFFF), mask)
    if kind in ("test_wait", "try_wait"):
        return _wait(i, operands)
    return _change(i, kind, operands)


def _wait(i: Instruction, operands: Operands) -> Step:
    parity = "parity" in i.modifiers
    place, put = _place(i, i.operands[1], operands), operands.writer(i.operands[0], "pred")
    given = operands.reader(i.operands[2], "b32" if parity else "b64")

    def step(w: Warp, mask: np.ndarray) -> None:
        at, values = place(w), given(w)
        ok = np.zeros(32, bool)
        for n in np.nonzero(mask)[0]:
            wanted = int(values[n]) if parity else int(values[n]) >> 48
            ok[n] = (_load(w, at[n : n + 1])[3] ^ wanted) & 1
        put(w, ok, mask)

    return step


def _change(i: Instruction, kind: str, operands: Operands) -> Step:
    """init, inval, expect_tx, complete_tx, arrive and arrive_drop, lane after lane."""
    given = list(i.operands)
    target = given.pop(0) if isinstance(given[0], Register) else None
    place = _place(i, given[0], operands)
    number = operands.reader(given[1], "b32") if len(given) > 1 else lambda w: np.ones(32, np.uint64)

    def one(word: Word, n: int) -> Word:
        if kind in ("init", "inval"):
            return [n, n, 0, 0] if kind == "init" else [0, 0, 0, 0]
        arrivals = 0 if kind in ("expect_tx", "complete_tx") else 1 if "expect_tx" in i.modifiers else n
        if arrivals > word[0]:
            raise OracleFault("more arrivals than the phase expects")
        if "expect_tx" in i.modifiers or kind == "complete_tx":
            word[2] = (word[2] + (-n if kind == "complete_tx" else n)) & 0xFFFF
        if kind == "arrive_drop":
            word[1] -= arrivals
        word[0] -= arrivals
        _settle(word)
        return word

    def step(w: Warp, mask: np.ndarray) -> None:
        at, values = place(w), number(w)
        states = np.zeros(32, np.uint64)
        for n in np.nonzero(mask)[0]:
            word = _load(w, at[n : n + 1])
            states[n] = _pack(word)
            _save(w, at[n : n + 1], one(word, int(values[n])))
        if target is not None:
            operands.writer(target, "b64")(w, states, mask)

    return step


def arrive_on(i: Instruction, operands: Operands, tally: Tally) -> Step:
    """cp.async.mbarrier.arrive: the copies are complete, so it arrives now; without `noinc` one more was expected."""
    place = _place(i, i.operands[0], operands)

    def step(w: Warp, mask: np.ndarray) -> None:
        at = place(w)
        for n in np.nonzero(mask)[0]:
            word = _load(w, at[n : n + 1])
            word[0] -= int("noinc" in i.modifiers)
            _settle(word)
            _save(w, at[n : n + 1], word)

    return step
