"""8x8 matrices of 16-bit elements between their rows in memory and the registers of a warp.

In a register, lane 4r + p holds elements 2p and 2p + 1 of row r. Rows are what lanes `first` to `first` + 7 load or
store, 16 bytes each: word w of lane l at 32 w + l of an area.
"""

from warpgauge.vgpu.fragments import TILE

from .base import *  # noqa: F403

TRANSPOSED = False


@runtime("TRANSPOSED")
def matrix_of(rows: p32, first: i32, out: p32) -> void:
    """The register that rows give; their columns, if TRANSPOSED."""
    words = array(i32, 32)
    for w in unrolled(4):
        vstore(words + 8 * w, vload(rows + first + 32 * w, o32))
    matrix = gather(words, TILE.of_rows)
    if TRANSPOSED:
        matrix = transposed(matrix)
    vstore(out, matrix)


@runtime("TRANSPOSED")
def rows_of(matrix: v32, first: i32, rows: p32) -> void:
    """The inverse of `matrix_of`."""
    words = array(i32, 32)
    vstore(words, transposed(matrix) if TRANSPOSED else matrix)
    for w in unrolled(4):
        vstore(rows + first + 32 * w, gather(words, TILE.to_row(w)))


@runtime()
def transposed(matrix: v32) -> v32:
    """Rows become columns."""
    elements = array(i16, 64)
    vstore(p32(elements), matrix)
    return bitcast(gather(elements, TILE.transposed), v32)
