"""Which mma.sync shapes and accumulators exist: the assembler takes every row and refuses everything else."""

from __future__ import annotations

import pytest

from tests.unit.needs_samples import FIRST_LINE, kernel, mma
from tests.unit.test_ptx_needs import refused_lines
from warpgauge.ptx import parse
from warpgauge.ptx.mma_shapes import MMA_SHAPES, mma_advice

SHAPES = sorted({shape for row in MMA_SHAPES.values() for shape in row.shapes} | {"m16n16k16"})
ACCUMULATORS = ("f16", "bf16", "f32", "f64", "s32")
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8, "e5m2": 8}


def statement(shape: str, factor: str, accumulator: str) -> str:
    """One product with as many registers as its shape needs."""
    m, n, k = (int(part) for part in shape.replace("m", " ").replace("n", " ").replace("k", " ").split())
    # The one shape of which a warp computes four products at once, each with lanes of its own.
    copies = 4 if shape == "m8n8k4" and factor == "f16" else 1
    unit = 64 if factor == "f64" else 32
    a, b = (max(1, copies * rows * k * BITS[factor] // 32 // unit) for rows in (m, n))
    size = {"f64": 64, "f32": 32, "s32": 32}.get(accumulator, 16)
    kind = {"f64": "d", "f32": "f"}.get(accumulator, "r")
    count = max(1, copies * m * n * size // 32 // (64 if kind == "d" else 32))
    operation = ".xor.popc" if factor == "b1" else ""
    types = f"{accumulator}.{factor}.{factor}.{accumulator}{operation}"
    return mma(shape, types, f"{count}{kind}", a, b)


def advice(text: str) -> str:
    module = parse(kernel("sm_90", [text]))
    return next(mma_advice(i) for i in module.kernels["k"].instructions if i.ptx_line == FIRST_LINE)


def cases(legal: bool) -> list[str]:
    return [
        statement(shape, factor, accumulator)
        for factor, row in MMA_SHAPES.items()
        for shape in SHAPES
        for accumulator in ACCUMULATORS
        if (shape in row.shapes and accumulator in row.accumulators) == legal
    ]


def test_every_legal_product_assembles() -> None:
    assert refused_lines("sm_90", kernel("sm_90", cases(True))) == frozenset()
    assert {advice(text) for text in cases(True)} == {""}


def test_every_other_product_is_refused_and_has_advice() -> None:
    wrong = cases(False)
    lines = refused_lines("sm_90", kernel("sm_90", wrong))
    # A later phase of the assembler, which other errors keep from starting, refuses the rest.
    rest = [text for n, text in enumerate(wrong, FIRST_LINE) if n not in lines]
    assert [text for text in rest if not refused_lines("sm_90", kernel("sm_90", [text]))] == []
    assert [text for text in wrong if not advice(text)] == []


@pytest.mark.parametrize("factor", MMA_SHAPES)
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_89"])
def test_a_shape_begins_where_its_row_says(factor: str, target: str) -> None:
    row = MMA_SHAPES[factor]
    for shape, since in row.shapes.items():
        text = kernel(target, [statement(shape, factor, row.accumulators[-1])])
        assert bool(refused_lines(target, text)) is (since > int(target[3:])), (shape, factor)
