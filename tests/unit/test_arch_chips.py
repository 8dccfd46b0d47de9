"""Chips and limits: quoted peaks come out of the table, every value names its source, corrected facts hold."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from warpgauge.arch import CHIPS, LIMITS, chip, limits, needed_in_flight, warps_for
from warpgauge.arch.chips import SOURCES
from warpgauge.arch.limits import SOURCES as LIMIT_SOURCES

# TFLOPS as the vendor's documents quote them: f32, packed f16, dense f16 with f32 accumulation in the tensor cores.
QUOTED = {
    "T4": (8.1, 16.2, 65),
    "A100": (19.5, 78, 312),
    "RTX 3090": (35.6, 35.6, 71),
    "A10": (31.2, None, 125),
    "Jetson AGX Orin": (5.3, None, 42.5),
    "RTX 4090": (82.6, 82.6, 165.2),
    "L4": (30.3, None, 121),
    "L40S": (91.6, None, 362),
    "H100": (66.9, 133.8, 989.4),
    "H100 PCIe": (51.2, 102.4, 756),
    "H200": (67, 134, 989),
    "B200": (75, 150, 2250),
    "B300": (76, None, 2250),
    "RTX 5090": (104.8, 104.8, 209.5),
    "RTX PRO 6000": (126, 126, 503.8),
}


@pytest.mark.parametrize("name", QUOTED)
def test_peaks_are_rate_times_sms_times_clock(name: str) -> None:
    product = chip(name)
    peaks = (product.fp32_flops, product.fp16_flops, product.tensor_flops)
    for peak, quoted in zip(peaks, QUOTED[name], strict=True):
        if quoted is not None:
            assert peak is not None and peak / 1e12 == pytest.approx(quoted, rel=0.015)


def test_every_value_has_a_source() -> None:
    for product in CHIPS.values():
        assert {f.name for f in fields(product)} - {"name", "arch", "source"} == set(product.source)
        assert set(product.source.values()) <= SOURCES.keys()
        missing = {field for field, key in product.source.items() if key == "none"}
        assert missing == ({"memory_latency_cycles"} if product.memory_latency_cycles is None else set())
    assert {f.name for f in fields(LIMITS["sm_90"])} - {"arch"} == set(LIMIT_SOURCES)


def test_no_source_is_left_over() -> None:
    assert {key for product in CHIPS.values() for key in product.source.values()} == set(SOURCES)


def test_every_architecture_that_is_asked_for() -> None:
    asked = {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120"}
    assert asked <= LIMITS.keys()
    assert asked == {product.arch for product in CHIPS.values()}


# requirements F-11: what the articles have wrong.
def test_corrected_facts() -> None:
    assert (chip("RTX 4090").arch, chip("RTX 4090").sms, chip("RTX 4090").l2_bytes) == ("sm_89", 128, 72 << 20)
    assert (chip("A100").sms, chip("A100").l2_bytes) == (108, 40960 << 10)
    assert chip("RTX 4090").memory_bandwidth == 1008e9
    warps = {arch: row.warps_per_sm for arch, row in LIMITS.items()}
    assert {warps[a] for a in ("sm_80", "sm_90", "sm_100")} == {64}
    assert {warps[a] for a in ("sm_86", "sm_89", "sm_120")} == {48}
    assert warps["sm_75"] == 32
    blocks = {arch: row.blocks_per_sm for arch, row in LIMITS.items()}
    assert (blocks["sm_80"], blocks["sm_90"], blocks["sm_86"], blocks["sm_89"]) == (32, 32, 16, 24)
    kib = {arch: (row.shared_per_sm // 1024, row.shared_per_block_optin // 1024) for arch, row in LIMITS.items()}
    assert kib["sm_80"] == (164, 163) and kib["sm_86"] == kib["sm_89"] == (100, 99) and kib["sm_90"] == (228, 227)
    assert LIMITS["sm_86"].shared_per_sm == 102400
    assert {(row.registers_per_sm, row.registers_per_thread) for row in LIMITS.values()} == {(65536, 255)}


def test_littles_law() -> None:
    h200 = chip("H200")
    needed = needed_in_flight(h200, limits("sm_90"))
    assert h200.memory_latency == pytest.approx(700 / 1.98e9)
    # 353.5 ns x 4.8 TB/s = 1.70 MB in flight on the chip
    assert needed.memory_bytes == pytest.approx(1.697e6 / 132, rel=1e-3)
    # Four schedulers, dependent instructions four clocks apart: 16 warps, or independent instructions (F-29).
    assert needed.instructions == 16
    assert needed_in_flight(chip("T4"), limits("sm_75")).memory_bytes is None


@pytest.mark.parametrize(("width", "loads", "warps"), [(4, 1, 100), (8, 1, 50), (16, 1, 25), (16, 4, 7), (4, 3, 34)])
def test_warps_for_bytes_in_flight(width: int, loads: int, warps: int) -> None:
    assert warps_for(12800, width, loads) == warps


def table(first: str) -> list[dict[str, str]]:
    """Rows of the table in docs/occupancy.md whose first heading is `first`, and that has most columns."""
    text = (Path(__file__).parents[2] / "docs" / "occupancy.md").read_text()
    tables: list[list[dict[str, str]]] = []
    for block in text.split("\n\n"):
        lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in block.strip().splitlines()]
        if lines[0][0] == first:
            tables.append([dict(zip(lines[0], row, strict=True)) for row in lines[2:]])
    return max(tables, key=lambda rows: len(rows[0]))


def test_the_page_has_the_limits_of_the_code() -> None:
    rows = {row["arch"]: row for row in table("arch")}
    assert list(rows) == list(LIMITS)
    for arch, limit in LIMITS.items():
        row = rows[arch]
        assert row["warps"] == str(limit.warps_per_sm) and row["blocks"] == str(limit.blocks_per_sm)
        assert int(row["shared KB"]) * 1024 == limit.shared_per_sm
        assert int(row["per block KB"]) * 1024 == limit.shared_per_block_optin
        assert (row["reserved bytes"], row["shared unit"]) == (str(limit.shared_reserved), str(limit.shared_unit))
        assert row["barriers"] == str(limit.barriers_per_sm or "-")
        assert (row["f32 lanes"], row["f16 lanes"]) == (str(limit.fp32_lanes), str(limit.fp16_lanes or "-"))


def test_the_page_has_the_chips_of_the_code() -> None:
    rows = {row["chip"]: row for row in table("chip")}
    assert list(rows) == list(CHIPS)
    for name, product in CHIPS.items():
        row = rows[name]
        assert (row["arch"], row["SMs"], int(row["L2 KB"]) * 1024) == (product.arch, str(product.sms), product.l2_bytes)
        assert float(row["GB/s"]) * 1e9 == pytest.approx(product.memory_bandwidth)
        assert float(row["MHz"]) * 1e6 == product.clock_hz
        assert row["tensor TFLOPS"] == f"{product.tensor_flops / 1e12:.1f}"
        assert row["latency, clocks"] == str(product.memory_latency_cycles or "-")
        needed = needed_in_flight(product, limits(product.arch)).memory_bytes
        assert row["bytes in flight per SM"] == ("-" if needed is None else f"{needed:,.0f}")
