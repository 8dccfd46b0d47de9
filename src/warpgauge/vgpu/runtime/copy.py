"""cp.async of a warp: what it reads, what it writes, and the bytes themselves.

A copy is a load of global memory and a store to shared memory that no register lies between. The source is read, and
checked, when the copy is issued.
"""

from .access import *  # noqa: F403
from .access import base_of, check_lanes, prologue, shadow_origin, shadow_reads, trace_request
from .base import *  # noqa: F403
from .count import count_global
from .pending import B_PENDING, copy_issued
from .shadow import shadow_load, shadow_store_lane, shadow_store_simply

SPACE, SPACE_CODE = 0, 0
GLOBAL = True
E, N = 4, 1
COUNT, SHADOW, TRACE, STRONG, ATOMIC, COPIED = True, False, False, False, False, False
UNREAD = 0
GRANULE_SHIFT = 2
ADDRESS, ADDRESS_UNIT, UNIT = v64, i64, i32


@runtime(*LOAD_PARAMETERS)
def copy_source(
    ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, sizes: v32, sources: p64
) -> void:
    """Check and count the reads. `sizes`: bytes per lane; `sources` receives where they lie in this process (0: zeros
    are written instead)."""
    vstore(sources, v64(i64(0)))
    whole = mask & i32(bits(sizes == E * N))
    some = mask & ~whole & i32(bits(sizes != 0))
    if whole != 0:
        spill = array(i64, 32)
        shape = array(i64, 2)
        good = prologue(ctx, blk, site, ins, warp, addr, whole, spill, shape)
        if SHADOW and good != 0:
            shadow_reads(ctx, blk, site, ins, warp, spill, good, shape)
        at = vload(spill, v64)
        if shape[0] != ANY_SHAPE:
            at = vload(site + SITE_PATTERN, v64) + shape[1]
        vstore(sources, (at + ctx[C_GDELTA]) if lanes(good) else v64(i64(0)))
    if some != 0:
        copy_source_parts(ctx, blk, site, ins, warp, addr, some, sizes, sources)


@runtime()
def bypass_sectors(a: p64, to: p64, mask: i32) -> i64:
    """Sectors that copies past the L1 cache fetch, as its counter of global loads tells them: in each quarter-warp, the
    distinct pairs of a 128-byte line that is read and a 32-byte piece of shared memory that is written. Read on an H200
    (docs/measured/asynchronous_copies_h200.md)."""
    n = i64(0)
    for quarter in range(i32(0), i32(4)):
        left = mask & (i32(0xFF) << (8 * quarter))
        while left != 0:
            first = i32(cttz(left))
            line = a[first] >> 7
            piece = to[first] >> 5
            n += 1
            m = left
            while m != 0:
                l = i32(cttz(m))
                m = m & (m - 1)
                if (a[l] >> 7) == line and (to[l] >> 5) == piece:
                    left = left & ~(i32(1) << l)
    return n


@runtime()
def count_bypass(blk: p64, site: p64, warp: i32, addr: v64, to: v32, mask: i32, sizes: v32) -> void:
    """Count the reads of copies past the L1 cache: they depend on where the bytes go."""
    a = array(i64, 32)
    vstore(a, addr)
    target = array(i64, 32)
    vstore(target, zext(to, v64))
    left = mask & i32(bits(sizes != 0))
    while left != 0:
        size = lane(sizes, i32(cttz(left)))
        group = left & i32(bits(sizes == size))
        left = left & ~group
        n = bypass_sectors(a, target, group)
        ideal = umin(n, (i64(ctpop(group)) * site[S_WIDTH] + 31) >> 5)
        tally(site, group)
        site[S_SECTORS] += n
        site[S_IDEAL] += ideal
        if n - ideal + 1 > site[S_WORST]:
            record_worst(site, n - ideal, blk[B_ID], warp, group, n, 0, a)


@runtime(
    "SPACE", "COUNT", "SHADOW", "TRACE", "STRONG", "COPIED", "UNREAD", "E", "N", "ADDRESS", "GRANULE_SHIFT", "GLOBAL",
    "SPACE_CODE",
)  # fmt: skip
def copy_source_parts(
    ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, some: i32, sizes: v32, sources: p64
) -> void:
    """Lanes that read fewer bytes than they write: one request for each number of bytes, as ptxas makes of them."""
    a = array(i64, 32)
    vstore(a, addr)
    left = some
    while left != 0:
        size = lane(sizes, i32(cttz(left)))
        group = left & i32(bits(sizes == size))
        left = left & ~group
        if TRACE:
            trace_request(ctx, blk, site, ins, warp, group, a)
        if COUNT and site[S_COUNTED] != 0:
            count_global(blk, site, warp, group, a)
        good = check_lanes(ctx, blk, site, ins, warp, a, group, i64(size), E * N)
        if SHADOW and good != 0:
            shadow_load(ctx, blk, ins, warp, a, shadow_origin(), good, i64(size))
        m = good
        while m != 0:
            l = i32(cttz(m))
            m = m & (m - 1)
            sources[l] = a[l] + ctx[C_GDELTA]
    site[S_PMASK] = 0


@runtime(*STORE_PARAMETERS)
def copy_target(
    ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, sizes: v32, sources: p64
) -> void:
    """Check and count the writes, and write."""
    if mask == 0:
        return
    ctx[C_STORES] += 1
    spill = array(i64, 32)
    shape = array(i64, 2)
    good = prologue(ctx, blk, site, ins, warp, addr, mask, spill, shape)
    if shape[0] != ANY_SHAPE:
        vstore(spill, vload(site + SITE_PATTERN, v64) + shape[1])
    if SHADOW:
        copy_issued(ctx, blk, ins, warp, spill, copy_writes(ctx, blk, ins, warp, spill, good), E * N)
    shared = base_of(ctx, blk, warp, 0)
    m = good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        land(shared + spill[l], sources[l], lane(sizes, l))


@runtime("STRONG", "ATOMIC", "GLOBAL", "SPACE_CODE", "GRANULE_SHIFT", "E", "N")
def copy_writes(ctx: p64, blk: p64, ins: i32, warp: i32, a: p64, mask: i32) -> i32:
    """Check the writes; returns the lanes whose bytes no other copy is on its way to."""
    free = mask
    pending = p64(blk[B_PENDING])
    m = shadow_store_simply(ctx, blk, ins, warp, a, i64(0), mask, E * N)
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        g = a[l] >> GRANULE_SHIFT
        last = (a[l] + E * N - 1) >> GRANULE_SHIFT
        while g <= last:
            if pending[g] != 0:
                free = free & ~(i32(1) << l)
            shadow_store_lane(ctx, blk, ins, warp, l, g, a[l], i1(0))
            g += 1
    return free


@runtime("E", "N", inline=True)
def land(target: i64, source: i64, size: i32) -> void:
    """One lane's bytes: `size` of them from `source` (none if that is 0), then zeros."""
    words = p32(target)
    if source == 0:
        for q in range(N):
            words[q] = 0
        return
    if size == E * N:
        given = p32(source)
        for q in range(N):
            words[q] = given[q]
        return
    there = p8(target)
    here = p8(source)
    for k in range(i32(0), i32(E * N)):
        there[k] = 0
        if k < size:
            there[k] = here[k]
