"""Which mma.sync shapes and accumulators exist: the assembler takes every row and refuses everything else."""

from __future__ import annotations

import pytest

from tests.unit.needs_samples import FIRST_LINE, kernel, mma
from tests.unit.test_ptx_needs import refused_lines
from warpgauge.ptx import parse
from warpgauge.ptx.mma_shapes import MIXED, MMA_SHAPES, mma_advice, register_counts

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


def product(modifiers: str, counts: tuple[int, int, int, int], kinds: str = "frrf") -> str:
    """mma with registers of the given kinds and numbers for D, A, B and C."""
    groups = [
        "{" + ", ".join(f"%{kind}{start + n}" for n in range(count)) + "}"
        for count, kind, start in zip(counts, kinds, (0, 10, 20, 30), strict=True)
    ]
    return f"mma.{modifiers} {', '.join(groups)};"


NEIGHBOURS = {
    "layout": (product("sync.aligned.m16n8k16.row.row.f32.f16.f16.f32", (4, 4, 2, 4)), ".row.col only"),
    "no layout": (product("sync.aligned.m16n8k16.f32.f16.f16.f32", (4, 4, 2, 4)), ".row.col only"),
    "unlike sums": (product("sync.aligned.m16n8k16.row.col.f32.f16.f16.f16", (4, 4, 2, 2), "frrr"), "of one type"),
    "narrow D": (product("sync.aligned.m8n8k4.row.col.f16.f16.f16.f32", (4, 2, 2, 8), "rrrf"), "C and D of one type"),
    "mixed factors": (product("sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32", (4, 4, 2, 4)), "f16 with f16 only"),
    "mixed widths": (product("sync.aligned.m16n8k32.row.col.s32.s8.s4.s32", (4, 4, 2, 4), "rrrr"), "s8 or u8"),
    "f32 factors": (product("sync.aligned.m16n8k8.row.col.f32.f32.f32.f32", (4, 4, 2, 4)), "cvt.rna.tf32.f32"),
    "bf16 sums": (product("sync.aligned.m16n8k16.row.col.bf16.bf16.bf16.bf16", (2, 4, 2, 2), "rrrr"), "in f32 only"),
    "wmma's shape": (product("sync.aligned.m16n16k16.row.col.f16.f16.f16.f16", (4, 4, 4, 4), "rrrr"), "wmma"),
    "clamped floats": (product("sync.aligned.m16n8k8.row.col.satfinite.f32.f16.f16.f32", (4, 2, 1, 4)), "satfinite"),
    "clamped bits": (
        product("sync.aligned.m16n8k128.row.col.satfinite.s32.b1.b1.s32.xor.popc", (4, 2, 1, 4), "rrrr"), "satfinite",
    ),
    "bits without popc": (product("sync.aligned.m16n8k128.row.col.s32.b1.b1.s32", (4, 2, 1, 4), "rrrr"), ".xor.popc"),
    "registers": (product("sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", (4, 2, 2, 4)), "4 for A, 2 for B"),
    "not aligned": (product("sync.m16n8k8.row.col.f32.f16.f16.f32", (4, 2, 1, 4)), "mma.sync.aligned"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), NEIGHBOURS.values(), ids=NEIGHBOURS.keys())
def test_a_neighbour_is_refused_and_named(text: str, words: str) -> None:
    assert refused_lines("sm_90", kernel("sm_90", [text]))
    assert words in advice(text)


def legal_forms() -> list[str]:
    """Every way in which types, layouts and clamping combine, with its registers."""
    found = []
    for factor, row in MMA_SHAPES.items():
        partners = next((sorted(group) for group in MIXED if factor in group), [factor])
        for shape in row.shapes:
            for b in partners:
                for sums in row.accumulators:
                    kind = {"f32": "f", "f64": "d"}.get(sums, "r")
                    wide = "d" if factor == "f64" else "r"
                    for extra in ("", ".satfinite") if sums == "s32" and factor != "b1" else ("",):
                        tail = {"b1": ".and.popc"}.get(factor, "")
                        types = f"{extra}.{sums}.{factor}.{b}.{sums}{tail}"
                        counts = register_counts(shape, sums, factor, sums)
                        found.append(
                            product(f"sync.aligned.{shape}.row.col{types}", counts, f"{kind}{wide}{wide}{kind}")
                        )
    for a in ("row", "col"):
        for b in ("row", "col"):
            counts = register_counts("m8n8k4", "f32", "f16", "f16")
            found.append(product(f"sync.aligned.m8n8k4.{a}.{b}.f32.f16.f16.f16", counts, "frrr"))
    return found


def test_every_combination_of_a_row_assembles() -> None:
    texts = legal_forms()
    assert len(texts) > 60
    assert refused_lines("sm_90", kernel("sm_90", texts)) == frozenset()
    assert [text for text in texts if advice(text)] == []
