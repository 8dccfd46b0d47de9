"""How far one tensor-core product D = A B + C may lie from the exact one, on hardware and on the virtual GPU.

Hardware multiplies exactly, shifts the products of a few k and the running sum to the largest exponent among them, cuts
what falls below a fixed number of fraction bits, and adds. How many k it takes at once and how many bits it keeps
differs between generations and is not in the PTX ISA, which says only that f32 sums have "at least single precision".
The bounds here hold for any number of k at once.

Sources: PTX ISA, floating-point notes of `mma`; Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA
tensor cores" (PeerJ Computer Science, 2021: V100, T4 and A100 keep at least 23 fraction bits and cut); DeepSeek-V3
technical report (2024, section 3.3.2: FP8 in Hopper's `wgmma` keeps about 14 bits). The tests compare readings of an
H200. What `mma.sync` of FP8 becomes was read from the machine code that ptxas 13.5 makes: QMMA on sm_89 and sm_120,
while sm_90 and sm_100 convert the factors to f16 and use HMMA, whose sums are those of f16.
"""

from __future__ import annotations

FRACTION_BITS = 23
FP8_FRACTION_BITS = 13
_FP8 = frozenset({"e4m3", "e5m2"})
_QMMA = frozenset({89, 120, 121})
_ROUNDINGS = {"f16": 2.0**-11, "f64": 2.0**-52}  # of f64 in any direction


def short_sums(arch: int, factor: str) -> bool:
    """Whether hardware may keep `mma.sync` sums of these factors in far fewer bits than f32.

    So it is assumed, from what is known of `wgmma`, where FP8 has instructions of its own (QMMA); nobody read one here.
    """
    return factor in _FP8 and arch in _QMMA


def product_error(arch: int, factor: str, sums: str, depth: int) -> float:
    """The largest |D - (A B + C)| of hardware of sm_`arch`, as a multiple of |A| |B| + |C|, element by element.

    `factor` is the wider type of A and B, `sums` that of D, `depth` the k of the shape. Integers are exact (0).
    It assumes that no sum leaves the normal range of its type.
    """
    if sums == "s32":
        return 0.0
    if sums == "f64":
        return (depth + 1) * _ROUNDINGS["f64"]
    unit = 2.0 ** -(FP8_FRACTION_BITS if short_sums(arch, factor) else FRACTION_BITS)
    # Each product is cut once; the running sum at most once with each of them, and each result once more to f32.
    error = (3 * depth + 1) * unit
    if sums == "f16":
        # At the end, and perhaps after every four k, the depth of the smallest shape.
        error += (depth // 4 + 1) * _ROUNDINGS["f16"]
    return error


def virtual_error(factor: str, sums: str, depth: int) -> float:
    """The same of the virtual GPU, for every architecture: each addition rounds to nearest, a result in f16 once."""
    if sums == "s32":
        return 0.0
    if sums == "f64":
        return depth * _ROUNDINGS["f64"] * 1.01
    return depth * 2.0**-24 * 1.01 + (_ROUNDINGS["f16"] if sums == "f16" else 0.0)
