"""`warpgauge occupancy`: how many blocks of a kernel fit on an SM, what limits them, and where the next step lies."""

from __future__ import annotations

import argparse
from typing import Any

from .sizes import three


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "occupancy",
        help="how many blocks of a kernel fit on an SM, and what limits them",
        description="Occupancy from registers, threads and shared memory, with the derivation and the next steps.",
    )
    parser.add_argument("--arch", metavar="SM", required=True, help="for example sm_90")
    parser.add_argument("--registers", metavar="N", type=int, required=True, help="per thread, as ptxas reports them")
    parser.add_argument("--block", metavar="SIZE", type=three, required=True, help="threads: 256, 16x16 or 8,8,4")
    parser.add_argument("--static-shared", metavar="BYTES", type=int, default=0, help="per block (default: 0)")
    parser.add_argument("--dynamic-shared", metavar="BYTES", type=int, default=0, help="per block (default: 0)")
    parser.add_argument("--barriers", metavar="N", type=int, default=0, help="named barriers of a block, as ptxas says")
    parser.add_argument(
        "--chip", metavar="NAME", help="for example H200: what must be in flight, and waves with --grid"
    )
    parser.add_argument("--grid", metavar="SIZE", type=three, help="blocks of the launch, for waves; needs --chip")
    parser.add_argument("--elements", metavar="N", type=int, help="threads of the launch with work; needs --grid")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from warpgauge.arch import residency
    from warpgauge.problem.place import fail
    from warpgauge.report.occupancy import occupancy_json, render_occupancy

    from .screen import console, print_json

    for option, needs in (("grid", "chip"), ("elements", "grid")):
        if getattr(arguments, option) is not None and getattr(arguments, needs) is None:
            raise fail("PRB901", f"--{option} needs --{needs}", "")
    try:
        answer = residency(
            arguments.arch,
            arguments.block,
            registers=arguments.registers,
            static_shared=arguments.static_shared,
            dynamic_shared=arguments.dynamic_shared,
            barriers=arguments.barriers,
            chip_name=arguments.chip,
            grid=arguments.grid,
            elements=arguments.elements,
        )
    except (KeyError, ValueError) as error:
        raise fail("PRB904", str(error.args[0]), "") from None
    if arguments.json:
        print_json(occupancy_json(answer))
    else:
        render_occupancy(console(), answer)
    return 0
