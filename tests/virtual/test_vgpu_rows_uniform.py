"""Operands that are the same in every lane: the engine computes them once, as scalars, by other machine code.

Each one-instruction case runs with its operands from kernel parameters, for a few of the case's values; the oracle says
what each gives.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracle import engine as oracle
from tests.oracle.cases import CASES, KERNEL, Case, differing, inputs_for, ptx_for
from tests.virtual.engines import artifact
from warpgauge.ptx import TYPE_BYTES, parse
from warpgauge.vgpu import GlobalMemory, execute
from warpgauge.vgpu.rows import find_row, is_pure

EVERY = 95  # elements between two samples: co-prime to the number of edge values
DECIDING = {"rz", "rm", "ftz", "sat", "relu"}


def chosen_cases() -> list[Case]:
    """One case of one pure instruction for each row and type; rounding modes and clamps count as rows here."""
    chosen: dict[tuple[object, ...], Case] = {}
    for case in CASES:
        if (
            len(case.body) != 1
            or not case.operands
            or any("*" in kind for kind, _ in (*case.operands, (case.output,) * 2))
        ):
            continue
        i = next(i for i in parse(ptx_for(case)).kernels[KERNEL].instructions if i.text == case.body[0].rstrip(";"))
        if is_pure(i):
            chosen.setdefault((find_row(i), i.types[-1], *sorted(DECIDING & set(i.modifiers))), case)
    return list(chosen.values())


def with_parameters(case: Case) -> str:
    """The case's kernel with `ld.global %a` made `ld.param`."""
    text = ptx_for(case)
    extra = ""
    for name, (kind, _) in zip("abc", case.operands, strict=False):
        bits = 8 * TYPE_BYTES[kind]
        text = text.replace(f"ld.global.b{bits} %{name}, [%p{name}];", f"ld.param.b{bits} %{name}, [value_{name}];")
        extra += f",\n    .param .b{bits} value_{name}"
    return text.replace("    .param .u64 param_s", "    .param .u64 param_s" + extra)


@pytest.mark.parametrize("case", chosen_cases(), ids=lambda case: case.id)
def test_uniform_operands(case: Case) -> None:
    buffers = inputs_for(case)
    memory = GlobalMemory()
    pointers = [memory.add(name, data) for name, data in buffers.items()]
    want = oracle.run(
        parse(ptx_for(case)), KERNEL, grid=case.grid, block=case.block, arguments=pointers, buffers=buffers
    ).buffers["d"]  # fmt: skip
    build = artifact(with_parameters(case))
    for n in range(0, case.elements, EVERY):
        values = [int(buffers[name][n]) for name, _ in zip("abc", case.operands, strict=False)]
        raw = [v.to_bytes(TYPE_BYTES[kind], "little") for v, (kind, _) in zip(values, case.operands, strict=True)]
        execution = execute(
            build, KERNEL, grid=(1, 1, 1), block=(32, 1, 1), arguments=[*pointers, *raw], memory=memory, mode="run"
        )
        assert execution.completed, f"{case.id}: {execution.stopped}"
        got = memory.read("d")[:32]
        at = differing(case.output, got, np.full(32, want[n], want.dtype), case.ulp, case.absolute)
        assert not len(at), f"{case.id} {[hex(v) for v in values]}: {hex(int(got[0]))} is not {hex(int(want[n]))}"
