"""How arrays lie in memory: NumPy views, what imitates a torch tensor, and the comparison with a problem's tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from warpgauge.problem import Layout, describe_layout, layout_mismatches
from warpgauge.problem.describe import describe, item_bytes_of, order_of


def zeros(*shape: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return np.zeros(shape, dtype)


@pytest.mark.parametrize(
    ("array", "order", "leading"),
    [
        (zeros(64, 96), "contiguous", 96),
        (zeros(7), "contiguous", None),
        (zeros(), "contiguous", None),
        (zeros(0, 5), "contiguous", None),
        (zeros(64, 96).T, "column-major", 96),
        (np.asfortranarray(zeros(64, 96)), "column-major", 64),
        (zeros(64, 128)[:, :96], "padded", 128),
        (zeros(64, 96)[::2], "padded", 192),
        (zeros(64, 128)[:, :96].T, "padded column-major", 128),
        (zeros(64, 96)[:, ::2], "strided", None),
        (zeros(64, 96)[::-1], "strided", None),
        (np.broadcast_to(zeros(96), (64, 96)), "expanded", None),
        (np.broadcast_to(zeros(64, 1), (64, 96)), "expanded", None),
        (zeros(4, 6, 8).transpose(1, 0, 2), "permuted", None),
        (zeros(2, 8, 8, 3).transpose(0, 3, 1, 2), "channels_last", None),
        (zeros(2, 3, 8, 8), "contiguous", 8),
        (zeros(1, 96).T, "contiguous", 1),
    ],
)
def test_views_of_numpy(array: np.ndarray[Any, Any], order: str, leading: int | None) -> None:
    found = describe_layout(array)
    assert (found.order, found.leading_dimension, found.dtype, found.library) == (order, leading, "f32", "numpy")
    assert bool(found.fix) == (order != "contiguous")
    if order not in ("contiguous", "padded", "padded column-major"):
        assert "numpy.ascontiguousarray" in found.fix
    assert describe_layout(np.ascontiguousarray(array)).order == "contiguous"


@dataclass
class Tensor:
    """What torch shows of a tensor."""

    shape: tuple[int, ...]
    steps: tuple[int, ...]
    dtype: str = "torch.bfloat16"
    device: str = "cuda:0"
    address: int = 0x7F0000000000

    def stride(self) -> tuple[int, ...]:
        return self.steps

    def element_size(self) -> int:
        return item_bytes_of(self.dtype.removeprefix("torch."))

    def data_ptr(self) -> int:
        return self.address


def test_a_tensor_of_torch() -> None:
    found = describe_layout(Tensor((4096, 4096), (4096, 1)))
    assert (found.dtype, found.order, found.device, found.library) == ("bf16", "contiguous", "cuda:0", "torch")
    found = describe_layout(Tensor((8, 3, 32, 32), (3072, 1, 96, 3)))
    assert found.order == "channels_last" and "Tensor.contiguous()" in found.fix
    assert "torch.contiguous()" not in found.fix


@pytest.mark.parametrize(
    ("address", "strides", "alignment"),
    [
        (0x100, (4096, 1), 16),
        (0x108, (4096, 1), 8),
        (0x102, (4096, 1), 2),
        (0x100, (4098, 1), 4),
        (0x100, (4097, 1), 2),
    ],
)
def test_the_widest_vector(address: int, strides: tuple[int, int], alignment: int) -> None:
    """Rows begin at address + n * stride * 2 bytes, all of them."""
    assert describe_layout(Tensor((4096, 4096), strides, address=address)).alignment == alignment


def test_alignment_needs_an_address() -> None:
    assert describe("f16", (4, 4), (4, 1), 2).alignment is None


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ("float16", "f16"),
        ("float64", "f64"),
        ("int8", "i8"),
        ("uint32", "u32"),
        ("bool", "bool"),
        ("complex64", "complex64"),
    ],
)
def test_names_of_dtypes(dtype: str, name: str) -> None:
    assert describe_layout(zeros(3, dtype=dtype)).dtype == name


def test_what_is_no_array() -> None:
    with pytest.raises(TypeError, match="int has no shape"):
        describe_layout(3)
    with pytest.raises(TypeError):
        describe_layout(object())
    with pytest.raises(ValueError, match="not whole elements"):
        describe_layout(np.zeros(8, [("a", "i2"), ("b", "f4")])["b"])
    with pytest.raises(ValueError, match="2 strides for 1 dimensions"):
        describe("f32", (4,), (4, 1), 4)
    with pytest.raises(ValueError, match="unknown dtype"):
        item_bytes_of("f12")


def test_the_order_says_what_the_addresses_do() -> None:
    """Against the definition: the offsets of all elements, visited in row-major order."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        shape = tuple(int(n) for n in rng.integers(1, 4, 3))
        strides = tuple(int(n) for n in rng.integers(0, 10, 3))
        offsets = sum(np.arange(n).reshape([-1 if a == b else 1 for b in range(3)]) * s
                      for a, (n, s) in enumerate(zip(shape, strides, strict=True)))  # fmt: skip
        flat, size = np.asarray(offsets).ravel(), int(np.prod(shape))
        order = order_of(shape, strides)
        assert (order == "contiguous") == bool((flat == np.arange(size)).all())
        if order in ("column-major", "permuted"):
            assert sorted(flat) == list(range(size))
        if order == "padded":
            assert (np.diff(flat) > 0).all() and (np.diff(flat) > 1).any()
        if order == "expanded":
            assert len(set(flat.tolist())) < size


def test_a_problem_is_strict() -> None:
    wanted = Layout("f32", (64, 96), (96, 1), 0, 64 * 96)
    assert layout_mismatches(describe_layout(zeros(64, 96)), wanted) == ()
    assert "dtype f16" in layout_mismatches(describe_layout(zeros(64, 96, dtype="float16")), wanted)[0]
    assert "shape [96, 64]" in layout_mismatches(describe_layout(zeros(96, 64)), wanted)[0]
    assert "strides [128, 1]" in layout_mismatches(describe_layout(zeros(64, 128)[:, :96]), wanted)[0]
    padded = Layout("f32", (64, 96), (128, 1), 0, 64 * 128)
    assert layout_mismatches(describe_layout(zeros(64, 128)[:, :96]), padded) == ()
    row = Layout("f32", (1, 96), (96, 1), 0, 96)
    assert layout_mismatches(describe("f32", (1, 96), (5, 1), 4), row) == ()
