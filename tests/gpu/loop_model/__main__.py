"""python -m tests.gpu.loop_model predict | measure OUT.json | join MEASURED.json [PAGE.md]

`predict` needs warpgauge and no GPU, `measure` a GPU, numpy and what `predict` wrote, `join` the readings.
"""

from __future__ import annotations

import sys
from pathlib import Path

PLAN = Path(__file__).parents[3] / "build" / "loop_model"
PAGE = Path(__file__).parents[3] / "docs" / "measured" / "loop_model_h200.md"


def main(arguments: list[str]) -> None:
    match arguments:
        case ["predict"]:
            from .predict import write_plan

            write_plan(PLAN)
        case ["measure", out]:
            from .measure import measure

            measure(PLAN, Path(out))
        case ["join", measured, *page]:
            from .join import write_page

            write_page(Path(measured), Path(page[0]) if page else PAGE)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
