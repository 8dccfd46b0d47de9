"""Control bits of compiled kernels: what the disassembler's text says of them, and that barriers fit together."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.build import compile_source
from warpgauge.sass import Control, parse_sass
from warpgauge.sass.control import code_of, controls, decode

TRUTH = Path(__file__).parents[1] / "truth"


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120"])
def test_bits_equal_marks_and_barriers_fit_together(arch: str) -> None:
    seen: set[str] = set()
    for name in ("realistic.cu", "micro_vector.cu"):
        build = compile_source(TRUTH / name, arch=arch)
        for symbol in build.lowered.values():
            code, bits = list(parse_sass(build.sass, symbol)), controls(build.cubin, symbol)
            assert {i.address for i in code} <= set(bits)
            for i in code:
                marks = sum(operand.count(".reuse") for operand in i.operands)
                assert bits[i.address].reuse.bit_count() == marks, f"{symbol}: {i}"
            set_somewhere = {b for c in bits.values() for b in (c.write_barrier, c.read_barrier)}
            assert {b for c in bits.values() for b in c.waits} <= set_somewhere
            for i in code:
                if i.opcode in ("LDG", "S2R", "SHFL"):
                    seen.add(i.opcode)
                    assert bits[i.address].write_barrier is not None, f"{symbol}: {i}"
    assert seen == {"LDG", "S2R", "SHFL"}


def test_a_word() -> None:
    """The upper half of an LDG of sm_90a as nvdisasm -hex prints it: stall 4, barrier 2 once the value is there."""
    assert decode(0x000EA8000C1E1900 << 64) == Control(4, True, 2, None, (), 0)
    assert decode(0x002FC6000F8EC03F << 64) == Control(3, False, None, None, (1,), 0)


def test_no_code_no_bits() -> None:
    assert controls(b"", "k") == {}
    build = compile_source(TRUTH / "realistic.cu", arch="sm_90a")
    assert code_of(build.cubin, "no_such_kernel") == b""
