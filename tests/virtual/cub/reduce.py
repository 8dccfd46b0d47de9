"""Cases of reduce.cu and scan.cu. Floats hold small integers, whose sums are exact in any order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import Case, numbers, one

C_TYPES = {
    "f32": ("float", np.float32),
    "f64": ("double", np.float64),
    "f16": ("__half", np.float16),
    "i32": ("int", np.int32),
    "u64": ("unsigned long long", np.uint64),
    "u32": ("unsigned", np.uint32),
    "u8": ("unsigned char", np.uint8),
    "i16": ("short", np.int16),
}


def values(label: str, kind: str, n: int) -> np.ndarray:
    """All bits for integers, which wrap around; for floats small whole numbers."""
    rng, dtype = numbers(label), np.dtype(C_TYPES[kind][1])
    if dtype.kind in "iu":
        return rng.integers(0, 256, n * dtype.itemsize, np.uint8).view(dtype)
    return rng.integers(-3, 4, n).astype(dtype)


def tiles(data: np.ndarray, size: int) -> list[np.ndarray]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def _sums(data: np.ndarray, size: int) -> np.ndarray:
    return np.array([part.sum(dtype=data.dtype) for part in tiles(data, size)])


def reduce_cases() -> Iterator[Case]:
    for way, kind, threads, items in (
        ("RAKING", "f32", 128, 4), ("RAKING", "u64", 64, 2), ("RAKING_COMMUTATIVE_ONLY", "f16", 256, 1),
        ("RAKING_COMMUTATIVE_ONLY", "i32", 96, 3),
        ("WARP_REDUCTIONS", "u64", 160, 3),
    ):  # fmt: skip
        entry = f"block_sum<{C_TYPES[kind][0]}, {threads}, {items}, cub::BLOCK_REDUCE_{way}>"
        for n in (threads * items * 2, threads * items + 37):
            label = f"block_sum {way.lower()} {kind} {threads}x{items} n={n}"
            data = values(label, kind, n)
            want = _sums(data, threads * items)
            yield one(label, "reduce.cu", entry, len(want), threads, ("in", "out", n), {"in": data}, {"out": want})
    for way, kind, threads, n in (
        ("RAKING", "i32", 50, 120),
        ("WARP_REDUCTIONS", "u64", 160, 321),
    ):
        label = f"block_max {way.lower()} {kind} {threads} n={n}"
        data = values(label, kind, n)
        want = np.array([part.max() for part in tiles(data, threads)])
        entry = f"block_max<{C_TYPES[kind][0]}, {threads}, cub::BLOCK_REDUCE_{way}>"
        yield one(label, "reduce.cu", entry, len(want), threads, ("in", "out", n), {"in": data}, {"out": want})
    for kind, threads, logical, n in (
        ("f32", 64, 32, 100),
        ("i32", 64, 8, 90),
        ("f16", 96, 32, 192),
    ):
        label = f"warp_sum {kind} {threads}/{logical} n={n}"
        data = values(label, kind, n)
        want, blocks = _sums(data, logical), -(-n // threads)
        entry = f"warp_sum<{C_TYPES[kind][0]}, {threads}, {logical}>"
        yield one(label, "reduce.cu", entry, blocks, threads, ("in", "out", n), {"in": data}, {"out": want})
    label = "warp_segments i32"
    data, heads = values(label, "i32", 128), (numbers(label).random(128) < 0.2).astype(np.uint8)
    want = np.zeros_like(data)
    for first in np.nonzero(heads | (np.arange(128) % 32 == 0))[0]:
        ends = [i for i in range(first + 1, 129) if i % 32 == 0 or heads[i]]
        want[first] = data[first : ends[0]].sum(dtype=np.int32)
    yield one(
        label,
        "reduce.cu",
        "warp_segments<int, 64>",
        2,
        64,
        ("in", "heads", "out"),
        {"in": data, "heads": heads},
        {"out": want},
    )


def scan_cases() -> Iterator[Case]:
    for way, kind, threads, items in (
        ("RAKING", "f32", 128, 3), ("RAKING_MEMOIZE", "i32", 64, 4), ("WARP_SCANS", "u64", 96, 2),
        ("WARP_SCANS", "f32", 160, 1),
    ):  # fmt: skip
        entry = f"scan_with_prefix<{C_TYPES[kind][0]}, {threads}, {items}, cub::BLOCK_SCAN_{way}>"
        for n in (threads * items * 2, threads * items * 2 + 61):
            label = f"scan_with_prefix {way.lower()} {kind} {threads}x{items} n={n}"
            data = values(label, kind, n)
            want = np.concatenate([np.zeros(1, data.dtype), np.cumsum(data, dtype=data.dtype)[:-1]])
            yield one(label, "scan.cu", entry, 1, threads, ("in", "out", n), {"in": data}, {"out": want})
    for way, kind, threads in (("RAKING", "i32", 100), ("WARP_SCANS", "u64", 160)):
        label = f"scan_tiles {way.lower()} {kind} {threads}"
        data = values(label, kind, 3 * threads)
        want = np.concatenate([np.maximum.accumulate(part) for part in tiles(data, threads)])
        expected = {"out": want, "totals": want[threads - 1 :: threads].copy()}
        entry = f"scan_tiles<{C_TYPES[kind][0]}, {threads}, cub::BLOCK_SCAN_{way}>"
        yield one(label, "scan.cu", entry, 3, threads, ("in", "out", "totals"), {"in": data}, expected)
    for kind, threads, logical in (("f32", 64, 32), ("i32", 64, 8), ("u64", 96, 32)):
        label = f"warp_scan {kind} {threads}/{logical}"
        data = values(label, kind, 2 * threads)
        after = np.concatenate([np.cumsum(part, dtype=data.dtype) for part in tiles(data, logical)])
        expected = {"inclusive": after, "exclusive": after - data}
        entry = f"warp_scan<{C_TYPES[kind][0]}, {threads}, {logical}>"
        yield one(label, "scan.cu", entry, 2, threads, ("in", "inclusive", "exclusive"), {"in": data}, expected)
