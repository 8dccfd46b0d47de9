"""Loads and stores of a warp: checks, counts, shadow, and the data itself.

Templates: SPACE (global, shared, local), E bytes per element, N elements per lane, and what to keep: COUNT, SHADOW, TRACE.
A load writes N rows of 32 elements to `out`; a store takes them from `data`.
"""

from .base import *  # noqa: F403
from .count import count_request
from .shadow import shadow_load, shadow_load_row, shadow_store_lane, synchronise

SPACE = 0
E, N = 4, 1
COUNT, SHADOW, TRACE, STRONG = True, False, False, False
GRANULE_SHIFT = 2
SHARED_SHIFT, GLOBAL_SHIFT = 2, 2
ADDRESS, ADDRESS_UNIT = v64, i64
SPACE_CODE = 0
GLOBAL = True
UNIT = i32

C_GDELTA, C_BUFFERS, C_NBUFFERS = CTX["GDELTA"], CTX["BUFFERS"], CTX["NBUFFERS"]
C_LOCAL_BYTES, C_STORES = CTX["LOCAL_BYTES"], CTX["STORES"]
C_TRACE, C_TRACE_N, C_TRACE_CAP = CTX["TRACE"], CTX["TRACE_N"], CTX["TRACE_CAP"]
B_SHARED, B_LOCAL = BLK["SHARED"], BLK["LOCAL"]
TRACE_SLOTS = 36


@runtime("SPACE")
def check_lanes(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, a: p64, mask: i32, width: i64, align: i64) -> i32:
    """Lanes whose access is aligned and inside a buffer; a fault for each other lane."""
    good = mask
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        thread = i64(warp * 32 + l)
        address = a[l]
        inside = i1(0)
        if SPACE == GLOBAL_SPACE:
            buffers = p64(ctx[C_BUFFERS])
            for k in range(i64(0), ctx[C_NBUFFERS]):
                lo = buffers[k * 2]
                hi = buffers[k * 2 + 1]
                if address >= lo and address + width <= hi:
                    inside = i1(1)
                    site[S_LO] = lo
                    site[S_HI] = hi
                    break
        elif SPACE == SHARED_SPACE:
            inside = address + width <= ctx[C_SHARED_BYTES]
        else:
            inside = address + width <= ctx[C_LOCAL_BYTES]
        if not inside:
            fault(ctx, F_OUT_OF_BOUNDS, i64(ins), SPACE, blk[B_ID], thread, address, width)
            good = good & ~(i32(1) << l)
        elif address & (align - 1) != 0:
            fault(ctx, F_MISALIGNED, i64(ins), SPACE, blk[B_ID], thread, address, width)
            good = good & ~(i32(1) << l)
    return good


@runtime()
def trace_request(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, mask: i32, a: p64) -> void:
    """Append one request to the trace buffer while there is room."""
    n = ctx[C_TRACE_N]
    ctx[C_TRACE_N] = n + 1
    if n >= ctx[C_TRACE_CAP]:
        return
    row = p64(ctx[C_TRACE]) + n * TRACE_SLOTS
    row[0] = i64(ins)
    row[1] = blk[B_ID]
    row[2] = i64(warp)
    row[3] = i64(mask)
    for k in range(32):
        row[4 + k] = a[k]


@runtime("SPACE", inline=True)
def base_of(ctx: p64, blk: p64, warp: i32, l: i32) -> i64:
    """Host address of the space's byte 0 for a lane."""
    if SPACE == GLOBAL_SPACE:
        return ctx[C_GDELTA]
    if SPACE == SHARED_SPACE:
        return blk[B_SHARED]
    return blk[B_LOCAL] + i64(warp * 32 + l) * ctx[C_LOCAL_BYTES]


@runtime("SPACE", "COUNT", "ADDRESS", "ADDRESS_UNIT", "E", "N", "TRACE")
def prologue(
    ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, spill: p64, shape: p32
) -> i32:
    """Check and count. `shape[0]`: 1 every lane at one address, 2 full warp in one row, 0 anything, -1 not spilled."""
    first = lane(addr, i32(cttz(mask)))
    a = addr if lanes(mask) else ADDRESS(first)
    lo = i64(reduce_umin(a))
    hi = i64(reduce_umax(a))
    low_bits = i64(reduce_or(a)) & (E * N - 1)
    inside = i1(0)
    if SPACE == GLOBAL_SPACE:
        inside = lo >= site[S_LO] and hi + E * N <= site[S_HI]
    elif SPACE == SHARED_SPACE:
        inside = hi + E * N <= ctx[C_SHARED_BYTES]
    else:
        inside = hi + E * N <= ctx[C_LOCAL_BYTES]
    if lo == hi:
        shape[0] = 1
    elif hi - lo == 31 * E * N and mask == -1 and i32(bits(a == iota(ADDRESS, E * N) + ADDRESS(first))) == -1:
        shape[0] = 2
    else:
        shape[0] = 0
    vstore(spill, zext(a, v64) if SPACE != GLOBAL_SPACE else a)
    if TRACE:
        trace_request(ctx, blk, site, ins, warp, mask, spill)
    if COUNT and SPACE <= SHARED_SPACE and site[S_COUNTED] != 0:
        count_request(blk, site, warp, mask, a, first, spill)
    if inside and low_bits == 0:
        return mask
    good = check_lanes(ctx, blk, site, ins, warp, spill, mask, E * N, E * N)
    if good != mask:
        shape[0] = 0
    return good


