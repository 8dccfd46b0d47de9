"""Loads and stores of a warp: checks, counts, shadow, and the data itself.

Templates: SPACE (global, shared, local), E bytes per element, N elements per lane, and what to keep: COUNT, SHADOW,
TRACE.
A load writes N rows of 32 elements to `out`; a store takes them from `data`.
"""

from .base import *  # noqa: F403
from .count import count_request, learn_shape
from .shadow import (
    shadow_load,
    shadow_load_group,
    shadow_load_row,
    shadow_store_lane,
    shadow_store_row,
    shadow_store_simply,
    synchronise,
)

SPACE = 0
E, N = 4, 1
COUNT, SHADOW, TRACE, STRONG, ATOMIC, COPIED = True, False, False, False, False, False
UNREAD = 0
GRANULE_SHIFT = 2
SHARED_SHIFT, GLOBAL_SHIFT = 2, 2
ADDRESS, ADDRESS_UNIT = v64, i64
SPACE_CODE = 0
GLOBAL = True
UNIT = i32

# What the code of a load depends on, and that of a store.
_COMMON = ("E", "N", "ADDRESS", "ADDRESS_UNIT", "GRANULE_SHIFT", "GLOBAL", "SPACE_CODE", "UNIT")
LOAD_PARAMETERS = ("SPACE", "COUNT", "SHADOW", "TRACE", "STRONG", "COPIED", "UNREAD", *_COMMON)
STORE_PARAMETERS = ("SPACE", "COUNT", "SHADOW", "TRACE", "STRONG", "ATOMIC", *_COMMON)

C_GDELTA, C_BUFFERS, C_NBUFFERS = CTX["GDELTA"], CTX["BUFFERS"], CTX["NBUFFERS"]
C_LOCAL_BYTES, C_STORES = CTX["LOCAL_BYTES"], CTX["STORES"]
C_TRACE, C_TRACE_N, C_TRACE_CAP = CTX["TRACE"], CTX["TRACE_N"], CTX["TRACE_CAP"]
B_SHARED, B_LOCAL = BLK["SHARED"], BLK["LOCAL"]
TRACE_SLOTS = 36
C_SITES = CTX["SITES"]
C_GR = CTX["GR"]
SITE_BYTES = 8 * SITE_SLOTS


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
                lo = buffers[k * 3]
                hi = buffers[k * 3 + 1]
                if address >= lo and address + width <= hi:
                    inside = i1(1)
                    if buffers[k * 3 + 2] == 1 or site[S_KIND] == LOAD_KIND:
                        site[S_LO] = lo
                        site[S_HI] = hi
                        site[S_SEALED] = i64(buffers[k * 3 + 2] == 3)
                    elif buffers[k * 3 + 2] == 2:
                        inside = i1(0)
                    else:
                        fault(ctx, F_READ_ONLY, i64(ins), SPACE, blk[B_ID], thread, address, width)
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
    row[0] = (i64(site) - ctx[C_SITES]) // SITE_BYTES
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


@runtime("SPACE", "ADDRESS", inline=True)
def recognise(site: p64, relative: ADDRESS, mask: i32, step: i64) -> void:
    """Have the site remember the shape of this request if the last one had another."""
    known = vload(site + SITE_PATTERN, v64)
    same = i32(0)
    if SPACE == GLOBAL_SPACE:
        same = i32(bits(known == relative))
    else:
        same = i32(bits(trunc(known, ADDRESS) == relative))
    if same != -1 or site[S_PMASK] != i64(mask) | (1 << 32):
        learn_shape(site, relative if SPACE == GLOBAL_SPACE else sext(relative, v64), mask, step)


@runtime("SPACE", "ADDRESS", "ADDRESS_UNIT", "TRACE")
def note_request(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32) -> void:
    """Count (and trace) a request whose data other calls move and check."""
    if mask == 0:
        return
    spill = array(i64, 32)
    first = lane(addr, i32(cttz(mask)))
    a = addr
    if mask != -1:
        a = addr if lanes(mask) else ADDRESS(first)
    recognise(site, a - ADDRESS(first), mask, 1)
    if TRACE:
        vstore(spill, zext(a, v64) if SPACE != GLOBAL_SPACE else a)
        trace_request(ctx, blk, site, ins, warp, mask, spill)
    count_request(blk, site, warp, mask, i64(first), spill)


