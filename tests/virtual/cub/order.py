"""Cases of sort.cu, compare.cu and move.cu."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import Case, numbers, one
from .reduce import C_TYPES, tiles, values


def _sorted_tiles(data: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([np.sort(part, kind="stable") for part in tiles(data, size)])


def sort_cases() -> Iterator[Case]:
    for kind, threads, items, bits, n in (
        ("i32", 64, 4, 4, 500), ("u64", 96, 3, 6, 288), ("i16", 32, 7, 4, 225),
    ):  # fmt: skip
        label = f"radix_sort {kind} {threads}x{items} bits={bits} n={n}"
        data = values(label, kind, n)
        entry = f"radix_sort<{C_TYPES[kind][0]}, {threads}, {items}, {bits}>"
        want, blocks = _sorted_tiles(data, threads * items), -(-n // (threads * items))
        yield one(label, "sort.cu", entry, blocks, threads, ("in", "out", n), {"in": data}, {"out": want})
    label = "radix_sort_pairs f32 64x3"
    data = values(label, "f32", 384)
    keys, order = [], []
    for part in tiles(data, 192):
        place = np.argsort(-part, kind="stable").astype(np.int32)
        keys.append(part[place])
        order.append(place)
    expected = {"out": np.concatenate(keys), "order": np.concatenate(order)}
    yield one(
        label, "sort.cu", "radix_sort_pairs<float, int, 64, 3>", 2, 64, ("in", "out", "order"), {"in": data}, expected
    )
    for name, threads, items, bits in (("radix_rank", 64, 3, 4), ("radix_rank_match", 96, 2, 5)):
        label = f"{name} {threads}x{items} bits={bits}"
        data = values(label, "u32", threads * items)
        digit = data >> np.uint32(7) & np.uint32((1 << bits) - 1)
        want = np.empty(len(data), np.int32)
        want[np.argsort(digit, kind="stable")] = np.arange(len(data))
        entry = f"{name}<{threads}, {items}, {bits}>"
        yield one(label, "sort.cu", entry, 1, threads, ("in", "ranks", 7), {"in": data}, {"ranks": want})
    for kind, threads, items, n in (("f32", 64, 3, 384), ("f32", 64, 3, 250), ("u64", 128, 2, 200)):
        # A merge reads the key behind the tile, which only a full tile of another thread would have written.
        finding = "" if kind == "u64" else "SAF605"
        label = f"merge_sort {kind} {threads}x{items} n={n}"
        data = values(label, kind, n)
        entry = f"merge_sort<{C_TYPES[kind][0]}, {threads}, {items}>"
        want, blocks = _sorted_tiles(data, threads * items), -(-n // (threads * items))
        yield one(
            label, "sort.cu", entry, blocks, threads, ("in", "out", n), {"in": data}, {"out": want}, finding=finding
        )
    for kind, threads, items, logical in (("i32", 64, 4, 32), ("f32", 64, 3, 8)):
        label = f"warp_merge_sort {kind} {threads}x{items}/{logical}"
        data = values(label, kind, 2 * threads * items)
        want = np.concatenate([np.sort(part)[::-1] for part in tiles(data, logical * items)])
        entry = f"warp_merge_sort<{C_TYPES[kind][0]}, {threads}, {items}, {logical}>"
        yield one(label, "sort.cu", entry, 2, threads, ("in", "out"), {"in": data}, {"out": want}, finding="SAF605")


def compare_cases() -> Iterator[Case]:
    for how, threads, items, bins in (("SORT", 64, 3, 256), ("ATOMIC", 96, 4, 256)):
        label = f"histogram {how.lower()} {threads}x{items}"
        data = (values(label, "u8", 2 * threads * items) // 4).astype(np.uint8)
        want = np.concatenate([np.bincount(p, minlength=bins).astype(np.uint32) for p in tiles(data, threads * items)])
        entry = f"histogram<{threads}, {items}, {bins}, cub::BLOCK_HISTO_{how}>"
        yield one(label, "compare.cu", entry, 2, threads, ("in", "out"), {"in": data}, {"out": want})
    for kind, threads, items in (("f32", 64, 3), ("u64", 96, 2)):
        label = f"run_ends {kind} {threads}x{items}"
        data = numbers(label).integers(0, 2, 2 * threads * items).astype(C_TYPES[kind][1])
        heads, tails = [], []
        for part in tiles(data, threads * items):
            change = part[1:] != part[:-1]
            heads.append(np.r_[True, change])
            tails.append(np.r_[change, True])
        expected = {"heads": np.concatenate(heads).astype(np.int32), "tails": np.concatenate(tails).astype(np.int32)}
        entry = f"run_ends<{C_TYPES[kind][0]}, {threads}, {items}>"
        yield one(label, "compare.cu", entry, 2, threads, ("in", "heads", "tails"), {"in": data}, expected)
    for kind, threads, items, n in (("i32", 64, 3, 192), ("i32", 64, 3, 131), ("f32", 50, 2, 99)):
        label = f"differences {kind} {threads}x{items} n={n}"
        data = values(label, kind, n)
        want = np.concatenate([data[:1], data[1:] - data[:-1]])
        entry = f"differences<{C_TYPES[kind][0]}, {threads}, {items}>"
        yield one(label, "compare.cu", entry, 1, threads, ("in", "out", n), {"in": data}, {"out": want})


_WAYS = ("DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE", "WARP_TRANSPOSE_TIMESLICED")


def move_cases() -> Iterator[Case]:
    shapes = (("f32", 64, 4), ("f16", 64, 2), ("u64", 96, 2), ("i32", 64, 3), ("f16", 32, 5), ("f64", 64, 2))
    for way, (kind, threads, items) in zip(_WAYS, shapes, strict=True):
        for n in (2 * threads * items, threads * items + 45):
            label = f"load_store {way.lower()} {kind} {threads}x{items} n={n}"
            data = values(label, kind, n)
            at = np.arange(n) % (threads * items)
            owner = at % threads if way == "STRIPED" else at // items
            want = (data + data + owner.astype(data.dtype)).astype(data.dtype)
            algorithms = f"cub::BLOCK_LOAD_{way}, cub::BLOCK_STORE_{way}"
            entry = f"load_store<{C_TYPES[kind][0]}, {threads}, {items}, {algorithms}>"
            yield one(label, "move.cu", entry, 2, threads, ("in", "out", n), {"in": data}, {"out": want})
    for kind, threads, items, sliced in (("f32", 96, 3, "false"), ("i32", 64, 4, "true")):
        label = f"exchange {kind} {threads}x{items} sliced={sliced}"
        size = threads * items
        data = values(label, kind, 2 * size)
        ranks = np.concatenate([numbers(label + str(b)).permutation(size) for b in range(2)]).astype(np.int32)
        scattered = np.empty_like(data)
        for b in range(2):
            scattered[b * size + ranks[b * size : (b + 1) * size]] = data[b * size : (b + 1) * size]
        entry = f"exchange<{C_TYPES[kind][0]}, {threads}, {items}, {sliced}>"
        inputs, expected = {"in": data, "ranks": ranks}, {"striped": data, "scattered": scattered}
        yield one(label, "move.cu", entry, 2, threads, ("in", "ranks", "striped", "scattered"), inputs, expected)
    for kind, threads, items, logical in (("f32", 64, 4, 32), ("u64", 64, 3, 16)):
        label = f"warp_exchange {kind} {threads}x{items}/{logical}"
        data = values(label, kind, 2 * threads * items)
        parts = [part.reshape(items, logical).T.ravel() for part in tiles(data, logical * items)]
        entry = f"warp_exchange<{C_TYPES[kind][0]}, {threads}, {items}, {logical}>"
        yield one(label, "move.cu", entry, 2, threads, ("in", "out"), {"in": data}, {"out": np.concatenate(parts)})
    for kind, threads, distance in (("i32", 96, 5), ("f32", 64, 1)):
        label = f"shuffle {kind} {threads} by {distance}"
        data = values(label, kind, 2 * threads)
        offset, rotated = data.copy(), data.copy()
        for b in range(0, 2 * threads, threads):
            offset[b : b + threads - distance] = data[b + distance : b + threads]
            rotated[b : b + threads] = np.roll(data[b : b + threads], -distance)
        entry = f"shuffle<{C_TYPES[kind][0]}, {threads}>"
        expected = {"offset": offset, "rotated": rotated}
        yield one(label, "move.cu", entry, 2, threads, ("in", "offset", "rotated", distance), {"in": data}, expected)
    label = "run_length_decode u64 64x2"
    data, lengths = values(label, "u64", 128), numbers(label).integers(1, 9, 128).astype(np.uint32)
    want = np.repeat(data, lengths)
    entry = "run_length_decode<unsigned long long, 64, 2, 3>"
    args = ("values", "lengths", "out", len(want))
    yield one(label, "move.cu", entry, 1, 64, args, {"values": data, "lengths": lengths}, {"out": want})
