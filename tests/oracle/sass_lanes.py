"""A small interpreter of straight-line SASS over the 32 lanes of a warp: the integer code that ptxas writes around one
memory access, the access itself, and the moves between lanes that follow it.

It follows what nvdisasm prints and knows only what `tile_probes` become; any other instruction is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from warpgauge.sass import SassInstruction

LANES = 32
_WORD = 0xFFFFFFFF
_ADDRESS = re.compile(r"\[(U?R(?:\d+|Z))(\.64)?(?:\.X(\d+))?(?:\+(U?R\d+))?(?:\+?(-?0x[0-9a-f]+))?\]$")
_CONSTANT = re.compile(r"(-?)c\[0x0\]\[(0x[0-9a-f]+)\]")
_REGISTER = re.compile(r"([-~]?)(U?R(?:\d+|Z))")
_PREDICATE = re.compile(r"(!?)(U?P(?:\d|T))")
_GLOBAL = ("LD", "LDG", "ST", "STG")
_BYTES = {"U8": 1, "64": 8, "128": 16}


@dataclass(frozen=True)
class Request:
    """One executed access: bytes per lane, and every lane's byte address."""

    op: str
    width: int
    addresses: tuple[int, ...]
    ptx_line: int


@dataclass
class Memory:
    """Bytes at `base`; addresses outside are an error."""

    base: int
    bytes: np.ndarray

    def holds(self, address: int) -> bool:
        return self.base <= address < self.base + self.bytes.size


@dataclass
class Machine:
    """`constants` maps offsets of constant bank 0 to 32-bit words; the rest of the bank is zero."""

    constants: Mapping[int, int]
    memories: list[Memory]
    registers: dict[str, np.ndarray] = field(default_factory=dict)
    predicates: dict[str, np.ndarray] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    # -- operands ------------------------------------------------------------------------------------------------
    def read(self, text: str) -> np.ndarray:
        """A 32-bit operand as uint64, one per lane."""
        text = text.removesuffix(".reuse")
        if text.startswith(("0x", "-0x")):
            value = np.full(LANES, int(text, 16) & _WORD, np.uint64)
        elif found := _CONSTANT.fullmatch(text):
            value = np.full(LANES, self.constants.get(int(found[2], 16), 0), np.uint64)
            value = (-value.astype(np.int64)).astype(np.uint64) & np.uint64(_WORD) if found[1] else value
        elif text in ("SR_LANEID", "SR_CgaCtaId"):
            value = np.arange(LANES, dtype=np.uint64) * np.uint64(text == "SR_LANEID")
        elif found := _REGISTER.fullmatch(text):
            value = self.registers.get(found[2], np.zeros(LANES, np.uint64))
            if found[1] == "-":
                value = (-value.astype(np.int64)).astype(np.uint64) & np.uint64(_WORD)
            elif found[1]:
                value = value ^ np.uint64(_WORD)
        else:
            raise NotImplementedError(f"operand {text}")
        return value

    def pair(self, text: str) -> np.ndarray:
        """A 64-bit operand."""
        text = text.removesuffix(".reuse").removesuffix(".64")
        if text.startswith(("0x", "-0x")):
            return np.full(LANES, int(text, 16) & (2**64 - 1), np.uint64)
        if found := _CONSTANT.fullmatch(text):
            at = int(found[2], 16)
            return self.read(f"c[0x0][{at:#x}]") | self.read(f"c[0x0][{at + 4:#x}]") << np.uint64(32)
        if text.endswith("RZ"):
            return np.zeros(LANES, np.uint64)
        return self.read(text) | self.read(_next(text, 1)) << np.uint64(32)

    def predicate(self, text: str) -> np.ndarray:
        found = _PREDICATE.fullmatch(text)
        assert found, text
        value = (
            np.ones(LANES, bool) if found[2].endswith("PT") else self.predicates.get(found[2], np.zeros(LANES, bool))
        )
        return ~value if found[1] else value

    def write(self, name: str, value: np.ndarray, words: int = 1) -> None:
        for n in range(words):
            if not name.endswith("RZ"):
                self.registers[_next(name, n)] = value >> np.uint64(32 * n) & np.uint64(_WORD)

    # -- memory --------------------------------------------------------------------------------------------------
    def addresses(self, text: str, wide: bool) -> np.ndarray:
        """`wide`: 64-bit addresses, whether or not the text says so (before sm_80 it does not)."""
        found = _ADDRESS.search(text)
        assert found, text
        base = self.pair(found[1]) if wide else self.read(found[1])
        base = base * np.uint64(int(found[3] or 1))
        if found[4]:
            base = base + (self.pair(found[4]) if wide else self.read(found[4]))
        return base + np.uint64(int(found[5] or "0", 16) & (2**64 - 1))

    def place(self, address: int) -> tuple[np.ndarray, int]:
        for memory in self.memories:
            if memory.holds(address):
                return memory.bytes, address - memory.base
        raise IndexError(f"{address:#x} is in no memory")

    def fetch(self, address: int, size: int) -> int:
        data, at = self.place(address)
        return int.from_bytes(data[at : at + size].tobytes(), "little")

    # -- instructions --------------------------------------------------------------------------------------------
    def run(self, code: Iterable[SassInstruction]) -> None:
        for i in code:
            if i.opcode == "EXIT":
                return
            if i.opcode == "NOP":
                continue
            if i.predicate:
                raise NotImplementedError(f"a guard: {i}")
            step = _STEPS.get(i.opcode.removeprefix("U") if i.opcode not in _STEPS else i.opcode)
            if step is None:
                raise NotImplementedError(str(i))
            step(self, i)