@runtime("SPACE", "COUNT", "SHADOW", "TRACE", "STRONG", "E", "N", "ADDRESS", "GRANULE_SHIFT", "GLOBAL", "SPACE_CODE", "UNIT")
def load(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, out: p8) -> void:
    if mask == 0:
        return
    spill = array(i64, 32)
    shape = array(i32, 1)
    good = prologue(ctx, blk, site, ins, warp, addr, mask, spill, shape)
    if SHADOW and SPACE <= SHARED_SPACE and good != 0:
        if STRONG and SPACE == GLOBAL_SPACE:
            synchronise(ctx, blk, warp, good, spill, CALL_ACQUIRE)
        done = i1(0)
        start = shadow_origin(ctx)
        if shape[0] == 2 and E * N == (1 << GRANULE_SHIFT) and not STRONG:
            done = shadow_load_row(ctx, blk, ins, warp, (spill[0] - start) >> GRANULE_SHIFT)
        if not done:
            shadow_load(ctx, blk, ins, warp, spill, start, good, E * N)
    rows = ptr(UNIT)(out)
    if N == 1 and shape[0] == 2 and SPACE != LOCAL_SPACE:
        row = ptr(UNIT)(base_of(ctx, blk, warp, 0) + spill[0])
        vstore(rows, vload(row, v(UNIT)))
        return
    if N == 1 and shape[0] == 1 and good == -1 and SPACE != LOCAL_SPACE:
        one = ptr(UNIT)(base_of(ctx, blk, warp, 0) + spill[0])
        vstore(rows, v(UNIT)(one[0]))
        return
    if good == -1:
        for k in range(32):
            source = ptr(UNIT)(base_of(ctx, blk, warp, k) + spill[k])
            rows[k] = source[0]
            if N > 1:
                rows[32 + k] = source[1]
            if N > 2:
                rows[64 + k] = source[2]
                rows[96 + k] = source[3]
            if N > 4:
                rows[128 + k] = source[4]
                rows[160 + k] = source[5]
                rows[192 + k] = source[6]
                rows[224 + k] = source[7]
        return
    m = good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        origin = ptr(UNIT)(base_of(ctx, blk, warp, l) + spill[l])
        for q in range(N):
            rows[q * 32 + l] = origin[q]
    m = mask & ~good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        for q in range(N):
            rows[q * 32 + l] = 0


@runtime("GLOBAL", inline=True)
def shadow_origin(ctx: p64) -> i64:
    if GLOBAL:
        return i64(ARENA_BASE)
    return i64(0)


@runtime("SPACE", "COUNT", "SHADOW", "TRACE", "STRONG", "E", "N", "ADDRESS", "GRANULE_SHIFT", "GLOBAL", "SPACE_CODE", "UNIT")
def store(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, data: p8) -> void:
    if mask == 0:
        return
    ctx[C_STORES] += 1
    spill = array(i64, 32)
    shape = array(i32, 1)
    good = prologue(ctx, blk, site, ins, warp, addr, mask, spill, shape)
    rows = ptr(UNIT)(data)
    if not SHADOW and N == 1 and shape[0] == 2 and SPACE != LOCAL_SPACE:
        row = ptr(UNIT)(base_of(ctx, blk, warp, 0) + spill[0])
        vstore(row, vload(rows, v(UNIT)))
        return
    m = good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        target = ptr(UNIT)(base_of(ctx, blk, warp, l) + spill[l])
        if SHADOW and SPACE <= SHARED_SPACE:
            same = i1(1)
            for q in range(N):
                if target[q] != rows[q * 32 + l]:
                    same = i1(0)
            start = shadow_origin(ctx)
            g = (spill[l] - start) >> GRANULE_SHIFT
            last = (spill[l] + E * N - 1 - start) >> GRANULE_SHIFT
            while g <= last:
                shadow_store_lane(ctx, blk, ins, warp, l, g, spill[l], same)
                g += 1
        for q in range(N):
            target[q] = rows[q * 32 + l]
    if SHADOW and STRONG and SPACE == GLOBAL_SPACE:
        synchronise(ctx, blk, warp, good, spill, CALL_RELEASE)
