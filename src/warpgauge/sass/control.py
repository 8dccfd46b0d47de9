"""Control bits: what the compiler tells the scheduler in each 128-bit instruction (Volta and later).

The words are read from the code sections of the cubin at the addresses that the disassembly gives, so that no second
disassembly is needed. The layout, bits 105 to 125 of the word, was checked on sm_80, sm_90a, sm_100a and sm_120: the
reuse bits equal the `.reuse` marks of the text, every barrier that is waited for is set somewhere, and what has no
fixed latency sets one.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

#: Barriers of a warp; an index of 7 means none.
BARRIERS = 6
_NONE = 7
_BYTES = 16
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")


@dataclass(frozen=True)
class Control:
    """What one instruction tells the scheduler.

    `stall`: cycles before the same warp may issue its next instruction. `yield_bit` lets another warp go first
    (its polarity was not verified). `write_barrier` is released once the result is there, `read_barrier` once the
    operands have been read; None where none is set. `waits` are the barriers that must be released before the issue.
    `reuse` has a bit for each operand that stays in the operand cache.
    """

    stall: int
    yield_bit: bool
    write_barrier: int | None
    read_barrier: int | None
    waits: tuple[int, ...]
    reuse: int


def decode(word: int) -> Control:
    """The control bits of a 128-bit instruction."""
    bits = word >> 105
    write, read, wait = bits >> 5 & 7, bits >> 8 & 7, bits >> 11
    return Control(
        stall=bits & 15,
        yield_bit=bool(bits >> 4 & 1),
        write_barrier=None if write == _NONE else write,
        read_barrier=None if read == _NONE else read,
        waits=tuple(n for n in range(BARRIERS) if wait >> n & 1),
        reuse=bits >> 17 & 15,
    )


def controls(cubin: bytes, symbol: str) -> dict[int, Control]:
    """Control bits by byte address in the code of one function; empty where the cubin has no code of it."""
    code = code_of(cubin, symbol)
    return {
        at: decode(int.from_bytes(code[at : at + _BYTES], "little")) for at in range(0, len(code) - _BYTES + 1, _BYTES)
    }


def code_of(cubin: bytes, symbol: str) -> bytes:
    """The code section of one function: an ELF section of its own, `.text.SYMBOL`. Empty where there is none."""
    if cubin[:5] != b"\x7fELF\x02":
        return b""
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    count, names_at = struct.unpack_from("<HH", cubin, 0x3C)
    sections = [_SECTION_HEADER.unpack_from(cubin, table + n * _SECTION_HEADER.size) for n in range(count)]
    names = sections[names_at][4]
    wanted = f".text.{symbol}".encode()
    for name, _, _, _, offset, size, *_ in sections:
        start = names + name
        if cubin[start : cubin.index(b"\0", start)] == wanted:
            return cubin[offset : offset + size]
    return b""
