"""How threads are laid over data: grid-stride loops, lanes of flat blocks, the constant cache (F-44 to F-46)."""

from __future__ import annotations

from functools import partial

from .execution import built, launched, of_buffer
from .record import Fact

ENTRIES = ("naive", "strided", "rows", "constants")


def traffic(entry: str, n: int) -> tuple[int, int, int]:
    """(lanes that load, sectors of the loads, sectors of the stores) for n elements with blocks of 256 threads."""
    blocks = -(-n // 256) if entry == "naive" else 2
    execution = launched(built("grid.cu", ENTRIES), entry, n, block=(256, 1, 1), grid=(blocks, 1, 1))
    loads, stores = (
        [s for s in execution.sites if s.op == op and s.worst and s.worst.buffer == name]
        for op, name in (("load", "a"), ("store", "out"))
    )
    return sum(s.lanes for s in loads), sum(s.sectors for s in loads), sum(s.sectors for s in stores)


def rows_of_a_warp(block: tuple[int, int, int]) -> int:
    """How many values of threadIdx.y the lanes of one warp have, by the addresses that they ask for."""
    site = of_buffer(launched(built("grid.cu", ENTRIES), "rows", 100, block=block), "a")
    assert site.worst is not None
    return len({address for address in site.worst.lanes if address is not None})


def constant_addresses(step: int) -> tuple[list[int], int]:
    """(distinct addresses of each request to constant memory, sectors that it moves)."""
    execution = launched(built("grid.cu", ENTRIES), "constants", step, mode="trace")
    requests = [len(set(r.lanes)) for r in execution.requests if r.space == "const"]
    return requests, sum(s.sectors for s in execution.sites if s.space == "const")


FACTS = (
    *(
        Fact("F-44", f"{words}, n = {n}: {sectors} sectors", partial(traffic, entry, n), (n, sectors, sectors))
        for entry, words in (("naive", "an element per thread"), ("strided", "a grid-stride loop"))
        for n, sectors in ((1024, 128), (1000, 125), (1001, 126), (777, 98))
    ),
    Fact("F-45", "a warp of a 16 x 16 block has two rows", partial(rows_of_a_warp, (16, 16, 1)), 2),
    Fact("F-45", "a warp of a 32 x 8 block has one", partial(rows_of_a_warp, (32, 8, 1)), 1),
    Fact("F-45", "a warp of an 8 x 8 block has four", partial(rows_of_a_warp, (8, 8, 1)), 4),
    Fact("F-45", "a warp of a 24 x 4 block straddles two", partial(rows_of_a_warp, (24, 4, 1)), 2),
    Fact("F-46", "a uniform index asks the constant cache once", partial(constant_addresses, 0), ([1], 0)),
    Fact("F-46", "an index of each lane's own asks 32 times", partial(constant_addresses, 1), ([32], 0)),
    Fact("F-46", "every fourth: 16 distinct addresses", partial(constant_addresses, 4), ([16], 0)),
)  # fmt: skip
