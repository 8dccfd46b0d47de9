"""Predicted against measured: rank correlations, a table and a plot, as a page."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

READING = Path(__file__).parent / "h200.json"


def ranks(values: Sequence[float]) -> np.ndarray:
    """1 for the least; equal values share the mean of their ranks."""
    array = np.asarray(values, float)
    return np.array([(array < v).sum() + ((array == v).sum() + 1) / 2 for v in array])


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Rank correlation; None for fewer than three pairs, or where one side is all equal."""
    if len(a) < 3 or len(set(a)) == 1 or len(set(b)) == 1:
        return None
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def predicted_us(row: dict[str, Any], reading: dict[str, Any]) -> float:
    return 1e6 * row["cycles"] / reading["clock_hz"]


def summary(reading: dict[str, Any]) -> list[tuple[str, int, float | None, float, float, float]]:
    """(family, variants, rank correlation, quartiles of predicted over measured), "all" first."""
    families = list(dict.fromkeys(row["family"] for row in reading["variants"]))
    out = []
    for family in ["all", *families]:
        rows = [row for row in reading["variants"] if family in ("all", row["family"])]
        ratio = [predicted_us(row, reading) / row["us"] for row in rows]
        low, middle, high = (float(q) for q in np.percentile(ratio, (25, 50, 75)))
        found = spearman([row["cycles"] for row in rows], [row["us"] for row in rows])
        out.append((family, len(rows), found, low, middle, high))
    return out


def page(reading: dict[str, Any], plot: str) -> str:
    """The page in Markdown."""
    rows = summary(reading)
    text = [
        "# The loop model against an H200",
        "",
        "Cycles that the loop model predicts from machine code, residency and counted trips, ranked against times that "
        "were measured. The model's",
        "figures are quoted or assumed ([docs/sass.md](../sass.md) names them); none was changed after a measurement. "
        "This page is generated from",
        "`tests/gpu/loop_model/h200.json` by `python -m tests.gpu.loop_model join`.",
        "",
        f"Device: {reading['device']}. Date: {reading['date']}. Protocol: {reading['protocol']}. Predictions for "
        f"{reading['arch']} on {reading['chip']},",
        f"turned into time at {reading['clock_hz'] / 1e6:,.0f} MHz.",
        "",
        f"**Rank correlation (Spearman) over all {rows[0][1]} variants: {_figure(rows[0][2])}.**",
        "",
        "| family | variants | rank correlation | predicted / measured: lower quartile | median | upper quartile |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for family, count, found, low, middle, high in rows:
        text.append(f"| {family} | {count} | {_figure(found)} | {low:.2f} | {middle:.2f} | {high:.2f} |")
    text += [
        "",
        "A dash: too few variants, or all predictions equal.",
        "",
        f"![predicted against measured, both on logarithmic axes]({plot})",
        "",
        "| family | variant | predicted us | measured us | predicted / measured | bound, as predicted |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for row in reading["variants"]:
        guess = predicted_us(row, reading)
        text.append(
            f"| {row['family']} | {row['name']} | {guess:,.1f} | {row['us']:,.1f} | {guess / row['us']:.2f} | "
            f"{row['bound']} |"
        )
    return "\n".join(text) + "\n"


_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa8800", "#66ccee", "#aa3377", "#777777", "#000000", "#cc6611")
_SIZE, _EDGE = 480, 60


def svg(reading: dict[str, Any]) -> str:
    """Predicted over measured time on logarithmic axes, a colour per family, and the line where they are equal."""
    rows = reading["variants"]
    times = [t for row in rows for t in (row["us"], predicted_us(row, reading))]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def at(value: float) -> float:
        return _EDGE + (math.log10(value) - low) / (high - low) * (_SIZE - 2 * _EDGE)

    families = list(dict.fromkeys(row["family"] for row in rows))
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIZE + 150}" height="{_SIZE}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{_SIZE + 150}" height="{_SIZE}" fill="white"/>',
        f'<line x1="{_EDGE}" y1="{_SIZE - _EDGE}" x2="{_SIZE - _EDGE}" y2="{_EDGE}" stroke="#bbbbbb"/>',
    ]
    for power in range(low, high + 1):
        x, label = at(10.0**power), f"{10.0**power:g}"
        out.append(f'<text x="{x:.1f}" y="{_SIZE - _EDGE + 18}" text-anchor="middle">{label}</text>')
        out.append(f'<text x="{_EDGE - 8}" y="{_SIZE - x + 4:.1f}" text-anchor="end">{label}</text>')
    out.append(f'<text x="{_SIZE / 2}" y="{_SIZE - 15}" text-anchor="middle">measured, us</text>')
    out.append(
        f'<text x="15" y="{_SIZE / 2}" text-anchor="middle" transform="rotate(-90 15 {_SIZE / 2})">predicted, us</text>'
    )
    for n, family in enumerate(families):
        colour, y = _COLOURS[n % len(_COLOURS)], _EDGE + 18 * n
        out.append(f'<circle cx="{_SIZE - 20}" cy="{y}" r="4" fill="{colour}"/>')
        out.append(f'<text x="{_SIZE - 10}" y="{y + 4}">{family}</text>')
        for row in rows:
            if row["family"] == family:
                x, y2 = at(row["us"]), _SIZE - at(predicted_us(row, reading))
                out.append(f'<circle cx="{x:.1f}" cy="{y2:.1f}" r="4" fill="{colour}" fill-opacity="0.7"/>')
    return "\n".join([*out, "</svg>"]) + "\n"


def write_page(measured: Path, target: Path) -> None:
    """Writes the page and its plot beside it."""
    reading = json.loads(measured.read_text(encoding="utf-8"))
    plot = target.with_suffix(".svg")
    target.parent.mkdir(parents=True, exist_ok=True)
    plot.write_text(svg(reading), encoding="utf-8")
    target.write_text(page(reading, plot.name), encoding="utf-8")
    for family, count, found, _, middle, _ in summary(reading):
        print(f"{family:<15} {count:>3} variants  rank correlation {_figure(found):>5}  median ratio {middle:.2f}")
