"""Limits, chips and the bank rule: facts that contracts and launch plans lean on."""

from __future__ import annotations

import pytest

from warpgauge.arch import CHIPS, LIMITS, bank_cost, chip, limits


@pytest.mark.parametrize(
    ("arch", "warps", "kib"),
    [
        ("sm_75", 32, 64),
        ("sm_80", 64, 163),
        ("sm_86", 48, 99),
        ("sm_89", 48, 99),
        ("sm_90", 64, 227),
        ("sm_90a", 64, 227),
    ],
)
def test_limits_by_name_with_and_without_suffix(arch: str, warps: int, kib: int) -> None:
    row = limits(arch)
    assert (row.warps_per_sm, row.shared_per_block_optin) == (warps, kib * 1024)


def test_every_row_is_consistent() -> None:
    for row in LIMITS.values():
        assert row.shared_per_block <= row.shared_per_block_optin <= row.shared_per_sm
        assert row.threads_per_block <= row.threads_per_sm
        assert row.shared_per_block_optin + row.shared_reserved == row.shared_per_sm
    for product in CHIPS.values():
        assert limits(product.arch).arch == product.arch


def test_unknown_names_say_what_is_known() -> None:
    with pytest.raises(KeyError, match="sm_90"):
        limits("sm_42")
    with pytest.raises(KeyError, match="H200"):
        chip("H2000")
    assert chip("H200").sms == 132


def cost(addresses: list[int | None], width: int, **more: bool) -> tuple[int, int]:
    result = bank_cost(addresses, width, **more)
    return result.wavefronts, result.conflicts


@pytest.mark.parametrize(
    ("step", "wavefronts"), [(4, 1), (8, 2), (12, 1), (16, 4), (32, 8), (64, 16), (128, 32), (132, 1), (0, 1)]
)
def test_word_strides(step: int, wavefronts: int) -> None:
    assert cost([lane * step for lane in range(32)], 4) == (wavefronts, wavefronts - 1)


def test_halves_of_one_word_do_not_conflict() -> None:
    assert cost([lane * 2 for lane in range(32)], 2) == (1, 0)


def test_wide_accesses_are_served_in_groups() -> None:
    assert cost([lane * 8 for lane in range(32)], 8) == (2, 0)
    assert cost([lane * 16 for lane in range(32)], 16) == (4, 0)
    assert cost([0] * 32, 16) == (2, 0)
    # Pairs that share an address make two groups of four; these then meet twice in their banks (read so on an H200).
    assert cost([(lane & ~1) * 16 for lane in range(32)], 16) == (4, 2)
    assert cost([(lane & ~2) * 16 for lane in range(32)], 16) == (4, 2)
    assert cost([(lane & ~2) * 16 for lane in range(32)], 16, merge_pairs=False) == (4, 0)
    assert cost([(lane & ~4) * 16 for lane in range(32)], 16) == (4, 0)


def test_inactive_lanes_cost_nothing() -> None:
    assert cost([None] * 32, 4) == (0, 0)
    assert cost([0, *[None] * 31], 16) == (1, 0)
    # An inactive partner counts as equal, so the two quarter-warps of lanes 0 and 8 are served as one half-warp.
    assert cost([lane * 16 if lane in (0, 8) else None for lane in range(32)], 16) == (2, 1)
    assert cost([lane * 16 if lane in (0, 9) else None for lane in range(32)], 16) == (1, 0)
