"""The instruction table itself: every row has a case, and what has no row is unsupported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.oracle.cases import CASES, KERNEL, ptx_for
from tests.virtual.engines import artifact
from warpgauge.evidence import Execution
from warpgauge.ptx import Instruction, parse
from warpgauge.vgpu import GlobalMemory, execute
from warpgauge.vgpu.rows import MODULES, ROWS, Row, find_row
from warpgauge.vgpu.rows.document import page

CONTROL = {"bra", "brx", "ret", "exit", "trap"}
Part = tuple[Row, str, str]


def parts_of(row: Row) -> set[Part]:
    """What a row claims: each source type, each result type and, where they decide the result, each modifier."""
    types = {(row, "type", t) for t in row.types or {""}}
    results = {(row, "result", t) for t in row.to}
    between = {(row, "source", t) for t in row.middle} | {(row, "third", t) for t in row.third}
    return (
        types
        | results
        | between
        | ({(row, "modifier", m) for m in row.allow} if row.pure and row.opcode != "ld" else set())
    )


def parts_in(i: Instruction, row: Row) -> set[Part]:
    types = i.types
    found = {(row, "type", types[-1] if row.types else "")}
    found |= {(row, "result", types[0])} if row.to else set()
    found |= {(row, "source", types[1])} if row.middle else set()
    found |= {(row, "third", types[2])} if row.third else set()
    return found | {(row, "modifier", m) for m in i.modifiers}


def test_every_row_has_a_case() -> None:
    # Calls need functions, which the oracle does not run: tests/virtual/test_vgpu_calls.py executes them.
    claimed = set().union(*(parts_of(row) for rows in ROWS.values() for row in rows if row.opcode != "call"))
    seen: set[Part] = set()
    for case in CASES:
        for i in parse(ptx_for(case)).kernels[KERNEL].instructions:
            row = find_row(i)
            assert row is not None or i.opcode in CONTROL, f"{case.id}: no row for {i.text}"
            seen |= parts_in(i, row) if row else set()
    holes = sorted(f"{row.id}: {what} {name or '(none)'}" for row, what, name in claimed - seen)
    assert holes == []


def test_no_row_hides_another() -> None:
    """Each row is found for the least form it claims, so none is dead."""
    for rows in ROWS.values():
        for row in rows:
            for kind in sorted(row.types) or [""]:
                first = (sorted(row.to)[:1] if row.to else []) if kind else []
                between = (*sorted(row.middle)[:1], *sorted(row.third)[:1])
                modifiers = (*sorted(row.need), *first, *between, *([kind] if kind else []))
                i = Instruction(row.opcode, modifiers, (), None, (), 0, "", 0)
                assert find_row(i) is row, (row.id, kind)


def test_every_module_is_in_the_page() -> None:
    homes = {row.home for rows in ROWS.values() for row in rows}
    assert homes == {m.__name__ for m in MODULES}


def test_page_is_current() -> None:
    file = Path(__file__).parents[2] / "docs" / "instructions.md"
    assert file.read_text(encoding="utf-8") == page(), "python -m warpgauge.vgpu.rows.document > docs/instructions.md"


UNKNOWN = {
    "invented opcode": "frobnicate.sync.u32 %r2, %r1;",
    "texture": "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
    "tensor core": "wgmma.fence.sync.aligned;",
    "known opcode, unknown modifier": "add.rn.u32 %r2, %r1, %r1;",
    "known opcode, unknown type": "popc.b16 %r2, %r1;",
    "known opcode, two types": "add.f32.f16 %f1, %h1, %f1;",
}


def launch(line: str, reached: bool) -> tuple[Execution, np.ndarray, int]:
    """A kernel that stores 7, then comes to `line` (or jumps over it), then stores 8. Also the line's number."""
    text = f""".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b16 %h<2>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], 7;
    setp.{"gt" if reached else "lt"}.u32 %p, %r1, 1000;
    @%p bra OVER;
    {line}
OVER:
    st.global.u32 [%rd1], 8;
    ret;
}}
"""
    memory = GlobalMemory()
    out = memory.add("out", np.zeros(1, np.uint32))
    execution = execute(
        artifact(text), "k", grid=(1, 1, 1), block=(1, 1, 1), arguments=[out], memory=memory, mode="count"
    )
    return execution, memory.read("out"), text.splitlines().index("    " + line) + 1


@pytest.mark.parametrize("line", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_reached_instruction_without_a_row(line: str) -> None:
    execution, out, number = launch(line, reached=True)
    assert not execution.completed
    assert out[0] == 7, "what came before it has happened, what comes after has not"
    (found,) = execution.unsupported
    assert found.instruction == line.removesuffix(";")
    assert (found.ptx_line, found.reached) == (number, True)
    assert line.removesuffix(";") in execution.stopped


@pytest.mark.parametrize("line", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_unreached_instruction_without_a_row(line: str) -> None:
    execution, out, _ = launch(line, reached=False)
    assert execution.completed
    assert out[0] == 8
    assert [u.reached for u in execution.unsupported] == [False]
