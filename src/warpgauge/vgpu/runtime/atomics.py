"""Read-modify-write of a warp, lane after lane."""

from .access import ADDRESS, STORE_PARAMETERS, UNIT, base_of, prologue, shadow_origin
from .base import *  # noqa: F403
from .shadow import T_A, T_W, shadow_store_lane, shadow_table, synchronise

SPACE, E, N = 0, 4, 1
COUNT, SHADOW, TRACE, STRONG, ATOMIC = True, False, False, False, True
GRANULE_SHIFT, GLOBAL, SPACE_CODE = 2, True, 0
OPERATION, FLOAT = 0, f32
(
    ADD,
    SMIN,
    SMAX,
    UMIN,
    UMAX,
    AND,
    OR,
    XOR,
    EXCH,
    CAS,
    INC,
    DEC,
    FADD,
    FLUSHED_ADD,
    HALF_ADD,
    HALF2_ADD,
    BF16_ADD,
    BF162_ADD,
) = range(18)
C_STORES3 = CTX["STORES"]


@runtime("OPERATION", "UNIT", "FLOAT", inline=True)
def combine(old: UNIT, b: UNIT, c: UNIT) -> UNIT:
    if OPERATION == ADD:
        return old + b
    if OPERATION == SMIN:
        return smin(old, b)
    if OPERATION == SMAX:
        return smax(old, b)
    if OPERATION == UMIN:
        return umin(old, b)
    if OPERATION == UMAX:
        return umax(old, b)
    if OPERATION == AND:
        return old & b
    if OPERATION == OR:
        return old | b
    if OPERATION == XOR:
        return old ^ b
    if OPERATION == EXCH:
        return b
    if OPERATION == CAS:
        return c if old == b else old
    if OPERATION == INC:
        return UNIT(0) if old >= b else old + 1
    if OPERATION == DEC:
        return b if (old == 0) or (old > b) else old - 1
    if OPERATION == FADD:
        return bitcast(bitcast(old, FLOAT) + bitcast(b, FLOAT), UNIT)
    if OPERATION == FLUSHED_ADD:
        return flushed(bitcast(bitcast(flushed(old), f32) + bitcast(flushed(b), f32), i32))
    if OPERATION == HALF_ADD:
        return half_add(old, b)
    if OPERATION == BF16_ADD:
        return bf16_add(old, b)
    if OPERATION == HALF2_ADD:
        return i32(half_add(i16(old), i16(b))) | (i32(half_add(i16(old >> 16), i16(b >> 16))) << 16)
    return i32(bf16_add(i16(old), i16(b))) | (i32(bf16_add(i16(old >> 16), i16(b >> 16))) << 16)


@runtime(inline=True)
def flushed(a: i32) -> i32:
    """Subnormal f32 bits to zero of the same sign."""
    return a & 0x80000000 if a & 0x7F800000 == 0 else a


@runtime(inline=True)
def half_add(a: i16, b: i16) -> i16:
    return bitcast(bitcast(a, f16) + bitcast(b, f16), i16)


@runtime(inline=True)
def bf16_add(a: i16, b: i16) -> i16:
    """Through f32, which carries more than twice the bits: rounding again to nearest even is exact."""
    total = bitcast(i32(a) << 16, f32) + bitcast(i32(b) << 16, f32)
    raw = bitcast(total, i32)
    rounded = i16((raw + 0x7FFF + ((raw >> 16) & 1)) >> 16)
    return i16(0x7FFF) if total != total else rounded


@runtime(*STORE_PARAMETERS, "FLOAT", "OPERATION")
def atomic(ctx: p64, blk: p64, site: p64, ins: i32, warp: i32, addr: ADDRESS, mask: i32, b: p8, c: p8, out: p8) -> void:
    """`out` receives each lane's N old values; `b` (and for cas `c`, the new value) are rows of 32."""
    if mask == 0:
        return
    ctx[C_STORES3] += 1
    spill = array(i64, 32)
    shape = array(i64, 2)
    good = prologue(ctx, blk, site, ins, warp, addr, mask, spill, shape)
    if shape[0] != ANY_SHAPE:
        pattern = site + SITE_PATTERN
        for k in range(32):
            spill[k] = shape[1] + pattern[k]
    bs = ptr(UNIT)(b)
    cs = ptr(UNIT)(c)
    rows = ptr(UNIT)(out)
    m = good
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        target = ptr(UNIT)(base_of(ctx, blk, warp, l) + spill[l])
        if SHADOW:
            start = shadow_origin()
            g = (spill[l] - start) >> GRANULE_SHIFT
            last = (spill[l] + E * N - 1 - start) >> GRANULE_SHIFT
            while g <= last:
                touch(ctx, blk, ins, warp, l, g, spill[l])
                g += 1
        for q in range(N):
            old = target[q]
            target[q] = combine(old, bs[q * 32 + l], cs[l])
            rows[q * 32 + l] = old
    if SHADOW:
        synchronise(ctx, blk, warp, good, spill, CALL_RMW)


@runtime("GLOBAL", "ATOMIC", "STRONG", "SPACE_CODE", "GRANULE_SHIFT", "OPERATION")
def touch(ctx: p64, blk: p64, ins: i32, warp: i32, l: i32, g: i64, address: i64) -> void:
    """An atomic reads and writes its granule; only ordinary accesses can race with it."""
    table = shadow_table(ctx, blk)
    writers = p64(table[T_W])
    strong_writers = p64(table[T_A])
    if OPERATION != EXCH and (writers[g] | strong_writers[g]) == 0:
        fault(ctx, F_UNINITIALISED, i64(ins), 0, blk[B_ID], i64(warp * 32 + l), address, SPACE_CODE)
        writers[g] = HOST_WRITER
    shadow_store_lane(ctx, blk, ins, warp, l, g, address, i1(0))
