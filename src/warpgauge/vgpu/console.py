"""printf and assert of device code: arguments out of a lane's local memory, text out of global memory."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Generator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .layout import ARENA_BASE, BLK, CTX, LANES, LOCAL_WINDOW
from .slots import BlockSlot

#: What is kept of a launch's output.
LINES = 10_000
_CALLBACK = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)
_CONVERSION = re.compile(r"%([-+ #0]*)(\d+|\*)?(?:\.(\d+|\*))?(hh|h|ll|l|z|j|t)?([diouxXeEfFgGaAcspn%])")


class LaneMemory:
    """A lane's view: its local memory and the arena."""

    def __init__(self, slot: BlockSlot, thread: int, local_bytes: int, arena: NDArray[np.uint8]) -> None:
        self.base = int(slot.record[BLK["LOCAL"]]) + thread * local_bytes
        self.arena = arena

    def local(self, offset: int, size: int) -> bytes:
        return ctypes.string_at(self.base + offset, size)

    def word(self, offset: int, size: int = 8) -> int:
        return int.from_bytes(self.local(offset, size), "little")

    def text(self, pointer: int) -> str:
        """The zero-terminated string at a generic pointer."""
        if pointer >> 32 == LOCAL_WINDOW >> 32:
            return ctypes.string_at(self.base + pointer - LOCAL_WINDOW).decode(errors="replace")
        start = pointer - ARENA_BASE
        if not 0 <= start < self.arena.size:
            return f"<bad pointer {pointer:#x}>"
        end = start + int(np.argmax(self.arena[start:] == 0))
        return self.arena[start:end].tobytes().decode(errors="replace")


class Console:
    """Collects what a launch prints; generated code calls `pointer`."""

    def __init__(
        self,
        ctx: NDArray[np.int64],
        slots: Sequence[BlockSlot],
        local: Mapping[str, int],
        local_bytes: int,
        arena: NDArray[np.uint8],
    ) -> None:
        self.slots, self.local, self.local_bytes, self.arena = slots, local, local_bytes, arena
        self.pieces: list[str] = []
        self._function = _CALLBACK(self._print)
        ctx[CTX["PRINTER"]] = int(ctypes.cast(self._function, ctypes.c_void_p).value or 0)

    def _print(self, instruction: int, slot: int, warp: int, mask: int, _: int) -> None:
        for lane in range(LANES):
            if mask >> lane & 1 and len(self.pieces) < LINES:
                memory = LaneMemory(self.slots[slot], warp * LANES + lane, self.local_bytes, self.arena)
                form, arguments = (memory.word(self.local[f"(argument {n})"]) for n in (0, 1))
                offset = arguments - LOCAL_WINDOW if arguments else 0
                self.pieces.append(formatted(memory.text(form), memory, offset))

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def formatted(form: str, memory: LaneMemory, at: int) -> str:
    """C's printf of `form` with the arguments packed from local offset `at` on, each aligned to its size."""
    values = _arguments(memory, at)
    next(values)

    def one(match: re.Match[str]) -> str:
        flags, width, precision, length, kind = match.groups()
        if kind == "%":
            return "%"
        width = str(values.send((4, True))) if width == "*" else width or ""
        precision = str(values.send((4, True))) if precision == "*" else precision
        spec = f"%{flags}{width}" + (f".{precision}" if precision is not None else "")
        if kind in "eEfFgGaA":
            number = struct.unpack("<d", values.send((8, False)).to_bytes(8, "little"))[0]
            return float(number).hex() if kind in "aA" else (spec + kind) % number
        if kind == "s":
            return (spec + "s") % memory.text(values.send((8, False)))
        if kind == "p":
            return f"{values.send((8, False)):#x}"
        if kind == "c":
            return (spec + "c") % chr(values.send((4, False)) & 255)
        size = 8 if length in ("l", "ll", "j", "z", "t") else 4
        value = values.send((size, kind in "di"))
        return (spec + {"i": "d", "u": "d"}.get(kind, kind)) % value

    return _CONVERSION.sub(one, form)


def _arguments(memory: LaneMemory, at: int) -> Generator[int, tuple[int, bool], None]:
    """A coroutine: send (size, signed), get the next argument."""
    value = 0
    while True:
        size, signed = yield value
        at = -(-at // size) * size
        value = int.from_bytes(memory.local(at, size), "little", signed=signed)
        at += size
