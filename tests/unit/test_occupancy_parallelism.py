"""What machine code says a warp has under way, on listings whose answer is plain to see."""

from __future__ import annotations

import pytest

from warpgauge.evidence import LoadBatch, Parallelism
from warpgauge.sass import parallelism
from warpgauge.sass.parse import labels


def listing(code: str, symbol: str = "k") -> str:
    """nvdisasm's form of lines `PTX-LINE INSTRUCTION`; a line that ends in a colon is a label."""
    rows, address = [f'\t.section\t.text.{symbol},"ax",@progbits', f".text.{symbol}:"], 0
    for row in code.strip().splitlines():
        if row.strip().endswith(":"):
            rows.append(row.strip())
            continue
        line, instruction = row.strip().split(" ", 1)
        rows.append(f'\t//## File "x.ptx", line {line}')
        rows.append(f"        /*{address:04x}*/                   {instruction} ;")
        address += 16
    return "\n".join(rows) + "\n"


def read(code: str) -> Parallelism:
    found = parallelism(listing(code), "k")
    assert found is not None
    return found


def batches(code: str, space: str = "global") -> list[tuple[int, ...]]:
    return [batch.ptx_lines for batch in read(code).batches if batch.space == space]


def test_loads_before_the_first_use_are_under_way_together() -> None:
    together = """
        10 LDG.E R4, desc[UR4][R2.64]
        11 LDG.E R5, desc[UR4][R2.64+0x4]
        12 FADD R6, R4, R5
        13 STG.E desc[UR4][R8.64], R6
    """
    apart = """
        10 LDG.E R4, desc[UR4][R2.64]
        12 FADD R6, R4, R6
        11 LDG.E R5, desc[UR4][R2.64+0x4]
        12 FADD R6, R5, R6
    """
    assert batches(together) == [(10, 11)]
    assert batches(apart) == [(10,), (11,)]


@pytest.mark.parametrize(
    "use",
    [
        "12 STG.E.128 desc[UR4][R8.64], R4",
        "12 LDG.E R9, desc[UR4][R6.64]",
        "12 @P0 FADD R9, R7, R1",
        "12 DADD R8, R6, R10",
        "12 IMAD.WIDE R8, R7.reuse, 0x4, R2",
        "12 HMMA.16816.F32 R8, R4, R12, R16",
        "12 MOV R7, 0x1",
    ],
)
def test_every_way_to_need_a_wide_load_waits(use: str) -> None:
    """The load fills R4 to R7."""
    assert batches(f"10 LDG.E.128 R4, desc[UR4][R2.64]\n{use}\n20 LDG.E R20, desc[UR4][R2.64]")[0] == (10,)


@pytest.mark.parametrize(
    "other", ["12 FADD R9, R8, R3", "12 STG.E desc[UR4][R8.64], R9", "12 BAR.SYNC.DEFER_BLOCKING 0x0"]
)
def test_what_needs_nothing_of_it_does_not_wait(other: str) -> None:
    code = f"10 LDG.E.128 R4, desc[UR4][R2.64]\n{other}\n20 LDG.E R20, desc[UR4][R2.64]\n21 FADD R1, R4, R20"
    assert batches(code) == [(10, 20)]


def test_a_guard_waits_for_its_predicate() -> None:
    code = """
        10 LDG.E R4, desc[UR4][R2.64]
        11 ISETP.GE.AND P0, PT, R4, R5, PT
        12 @P0 LDG.E R6, desc[UR4][R2.64]
    """
    assert batches(code) == [(10,), (12,)]


LOOP = """
    {before}
    .L_x_0:
    {body}
    30 ISETP.GE.AND P0, PT, R0, R1, PT
    31 @!P0 BRA `(.L_x_0)
    40 EXIT
    .L_x_1:
    41 BRA `(.L_x_1)
"""


def test_a_pipelined_loop_keeps_the_next_load_under_way() -> None:
    pipelined = LOOP.format(
        before="9 LDG.E R4, desc[UR4][R2.64]",
        body="10 LDG.E R5, desc[UR4][R2.64+0x4]\n11 FADD R6, R4, R6\n12 MOV R4, R5",
    )
    assert batches(pipelined)[0] == (9, 10)
    plain = LOOP.format(before="9 MOV R6, RZ", body="10 LDG.E R4, desc[UR4][R2.64]\n11 FADD R6, R4, R6")
    assert set(batches(plain)) == {(10,)}


def test_shared_loads_are_a_space_of_their_own() -> None:
    code = """
        10 LDG.E R4, desc[UR4][R2.64]
        11 LDS R5, [R8]
        12 LDS.128 R12, [R8+0x10]
        13 FADD R6, R5, R15
        14 FADD R6, R6, R4
    """
    assert read(code).batches == (LoadBatch("shared", (11, 12)), LoadBatch("global", (10,)))


def test_copies_to_shared_memory_wait_at_their_barrier() -> None:
    code = """
        10 LDGSTS.E.128 [R4], desc[UR4][R2.64]
        11 LDGSTS.E.128 [R4+0x10], desc[UR4][R2.64+0x10]
        12 LDGDEPBAR
        13 FADD R4, R4, R2
        14 DEPBAR.LE SB0, 0x0
        15 LDGSTS.E.128 [R4], desc[UR4][R2.64]
    """
    assert batches(code) == [(10, 11), (15,)]


def test_independent_instructions() -> None:
    chain = "\n".join(f"{n} FFMA R4, R4, R5, R6" for n in range(8))
    assert read(LOOP.format(before="1 MOV R4, RZ", body=chain)).ilp < 1.5
    four = "\n".join(f"{n} FFMA R{4 + n % 4}, R{4 + n % 4}, R9, R10" for n in range(8))
    assert 3 < read(LOOP.format(before="1 MOV R4, RZ", body=four)).ilp < 6
    # Without a loop the whole code counts; with several, the largest innermost one.
    assert read("1 FADD R4, R1, R2\n2 FADD R5, R1, R2\n3 FADD R6, R4, R5").ilp == 1.5


def test_bulk_copies_and_tensor_cores_are_noticed() -> None:
    plain = read("1 FADD R4, R1, R2")
    assert (plain.bulk, plain.tensor) == (False, False)
    assert read("1 UTMALDG.2D [UR8], [UR4]").bulk
    assert read("1 HGMMA.64x64x16.F32 R24, gdesc[UR4], R24").tensor


def test_no_code_no_answer() -> None:
    assert parallelism("", "k") is None
    assert parallelism(listing("1 EXIT", "other"), "k") is None


def test_labels_stand_for_the_next_instruction() -> None:
    text = listing("1 MOV R1, R2\n.L_x_0:\n.L_x_2:\n2 MOV R1, R2\n3 EXIT\n.L_x_1:\n")
    assert labels(text, "k") == {".L_x_0": 16, ".L_x_2": 16}
