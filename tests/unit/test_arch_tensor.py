"""The stated error of a tensor-core product: what it grows with, and that the virtual GPU stays inside it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle import engine
from tests.oracle.cases import BUFFERS, KERNEL, by_id, inputs_for, ptx_for
from tests.oracle.sums import worst_error
from warpgauge.arch import product_error, virtual_error
from warpgauge.ptx import parse

FORMS = [("f16", "f32", 16), ("f16", "f16", 16), ("bf16", "f32", 8), ("tf32", "f32", 8), ("e4m3", "f32", 32)]


@pytest.mark.parametrize("arch", [75, 80, 86, 89, 90, 100, 120])
@pytest.mark.parametrize(("factor", "sums", "depth"), FORMS)
def test_the_virtual_gpu_lies_inside_every_hardware_bound(arch: int, factor: str, sums: str, depth: int) -> None:
    assert 0 < virtual_error(factor, sums, depth) < product_error(arch, factor, sums, depth)
    assert product_error(arch, factor, sums, depth) < product_error(arch, factor, sums, 2 * depth)


def test_fp8_may_be_short_where_it_has_an_instruction_of_its_own() -> None:
    errors = {arch: product_error(arch, "e4m3", "f32", 32) for arch in (89, 90, 100, 120)}
    assert errors[89] == errors[120] == 1024 * errors[90] and errors[90] == errors[100]
    assert product_error(90, "s8", "s32", 32) == 0


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_a_result_beyond_the_bound_is_seen(shift: float) -> None:
    """One element moved by a multiple of its bound."""
    case = by_id("mma.m16n8k16.row.col.f32.f16.f16.f32")
    buffers = inputs_for(case)
    # All ones: each sum of 16 products and C is 17, exactly, and so is the sum of sizes.
    buffers = {**buffers, "a": np.full_like(buffers["a"], 0x3C003C00), "b": np.full_like(buffers["b"], 0x3C003C00)}
    buffers["c"] = np.full_like(buffers["c"], 0x3F800000)
    places = engine.layout(buffers)
    result = engine.run(
        parse(ptx_for(case)), KERNEL, grid=case.grid, block=case.block,
        arguments=[places[name] for name in BUFFERS], buffers=buffers,
    )  # fmt: skip
    answer = result.buffers["d"].copy()
    assert worst_error(case, buffers, answer) == 0
    moved = answer.view(np.float32)
    moved[77] += np.float32(17 * shift * product_error(90, "f16", "f32", 16))
    assert (worst_error(case, buffers, answer) > 1) is (shift > 1)
