"""`check` in a terminal of 80 columns without colour, and in one with colour."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.unit.hand_evaluation import ROWS, evaluation, row
from warpgauge.contracts import ContractResult, Verdict
from warpgauge.evaluate.record import Evaluation
from warpgauge.report.cells import number
from warpgauge.report.check_terminal import render_check


def rendered(*evaluations: Evaluation, width: int = 80, color: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system="truecolor" if color else None, force_terminal=color)
    render_check(console, evaluations)
    return out.getvalue()


TABLE = """\
gemm_f32: lanes_over_rows  FAIL

contract       verdict   measured       asked coverage       evidence      binds
memory access  FAIL      0.125          0.75  all 256 blocks counted       yes
                         efficiency
bank conflicts FAIL      1,984          0     all 256 blocks counted       yes
                         conflicts
registers      PASS      0 bytes        0     the 1 kernel   quoted, ptxas no
                         spilled
numerics       FAIL      inf rel. L2    1e-05 all 65,536     counted       yes
                                              elements
safety         FAIL      1 findings     0     all 256 blocks counted       yes
divergence     UNKNOWN   -              -     -              -             no
target         NOT ASKED -              -     -              -             no
resources: gemm 40 registers per thread, 4,096 bytes of static and 32,768 bytes
  of dynamic shared memory per block; fill 8 registers per thread, no shared
  memory per block (quoted, ptxas and the launch plan)
  divergence UNKNOWN: this contract is not built yet

"""


def test_the_table_at_80_columns() -> None:
    lines = [line.rstrip() for line in rendered(evaluation()).splitlines()]
    assert "\n".join(lines).startswith(TABLE)


def test_no_line_is_wider_than_80_columns_and_nothing_is_coloured() -> None:
    text = rendered(evaluation(), evaluation(row(Verdict.PASS), candidate="tiled"))
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_colour_is_for_terminals() -> None:
    assert "\x1b[" in rendered(evaluation(), color=True)


def test_every_finding_is_shown_in_order() -> None:
    text = rendered(evaluation())
    codes = ["PRB908", "MEM101", "SHM201", "NUM505", "SAF601"]
    assert [text.index(f"[{code}]") for code in codes] == sorted(text.index(f"[{code}]") for code in codes)


def test_a_pass_without_a_number_says_why_on_its_row() -> None:
    text = rendered(evaluation(ContractResult("occupancy", Verdict.PASS, False, None, 1.0, reason="nothing to hide")))
    (line,) = [line for line in text.splitlines() if line.startswith("occupancy")]
    assert line.split()[1:3] == ["PASS", "nothing"]


def test_several_candidates_end_with_a_row_each() -> None:
    text = rendered(evaluation(), evaluation(row(Verdict.PASS), candidate="tiled"))
    last = text.split("tiled  PASS\n")[-1]
    assert "lanes_over_rows  FAIL  (memory access, bank conflicts, numerics, safety)\n" in last
    assert "tiled            PASS\n" in last


def test_an_unusable_candidate_shows_its_errors_and_no_table() -> None:
    broken = Evaluation("p", "c", diagnostics=evaluation().diagnostics[:1], unusable=True)
    text = rendered(broken)
    assert "p: c  UNKNOWN" in text and "[PRB908]" in text
    assert "contract" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0, "0"), (1984, "1,984"), (0.125, "0.125"), (2.797e-7, "2.8e-07"), (float("nan"), "nan")],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_every_row_is_there_at_any_width() -> None:
    for width in (50, 80, 160):
        text = rendered(evaluation(), width=width)
        assert all(result.title in text for result in ROWS if isinstance(result, ContractResult))