@runtime("SPACE", "COUNT", "ADDRESS", "ADDRESS_UNIT", "E", "N", "TRACE", inline=True)
def prologue(
    ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, spill: p64, shape: p64
) -> i32:
    """Check and count; returns the lanes that may go on. `shape[0]` is the shape class (ANY_SHAPE: addresses are in
    `spill`), `shape[1]` the first lane's address, the base of the remembered pattern."""
    first = lane(addr, i32(cttz(mask)))
    a = addr
    if mask != -1:
        a = addr if lanes(mask) else ADDRESS(first)
    recognise(site, a - ADDRESS(first), mask, E * N)
    start = i64(first)
    low = start + site[S_PMIN]
    high = start + site[S_PMAX] + E * N
    shape[0] = site[S_PCLASS]
    shape[1] = start
    if TRACE or shape[0] == ANY_SHAPE:
        vstore(spill, zext(a, v64) if SPACE != GLOBAL_SPACE else a)
    if TRACE:
        trace_request(ctx, blk, site, ins, warp, mask, spill)
    if COUNT and SPACE <= SHARED_SPACE and site[S_COUNTED] != 0:
        count_request(blk, site, warp, mask, start, spill)
    inside = i1(0)
    if SPACE == GLOBAL_SPACE:
        inside = low >= site[S_LO] and high <= site[S_HI]
    elif SPACE == SHARED_SPACE:
        inside = sge(low, 0) and high <= ctx[C_SHARED_BYTES]
    else:
        inside = sge(low, 0) and high <= ctx[C_LOCAL_BYTES]
    if inside and ((start | site[S_PLOW]) & (E * N - 1)) == 0:
        return mask
    vstore(spill, zext(a, v64) if SPACE != GLOBAL_SPACE else a)
    good = check_lanes(ctx, blk, site, ins, warp, spill, mask, E * N, E * N)
    if good != mask:
        shape[0] = ANY_SHAPE
    return good


@runtime("GLOBAL", inline=True)
def shadow_origin() -> i64:
    if GLOBAL:
        return i64(ARENA_BASE)
    return i64(0)


@runtime("SPACE", "GLOBAL", "STRONG", "COPIED", "UNREAD", "SPACE_CODE", "GRANULE_SHIFT", "E", "N")
def shadow_reads(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, spill: p64, good: i32, shape: p64) -> void:
    """Tell the shadow of a load, half-warp by half-warp where the addresses have a shape."""
    if GLOBAL and not STRONG:
        if site[S_SEALED] != 0 and sealed(ctx, site, spill, shape, good):
            return
    if STRONG:
        synchronise(ctx, blk, warp, good, spill, CALL_ACQUIRE)
    kinds = shape[0]
    if kinds == WHOLE_ROW:
        kinds = i64(10)
    if STRONG or UNREAD != 0:
        kinds = i64(0)
    pattern = site + SITE_PATTERN
    origin = shadow_origin()
    left = good
    for h in range(i32(0), i32(2)):
        kind = (kinds >> i64(2 * h)) & 3
        at = shape[1] + pattern[16 * h]
        g = (at - origin) >> GRANULE_SHIFT
        half_mask = i32(0xFFFF) << (16 * h)
        if kind == ONE_ADDRESS:
            last = (at + E * N - 1 - origin) >> GRANULE_SHIFT
            fine = i1(1)
            while g <= last and fine:
                fine = shadow_load_group(ctx, blk, ins, warp, half_mask, g)
                g += 1
            if fine:
                left = left & ~half_mask
        elif kind == ONE_ROW and E * N == (1 << GRANULE_SHIFT):
            if shadow_load_row(ctx, blk, ins, warp, 16 * h, g):
                left = left & ~half_mask
    if left != 0:
        if shape[0] != ANY_SHAPE:
            for k in range(32):
                spill[k] = shape[1] + pattern[k]
        shadow_load(ctx, blk, ins, warp, spill, origin, left, E * N)


@runtime("GRANULE_SHIFT")
def sealed(ctx: p64, site: p64, spill: p64, shape: p64, good: i32) -> i1:
    """Do all lanes read the site's input buffer? Then nothing can go wrong; only that it was read is noted."""
    low = site[S_LO]
    if shape[0] != ANY_SHAPE:
        if shape[1] + site[S_PMIN] < low or shape[1] + site[S_PMAX] >= site[S_HI]:
            return i1(0)
    else:
        m = good
        while m != 0:
            a = spill[cttz(m)]
            m = m & (m - 1)
            if a < low or a >= site[S_HI]:
                return i1(0)
    readers = p64(ctx[C_GR])
    readers[(low - ARENA_BASE) >> GRANULE_SHIFT] = HOST_WRITER
    return i1(1)


