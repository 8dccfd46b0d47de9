"""Launch plans with plain numbers: expressions, arguments, limits, tensor maps, constants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warpgauge.arch import CHIPS
from warpgauge.candidate import (
    BufferArg,
    BytesArg,
    Candidate,
    NullArg,
    PlannedLaunch,
    ScalarArg,
    TensorMapArg,
    choices,
    constant_bytes,
    load_candidate,
    plan,
    plan_tensor_maps,
    scope,
    workspace_layout,
)
from warpgauge.candidate.plan import entry_name
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.problem import Problem

DIMS = {"M": 512, "N": 256, "K": 64}


def problem(arch: str = "sm_90a", chip: str | None = "H200", **more: Any) -> Problem:
    return Problem(
        problem={"name": "p", "arch": arch, **({"chip": chip} if chip else {})},
        dims=DIMS,
        tensors={
            "A": {"shape": ["M", "K"], "dtype": "f16", "role": "input"},
            "B": {"shape": ["K", "N"], "dtype": "f16", "role": "input"},
            "C": {"shape": ["M", "N"], "dtype": "f16", "role": "inout", "init": "zeros"},
            **more,
        },
        reference={"builtin": "gemm", "scalars": {"alpha": 2.5}} if not more else None,
    )


def candidate(
    launch: dict[str, Any] | None = None, *, defines: dict[str, Any] | None = None, **tables: Any
) -> Candidate:
    first = {"entry": "k", "grid": [1, 1, 1], "block": [32, 1, 1], **(launch or {})}
    return Candidate(candidate={"source": "k.cu", "defines": defines or {}}, **{"launch": [first], **tables})


def one(launch: dict[str, Any], dims: dict[str, int] | None = None, **more: Any) -> PlannedLaunch:
    [planned] = plan(candidate(launch, **more), problem(), dims or DIMS)
    return planned


def refused(call: Any) -> Diagnostic:
    with pytest.raises(WarpgaugeError) as error:
        call()
    [diagnostic] = error.value.diagnostics
    return diagnostic


def test_expressions_are_evaluated_over_dims_defines_and_chip() -> None:
    launch = {
        "grid": ["min(num_sms, ceildiv(M, BM) * ceildiv(N, BM))", "FAST", 1],
        "block": ["BM * 2", 1, 1],
        "cluster": [2, 1, 1],
        "cooperative": True,
        "dynamic_shared": "BM * K * 2",
    }
    planned = one(launch, defines={"BM": 128, "FAST": True, "NAME": "half"})
    assert (planned.grid, planned.block, planned.cluster) == ((8, 1, 1), (256, 1, 1), (2, 1, 1))
    assert (planned.cooperative, planned.dynamic_shared, planned.blocks, planned.threads) == (True, 16384, 8, 256)
    assert one({"grid": ["num_sms", 1, 1]}).grid == (132, 1, 1)
    [other] = plan(candidate({"grid": "num_sms"}), problem(chip=None), DIMS, chip=CHIPS["A100"])
    assert other.grid == (108, 1, 1)
    [full] = plan(candidate({"grid": "num_sms * blocks_per_sm"}), problem(), DIMS, blocks_per_sm=3)
    assert full.grid == (396, 1, 1)


def test_defaults() -> None:
    planned = one({})
    assert (planned.cluster, planned.cooperative, planned.dynamic_shared, planned.args) == ((1, 1, 1), False, 0, ())
    assert planned == PlannedLaunch(0, "k", (1, 1, 1), (32, 1, 1), ())


def test_every_kind_of_argument() -> None:
    args = ["A", "part", "map", "null", "M", "BM", "K / 2", 7, 2.5, True, {"i64": -1}, {"f32": 1}, {"u8": "K"}]
    args += [{"bytes": "00 ff 10"}, "alpha", "beta", "eps", "num_sms", {"bool": False}]
    planned = one(
        {"args": args},
        defines={"BM": 128, "eps": 1e-6},
        workspace={"part": {"dtype": "f32", "shape": [4]}},
        tensor_maps={"map": {"tensor": "A", "box": [64, 64]}},
    )
    assert planned.args == (
        BufferArg("A"), BufferArg("part"), TensorMapArg("map"), NullArg(), ScalarArg(512), ScalarArg(128),
        ScalarArg(32), ScalarArg(7), ScalarArg(2.5), ScalarArg(1, "bool"), ScalarArg(-1, "i64"), ScalarArg(1, "f32"),
        ScalarArg(64, "u8"), BytesArg(b"\x00\xff\x10"), ScalarArg(2.5), ScalarArg(1.0), ScalarArg(1e-6),
        ScalarArg(132), ScalarArg(0, "bool"),
    )  # fmt: skip
    assert type(planned.args[6].value) is int  # type: ignore[union-attr]


def test_a_tensor_may_be_called_like_a_python_keyword() -> None:
    tensors = {"in": {"shape": [4], "dtype": "f32", "role": "input"}}
    [planned] = plan(candidate({"args": ["in"]}), problem(**tensors), DIMS)
    assert planned.args == (BufferArg("in"),)


def test_when_chooses_launches_by_shape_and_order_is_kept() -> None:
    launches = [
        {"entry": "fast", "when": "K % 8 == 0", "grid": 1, "block": 32},
        {"entry": "slow", "when": "K % 8 != 0", "grid": 1, "block": 32},
        {"entry": "finish", "grid": 1, "block": 32},
    ]
    several = Candidate(candidate={"source": "k.cu"}, launch=launches)
    plans = {k: plan(several, problem(), {**DIMS, "K": k}) for k in (64, 65)}
    assert [launch.entry for launch in plans[64]] == ["fast", "finish"]
    assert [(launch.entry, launch.index) for launch in plans[65]] == [("slow", 1), ("finish", 2)]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("gemm<BM, BN>", "gemm<128, 64>"),
        ("gemm<BM,float,FAST,T>", "gemm<128,float,true,half>"),
        ("ns::gemm<BM, Tile<BN>>", "ns::gemm<128, Tile<64>>"),
        ("gemm<ns::BM, BM2, a.BM, BM::x>", "gemm<ns::BM, BM2, a.BM, BM::x>"),
        ("BM", "BM"),
        ("gemm<EPS>", "gemm<0.5>"),
    ],
)
def test_template_instances(entry: str, expected: str) -> None:
    assert entry_name(entry, {"BM": 128, "BN": 64, "FAST": True, "T": "half", "EPS": 0.5}) == expected


# launch -> code, key, part of the message
LIMITS = [
    ({"block": [2048, 1, 1]}, "PRB904", "launch[0].block[0]", "block.x = 2048 is not within 1 to 1024"),
    ({"block": [1, 1, 65]}, "PRB904", "launch[0].block[2]", "block.z = 65 is not within 1 to 64"),
    ({"block": [32, 0, 1]}, "PRB904", "launch[0].block[1]", "block.y = 0 is not within"),
    ({"block": [64, 32, 1]}, "PRB904", "launch[0].block", "64 x 32 x 1 = 2048 threads, sm_90 allows 1024"),
    ({"grid": ["K - 100", 1, 1]}, "PRB904", "launch[0].grid[0]", "grid.x = -36 is not within 1 to 2147483647"),
    ({"grid": [2**31, 1, 1]}, "PRB904", "launch[0].grid[0]", "grid.x = 2147483648"),
    ({"grid": [1, 65536, 1]}, "PRB904", "launch[0].grid[1]", "grid.y = 65536 is not within 1 to 65535"),
    ({"grid": [1, 1, 65536]}, "PRB904", "launch[0].grid[2]", "grid.z = 65536"),
    ({"dynamic_shared": 232449}, "PRB904", "launch[0].dynamic_shared", "232449 bytes, sm_90 allows 0 to 232448"),
    ({"dynamic_shared": "-K"}, "PRB904", "launch[0].dynamic_shared", "-64 bytes"),
    ({"cluster": [16, 1, 1], "grid": 16}, "PRB904", "launch[0].cluster", "16 blocks per cluster, sm_90 has at most 8"),
    ({"cluster": [4, 1, 1], "grid": 6}, "PRB904", "launch[0].cluster", "grid.x = 6 is not a multiple of cluster.x = 4"),
    ({"cluster": [0, 1, 1]}, "PRB904", "launch[0].cluster", "below 1"),
    ({"grid": ["M / 3", 1, 1]}, "PRB902", "launch[0].grid[0]", "not an integer"),
    ({"grid": ["M // (K - 64)", 1, 1]}, "PRB902", "launch[0].grid[0]", "division by zero"),
    ({"grid": ["blocks_per_sm", 1, 1]}, "PRB902", "launch[0].grid[0]", "blocks_per_sm is not known"),
    ({"when": "K"}, "PRB902", "launch[0].when", "a condition is needed"),
    ({"when": "K > 64"}, "PRB904", "launch", "no launch applies to M = 512, N = 256, K = 64"),
    ({"args": ["AA"]}, "PRB901", "launch[0].args[0]", 'nothing is called "AA"'),
    ({"args": ["K +"]}, "PRB902", "launch[0].args[0]", "not an expression"),
    ({"args": [{"u8": "M"}]}, "PRB901", "launch[0].args[0]", "512 does not fit u8"),
]


@pytest.mark.parametrize(("launch", "code", "key", "message"), LIMITS)
def test_what_does_not_fit_is_named(launch: dict[str, Any], code: str, key: str, message: str) -> None:
    diagnostic = refused(lambda: one(launch))
    assert diagnostic.code == code
    assert diagnostic.message.startswith(f"{key}: ") and message in diagnostic.message


def test_limits_follow_the_architecture() -> None:
    large = candidate({"dynamic_shared": 150_000})
    assert plan(large, problem("sm_80"), DIMS)
    assert "sm_86 allows 0 to 101376" in refused(lambda: plan(large, problem("sm_86"), DIMS)).message
    assert "sm_86 allows" in refused(lambda: plan(large, problem("sm_80"), DIMS, arch="sm_86")).message
    clusters = candidate({"cluster": [2, 1, 1], "grid": 2})
    assert "sm_80 has no clusters" in refused(lambda: plan(clusters, problem("sm_80"), DIMS)).message
    diagnostic = refused(lambda: plan(candidate(), problem("sm_30"), DIMS))
    assert diagnostic.code == "PRB904" and "sm_30" in diagnostic.message


def test_an_error_points_at_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "candidate.toml"
    path.write_text(
        '[candidate]\nsource = "k.cu"\n[[launch]]\nentry = "k"\ngrid = [1, 1, 1]\nblock = [\n  32,\n  99,\n]\n'
    )
    primary = refused(lambda: plan(load_candidate(path), problem(), DIMS)).primary
    assert primary is not None and (primary.location.file, primary.location.line) == (str(path), 6)
    path.write_text(path.read_text().replace("99", "0"))
    primary = refused(lambda: plan(load_candidate(path), problem(), DIMS)).primary
    assert primary is not None and primary.location.line == 8


def test_num_sms_needs_a_chip_and_the_chip_must_be_known() -> None:
    persistent = candidate({"grid": "num_sms"})
    diagnostic = refused(lambda: plan(persistent, problem(chip=None), DIMS))
    assert diagnostic.code == "PRB902" and "H200" in diagnostic.help
    diagnostic = refused(lambda: plan(candidate(), problem(chip="H20"), DIMS))
    assert diagnostic.code == "PRB901" and "H200" in diagnostic.help and diagnostic.message.startswith("problem.chip")


def test_names_that_clash_with_the_problem() -> None:
    assert plan(candidate(defines={"K": 64}), problem(), DIMS)
    assert (
        "K = 32 is not the dimension K = 64"
        in refused(lambda: plan(candidate(defines={"K": 32}), problem(), DIMS)).message
    )
    for tables, key in (
        ({"workspace": {"A": {"dtype": "f32", "shape": [1]}}}, "workspace.A"),
        ({"workspace": {"K": {"dtype": "f32", "shape": [1]}}}, "workspace.K"),
        ({"tensor_maps": {"C": {"tensor": "A", "box": [8, 8]}}}, "tensor_maps.C"),
        ({"defines": {"alpha": 1}}, "candidate.defines.alpha"),
    ):
        diagnostic = refused(lambda tables=tables: plan(candidate(**tables), problem(), DIMS))
        assert diagnostic.code == "PRB901" and diagnostic.message.startswith(f"{key}: ")


def test_a_broken_constraint_is_named_with_its_values() -> None:
    bad = candidate(defines={"BM": 128}, parameters={"BM": [64, 128], "constraint": "BM * 2 <= K"})
    diagnostic = refused(lambda: plan(bad, problem(), DIMS))
    assert diagnostic.code == "PRB904" and "does not hold for BM = 128, K = 64" in diagnostic.message


def test_choices_of_parameters() -> None:
    tuned = candidate(
        defines={"BM": 32, "PAD": 1},
        parameters={"BM": [16, 32, 64], "BN": [8, 16], "constraint": "BM * BN + PAD <= 512 + K // 64"},
    )
    assert list(choices(tuned, DIMS)) == [
        {"BM": 16, "BN": 8}, {"BM": 16, "BN": 16}, {"BM": 32, "BN": 8}, {"BM": 32, "BN": 16}, {"BM": 64, "BN": 8},
    ]  # fmt: skip
    assert list(choices(candidate(), DIMS)) == [{}]


def test_workspaces() -> None:
    names = scope(
        candidate(
            workspace={"part": {"dtype": "bf16", "shape": ["M", "N", 2]}, "bad": {"dtype": "u8", "shape": ["K - M"]}}
        ),
        problem(),
        DIMS,
    )
    layout = workspace_layout(names, "part")
    assert (layout.shape, layout.strides, layout.bytes) == ((512, 256, 2), (512, 2, 1), 512 * 256 * 2 * 2)
    assert refused(lambda: workspace_layout(names, "bad")).message.startswith("workspace.bad.shape")


def test_tensor_maps() -> None:
    tables = {"map": {"tensor": "A", "box": ["K", "BM"], "swizzle": "128B", "l2_promotion": "128B"}}
    names = scope(candidate(defines={"BM": 128}, tensor_maps=tables), problem(), DIMS)
    planned = plan_tensor_maps(names)["map"]
    assert (planned.sizes, planned.strides, planned.box, planned.element_strides) == (
        (64, 512),
        (128,),
        (64, 128),
        (1, 1),
    )
    assert (planned.dtype, planned.offset_bytes, planned.swizzle, planned.fill) == ("f16", 0, "128B", "zeros")


@pytest.mark.parametrize(
    ("table", "code", "message"),
    [
        ({"tensor": "X", "box": [64, 64]}, "PRB901", 'no tensor or workspace is called "X"'),
        ({"tensor": "A", "box": [64]}, "PRB904", "box has 1 entries, A has 2 dimensions"),
        ({"tensor": "A", "box": [64, 257]}, "PRB904", "not within 1 to 256"),
        ({"tensor": "A", "box": [128, 8], "swizzle": "128B"}, "PRB904", "256 bytes, more than the 128B swizzle"),
        ({"tensor": "A", "box": [4, 8]}, "PRB904", "8 bytes, not a multiple of 16"),
        ({"tensor": "A", "box": [8, 8], "element_strides": [1, 9]}, "PRB904", "not within 1 to 8"),
        ({"tensor": "column", "box": [8, 8]}, "PRB904", "not contiguous"),
        ({"tensor": "odd", "box": [8, 8]}, "PRB904", "not multiples of 16"),
        ({"tensor": "shifted", "box": [8, 8]}, "PRB904", "offset of 2 bytes"),
        ({"tensor": "bytes", "box": [16, 8], "fill": "nan"}, "PRB904", "fill nan needs a float type"),
        ({"tensor": "A", "box": [8, 8], "interleave": "16B"}, "PRB904", "interleave needs 3 dimensions"),
    ],
)
def test_tensor_maps_that_the_hardware_cannot_describe(table: dict[str, Any], code: str, message: str) -> None:
    more = {
        "column": {"shape": [8, 8], "strides": [1, 8], "dtype": "f16", "role": "input"},
        "odd": {"shape": [8, 9], "dtype": "f16", "role": "input"},
        "shifted": {"shape": [8, 8], "offset": 1, "dtype": "f16", "role": "input"},
        "bytes": {"shape": [8, 16], "dtype": "u8", "role": "input"},
    }
    names = scope(candidate(tensor_maps={"map": table}), problem(**more), DIMS)
    diagnostic = refused(lambda: plan_tensor_maps(names))
    assert diagnostic.code == code and message in diagnostic.message
    assert diagnostic.message.startswith("tensor_maps.map")


def test_constants(tmp_path: Path) -> None:
    np.save(tmp_path / "lut.npy", np.arange(3.0))
    path = tmp_path / "candidate.toml"
    head = '[candidate]\nsource = "k.cu"\n[[launch]]\nentry = "k"\ngrid = 1\nblock = 32\n[constants]\n'

    def filled(text: str) -> dict[str, bytes]:
        path.write_text(head + text)
        return constant_bytes(scope(load_candidate(path), problem(), DIMS))

    assert filled('c = { dtype = "i16", values = ["K", -1] }') == {"c": np.array([64, -1], np.int16).tobytes()}
    assert filled('c = { dtype = "f32", file = "lut.npy" }') == {"c": np.arange(3, dtype=np.float32).tobytes()}
    for text, code, message in (
        ('c = { dtype = "u8", values = [1, "M"] }', "PRB901", "constants.c.values[1]: 512 does not fit u8"),
        ('c = { dtype = "u8", file = "none.npy" }', "PRB907", "constants.c.file: cannot read"),
        ('c = { dtype = "f64", values = [' + "0, " * 8193 + "] }", "PRB904", "65544 bytes of constants"),
    ):
        diagnostic = refused(lambda text=text: filled(text))
        assert diagnostic.code == code and message in diagnostic.message
        assert diagnostic.primary is not None and diagnostic.primary.location.line in (7, 8)
