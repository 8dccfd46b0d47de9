"""Which element of a matrix each lane holds, written from the figures of the PTX ISA, one function per figure.

Each function takes a lane and the element's number i among all that the lane holds (a0, a1 ...), and gives (row,
column). g and t are the ISA's groupID and threadID_in_group.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Place = tuple[int, int]
Figure = Callable[[int, int], Place]


def _g(lane: int) -> int:
    return lane >> 2


def _t(lane: int) -> int:
    return lane % 4


def _c_of_16(lane: int, i: int) -> Place:
    return _g(lane) if i < 2 else _g(lane) + 8, _t(lane) * 2 + (i & 1)


def _c_of_8(lane: int, i: int) -> Place:
    return _g(lane), _t(lane) * 2 + i


# The four products of m8n8k4 in f16: lanes with the same lane % 16 / 4 form one.
def _volta_rows(lane: int, i: int) -> Place:
    return (lane % 4 if lane < 16 else lane % 4 + 4), i


def _volta_a_col(lane: int, i: int) -> Place:
    return (i % 4 if lane < 16 else i % 4 + 4), lane % 4


def _volta_b_row(lane: int, i: int) -> Place:
    return lane % 4, (i if lane < 16 else i + 4)


def _volta_b_col(lane: int, i: int) -> Place:
    return i, (lane % 4 if lane < 16 else lane % 4 + 4)


def _volta_f32(lane: int, i: int) -> Place:
    row = (lane & 0b1) + (i & 0b10)
    return (row if lane < 16 else row + 4), (i & 0b100) + (lane & 0b10) + (i & 0b1)


def _a_k16_halves(lane: int, i: int) -> Place:
    row = _g(lane) if 0 <= i < 2 or 4 <= i < 6 else _g(lane) + 8
    return row, _t(lane) * 2 + (i & 1) if i < 4 else _t(lane) * 2 + (i & 1) + 8


def _b_k16_halves(lane: int, i: int) -> Place:
    return (_t(lane) * 2 + (i & 1) if i < 2 else _t(lane) * 2 + (i & 1) + 8), _g(lane)


def _a_k8_halves(lane: int, i: int) -> Place:
    return (_g(lane) if i < 2 else _g(lane) + 8), _t(lane) * 2 + (i & 1)


def _b_k8_halves(lane: int, i: int) -> Place:
    return _t(lane) * 2 + i, _g(lane)


def _a_words(lane: int, i: int) -> Place:
    """tf32 and f64 with 16 rows: rows g and g + 8 in turn, four columns on each time."""
    return (_g(lane) if i % 2 == 0 else _g(lane) + 8), _t(lane) + 4 * (i // 2)


def _b_words(lane: int, i: int) -> Place:
    return _t(lane) + 4 * i, _g(lane)


def _a_f64_small(lane: int, i: int) -> Place:
    return _g(lane), _t(lane)


def _a_bytes_8(lane: int, i: int) -> Place:
    return _g(lane), _t(lane) * 4 + i


def _b_bytes_8(lane: int, i: int) -> Place:
    return _t(lane) * 4 + i, _g(lane)


def _a_bytes_k16(lane: int, i: int) -> Place:
    return (_g(lane) if i < 4 else _g(lane) + 8), _t(lane) * 4 + (i & 3)


def _a_bytes_k32(lane: int, i: int) -> Place:
    row = _g(lane) if 0 <= i < 4 or 8 <= i < 12 else _g(lane) + 8
    return row, _t(lane) * 4 + (i & 3) if i < 8 else _t(lane) * 4 + (i & 3) + 16


def _b_bytes_k32(lane: int, i: int) -> Place:
    return (_t(lane) * 4 + (i & 3) if i < 4 else _t(lane) * 4 + (i & 3) + 16), _g(lane)


def _a_nibbles_8(lane: int, i: int) -> Place:
    return _g(lane), _t(lane) * 8 + i


def _b_nibbles_8(lane: int, i: int) -> Place:
    return _t(lane) * 8 + i, _g(lane)


def _a_nibbles_k32(lane: int, i: int) -> Place:
    return (_g(lane) if i < 8 else _g(lane) + 8), _t(lane) * 8 + (i & 7)


def _a_nibbles_k64(lane: int, i: int) -> Place:
    row = _g(lane) if 0 <= i < 8 or 16 <= i < 24 else _g(lane) + 8
    return row, _t(lane) * 8 + (i & 7) if i < 16 else _t(lane) * 8 + (i & 7) + 32


def _b_nibbles_k64(lane: int, i: int) -> Place:
    return (_t(lane) * 8 + (i & 7) if i < 8 else _t(lane) * 8 + (i & 7) + 32), _g(lane)


def _a_bits_8(lane: int, i: int) -> Place:
    return _g(lane), _t(lane) * 32 + i


def _b_bits_8(lane: int, i: int) -> Place:
    return _t(lane) * 32 + i, _g(lane)


def _a_bits_k128(lane: int, i: int) -> Place:
    return (_g(lane) if i < 32 else _g(lane) + 8), _t(lane) * 32 + (i & 0x1F)


def _a_bits_k256(lane: int, i: int) -> Place:
    row = _g(lane) if 0 <= i < 32 or 64 <= i < 96 else _g(lane) + 8
    return row, _t(lane) * 32 + (i & 0x1F) if i < 64 else _t(lane) * 32 + (i & 0x1F) + 128


def _b_bits_k256(lane: int, i: int) -> Place:
    return (_t(lane) * 32 + (i & 0x1F) if i < 32 else _t(lane) * 32 + (i & 0x1F) + 128), _g(lane)


# (shape, bits of a factor) -> figures of A and B.
FIGURES: dict[tuple[str, int], tuple[Figure, Figure]] = {
    ("m16n8k8", 16): (_a_k8_halves, _b_k8_halves),
    ("m16n8k16", 16): (_a_k16_halves, _b_k16_halves),
    ("m16n8k4", 32): (_a_words, _b_words),
    ("m16n8k8", 32): (_a_words, _b_words),
    ("m8n8k4", 64): (_a_f64_small, _b_words),
    ("m16n8k4", 64): (_a_words, _b_words),
    ("m16n8k8", 64): (_a_words, _b_words),
    ("m16n8k16", 64): (_a_words, _b_words),
    ("m8n8k16", 8): (_a_bytes_8, _b_bytes_8),
    ("m16n8k16", 8): (_a_bytes_k16, _b_bytes_8),
    ("m16n8k32", 8): (_a_bytes_k32, _b_bytes_k32),
    ("m8n8k32", 4): (_a_nibbles_8, _b_nibbles_8),
    ("m16n8k32", 4): (_a_nibbles_k32, _b_nibbles_8),
    ("m16n8k64", 4): (_a_nibbles_k64, _b_nibbles_k64),
    ("m8n8k128", 1): (_a_bits_8, _b_bits_8),
    ("m16n8k128", 1): (_a_bits_k128, _b_bits_8),
    ("m16n8k256", 1): (_a_bits_k256, _b_bits_k256),
}
VOLTA_A: dict[str, Figure] = {"row": _volta_rows, "col": _volta_a_col}
VOLTA_B: dict[str, Figure] = {"row": _volta_b_row, "col": _volta_b_col}


def volta_sums(bits: int) -> Figure:
    return _volta_rows if bits == 16 else _volta_f32


def sums(rows: int) -> Figure:
    return _c_of_16 if rows == 16 else _c_of_8


def places(figure: Figure, lanes: list[int], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of all elements of these lanes, shape (lanes, elements)."""
    both = np.array([[figure(lane, i) for i in range(count)] for lane in lanes])
    return both[..., 0], both[..., 1]
