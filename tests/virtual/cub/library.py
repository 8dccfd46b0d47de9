"""Cases of std.cu and groups.cu."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import Case, Step, numbers, one
from .reduce import C_TYPES, tiles, values


def std_cases() -> Iterator[Case]:
    data = values("atomics", "u32", 256) >> np.uint32(4)
    want = {
        "sum": np.array([data.sum(dtype=np.uint64)]),
        "high": np.array([data.max()]),
        "bits": np.array([np.bitwise_xor.reduce(data)]),
        "total": np.array([(data & 7).sum()], np.float32),
    }
    step = Step("atomics", 2, 128, ("in", *want))
    yield Case("atomic_ref", "std.cu", (step,), {"in": data}, want, {k: np.zeros_like(v) for k, v in want.items()})
    data = values("last_block", "i32", 5 * 96)
    step = Step("last_block", 5, 96, ("in", "partial", "ticket", "out"))
    work = {"partial": np.zeros(5, np.int32), "ticket": np.zeros(1, np.uint32)}
    yield Case(
        "atomic last block", "std.cu", (step,), {"in": data}, {"out": np.array([data.sum(dtype=np.int32)])}, work
    )
    expected = {"counter": np.array([9], np.int32)}
    work = {"word": np.zeros(1, np.uint32), "counter": np.zeros(1, np.int32)}
    yield Case("atomic lock", "std.cu", (Step("lock", 9, 32, ("word", "counter")),), {}, expected, work)
    a, b = (numbers(f"complex {k}").integers(-9, 9, 200).astype(np.float32).view(np.complex64) for k in "ab")
    want = {"out": (a * b + a.conj()).astype(np.complex64)}
    yield one("complex f32", "std.cu", "complex_product", 2, 50, ("a", "b", "out"), {"a": a, "b": b}, want)
    data = numbers("vocabulary").integers(0, 1000, 160).astype(np.int32)
    yield one(
        "optional, variant, array, tuple",
        "std.cu",
        "vocabulary",
        2,
        80,
        ("in", "out"),
        {"in": data},
        {"out": _words(data)},
    )
    a, b = (values(f"wide {k}", "u64", 64).view(np.int64) for k in "ab")
    product = [int(x) * int(y) + (int(x) << 60) for x, y in zip(a, b, strict=True)]
    over = [int(y) | 1 for y in b]
    quotient = [abs(p) // abs(d) * (1 if (p < 0) == (d < 0) else -1) for p, d in zip(product, over, strict=True)]
    expected = {"product": _wide(product), "quotient": _wide(quotient)}
    yield one("__int128", "std.cu", "wide", 2, 32, ("a", "b", *expected), {"a": a, "b": b}, expected)
    rows = numbers("rows").integers(0, 100, (64, 11)).astype(np.int32)
    done = np.sort(rows)
    expected = {
        "rows": done.ravel(),
        "sums": done.sum(axis=1, dtype=np.int32),
        "places": (done < 50).sum(axis=1, dtype=np.int32),
    }
    step = Step("rows", 2, 32, ("rows", 11, "sums", "places"))
    yield Case("partial_sort, accumulate, lower_bound", "std.cu", (step,), {}, expected, {"rows": rows.ravel()})
    data = values("iterators", "i32", 128)
    want = np.arange(1, 129, dtype=np.int32) * np.int32(-7) - data
    yield one("Thrust iterators", "std.cu", "iterators", 2, 64, ("in", "out", -7), {"in": data}, {"out": want})


def _wide(numbers: list[int]) -> np.ndarray:
    return np.frombuffer(b"".join(n.to_bytes(16, "little", signed=True) for n in numbers), "V16")


def _words(data: np.ndarray) -> np.ndarray:
    out = []
    for i, x in enumerate(data.tolist()):
        digits = sorted((x % 10, 9, x % 7, 3, x % 4))
        area = x * x if i % 3 == 0 else x
        out.append((x // 2 if x % 2 == 0 else -1) + 3 * area + 1000 * digits[2] + 7 * digits[0] + 11 * digits[4])
        out[-1] += x.bit_count() - (-x // 8)
    return np.array(out, np.int32)


def group_cases() -> Iterator[Case]:
    for kind, size in (("i32", 32), ("f32", 8), ("u64", 16)):
        label = f"tiled_partition {kind} of {size}"
        data = values(label, kind, 192)
        parts = tiles(data, size)
        after = np.concatenate([np.cumsum(p, dtype=data.dtype) for p in parts])
        expected = {
            "sum": np.repeat([p.sum(dtype=data.dtype) for p in parts], size).astype(data.dtype),
            "most": np.repeat([p.max() for p in parts], size).astype(data.dtype),
            "before": after - data,
            "upto": after,
        }
        entry = f"tiles<{C_TYPES[kind][0]}, {size}>"
        yield one(label, "groups.cu", entry, 2, 96, ("in", *expected), {"in": data}, expected)
    data = values("formed", "i32", 128)
    odd, equal = np.full(128, -1, np.int32), np.empty(128, np.int32)
    for first in range(0, 128, 32):
        part = data[first : first + 32]
        chosen = np.nonzero(part & 1)[0]
        odd[first + chosen] = 100 * len(chosen) + np.arange(len(chosen)) + 10000 * (part[chosen[0]] & 63)
        for label in range(4):
            equal[first : first + 32][part & 3 == label] = part[part & 3 == label].sum(dtype=np.int32)
    expected = {"odd": odd, "equal": equal}
    yield one("coalesced and labelled groups", "groups.cu", "formed", 2, 64, ("in", *expected), {"in": data}, expected)
    data = values("turned", "i32", 256)
    want = np.concatenate([part[::-1] for part in tiles(data, 128)])
    yield one("thread_block", "groups.cu", "turned", 2, 128, ("in", "out"), {"in": data}, {"out": want})
    n = 256
    data = values("grid", "i32", n)
    second = data + np.roll(data, -n // 2)
    expected = {"a": second + np.roll(second, -n // 4), "b": second}
    step = Step("grid_steps", 4, 64, ("in", "a", "b", n), cooperative=True)
    yield Case("grid_group", "groups.cu", (step,), {"in": data}, expected)
