"""What compiler and assembler take, and what machine code they make of it (F-16 to F-18, F-20 to F-22, F-24, F-25)."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from warpgauge.build import compile_source
from warpgauge.build.nvrtc import compile_program
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.sass import SassInstruction, parse_sass
from warpgauge.sass.loops import loops_of
from warpgauge.vgpu import GlobalMemory, execute

from .execution import built
from .record import Fact

_FILLER = """extern "C" __global__ void count(int n, int* out) {
  int m = n;
  asm volatile("mov.b32 %r1, 0;");
  out[threadIdx.x] = m;
}
"""


def _body(statement: str) -> str:
    return (
        "#include <cuda_fp16.h>\n"
        f'extern "C" __global__ void k(float* y, const half* h, unsigned a, unsigned b) {{ {statement} }}\n'
    )


def refused(text: str, word: str, arch: str = "sm_90") -> tuple[str, bool]:
    """(code of the first error, whether a message or its help has the word)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.cu"
        path.write_text(text)
        try:
            compile_source(path, arch=arch, sass=False, cache=False)
        except WarpgaugeError as error:
            return error.diagnostics[0].code, any(word in d.message + d.help for d in error.diagnostics)
    return "", False


def overwritten() -> list[int]:
    """What a kernel stores for n = 7 once the assembler alone has been asked about the filler in it."""
    options = ["--gpu-architecture=sm_90", "-lineinfo"]
    made = compile_program(_FILLER.encode(), "count.cu", options, [])
    assert made.ok, made.log
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "count.ptx"
        path.write_text(made.ptx)
        build = compile_source(path, cache=False)
    memory = GlobalMemory()
    out = memory.add("out", np.full(2, -1, np.int32))
    execute(build, "count", grid=(1, 1, 1), block=(2, 1, 1), arguments=[7, out], memory=memory, mode="run")
    return memory.read("out").view(np.int32).tolist()


def code(entry: str) -> tuple[SassInstruction, ...]:
    return tuple(parse_sass(built("compiler.cu", ()).sass, entry))


def opcodes(entry: str, *wanted: str) -> set[str]:
    """Those of the wanted opcodes that an entry has."""
    return {i.opcode for i in code(entry)} & set(wanted)


def forms(entry: str, opcode: str) -> list[str]:
    """The modifiers of each such instruction."""
    return [".".join(i.modifiers) for i in code(entry) if i.opcode == opcode]


def loads_by_loop(entry: str) -> tuple[int, ...]:
    """Global loads in each loop of the machine code, then those outside any."""
    found, loops = code(entry), loops_of(built("compiler.cu", ()).sass, entry)
    inside = [{n for n in loop.body if found[n].opcode == "LDG"} for loop in loops]
    every = {n for n, i in enumerate(found) if i.opcode == "LDG"}
    return (*sorted(map(len, inside)), len(every.difference(*inside)))


def longer_when_unrolled() -> bool:
    return len(code("local_bound")) > 2 * len(code("rolled"))


def rounding_error(dtype: str) -> float:
    """Relative L2 error of storing a million normal numbers, to two digits."""
    exact = np.random.default_rng(0).standard_normal(1 << 20).astype(np.float32)
    if dtype == "f16":
        stored = exact.astype(np.float16).astype(np.float32)
    else:
        bits = exact.view(np.uint32)
        stored = ((bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)).view(np.float32)
    return float(f"{np.linalg.norm(stored - exact) / np.linalg.norm(exact):.1e}")


_MMA = (
    'asm volatile("mma.sync.aligned.{0} {{{{%0, %1}}}}, {{{{%2, %3}}}}, {{{{%4}}}}, {{{{%0, %1}}}};" '
    ': "+r"(a), "+r"(b) : "r"(a), "r"(b), "r"(a));'
)
_WGMMA = 'asm volatile("wgmma.fence.sync.aligned;");'

FACTS = (
    Fact("F-16", "__ldg is a global load", partial(forms, "read_only", "LDG"), ["E.CONSTANT"]),
    Fact("F-16", "__ldg is no texture fetch", partial(opcodes, "read_only", "TEX", "TLD", "TLD4", "TXQ"), set()),
    Fact("F-16", "unrolling makes the code that is to be fetched longer", longer_when_unrolled, True),
    Fact("F-17", "PTX has no nop", partial(refused, _body('asm volatile("nop;");'), "no nop"), ("SRC801", True)),
    Fact("F-18", "a raw register name is corruption", partial(refused, _FILLER, "corruption"), ("SRC804", True)),
    Fact("F-18", "the assembler alone takes it, and n is gone", overwritten, [0, 0]),
    Fact("F-20", "mma.sync has no m16n16k16, wmma has",
         partial(refused, _body(_MMA.format("m16n16k16.row.col.f16.f16.f16.f16")), "wmma"), ("SRC801", True)),
    Fact("F-20", "wmma m16n16k16 is two HMMA", partial(forms, "warp_product", "HMMA"), ["16816.F16"] * 2),
    Fact("F-21", "bf16 products accumulate in f32 only",
         partial(refused, _body(_MMA.format("m16n8k8.row.col.bf16.bf16.bf16.bf16")), "f32 only"), ("SRC801", True)),
    Fact("F-21", "wgmma is there on sm_90a alone", partial(refused, _body(_WGMMA), "sm_90a"), ("SRC801", True)),
    Fact("F-21", "sm_86 has no wgmma", partial(refused, _body(_WGMMA), "sm_90a", "sm_86"), ("SRC801", True)),
    Fact("F-21", "storing to bf16 alone costs 1.7e-3", partial(rounding_error, "bf16"), 1.7e-3),
    Fact("F-21", "storing to f16 costs 2.1e-4", partial(rounding_error, "f16"), 2.1e-4),
    Fact("F-22", "a local bound that never changes is unrolled", partial(loads_by_loop, "local_bound"), (16,)),
    Fact("F-22", "a run-time bound is not; the compiler takes four turns at a time and the rest one by one",
         partial(loads_by_loop, "run_time_bound"), (1, 4, 0)),
    Fact("F-22", "a factor on a run-time bound leaves a second loop",
         partial(loads_by_loop, "run_time_bound_by_four"), (1, 4, 0)),
    Fact("F-24", "hadd_rn needs its underscores", partial(refused, _body("y[0] = hadd_rn(h[0], h[1]);"), "__hadd_rn"),
         ("SRC801", True)),
    Fact("F-25", "each space has its mnemonics", partial(opcodes, "spaces", "LDG", "STG", "LDS", "STS", "LDL", "STL"),
         {"LDG", "STG", "LDS", "STS", "LDL", "STL"}),
    Fact("F-25", "a contracted product rounds to nearest", partial(forms, "contracted", "FFMA"), [""]),
    Fact("F-25", "FFMA.RZ is what __fmaf_rz asks for", partial(forms, "rounded_to_zero", "FFMA"), ["RZ"]),
    Fact("F-25", "there is no __stg", partial(refused, _body("__stg(y, 1.0f);"), "__stcs"), ("SRC801", True)),
)  # fmt: skip
