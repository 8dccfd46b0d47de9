"""What an instruction needs of an architecture: one row per construct.

Source of every row: the target notes of the instruction in the PTX ISA. The tests assemble an example of each row for
every architecture, and it assembles exactly where its row says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .model import TYPE_BYTES, Instruction, Special

Test = Callable[[Instruction], bool]

# Targets with a suffix: code for "a" runs on that one architecture only, code for "f" on its family too.
_TCGEN = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f")
_DATACENTRE_AND_CLIENT = (*_TCGEN, "sm_120a", "sm_120f", "sm_121a", "sm_121f")
_CLIENT = ("sm_120a", "sm_120f", "sm_121a", "sm_121f")
_NARROW = frozenset({"e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "e2m1x4", "e2m3x4", "e3m2x4"})
_FP8 = frozenset({"e4m3", "e5m2", "e4m3x2", "e5m2x2"})
_BF16 = frozenset({"bf16", "bf16x2"})
_HALF = frozenset({"f16", "f16x2"})


@dataclass(frozen=True)
class Need:
    """`since` is the first architecture that has the construct, in every form (80 is sm_80).

    `targets`, where given, are the only ones that have it: those with a suffix. `matches` says whether an instruction
    is one. `writer` says who has other instructions for an older target: a "header" of the toolkit or the "compiler";
    what they wrote ties no source to an architecture, only what its author wrote does. Empty: nobody has.
    """

    name: str
    since: int
    matches: Test
    targets: tuple[str, ...] = ()
    writer: Literal["", "header", "compiler"] = ""

    def on(self, target: str) -> bool:
        """Whether `target` ("sm_80", "sm_90a", "sm_100f") has it."""
        if self.targets:
            return target in self.targets
        return int(target.removeprefix("sm_").rstrip("af")) >= self.since

    @property
    def strictness(self) -> tuple[bool, int]:
        return bool(self.targets), self.since

    @property
    def words(self) -> str:
        """`sm_80 or newer`, or the targets."""
        return " or ".join(self.targets) if self.targets else f"sm_{self.since} or newer"


def _is(
    *opcodes: str, having: tuple[str, ...] = (), any_of: frozenset[str] | tuple[str, ...] = (), lacking: str = ""
) -> Test:
    """Any of the opcodes, with all modifiers of `having`, one of `any_of` (where given) and without `lacking`."""
    one, needed = frozenset(any_of), frozenset(having)

    def test(i: Instruction) -> bool:
        mods = set(i.modifiers)
        return (
            i.opcode in opcodes
            and needed <= mods
            and (not one or bool(one & mods))
            and not (lacking and lacking in mods)
        )

    return test


def _modifier(*names: str) -> Test:
    wanted = frozenset(names)
    return lambda i: bool(wanted & set(i.modifiers))


def _special(*prefixes: str) -> Test:
    return lambda i: any(isinstance(o, Special) and o.name.startswith(prefixes) for o in i.operands)


def _vector_atomic(i: Instruction) -> bool:
    return i.opcode in ("atom", "red") and bool({"v2", "v4", "v8"} & set(i.modifiers))


def _wide(i: Instruction) -> bool:
    count = next((int(m[1:]) for m in i.modifiers if m in ("v2", "v4", "v8")), 1)
    return i.opcode in ("ld", "st") and bool(i.types) and count * TYPE_BYTES[i.types[-1]] == 32


def _three_inputs(i: Instruction) -> bool:
    return i.opcode in ("min", "max") and "f32" in i.modifiers and len(i.operands) == 4


def _counted_arrive(i: Instruction) -> bool:
    return (
        i.opcode == "mbarrier" and "arrive" in i.modifiers and "noComplete" not in i.modifiers and len(i.operands) > 2
    )


def _mma_shape(*shapes: str) -> Test:
    return _is("mma", any_of=shapes)


def _prefetch_priority(i: Instruction) -> bool:
    return i.opcode == "prefetch" and any(m.startswith("evict_") for m in i.modifiers)


def _mixed_sum(i: Instruction) -> bool:
    return i.opcode in ("add", "sub", "fma") and "f32" in i.modifiers and bool((_BF16 | _HALF) & set(i.modifiers))


def _gather(i: Instruction) -> bool:
    return i.opcode == "cp" and "tensor" in i.modifiers and any(m in i.modifiers for m in ("gather4", "scatter4"))


def _expects_bytes(i: Instruction) -> bool:
    return i.opcode == "mbarrier" and bool({"expect_tx", "complete_tx", "try_wait"} & set(i.modifiers))


def _odd_bf16(i: Instruction) -> bool:
    other = {m for m in i.modifiers if m in TYPE_BYTES} - _BF16
    return i.opcode == "cvt" and bool(_BF16 & set(i.modifiers)) and other != {"f32"}


# A row that is stricter wins over one that is not; of equally strict rows the first.
NEEDS: tuple[Need, ...] = (
    Need("wgmma", 90, _is("wgmma"), ("sm_90a",)),
    Need("tcgen05 integer matrix product", 100, _is("tcgen05", having=("mma", "i8")), ("sm_100a", "sm_110a")),
    Need("tcgen05", 100, _is("tcgen05"), _TCGEN),
    Need("setmaxnreg", 90, _is("setmaxnreg"), ("sm_90a", *_DATACENTRE_AND_CLIENT)),
    Need("tensormap.replace", 90, _is("tensormap"), ("sm_90a", *_DATACENTRE_AND_CLIENT)),
    Need("bulk tensor copy for a pair of blocks", 100, _is("cp", having=("bulk", "tensor", "cta_group")), _TCGEN),
    Need("redux.sync of f32", 100, _is("redux", having=("f32",)), _TCGEN[:6]),
    Need("block-scaled mma", 120, _is("mma", having=("block_scale",)), _CLIENT),
    Need("mma of FP6 or FP4", 120, _is("mma", having=("kind", "f8f6f4")), _CLIENT),
    Need(
        "ldmatrix of 8-bit or narrower elements",
        100,
        _is("ldmatrix", any_of=("b8", "b8x16")),
        _DATACENTRE_AND_CLIENT,
    ),
    Need("stmatrix of 8-bit elements", 100, _is("stmatrix", having=("b8",)), _DATACENTRE_AND_CLIENT),
    Need("stochastic rounding", 100, _is("cvt", having=("rs",)), ("sm_100a", "sm_103a", "sm_107a")),
    Need("FP6, FP4 or scale conversion", 100, _is("cvt", any_of=_NARROW), _DATACENTRE_AND_CLIENT, writer="header"),
    Need("256-bit load or store", 100, _wide, writer="compiler"),
    Need("packed f32x2 arithmetic", 100, _is("add", "sub", "mul", "fma", having=("f32x2",)), writer="compiler"),
    Need("min or max of three f32", 100, _three_inputs, writer="compiler"),
    Need("mixed-precision sum", 100, _mixed_sum, writer="compiler"),
    Need("saturating cvt to tf32", 100, _is("cvt", having=("rn", "satfinite", "tf32"))),
    Need("st.bulk", 100, _is("st", having=("bulk",))),
    Need("clusterlaunchcontrol", 100, _is("clusterlaunchcontrol")),
    Need("bulk tensor gather or scatter", 100, _gather),
    Need("cp.async.bulk.tensor", 90, _is("cp", having=("bulk", "tensor"))),
    Need("cp.async.bulk", 90, _is("cp", having=("bulk",)), writer="header"),
    Need("mbarrier with transaction count or try_wait", 90, _expects_bytes, writer="header"),
    Need("mbarrier.arrive with a count", 90, _counted_arrive, writer="header"),
    Need("stmatrix", 90, _is("stmatrix")),
    Need("mma of f64 with 16 rows", 90, _is("mma", having=("f64",), any_of=("m16n8k4", "m16n8k8", "m16n8k16"))),
    Need("barrier.cluster", 90, _is("barrier", having=("cluster",))),
    Need("distributed shared memory", 90, _is("mapa", "getctarank")),
    Need("st.async", 90, _is("st", having=("async",))),
    Need("red.async", 90, _is("red", having=("async",))),
    Need(
        "cluster register",
        90,
        _special("cluster_", "clusterid", "nclusterid", "is_explicit_cluster", "aggr_smem"),
        writer="header",
    ),
    Need("elect.sync", 90, _is("elect"), writer="header"),
    Need("griddepcontrol", 90, _is("griddepcontrol")),
    Need("fence.proxy.async or .tensormap", 90, _is("fence", having=("proxy",), any_of=("async", "tensormap"))),
    Need("fence.mbarrier_init", 90, _is("fence", having=("mbarrier_init",))),
    Need("cluster scope or .shared::cluster", 90, _modifier("cluster"), writer="header"),
    Need("prefetch.tensormap", 90, _is("prefetch", having=("tensormap",))),
    Need("multimem", 90, _is("multimem")),
    Need("vector atomic", 90, _vector_atomic),
    Need("128-bit atomic", 90, _is("atom", having=("b128",))),
    Need("bf16 atomic", 90, _is("atom", "red", any_of=_BF16), writer="header"),
    Need("bf16 add, mul or compare", 90, _is("add", "sub", "mul", "set", "setp", any_of=_BF16), writer="header"),
    Need("bf16 tanh or ex2", 90, _is("tanh", "ex2", any_of=_BF16), writer="header"),
    Need("cvt of bf16 other than with f32", 90, _odd_bf16, writer="header"),
    Need("cvt.rn to tf32", 90, _is("cvt", having=("tf32",), any_of=("rn", "rz"))),
    Need("packed 16-bit integer arithmetic", 90, _is("add", "min", "max", any_of=("s16x2", "u16x2")), writer="header"),
    Need("relu of integers", 90, _is("min", "max", having=("relu", "s32")), writer="header"),
    Need("fma.oob", 90, _is("fma", having=("oob",))),
    Need("FP8 mma", 89, _is("mma", any_of=_FP8)),
    Need("FP8 conversion", 89, _is("cvt", any_of=_FP8), writer="header"),
    Need("min or max with xorsign.abs", 86, _is("min", "max", having=("xorsign",))),
    Need("cp.async", 80, _is("cp", having=("async",), lacking="bulk"), writer="header"),
    Need("mbarrier", 80, _is("mbarrier"), writer="header"),
    Need("bf16 mma", 80, _is("mma", "wmma", having=("bf16",))),
    Need("tf32 mma", 80, _is("mma", "wmma", having=("tf32",))),
    Need("f64 mma", 80, _is("mma", "wmma", having=("f64",))),
    Need("sparse mma", 80, _is("mma", any_of=("sp",))),
    Need("binary mma with and", 80, _is("mma", "wmma", having=("b1", "and"))),
    Need("mma m16n8k16", 80, _mma_shape("m16n8k16")),
    Need(
        "mma of 8-bit or smaller integers with 16 rows",
        80,
        _mma_shape("m16n8k32", "m16n8k64", "m16n8k128", "m16n8k256"),
    ),
    Need("redux.sync", 80, _is("redux"), writer="header"),
    Need("bf16 arithmetic", 80, _is("fma", "min", "max", "neg", "abs", any_of=_BF16), writer="header"),
    Need("cvt between bf16 and f32", 80, _is("cvt", any_of=_BF16), writer="header"),
    Need("cvt to tf32", 80, _is("cvt", having=("tf32",))),
    Need("cvt of two f32 to f16x2", 80, _is("cvt", having=("f16x2", "f32")), writer="compiler"),
    Need("relu of half types", 80, _is("fma", "cvt", having=("relu",)), writer="header"),
    Need("f16 min or max", 80, _is("min", "max", any_of=_HALF), writer="header"),
    Need("min or max with NaN", 80, _is("min", "max", having=("NaN",)), writer="header"),
    Need("createpolicy", 80, _is("createpolicy"), writer="header"),
    Need("L2 cache hint", 80, _modifier("cache_hint"), writer="header"),
    Need("prefetch of 256 bytes into L2", 80, _is("ld", having=("L2", "256B"))),
    Need("prefetch with eviction priority", 80, _prefetch_priority),
    Need("discard or applypriority", 80, _is("discard", "applypriority"), writer="header"),
)

#: Directives of a kernel -> their row; `reqnctapercluster` is what `__cluster_dims__` becomes.
DIRECTIVES: dict[str, Need] = {
    name: Need("cluster dimensions", 90, lambda i: False) for name in ("reqnctapercluster", "maxclusterrank")
}


_Form = tuple[str, tuple[str, ...], int, tuple[str, ...]]
# A kernel has many instructions of few forms, and a form is all that a row looks at.
_by_form: dict[_Form, Need | None] = {}


def need_of(i: Instruction) -> Need | None:
    """The strictest row that the instruction matches; None for what every known architecture has."""
    form = (i.opcode, i.modifiers, len(i.operands), tuple(o.name for o in i.operands if isinstance(o, Special)))
    if form not in _by_form:
        found = [row for row in NEEDS if row.matches(i)]
        _by_form[form] = max(found, key=lambda row: row.strictness, default=None)
    return _by_form[form]
