"""CUDA C++ that makes the accesses of a tile under given layouts, with the index formula that the advice prints.

One kernel per layout, `layout_0`, `layout_1`, ...; its parameters are the tile's elements, a table of places, and the
output. Stores are each followed by a read of the whole tile, loads hand on what they got: so the output shows whether
a layout keeps every element where its formula finds it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .access import Access
from .layout import Layout, Tile

_WARP = 32
_ELEMENT = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
_VECTOR = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "uint2", 16: "uint4"}
_HEAD = """\
template <class V, class T> __device__ V& as(T* p) { return *reinterpret_cast<V*>(p); }

"""


@dataclass(frozen=True)
class Slot:
    """Where an access finds its places in the table (entries) and leaves what it saw (bytes of the output).

    `line` is the source line of the access, by layout.
    """

    table: int
    steps: int
    output: int
    output_bytes: int
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """The source, and for every access its slot. An entry of `table` is row * 65536 + column, or -1."""

    source: str
    slots: tuple[Slot, ...]
    table: tuple[int, ...]
    output_bytes: int


def program(tile: Tile, accesses: Sequence[Access], layouts: Sequence[Layout], threads: int) -> Program:
    """The kernels for blocks of `threads` threads in x. A step of an access is one request of every warp."""
    warps = -(-threads // _WARP)
    table: list[int] = []
    shapes: list[tuple[int, int, int, int]] = []
    output = 0
    for access in accesses:
        steps = -(-len(access.requests) // warps)
        start = len(table)
        for lanes in access.requests:
            table += [-1 if at is None else at[0] << 16 | at[1] // tile.element_bytes for at in lanes]
        table += [-1] * (steps * warps * _WARP - (len(table) - start))
        size = tile.rows * tile.row_bytes if access.op == "store" else steps * warps * _WARP * _loaded(access)
        shapes.append((start, steps, output, size))
        output += -(-size // 16) * 16
    lines = _HEAD.splitlines()
    marks: list[list[int]] = [[] for _ in accesses]
    for number, layout in enumerate(layouts):
        lines += _opening(number, tile, layout)
        # Stores first, each into a tile of zeros; the loads then share one that is filled element by element.
        for n in sorted(range(len(accesses)), key=lambda n: accesses[n].op != "store"):
            body, at = _access(accesses[n], tile, shapes[n], warps, filled=bool(n != _first_load(accesses)))
            marks[n].append(len(lines) + at + 1)
            lines += body
        lines.append("}")
    slots = tuple(Slot(*shape, tuple(found)) for shape, found in zip(shapes, marks, strict=True))
    return Program("\n".join(lines) + "\n", slots, tuple(table), output)


def _loaded(access: Access) -> int:
    """Bytes that a lane gets in one step; an ldmatrix gives a register per matrix."""
    return 4 * matrices(access) if access.kind == "matrix" else access.bytes_per_lane


def matrices(access: Access) -> int:
    """How many matrices one request of an ldmatrix loads."""
    return sum(at is not None for at in access.requests[0]) // 8


def _first_load(accesses: Sequence[Access]) -> int:
    return next((n for n, access in enumerate(accesses) if access.op == "load"), -1)


def _opening(number: int, tile: Tile, layout: Layout) -> list[str]:
    element, pitch = _ELEMENT[tile.element_bytes], layout.pitch // tile.element_bytes
    return [
        f'extern "C" __global__ void layout_{number}(const {element}* a, const int* table, unsigned char* out) {{',
        "  extern __shared__ __align__(128) unsigned char tile_bytes[];",
        f"  {element} (*tile)[{pitch}] = reinterpret_cast<{element} (*)[{pitch}]>(tile_bytes);",
        f"  auto at = [&](int r, int c) -> {element}* {{ return &tile[r][{layout.column(tile.element_bytes)}]; }};",
        "  int t = threadIdx.x;",
    ]


def _every(tile: Tile, statement: str) -> list[str]:
    """A statement for all elements (r, c), between two barriers."""
    return [
        "  __syncthreads();",
        "#pragma unroll 1",
        f"  for (int i = t; i < {tile.rows * tile.columns}; i += blockDim.x) {{",
        f"    int r = i / {tile.columns}, c = i % {tile.columns};",
        f"    {statement}",
        "  }",
        "  __syncthreads();",
    ]


def _access(
    access: Access, tile: Tile, shape: tuple[int, int, int, int], warps: int, *, filled: bool
) -> tuple[list[str], int]:
    """The code of one access, and which of its lines touches the tile."""
    table, steps, output, _ = shape
    lanes, vector = warps * _WARP, _VECTOR[access.bytes_per_lane]
    element = _ELEMENT[tile.element_bytes]
    store = access.op == "store"
    before = _every(tile, "*at(r, c) = 0;" if store else "*at(r, c) = a[i];") if store or not filled else []
    loop = ["#pragma unroll 1", f"  for (int s = 0; s < {steps}; ++s) {{"]
    entry = f"table[{table} + s * {lanes} + t]"
    place = f"    int p = {entry}, r = p >> 16, c = p & 65535;"
    if access.kind == "matrix":
        inner, touch = _matrix(access, table, output, lanes, entry)
        return [*before, *loop, *inner, "  }"], len(before) + len(loop) + touch
    if store:
        source = f"a + r * {tile.columns} + c"
        line = f"      as<{vector}>(at(r, c)) = as<const {vector}>({source});"
        if access.kind == "copy":
            line = f'      asm volatile("cp.async.ca.shared.global [%0], [%1], {access.bytes_per_lane};" :: '
            line += f'"r"((unsigned)__cvta_generic_to_shared(at(r, c))), "l"({source}) : "memory");'
        after = _every(tile, f"as<{element}>(out + {output} + i * {tile.element_bytes}) = *at(r, c);")
        if access.kind == "copy":
            after.insert(0, '  asm volatile("cp.async.wait_all;" ::: "memory");')
        return [*before, *loop, place, "    if (p >= 0)", line, "  }", *after], len(before) + len(loop) + 2
    line = f"      as<{vector}>(out + {output} + (s * {lanes} + t) * {access.bytes_per_lane}) = as<{vector}>(at(r, c));"
    return [*before, *loop, place, "    if (p >= 0)", line, "  }"], len(before) + len(loop) + 2


def _matrix(access: Access, table: int, output: int, lanes: int, entry: str) -> tuple[list[str], int]:
    """ldmatrix by whole warps: lanes that supply no row pass any address."""
    count = matrices(access)
    trans = ".trans" if access.word.endswith(".trans") else ""
    registers = ", ".join(f"%{n}" for n in range(count))
    outputs = ", ".join(f'"=r"(v[{n}])' for n in range(count))
    keep = " ".join(
        f"as<unsigned>(out + {output} + ((s * {lanes} + t) * {count} + {n}) * 4) = v[{n}];" for n in range(count)
    )
    return [
        f"    if (table[{table} + s * {lanes} + t / 32 * 32] < 0) continue;",
        f"    int p = max({entry}, 0);",
        f"    unsigned v[{count}], from = (unsigned)__cvta_generic_to_shared(at(p >> 16, p & 65535));",
        f'    asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{registers}}}, [%{count}];" '
        f': {outputs} : "r"(from) : "memory");',
        f"    {keep}",
    ], 3
