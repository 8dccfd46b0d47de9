"""Cases of whole.cu: complete device algorithms, with the launches that CUB's host code would make."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .case import Argument, Case, Step
from .reduce import values

_EMPTY = bytes(1)  # a functor without members


def _scan(label: str, c_type: str, data: np.ndarray, want: np.ndarray, tile_state: int, way: str) -> Case:
    """Inclusive sums of tiles of 64 threads x 2 items by decoupled look-back; `tile_state` in bytes per tile."""
    tuning = f"ScanTuning<64, 2, cub::BLOCK_SCAN_{way}>"
    state = f"cub::ScanTileState<{c_type}>"
    n, tiles = len(want), -(-len(want) // 128)
    space = np.zeros((tiles + 32) * tile_state, np.uint8)
    # Status alone takes 4 bytes per tile where it has an array of its own; partial and inclusive sums follow.
    at = [-(-(tiles + 32) * size // 256) * 256 for size in (4, 16)] if tile_state == 36 else []
    own: dict[str, np.ndarray] = {"state": space}
    pointers: tuple[Argument, ...] = ("state",)
    if at:
        own = {
            "state": np.zeros(tiles + 32, np.uint32),
            "partial": np.zeros(at[1], np.uint8),
            "whole": np.zeros(at[1], np.uint8),
        }
        pointers = ("state", "partial", "whole")
    scan = "cub::detail::scan::"
    first = f"{scan}DeviceScanInitKernel<{tuning}, const {c_type}*, {c_type}*, {state}, {c_type}>"
    kinds = f"cuda::std::plus<>, cub::NullType, unsigned, {c_type}, false, false, cub::NullType"
    main = f"{scan}DeviceScanKernel<{tuning}, const {c_type}*, {c_type}*, {state}, {kinds}>"
    steps = (
        Step(first, 1, 128, (pointers, tiles)),
        Step(main, tiles, 64, ("in", "out", pointers, 0, _EMPTY, _EMPTY, n, 0)),
    )
    return Case(label, "whole.cu", steps, {"in": data}, {"out": want}, own)


def whole_scan_cases() -> Iterator[Case]:
    for kind, c_type, tile_state, way in (
        ("u64", "unsigned long long", 16, "WARP_SCANS"), ("f32", "float", 8, "WARP_SCANS"),
    ):  # fmt: skip
        for n in (128 * 6, 128 * 4 + 77):
            label = f"DeviceScanKernel {kind} n={n}"
            data = values(label, kind, n)
            yield _scan(label, c_type, data, np.cumsum(data, dtype=data.dtype), tile_state, way)
    label = "DeviceScanKernel Pair n=597"
    data = values(label, "u64", 2 * 597).view(np.int64)
    want = np.cumsum(data.reshape(-1, 2), axis=0).ravel()
    yield _scan(label, "Pair", data.view("V16"), want.view("V16"), 36, "WARP_SCANS")


def _even_share(n: int, blocks: int, tile: int) -> bytes:
    """cub::GridEvenShare<int>: how the tiles are dealt out."""
    tiles = -(-n // tile)
    grid = min(tiles, blocks)
    each = tiles // grid
    big = tiles - each * grid
    return np.array([tiles, big, (each + 1) * tile, each * tile, big * tile, n, grid, 0, 0, 0], np.int32).tobytes()


def whole_reduce_cases() -> Iterator[Case]:
    tuning, plus = "ReduceTuning<64, 4, 2>", "cuda::std::plus<>"
    name = "cub::detail::reduce::DeviceReduce"
    last = f"{name}SingleTileKernel<{tuning}, const float*, float*, int, {plus}, float, float>"
    for n in (256, 173, 1030):
        label = f"DeviceReduceSingleTileKernel f32 n={n}"
        data = values(label, "f32", n)
        step = Step(last, 1, 64, ("in", "out", n, _EMPTY, 5.0, _EMPTY))
        yield Case(label, "whole.cu", (step,), {"in": data}, {"out": np.array([data.sum() + 5], np.float32)})
    kinds = f"const float*, float*, int, int, {plus}, float, float, cuda::std::identity"
    first = f"{name}Kernel<{tuning}, true, {kinds}>"
    for n in (256 * 7, 256 * 4 + 99):
        label = f"DeviceReduceKernel in two passes f32 n={n}"
        data = values(label, "f32", n)
        share = _even_share(n, 3, 256)
        steps = (
            Step(first, 3, 64, ("in", "partial", n, share, _EMPTY, 0.0, _EMPTY)),
            Step(last, 1, 64, ("partial", "out", 3, _EMPTY, 0.0, _EMPTY)),
        )
        work = {"partial": np.zeros(3, np.float32)}
        yield Case(label, "whole.cu", steps, {"in": data}, {"out": np.array([data.sum()], np.float32)}, work)
    kinds = f"const int*, int*, int, int, {plus}, int, int, cuda::std::identity"
    atomics = f"{name}Kernel<{tuning}, false, {kinds}>"
    label = "DeviceReduceKernel by atomics i32"
    data = values(label, "i32", 1900)
    step = Step(atomics, 4, 64, ("in", "out", 1900, _even_share(1900, 4, 256), _EMPTY, 11, _EMPTY))
    want = np.array([data.sum(dtype=np.int32) + np.int32(11)], np.int32)
    yield Case(label, "whole.cu", (step,), {"in": data}, {"out": want}, {"out": np.zeros(1, np.int32)})


def whole_sort_cases() -> Iterator[Case]:
    name = "cub::detail::radix_sort::DeviceRadixSort"
    order = "cub::SortOrder::Ascending"
    for n in (192, 151):
        label = f"DeviceRadixSortSingleTileKernel f32 n={n}"
        keys, given = values(label, "f32", n), np.arange(n, dtype=np.int32)
        place = np.argsort(keys, kind="stable").astype(np.int32)
        entry = f"{name}SingleTileKernel<SortTuning, {order}, float, int, int>"
        step = Step(entry, 1, 64, ("keys", "out", "values", "order", n, 0, 32, _EMPTY))
        inputs = {"keys": keys, "values": given}
        yield Case(label, "whole.cu", (step,), inputs, {"out": keys[place], "order": place})
    for n in (288 * 4, 288 * 2 + 101):
        label = f"onesweep radix sort of u32 pairs n={n}"
        keys, given = values(label, "u32", n) & np.uint32(1023), np.arange(n, dtype=np.int32)
        place = np.argsort(keys, kind="stable").astype(np.int32)
        blocks = -(-n // 288)
        zero = f"{name}InitKernel<SortTuning, int, int>"
        main = f"{name}OnesweepKernel<SortTuning, {order}, unsigned, int, int, int>"
        steps = [
            Step(zero, 1, 256, ("tickets", 2, "bins", 64)),
            Step(
                f"{name}HistogramKernel<SortTuning, {order}, unsigned, int>", 3, 64, ("bins", "keys", n, 0, 10, _EMPTY)
            ),
            Step(f"{name}ExclusiveSumKernel<SortTuning, int>", 2, 32, ("bins",)),
        ]
        hops = (
            ("tickets", "bins", "middle", "keys", "middle_order", "values"),
            ("tickets+4", "bins+128", "out", "middle", "order", "middle_order"),
        )
        for number, (ticket, bins, keys_to, keys_from, values_to, values_from) in enumerate(hops):
            steps.append(Step(zero, 1, 256, ("back", 32 * blocks, "back", 0)))
            args = ("back", ticket, 0, bins, keys_to, keys_from, values_to, values_from, n, 5 * number, 5, _EMPTY)
            steps.append(Step(main, blocks, 96, args))
        work = {
            "tickets": np.zeros(2, np.int32), "bins": np.zeros(64, np.int32), "back": np.zeros(32 * blocks, np.int32),
            "middle": np.zeros(n, np.uint32), "middle_order": np.zeros(n, np.int32),
        }  # fmt: skip
        expected = {"out": keys[place], "order": place}
        yield Case(label, "whole.cu", tuple(steps), {"keys": keys, "values": given}, expected, work)
