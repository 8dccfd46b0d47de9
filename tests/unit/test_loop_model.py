"""The comparison of the loop model with a GPU, as far as it goes without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gpu.loop_model.join import READING, page, ranks, spearman, summary, svg, write_page
from tests.gpu.loop_model.variants import variants
from warpgauge.build import compile_source

PAGE = Path(__file__).parents[2] / "docs" / "measured" / "loop_model_h200.md"


def test_rank_correlation() -> None:
    assert list(ranks([10, 30, 20, 20])) == [1, 4, 2.5, 2.5]
    assert spearman([1, 2, 3, 4], [10, 20, 30, 45]) == pytest.approx(1)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    # 1 - 6 * (sum of squared differences of ranks = 2) / (4 * 15)
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 1, 1], [1, 2, 3]) is None and spearman([1, 2], [1, 2]) is None


def test_page_and_plot(tmp_path: Path) -> None:
    rows = [
        {"family": family, "name": f"v{n}", "cycles": 1000.0 * (n + 1), "us": us, "bound": "fma"}
        for family, times in (("a", (1.0, 2.0, 3.0)), ("b", (30.0, 20.0, 10.0)))
        for n, us in enumerate(times)
    ]
    reading = {"device": "a GPU", "date": "2026-12-01", "protocol": "timed", "clock_hz": 1e9, "arch": "sm_90a"}
    reading |= {"chip": "H200", "variants": rows}
    assert [(row[0], row[1], row[2]) for row in summary(reading)][1:] == [
        ("a", 3, pytest.approx(1)),
        ("b", 3, pytest.approx(-1)),
    ]
    text = page(reading, "plot.svg")
    assert "| b | v0 | 1.0 | 30.0 | 0.03 | fma |" in text
    assert svg(reading).count("<circle") == len(rows) + 2
    measured = tmp_path / "measured.json"
    measured.write_text(json.dumps(reading))
    write_page(measured, tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text() == page(reading, "page.svg")


def test_variants_are_different_kernels_that_compile() -> None:
    """All are read; one of each family is compiled here, the rest when their times are predicted."""
    found = variants()
    assert len(found) >= 36 and len({(v.family, v.name) for v in found}) == len(found)
    for family in dict.fromkeys(v.family for v in found):
        first = next(v for v in found if v.family == family)
        assert (
            compile_source(first.source, arch="sm_90a", entries=["k"], defines=first.defines).resources["k"].registers
        )


@pytest.mark.skipif(not READING.exists(), reason="no reading of the loop model yet: python -m tests.gpu.loop_model")
def test_the_page_is_that_of_the_reading() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(json.loads(READING.read_text(encoding="utf-8")), PAGE.stem + ".svg")
