"""`warpgauge pad`: the smallest padding and the smallest swizzle of a shared-memory tile, both executed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .sizes import three, two

if TYPE_CHECKING:
    from warpgauge.padding import Access, Tile


def add_parser(commands: Any) -> None:
    from warpgauge.padding.words import WORDS

    words = "\n".join(f"  {word.name:<18} {word.what}" for word in WORDS.values())
    parser = commands.add_parser(
        "pad",
        help="the smallest padding or swizzle of a shared-memory tile for all of its accesses",
        description="Searches the layouts of a tile for the smallest that runs all accesses without bank conflicts.",
        epilog=f"accesses, with :BYTES per lane where that can be chosen (row:16):\n{words}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--tile", metavar="ROWSxCOLUMNS", type=two, required=True, help="in elements, as they are used")
    parser.add_argument("--dtype", metavar="NAME", default="f32", help="f16, bf16, f32, ... (default: f32)")
    parser.add_argument("--pitch", metavar="N", type=int, help="elements per row as it is declared (default: columns)")
    for name, what in (("store", "how the tile is written"), ("load", "how it is read")):
        parser.add_argument(
            f"--{name}", metavar="WORD", action="append", default=[], help=f"{what}; may be given again"
        )
    parser.add_argument("--block", metavar="SIZE", type=three, required=True, help="threads: 256, 16x16 or 8,8,4")
    parser.add_argument("--arch", metavar="SM", default="sm_90", help="default: sm_90")
    cost = parser.add_argument_group("for the occupancy of a block")
    cost.add_argument("--registers", metavar="N", type=int, default=32, help="per thread (default: 32)")
    cost.add_argument("--tiles", metavar="N", type=int, default=1, help="tiles of this layout (default: 1)")
    cost.add_argument("--other-shared", metavar="BYTES", type=int, default=0, help="beside them (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.evaluate.padding import pad_tile
    from warpgauge.problem.place import fail
    from warpgauge.report.pad import pad_json, render_pad

    from .screen import console, print_json

    tile, pitch, accesses = _asked(arguments)
    x, y, z = arguments.block
    try:
        answer = pad_tile(
            tile,
            accesses,
            pitch=pitch,
            threads=x * y * z,
            arch=arguments.arch,
            registers=arguments.registers,
            tiles=arguments.tiles,
            other_shared=arguments.other_shared,
        )
    except (KeyError, ValueError) as error:
        raise fail("PRB904", str(error.args[0]), "") from None
    if arguments.json:
        print_json(pad_json(answer, arguments.dtype))
    else:
        render_pad(console(), answer, arguments.dtype)
    return answer.exit_code


def _asked(arguments: argparse.Namespace) -> tuple[Tile, int, list[Access]]:
    """The tile, the pitch of its rows in bytes, and its accesses. WarpgaugeError PRB901 for what means nothing."""
    from warpgauge.padding import Tile
    from warpgauge.padding.words import LARGEST, PatternError, access
    from warpgauge.problem.dtypes import DTYPES
    from warpgauge.problem.place import fail, near

    if arguments.dtype not in DTYPES:
        message = f'no dtype is called "{arguments.dtype}"'
        raise fail("PRB901", message, "--dtype", help=near(arguments.dtype, DTYPES))
    rows, columns = arguments.tile
    tile = Tile(rows, columns, DTYPES[arguments.dtype].bytes)
    if min(rows, columns) < 1 or tile.rows * tile.row_bytes > LARGEST:
        size = f"{tile.rows} x {tile.columns} elements of {tile.element_bytes} bytes"
        raise fail("PRB901", f"{size} are no tile that shared memory holds", "--tile")
    pitch = tile.columns if arguments.pitch is None else arguments.pitch
    if not tile.columns <= pitch <= LARGEST:
        raise fail("PRB901", f"rows of {tile.columns} elements cannot start {pitch} elements apart", "--pitch")
    if arguments.tiles < 1:
        raise fail("PRB901", f"{arguments.tiles} tiles", "--tiles")
    accesses = []
    for direction in ("store", "load"):
        for word in getattr(arguments, direction):
            try:
                accesses.append(access(word, direction, tile, arguments.block))
            except PatternError as error:
                raise fail("PRB901", str(error), f"--{direction}", help=near(word, error.known)) from None
    if not accesses:
        raise fail("PRB901", "give at least one --load or --store", "", help="warpgauge pad --help lists the words")
    return tile, pitch * tile.element_bytes, accesses
