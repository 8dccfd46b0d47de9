"""What Hypothesis draws: a launch shape and a tree of statements, each with numbers that its writer interprets.

Numbers stand for choices modulo whatever there is to choose from, so that any tree is a valid kernel and every smaller
number or shorter list is a simpler one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st

from .write_block import BLOCK_RULES
from .write_memory import MEMORY_RULES
from .write_values import VALUE_RULES
from .write_warp import WARP_RULES

Index3 = tuple[int, int, int]
PICKS = 8
# Most statements in a body at each depth: of most kernels, and of the few with hundreds of basic blocks.
SMALL, LARGE = (7, 3, 2), (9, 4, 3, 2)

# Names repeated as often as they should be drawn.
LANE_LEAVES = [*VALUE_RULES, *["op"] * 6, *MEMORY_RULES, *WARP_RULES]
BLOCK_LEAVES = [*LANE_LEAVES, *BLOCK_RULES, *BLOCK_RULES]
LANE_GROUPS = ["lane_if", "lane_loop", "switch"]
BLOCK_GROUPS = [*LANE_GROUPS, "block_if", "block_loop"]


@dataclass(frozen=True)
class Statement:
    """`rule` names the writer, `picks` its choices, `bodies` the statements inside."""

    rule: str
    picks: tuple[int, ...]
    bodies: tuple[tuple[Statement, ...], ...] = ()


@dataclass(frozen=True)
class Program:
    grid: Index3
    block: Index3
    picks: tuple[int, ...]
    body: tuple[Statement, ...]


picks = st.integers(0, 1024**PICKS - 1).map(lambda n: tuple(n >> 10 * k & 1023 for k in range(PICKS)))


Body = st.SearchStrategy[tuple[Statement, ...]]


@cache
def statements(sizes: tuple[int, ...], where: str, in_loop: bool, top: bool = False) -> Body:
    """`where`: "block" if all threads of the block come here together, else "lane". `sizes`: from here inwards."""
    leaves = list(BLOCK_LEAVES if where == "block" else LANE_LEAVES)
    leaves += ["leave"] + (["leave_block"] if where == "block" else [])
    if in_loop:
        leaves += ["break_block" if where == "block" else "break_lane"] * 3
    choices = [st.builds(Statement, st.sampled_from(leaves), picks)]
    if len(sizes) > 1:
        for name in BLOCK_GROUPS if where == "block" else LANE_GROUPS:
            inner = "block" if name.startswith("block") else "lane"
            body = statements(sizes[1:], inner, "loop" in name or (in_loop and "if" in name and inner == where))
            choices.append(st.builds(Statement, st.just(name), picks, st.tuples(body, body)))
        choices += choices[:1] * (4 if top else 8)
    return st.lists(st.one_of(choices), min_size=int(top), max_size=sizes[0]).map(tuple)


blocks = st.one_of(
    st.sampled_from([(32, 1, 1), (64, 1, 1), (1, 1, 1), (96, 1, 1), (8, 4, 1), (16, 2, 2), (8, 8, 1)]),
    st.tuples(st.integers(1, 100), st.just(1), st.just(1)),
    st.tuples(st.integers(1, 13), st.integers(1, 4), st.integers(1, 3)),
)
grids = st.sampled_from([(1, 1, 1), (4, 1, 1), (2, 1, 1), (5, 1, 1), (2, 2, 1), (1, 2, 3), (3, 1, 2)])
bodies = st.sampled_from([*[SMALL] * 19, LARGE]).flatmap(lambda sizes: statements(sizes, "block", False, True))
programs = st.builds(Program, grids, blocks, picks, bodies)