def _next(name: str, n: int) -> str:
    kind, number = re.fullmatch(r"(U?R)(\d+|Z)", name).groups()  # type: ignore[union-attr]
    return name if number == "Z" else f"{kind}{int(number) + n}"


def _plain(i: SassInstruction) -> list[str]:
    """Operands behind the destination, without the carry-outs that nobody asked for."""
    return [o for o in i.operands[1:] if o not in ("PT", "UPT")]


def _move(m: Machine, i: SassInstruction) -> None:
    wide = "64" in i.modifiers
    m.write(i.operands[0], m.pair(i.operands[1]) if wide else m.read(i.operands[1]), 2 if wide else 1)


def _packed_constant(m: Machine, i: SassInstruction) -> None:
    """HFMA2 with two zero factors moves two half constants."""
    target, *rest = i.operands
    assert [o.lstrip("-") for o in rest[:2]] == ["RZ", "RZ"], i
    halves = np.array([float(o) for o in rest[2:]], np.float16).view(np.uint16).astype(np.uint64)
    m.write(target, np.full(LANES, halves[1] | halves[0] << np.uint64(16), np.uint64))


def _multiply(m: Machine, i: SassInstruction) -> None:
    target, a, b, c, *carry = i.operands
    if "WIDE" in i.modifiers:
        x, y = m.read(a), m.read(b)
        if "U32" not in i.modifiers:
            x, y = (v.astype(np.uint32).view(np.int32).astype(np.int64).view(np.uint64) for v in (x, y))
        m.write(target, x * y + m.pair(c), 2)
        return
    extra = m.predicate(carry[0]).astype(np.uint64) if "X" in i.modifiers else np.uint64(0)
    m.write(target, m.read(a) * m.read(b) + m.read(c) + extra)


def _add(m: Machine, i: SassInstruction) -> None:
    if "64" in i.modifiers:
        values = [m.pair(o) for o in _plain(i)]
        m.write(i.operands[0], sum(values[1:], values[0]), 2)
        return
    carries = [o for o in i.operands[1:] if _PREDICATE.fullmatch(o)]
    values = [m.read(o) for o in i.operands[1:] if not _PREDICATE.fullmatch(o)]
    total = sum(values[1:], values[0])
    if "X" in i.modifiers:
        total = total + m.predicate(carries[-2] if len(carries) > 1 else carries[-1]).astype(np.uint64)
    else:
        for name in carries[:1]:
            m.predicates[name] = total > _WORD
    m.write(i.operands[0], total)


def _lea(m: Machine, i: SassInstruction) -> None:
    target, *rest = i.operands
    carries = [o for o in rest if _PREDICATE.fullmatch(o)]
    a, b, *more = [o for o in rest if not _PREDICATE.fullmatch(o)]
    if "HI" in i.modifiers:
        high, shift = more
        shifted = (m.read(a) | m.read(high) << np.uint64(32)) >> np.uint64(32 - int(shift, 16))
        m.write(target, (shifted & np.uint64(_WORD)) + m.read(b) + m.predicate(carries[-1]).astype(np.uint64))
        return
    total = (m.read(a) << np.uint64(int(more[0], 16)) & np.uint64(_WORD)) + m.read(b)
    for name in carries[:1]:
        m.predicates[name] = total > _WORD
    m.write(target, total)