@runtime(*LOAD_PARAMETERS)
def load(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, out: p8) -> void:
    if mask == 0:
        return
    spill = array(i64, 32)
    shape = array(i64, 2)
    good = prologue(ctx, blk, site, ins, warp, addr, mask, spill, shape)
    if SHADOW and SPACE <= SHARED_SPACE and good != 0:
        shadow_reads(ctx, blk, site, ins, warp, spill, good, shape)
    rows = ptr(UNIT)(out)
    if SPACE != LOCAL_SPACE and shape[0] != ANY_SHAPE:
        if N == 1 or shape[0] == 5:
            load_halves(ctx, blk, site, warp, rows, shape)
            return
    if shape[0] != ANY_SHAPE:
        pattern = site + SITE_PATTERN
        for k in range(32):
            spill[k] = shape[1] + pattern[k]
    m = good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        source = ptr(UNIT)(base_of(ctx, blk, warp, l) + spill[l])
        rows[l] = source[0]
        if N > 1:
            rows[32 + l] = source[1]
        if N > 2:
            rows[64 + l] = source[2]
            rows[96 + l] = source[3]
        if N > 4:
            rows[128 + l] = source[4]
            rows[160 + l] = source[5]
            rows[192 + l] = source[6]
            rows[224 + l] = source[7]
    m = mask & ~good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        for q in range(N):
            rows[q * 32 + l] = 0


@runtime("SPACE", "N", "UNIT", inline=True)
def load_halves(ctx: p64, blk: p64, site: p64, warp: i32, rows: ptr(UNIT), shape: p64) -> void:
    """Data of a full warp whose halves are rows or broadcasts."""
    base = base_of(ctx, blk, warp, 0) + shape[1]
    if N == 1 and shape[0] == WHOLE_ROW:
        vstore(rows, vload(ptr(UNIT)(base), v(UNIT)))
        return
    pattern = site + SITE_PATTERN
    upper = ptr(UNIT)(base + pattern[16])
    lower = ptr(UNIT)(base)
    if shape[0] & 3 == ONE_ADDRESS:
        for q in range(N):
            vstore(rows + q * 32, half(UNIT)(lower[q]))
    elif N == 1 and shape[0] & 3 == ONE_ROW:
        vstore(rows, vload(lower, half(UNIT)))
    else:
        for k in range(i64(0), i64(16)):
            one = ptr(UNIT)(base + pattern[k])
            rows[k] = one[0]
    if shape[0] >> 2 == ONE_ADDRESS:
        for q in range(N):
            vstore(rows + q * 32 + 16, half(UNIT)(upper[q]))
    elif N == 1 and shape[0] >> 2 == ONE_ROW:
        vstore(rows + 16, vload(upper, half(UNIT)))
    else:
        for k in range(i64(16), i64(32)):
            other = ptr(UNIT)(base + pattern[k])
            rows[k] = other[0]


@runtime(*STORE_PARAMETERS)
def store(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, data: p8) -> void:
    if mask == 0:
        return
    ctx[C_STORES] += 1
    spill = array(i64, 32)
    shape = array(i64, 2)
    good = prologue(ctx, blk, site, ins, warp, addr, mask, spill, shape)
    rows = ptr(UNIT)(data)
    if N == 1 and SPACE != LOCAL_SPACE and shape[0] == WHOLE_ROW:
        at = shape[1]
        silent: i1 = not SHADOW
        if SHADOW and not STRONG and E == (1 << GRANULE_SHIFT) and SPACE <= SHARED_SPACE:
            silent = shadow_store_row(ctx, blk, ins, warp, (at - shadow_origin()) >> GRANULE_SHIFT)
        if silent:
            row = ptr(UNIT)(base_of(ctx, blk, warp, 0) + at)
            vstore(row, vload(rows, v(UNIT)))
            return
    if shape[0] != ANY_SHAPE:
        pattern = site + SITE_PATTERN
        for k in range(32):
            spill[k] = shape[1] + pattern[k]
    left = good
    if SHADOW and SPACE <= SHARED_SPACE and not STRONG and good != 0:
        left = shadow_store_simply(ctx, blk, ins, warp, spill, shadow_origin(), good, E * N)
    m = good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        target = ptr(UNIT)(base_of(ctx, blk, warp, l) + spill[l])
        if SHADOW and SPACE <= SHARED_SPACE and (left >> l) & 1 != 0:
            same = i1(1)
            for q in range(N):
                if target[q] != rows[q * 32 + l]:
                    same = i1(0)
            start = shadow_origin()
            g = (spill[l] - start) >> GRANULE_SHIFT
            last = (spill[l] + E * N - 1 - start) >> GRANULE_SHIFT
            while g <= last:
                shadow_store_lane(ctx, blk, ins, warp, l, g, spill[l], same)
                g += 1
        for q in range(N):
            target[q] = rows[q * 32 + l]
    if SHADOW and STRONG and SPACE <= SHARED_SPACE:
        synchronise(ctx, blk, warp, good, spill, CALL_RELEASE)
