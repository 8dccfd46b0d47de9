"""The table of wmma's lanes and fragments, read again from the machine code that the pinned compiler makes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.oracle.tile_machine import LANES, TileRun, machine_code, tile_of_probe
from tests.oracle.tile_probes import Probe, all_probes
from warpgauge.sass.tile_lanes import TileRequest, expected

Shape = tuple[str, int, tuple[tuple[int, int], ...]]


def shape_of(request: TileRequest, op: str) -> Shape:
    return (f"matrix{request.matrices}" if request.matrices else op, request.width, request.lanes)


def wrong(probes: list[Probe], arch: str, folder: Path, *, fragments: bool) -> list[str]:
    """The probes whose machine code is not what the tables say."""
    code = machine_code(probes, arch, folder)
    found = []
    for p in probes:
        tile, run = tile_of_probe(p), TileRun(p, code[p.name], arch)
        op = "store" if p.what == "d" else "load"
        if sorted(run.requests()) != sorted(shape_of(r, op) for r in expected(tile, p.space == "shared")):
            found.append(f"{p.name}: requests {run.requests()}")
        places = [
            [tile.place(lane, register, element) for lane in range(LANES)]
            for register in range(tile.registers)
            for element in range(tile.elements)
        ]
        if fragments and places != (run.stored() if p.what == "d" else run.loaded()):
            found.append(f"{p.name}: fragment")
    return found


@pytest.mark.parametrize("space", ["shared", "global"])
def test_every_tile_is_accessed_as_the_table_says(space: str, tmp_path: Path) -> None:
    probes = all_probes(space)
    assert len(probes) == 114
    assert wrong(probes, "sm_90", tmp_path, fragments=True) == []


def test_a_known_stride_and_a_generic_address_change_nothing(tmp_path: Path) -> None:
    """Strides of nine times 16 bytes, and both at once for the shape that everybody uses."""
    probes = [
        replace(p, stride=9 * 128 // tile_of_probe(p).bits, space=space)
        for space in ("shared", "global", "")
        for p in all_probes(space)
        if p.type in ("f16", "f32") and p.shape == "m16n16k16"
    ]
    assert wrong(probes, "sm_90", tmp_path, fragments=False) == []


@pytest.mark.parametrize("arch", ["sm_80", "sm_120"])
def test_other_architectures_have_the_same_lanes(arch: str, tmp_path: Path) -> None:
    """All shapes and types were compared once; a test run takes the usual ones."""
    probes = [
        p
        for space in ("shared", "global")
        for p in all_probes(space)
        if p.type in ("f16", "f32", "s8") and p.shape == "m16n16k16"
    ]
    assert wrong(probes, arch, tmp_path, fragments=False) == []