def _logic(m: Machine, i: SassInstruction) -> None:
    a, b, c, table = _plain(i)[:4]
    values = [m.read(o) for o in (a, b, c)]
    out = np.zeros(LANES, np.uint64)
    for row in range(8):
        if int(table, 16) >> row & 1:
            parts = [v if row >> k & 1 else v ^ np.uint64(_WORD) for v, k in zip(values, (2, 1, 0), strict=True)]
            out |= parts[0] & parts[1] & parts[2]
    m.write(i.operands[0], out)


def _shift(m: Machine, i: SassInstruction) -> None:
    target, low, by, high = i.operands
    amount = m.read(by)
    if "L" in i.modifiers:
        m.write(target, m.read(low) << amount)
    else:
        # R.HI shifts the second half of the pair; the first fills in from above only for other forms.
        m.write(target, m.read(high) >> amount)


def _permute(m: Machine, i: SassInstruction) -> None:
    target, a, picks, b = i.operands
    both = m.read(a) | m.read(b) << np.uint64(32)
    out = np.zeros(LANES, np.uint64)
    for n in range(4):
        out |= (both >> np.uint64(8 * (int(picks, 16) >> 4 * n & 7)) & np.uint64(255)) << np.uint64(8 * n)
    m.write(target, out)


def _load(m: Machine, i: SassInstruction) -> None:
    width = next((_BYTES[w] for w in i.modifiers if w in _BYTES), 4)
    at = [int(a) for a in m.addresses(i.operands[1], i.opcode in _GLOBAL)]
    m.requests.append(Request("load", width, tuple(at), i.ptx_line))
    for n in range(-(-width // 4)):
        values = [m.fetch(a + 4 * n, min(width, 4)) for a in at]
        m.write(_next(i.operands[0], n), np.array(values, np.uint64))


def _store(m: Machine, i: SassInstruction) -> None:
    width = next((_BYTES[w] for w in i.modifiers if w in _BYTES), 4)
    at = [int(a) for a in m.addresses(i.operands[0], i.opcode in _GLOBAL)]
    m.requests.append(Request("store", width, tuple(at), i.ptx_line))
    for n in range(-(-width // 4)):
        source = i.operands[1].removesuffix(".reuse")
        for a, value in zip(at, m.read(_next(source, n)).tolist(), strict=True):
            data, start = m.place(a + 4 * n)
            size = min(width, 4)
            data[start : start + size] = np.frombuffer((value & (1 << 8 * size) - 1).to_bytes(size, "little"), np.uint8)


def _load_matrix(m: Machine, i: SassInstruction) -> None:
    count = next((int(w) for w in i.modifiers if w in ("2", "4")), 1)
    at = [int(a) for a in m.addresses(i.operands[1], i.opcode in _GLOBAL)]
    m.requests.append(Request(f"matrix{count}", 16, tuple(at), i.ptx_line))
    for q in range(count):
        rows = np.array([[m.fetch(a + 2 * k, 2) for k in range(8)] for a in at[8 * q : 8 * q + 8]], np.uint64)
        m.write(_next(i.operands[0], q), _pairs(rows.T if "MT88" in i.modifiers else rows))


def _pairs(rows: np.ndarray) -> np.ndarray:
    """Lane t holds two neighbours of row t/4 of an 8x8 matrix, from column 2(t%4)."""
    flat = rows.reshape(LANES, 2)
    return flat[:, 0] | flat[:, 1] << np.uint64(16)


def _move_matrix(m: Machine, i: SassInstruction) -> None:
    """MOVM: transpose the 8x8 matrix that a warp's register holds."""
    words = m.read(i.operands[1])
    rows = np.stack([words & np.uint64(0xFFFF), words >> np.uint64(16)], axis=1).reshape(8, 8)
    m.write(i.operands[0], _pairs(np.ascontiguousarray(rows.T)))


_STEPS: dict[str, Callable[[Machine, SassInstruction], None]] = {
    **dict.fromkeys(("MOV", "S2R", "S2UR", "LDC", "LDCU", "ULDC"), _move),
    "HFMA2": _packed_constant,
    "IMAD": _multiply,
    **dict.fromkeys(("IADD", "IADD3", "VIADD"), _add),
    "LEA": _lea,
    "LOP3": _logic,
    "SHF": _shift,
    "PRMT": _permute,
    **dict.fromkeys(("LD", "LDG", "LDS"), _load),
    **dict.fromkeys(("ST", "STG", "STS"), _store),
    "LDSM": _load_matrix,
    "MOVM": _move_matrix,
}
