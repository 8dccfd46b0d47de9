"""One or more PTX statements for each row of the table of needs; registers are those of `kernel`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from warpgauge.build.nvrtc import compile_program


def _group(count: int, start: int = 10, kind: str = "r") -> str:
    return "{" + ", ".join(f"%{kind}{start + n}" for n in range(count)) + "}"


def mma(shape: str, types: str, d: str, a: int, b: int, *, extra: str = "", head: str = "mma.sync.aligned") -> str:
    """`d` names the registers of the accumulator, as `4f`; `a` and `b` count 32-bit registers."""
    count, kind = int(d[:-1]), d[-1]
    wide = "d" if "f64" in types else "r"
    left, right = _group(a, 10, wide), _group(b, 20, wide)
    acc = _group(count, 0, kind)
    return f"{head}.{shape}.row.col.{types} {acc}, {left}, {right}, {acc}{extra};"


_TENSOR = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"

SAMPLES: dict[str, tuple[str, ...]] = {
    "wgmma": (
        "wgmma.fence.sync.aligned;",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd3, %rd4, 1, 1, 1, 0, 0;",
    ),
    "tcgen05 integer matrix product": ("tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd3, %rd4, %r5, %p1;",),
    "tcgen05": (
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32;",
        "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd3, %rd4, %r5, %p1;",
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];",
    ),
    "setmaxnreg": ("setmaxnreg.inc.sync.aligned.u32 232;",),
    "tensormap.replace": ("tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd3;",),
    "bulk tensor copy for a pair of blocks": (f"{_TENSOR}.cta_group::1 [%r0], [%rd0, {{%r1}}], [%r0];",),
    "redux.sync of f32": ("redux.sync.min.f32 %f2, %f1, 0xffffffff;",),
    "block-scaled mma": (
        mma(
            "m16n8k64",
            "kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
            "4f",
            4,
            2,
            extra=", %r1, {0, 0}, %r2, {0, 0}",
        ),
    ),
    "mma of FP6 or FP4": (mma("kind::f8f6f4.m16n8k32", "f32.e3m2.e2m3.f32", "4f", 4, 2),),
    "ldmatrix of 8-bit or narrower elements": (
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r0];",
        "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r1}, [%r0];",
    ),
    "stmatrix of 8-bit elements": ("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r0], {%r1};",),
    "stochastic rounding": ("cvt.rs.f16x2.f32 %r1, %f1, %f2, %r3;",),
    "FP6, FP4 or scale conversion": (
        "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2;",
        "cvt.rz.satfinite.ue8m0x2.f32 %h1, %f1, %f2;",
    ),
    "256-bit load or store": (
        "ld.global.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1];",
        "ld.global.v4.f64 {%d0, %d1, %d2, %d3}, [%rd1];",
        "st.global.v8.b32 [%rd1], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};",
    ),
    "packed f32x2 arithmetic": ("add.f32x2 %rd3, %rd4, %rd5;", "fma.rn.f32x2 %rd3, %rd4, %rd5, %rd6;"),
    "min or max of three f32": ("max.f32 %f1, %f2, %f3, %f4;",),
    "mixed-precision sum": ("add.f32.bf16 %f1, %h1, %f2;",),
    "saturating cvt to tf32": ("cvt.rn.satfinite.tf32.f32 %r1, %f1;",),
    "st.bulk": ("st.bulk.weak.shared::cta [%r0], 128, 0;",),
    "clusterlaunchcontrol": (
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [%r0];",
    ),
    "bulk tensor gather or scatter": (
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
        "[%r0], [%rd0, {%r1, %r2, %r3, %r4, %r5}], [%r0];",
    ),
    "cp.async.bulk.tensor": (
        f"{_TENSOR} [%r0], [%rd0, {{%r1}}], [%r0];",
        f"{_TENSOR}.multicast::cluster [%r0], [%rd0, {{%r1}}], [%r0], %h1;",
    ),
    "cp.async.bulk": (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%rd1], 128, [%r0];",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.prefetch.L2.global [%rd1], 128;",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r0], 128;",
    ),
    "mbarrier with transaction count or try_wait": (
        "mbarrier.try_wait.shared.b64 %p1, [%r0], %rd3;",
        "mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r0], 16;",
        "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], 16;",
    ),
    "mbarrier.arrive with a count": ("mbarrier.arrive.shared.b64 %rd3, [%r0], 2;",),
    "stmatrix": ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r0], {%r1};",),
    "mma of f64 with 16 rows": (
        mma("m16n8k4", "f64.f64.f64.f64", "4d", 2, 1),
        mma("m16n8k8", "f64.f64.f64.f64", "4d", 4, 2),
        mma("m16n8k16", "f64.f64.f64.f64", "4d", 8, 4),
    ),
    "barrier.cluster": ("barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;"),
    "distributed shared memory": (
        "mapa.shared::cluster.u32 %r1, %r0, %r2;",
        "getctarank.shared::cluster.u32 %r1, %r0;",
    ),
    "st.async": ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r0], %r1, [%r0];",),
    "red.async": ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r0], %r1, [%r0];",),
    "cluster scope or .shared::cluster": (
        "fence.acq_rel.cluster;",
        "atom.global.cluster.add.u32 %r1, [%rd1], %r2;",
        "ld.shared::cluster.u32 %r1, [%r0];",
        "isspacep.shared::cluster %p1, %rd4;",
    ),
    "cluster register": (
        "mov.u32 %r1, %cluster_ctaid.x;",
        "mov.u32 %r1, %cluster_ctarank;",
        "mov.u32 %r1, %clusterid.x;",
        "mov.u32 %r1, %nclusterid.x;",
        "mov.pred %p1, %is_explicit_cluster;",
        "mov.u32 %r1, %aggr_smem_size;",
    ),
    "elect.sync": ("elect.sync %r1|%p1, 0xffffffff;",),
    "griddepcontrol": ("griddepcontrol.wait;", "griddepcontrol.launch_dependents;"),
    "fence.proxy.async or .tensormap": ("fence.proxy.async;", "fence.proxy.tensormap::generic.release.gpu;"),
    "fence.mbarrier_init": ("fence.mbarrier_init.release.cluster;",),
    "prefetch.tensormap": ("prefetch.tensormap [%rd0];",),
    "multimem": ("multimem.ld_reduce.global.add.f32 %f1, [%rd1];", "multimem.red.global.add.f32 [%rd1], %f1;"),
    "vector atomic": (
        "atom.global.v4.f32.add {%f1, %f2, %f3, %f4}, [%rd1], {%f5, %f6, %f7, %f8};",
        "red.global.v2.f32.add [%rd1], {%f5, %f6};",
    ),
    "128-bit atomic": ("atom.global.exch.b128 %q1, [%rd1], %q2;", "atom.global.cas.b128 %q1, [%rd1], %q2, %q3;"),
    "bf16 atomic": (
        "atom.global.add.noftz.bf16 %h1, [%rd1], %h2;",
        "red.global.add.noftz.bf16x2 [%rd1], %r2;",
    ),
    "bf16 add, mul or compare": (
        "add.bf16 %h3, %h1, %h2;",
        "sub.bf16x2 %r3, %r1, %r2;",
        "mul.bf16 %h3, %h1, %h2;",
        "setp.gt.bf16 %p1, %h1, %h2;",
        "set.gt.bf16.bf16 %h3, %h1, %h2;",
    ),
    "bf16 tanh or ex2": ("tanh.approx.bf16 %h1, %h2;", "ex2.approx.ftz.bf16 %h1, %h2;"),
    "cvt of bf16 other than with f32": ("cvt.rn.bf16.s32 %h1, %r1;", "cvt.rn.f16.bf16 %h1, %h2;"),
    "cvt.rn to tf32": ("cvt.rn.tf32.f32 %r1, %f1;", "cvt.rz.tf32.f32 %r1, %f1;"),
    "packed 16-bit integer arithmetic": ("add.s16x2 %r1, %r2, %r3;", "min.u16x2 %r1, %r2, %r3;"),
    "relu of integers": ("min.relu.s32 %r1, %r2, %r3;",),
    "fma.oob": ("fma.rn.oob.f16 %h1, %h2, %h3, %h4;",),
    "FP8 mma": (
        mma("m16n8k32", "f32.e4m3.e4m3.f32", "4f", 4, 2),
        mma("m16n8k16", "f32.e5m2.e5m2.f32", "4f", 2, 1),
    ),
    "FP8 conversion": (
        "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
        "cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r1;",
        "cvt.rn.f16x2.e4m3x2 %r1, %h1;",
    ),
    "min or max with xorsign.abs": ("max.xorsign.abs.f32 %f1, %f2, %f3;",),
    "cp.async": (
        "cp.async.ca.shared.global [%r0], [%rd1], 16;",
        "cp.async.commit_group;",
        "cp.async.wait_group 0;",
        "cp.async.mbarrier.arrive.shared.b64 [%r0];",
    ),
    "mbarrier": (
        "mbarrier.init.shared.b64 [%r0], 1;",
        "mbarrier.test_wait.shared.b64 %p1, [%r0], %rd3;",
        "mbarrier.arrive.shared.b64 %rd3, [%r0];",
        "mbarrier.arrive.noComplete.shared.b64 %rd3, [%r0], 2;",
    ),
    "bf16 mma": (
        mma("m16n8k8", "f32.bf16.bf16.f32", "4f", 2, 1),
        mma("m16n8k16", "f32.bf16.bf16.f32", "4f", 4, 2),
        f"wmma.load.a.sync.aligned.row.m16n16k16.bf16 {_group(4)}, [%rd1], %r1;",
    ),
    "tf32 mma": (
        mma("m16n8k4", "f32.tf32.tf32.f32", "4f", 2, 1),
        mma("m16n8k8", "f32.tf32.tf32.f32", "4f", 4, 2),
        f"wmma.load.a.sync.aligned.row.m16n16k8.tf32 {_group(4)}, [%rd1], %r1;",
    ),
    "f64 mma": (
        mma("m8n8k4", "f64.f64.f64.f64", "2d", 1, 1),
        "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d1}, [%rd1], %r1;",
    ),
    "sparse mma": (mma("m16n8k32", "f32.f16.f16.f32", "4f", 4, 4, extra=", %r1, 0x0", head="mma.sp.sync.aligned"),),
    "binary mma with and": (mma("m8n8k128", "s32.b1.b1.s32.and.popc", "2r", 1, 1),),
    "mma m16n8k16": (
        mma("m16n8k16", "f32.f16.f16.f32", "4f", 4, 2),
        mma("m16n8k16", "f16.f16.f16.f16", "2r", 4, 2),
        mma("m16n8k16", "s32.s8.s8.s32", "4r", 2, 1),
    ),
    "mma of 8-bit or smaller integers with 16 rows": (
        mma("m16n8k32", "s32.u8.u8.s32", "4r", 4, 2),
        mma("m16n8k64", "s32.s4.s4.s32", "4r", 4, 2),
        mma("m16n8k128", "s32.b1.b1.s32.xor.popc", "4r", 2, 1),
        mma("m16n8k256", "s32.b1.b1.s32.xor.popc", "4r", 4, 2),
    ),
    "redux.sync": ("redux.sync.add.s32 %r2, %r1, 0xffffffff;",),
    "bf16 arithmetic": (
        "fma.rn.bf16 %h3, %h1, %h2, %h2;",
        "fma.rn.bf16x2 %r3, %r1, %r2, %r2;",
        "min.bf16 %h3, %h1, %h2;",
        "neg.bf16 %h3, %h1;",
        "abs.bf16 %h3, %h1;",
    ),
    "cvt between bf16 and f32": (
        "cvt.rn.bf16.f32 %h1, %f1;",
        "cvt.rn.bf16x2.f32 %r1, %f1, %f2;",
        "cvt.f32.bf16 %f1, %h1;",
    ),
    "cvt to tf32": ("cvt.rna.tf32.f32 %r1, %f1;",),
    "cvt of two f32 to f16x2": ("cvt.rn.f16x2.f32 %r1, %f1, %f2;",),
    "relu of half types": ("fma.rn.relu.f16 %h1, %h2, %h3, %h4;", "cvt.rn.relu.f16.f32 %h1, %f1;"),
    "f16 min or max": ("min.f16 %h1, %h2, %h3;", "max.f16x2 %r1, %r2, %r3;"),
    "min or max with NaN": ("max.NaN.f32 %f1, %f2, %f3;",),
    "createpolicy": ("createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0;",),
    "L2 cache hint": ("ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd3;",),
    "prefetch of 256 bytes into L2": ("ld.global.L2::256B.b32 %r1, [%rd1];",),
    "prefetch with eviction priority": ("prefetch.global.L2::evict_last [%rd1];",),
    "discard or applypriority": (
        "discard.global.L2 [%rd1], 128;",
        "applypriority.global.L2::evict_normal [%rd1], 128;",
    ),
}

DIRECTIVE_SAMPLES: dict[str, str] = {
    "reqnctapercluster": ".reqntid 128\n.reqnctapercluster 2",
    "maxclusterrank": ".maxclusterrank 4",
}

#: What every known architecture has, although it looks like a row of the table.
EVERYWHERE: tuple[str, ...] = (
    mma("m16n8k8", "f32.f16.f16.f32", "4f", 2, 1),
    mma("m8n8k4", "f32.f16.f16.f32", "8f", 2, 2),
    mma("m8n8k16", "s32.s8.s8.s32", "2r", 1, 1),
    mma("m8n8k128", "s32.b1.b1.s32.xor.popc", "2r", 1, 1),
    f"wmma.load.a.sync.aligned.row.m16n16k16.f16 {_group(8)}, [%rd1], %r1;",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r0];",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;",
    "tanh.approx.f16 %h1, %h2;",
    "ex2.approx.f16 %h1, %h2;",
    "cvt.rn.satfinite.f16.f32 %h1, %f1;",
    "atom.global.add.noftz.f16 %h1, [%rd1], %h2;",
    "atom.global.cas.b16 %h1, [%rd1], %h2, %h3;",
    "ld.global.b128 %q1, [%rd1];",
    "ld.global.L2::128B.b32 %r1, [%rd1];",
    "ld.shared::cta.u32 %r1, [%r0];",
    "fence.proxy.alias;",
    "max.f32 %f1, %f2, %f3;",
    "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];",
)


@cache
def _version() -> str:
    """The PTX version of this toolkit: the newest architecture needs it."""
    return (
        compile_program(b"", "empty.cu", ["--gpu-architecture=compute_75"], []).ptx.partition(".version ")[2].split()[0]
    )


def kernel(target: str, statements: Sequence[str], directives: str = "") -> str:
    """A kernel with one statement per line, from line `FIRST_LINE` on."""
    body = "\n".join(statements)
    return f""".version {_version()}
.target {target}
.address_size 64
.visible .entry k(.param .u64 k_0)
{directives}
{{
.reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %rd<16>; .reg .f32 %f<64>; .reg .f64 %d<64>; .reg .pred %p<8>;
.reg .b128 %q<8>;
.shared .align 128 .b8 buffer[1024];
ld.param.u64 %rd0, [k_0];
cvta.to.global.u64 %rd1, %rd0;
mov.u32 %r0, buffer;
{body}
ret;
}}
"""


FIRST_LINE = 13
