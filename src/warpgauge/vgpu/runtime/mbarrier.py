"""mbarrier objects: arrivals, phases and waits, and what they put in order.

The 64-bit word in shared memory is laid out by this project: pending arrivals in bits 0-19, the count of a phase in
20-39, transaction bytes (two's complement) in 40-60, the phase's parity in 61, 1 in 62 and 0 in 63. Poisoned and
cleared memory is therefore no mbarrier. In shadow mode a table beside it holds the number of the phase and, per warp,
up to which epoch its accesses come before those who wait for the running phase, and for the last complete one. A lane
that arrives without all the others of its warp speaks for itself, and for them up to their last warp barrier.
"""

from .base import *  # noqa: F403
from .pending import copies_land, copies_of, copy_at
from .shadow import B_EPOCH, B_LB, B_LVCF, B_SAFE, B_SPOKEN, B_VC, shadow_load_lane, shadow_store_lane

SHADOW = False
STRONG, ATOMIC, COPIED, GLOBAL = False, False, False, False
SPACE_CODE = SHARED_SPACE
GRANULE_SHIFT = 2

C_STORES2, W_FUEL2 = CTX["STORES"], WARP["FUEL"]
B_SHARED2, B_TABLE, B_PROGRESS2, B_COPIES2 = BLK["SHARED"], BLK["MBARRIERS"], BLK["PROGRESS"], BLK["COPIES"]
COUNT_BITS = (1 << 20) - 1
BYTES_BITS = (1 << 21) - 1
VALID = 1 << 62
PHASE_BIT = 1 << 61


@runtime()
def mbarrier_word(ctx: p64, blk: p64, ins: i32, thread: i64, a: i64, live: i1) -> p64:
    """The word at a shared address; null, and a finding, where none can be or, with `live`, where none is."""
    if a + 8 > ctx[C_SHARED_BYTES]:
        fault(ctx, F_OUT_OF_BOUNDS, i64(ins), SHARED_SPACE, blk[B_ID], thread, a, 8)
        return p64(i64(0))
    if a & 7 != 0:
        fault(ctx, F_MISALIGNED, i64(ins), SHARED_SPACE, blk[B_ID], thread, a, 8)
        return p64(i64(0))
    word = p64(blk[B_SHARED2] + a)
    if live and (word[0] >> 62) != 1:
        fault(ctx, F_MBARRIER, i64(ins), MBARRIER_NONE, blk[B_ID], thread, a, 0)
        return p64(i64(0))
    return word


@runtime(inline=True)
def phase_table(blk: p64, a: i64) -> p32:
    return p32(blk[B_TABLE]) + (a >> 3) * MBARRIER_INTS


@runtime("GLOBAL", "STRONG", "ATOMIC", "SPACE_CODE", "GRANULE_SHIFT")
def word_written(ctx: p64, blk: p64, ins: i32, warp: i32, l: i32, a: i64) -> void:
    g = a >> GRANULE_SHIFT
    while g <= (a + 7) >> GRANULE_SHIFT:
        shadow_store_lane(ctx, blk, ins, warp, l, g, a, i1(0))
        g += 1


@runtime("SHADOW", "GLOBAL", "STRONG", "ATOMIC", "SPACE_CODE", "GRANULE_SHIFT")
def mbarrier_set(ctx: p64, blk: p64, ins: i32, warp: i32, addr: v32, mask: i32, counts: v32, ends: i32) -> void:
    """init with a count per lane, or with `ends` inval."""
    ctx[C_STORES2] += 1
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        a = i64(lane(addr, l))
        thread = i64(warp * 32 + l)
        count = i64(lane(counts, l))
        word = mbarrier_word(ctx, blk, ins, thread, a, ends != 0)
        if i64(word) != 0:
            if SHADOW:
                word_written(ctx, blk, ins, warp, l, a)
            if ends != 0:
                word[0] = 0
            else:
                if (word[0] >> 62) == 1:
                    fault(ctx, F_MBARRIER, i64(ins), MBARRIER_TWICE, blk[B_ID], thread, a, 0)
                if count == 0 or count > COUNT_BITS:
                    fault(ctx, F_MBARRIER, i64(ins), MBARRIER_COUNT, blk[B_ID], thread, a, count)
                word[0] = VALID | (count & COUNT_BITS) << 20 | (count & COUNT_BITS)
                if SHADOW:
                    table = phase_table(blk, a)
                    memset(table, 0, 4 * MBARRIER_INTS)
                    table[MBARRIER_PHASE] = 1


@runtime("SHADOW", "GLOBAL", "STRONG", "ATOMIC", "SPACE_CODE", "GRANULE_SHIFT")
def mbarrier_arrive(
    ctx: p64, blk: p64, ins: i32, warp: i32, addr: v32, mask: i32, counts: v32, more: v32, flags: i32, states: p64
) -> void:
    """Lanes add `more` transaction bytes and arrive `counts` times. `states` receives each lane's word before that."""
    if mask == 0:
        return
    ctx[C_STORES2] += 1
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        a = i64(lane(addr, l))
        thread = i64(warp * 32 + l)
        word = mbarrier_word(ctx, blk, ins, thread, a, i1(1))
        states[l] = 0
        if i64(word) != 0:
            if SHADOW:
                word_written(ctx, blk, ins, warp, l, a)
                if flags & ARRIVE_BINDS != 0:
                    copies_bind(blk, warp, l, a)
                if flags & ARRIVE_RELEASES != 0:
                    together = i32(bits(addr == v32(lane(addr, l)))) & mask
                    released(ctx, blk, warp, a, together, l)
            arrive_once(
                ctx, blk, ins, thread, a, word, i64(lane(counts, l)), i64(lane(more, l)), flags, states + i64(l)
            )
    if SHADOW:
        blk[B_EPOCH] += 1


@runtime("SHADOW")
def arrive_once(
    ctx: p64, blk: p64, ins: i32, thread: i64, a: i64, word: p64, count: i64, more: i64, flags: i32, out: p64
) -> void:
    old = word[0]
    out[0] = old
    pending = old & COUNT_BITS
    expected = (old >> 20) & COUNT_BITS
    awaited = ((old >> 40) + more) & BYTES_BITS
    if count > pending:
        fault(ctx, F_MBARRIER, i64(ins), MBARRIER_BEYOND, blk[B_ID], thread, a, count << 32 | pending)
        return
    if flags & ARRIVE_DROPS != 0:
        expected = expected - umin(count, expected)
    pending = pending - count
    phase = old & PHASE_BIT
    if pending == 0 and awaited == 0:
        if flags & ARRIVE_KEEPS != 0:
            fault(ctx, F_MBARRIER, i64(ins), MBARRIER_ENDED, blk[B_ID], thread, a, count)
        phase = phase ^ PHASE_BIT
        pending = expected
        blk[B_PROGRESS2] += 1
        if SHADOW:
            table = phase_table(blk, a)
            table[MBARRIER_PHASE] += 1
            for k in range(i64(0), i64(3)):
                part = table + MBARRIER_NOW + 32 * k
                vstore(part + (MBARRIER_DONE - MBARRIER_NOW), vload(part, v32))
                vstore(part, v32(i32(0)))
    word[0] = VALID | phase | (awaited << 40) | (expected << 20) | pending


@runtime()
def released(ctx: p64, blk: p64, warp: i32, a: i64, together: i32, l: i32) -> void:
    """What lane `l` has done and its warp has seen comes before what follows the wait for the running phase, and what
    the warp has done if all of it arrives `together`. Barriers of some lanes only count as ones of the whole warp."""
    now = phase_table(blk, a) + MBARRIER_NOW
    seen = umax(vload(p32(blk[B_VC]) + i64(warp) * 32, v32), v32(i32(blk[B_SAFE])))
    vstore(now, umax(vload(now, v32), seen))
    spoken = p32(blk[B_SPOKEN]) + i64(warp) * 32
    take_singly(now, spoken, spoken + SPOKEN_LANES)
    state = p64(p8(blk[B_STATES2]) + i64(warp) * ctx[C_STATE_BYTES2])
    if (i32(state[W_ALIVE2]) & ~together) == 0 or (blk[B_LVCF] >> i64(warp)) & 1 != 0:
        now[warp] = i32(blk[B_EPOCH])
    else:
        base = p32(blk[B_LB])
        now[warp] = umax(now[warp], base[warp])
        singly = now + HANDED_SINGLY
        who = now + HANDED_LANES
        if singly[warp] <= now[warp]:
            who[warp] = 0
        singly[warp] = i32(blk[B_EPOCH])
        who[warp] = who[warp] | (i32(1) << l)


B_STATES2, C_STATE_BYTES2, W_ALIVE2 = BLK["STATES"], CTX["STATE_BYTES"], WARP["ALIVE"]


@runtime()
def take_singly(to: p32, singly: p32, who: p32) -> void:
    """Join what single lanes have handed on, an epoch and lanes per warp, with what is known of whole warps in `to`."""
    known = vload(to, v32)
    old = vload(to + HANDED_SINGLY, v32)
    new = vload(singly, v32)
    lanes_old = vload(to + HANDED_LANES, v32) if old > known else v32(i32(0))
    lanes_new = vload(who, v32) if new > known else v32(i32(0))
    vstore(to + HANDED_SINGLY, umax(old, new))
    vstore(to + HANDED_LANES, lanes_old | lanes_new)


@runtime()
def copies_bind(blk: p64, warp: i32, l: i32, a: i64) -> void:
    """The lane's copies so far belong to the running phase of the mbarrier at `a`."""
    if blk[B_COPIES2] == 0:
        return
    table = phase_table(blk, a)
    header = copies_of(blk, warp)
    for n in range(header[COPIES_HEAD], header[COPIES_TAIL]):
        entry = copy_at(header, n)
        if (entry[COPY_MASK] >> l) & 1 != 0 and entry[COPY_BOUND + l] == 0:
            entry[COPY_BOUND + l] = (i32(a >> 3) << PHASE_BITS) | (table[MBARRIER_PHASE] & ((1 << PHASE_BITS) - 1))
            entry[COPY_EPOCHS + l] = i32(blk[B_EPOCH])
            table[MBARRIER_COPIES] = 1


COPIES_HEAD, COPIES_TAIL = COPIES["HEAD"], COPIES["TAIL"]


@runtime("SHADOW", "GLOBAL", "STRONG", "COPIED", "SPACE_CODE", "GRANULE_SHIFT")
def mbarrier_test(
    ctx: p64, blk: p64, state: p64, ins: i32, warp: i32, addr: v32, mask: i32, values: v64, flags: i32
) -> i32:
    """Lanes for which the phase is complete whose state, or parity, is in `values`.

    A lane that must go on waiting ends its warp's slice at the next backward branch: others have to move first.
    """
    done = i32(0)
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        a = i64(lane(addr, l))
        word = mbarrier_word(ctx, blk, ins, i64(warp * 32 + l), a, i1(1))
        if i64(word) != 0:
            if SHADOW:
                g = a >> GRANULE_SHIFT
                while g <= (a + 7) >> GRANULE_SHIFT:
                    shadow_load_lane(ctx, blk, ins, warp, l, g, a)
                    g += 1
            value = lane(values, l)
            wanted = value >> 61
            if flags & WAIT_PARITY != 0:
                wanted = value
            if ((word[0] >> 61) ^ wanted) & 1 != 0:
                done = done | (i32(1) << l)
                if SHADOW:
                    if flags & WAIT_ACQUIRES != 0:
                        acquired(ctx, blk, warp, a)
    if mask & ~done != 0:
        state[W_FUEL2] = 0
    return done


@runtime("GRANULE_SHIFT")
def acquired(ctx: p64, blk: p64, warp: i32, a: i64) -> void:
    """Take over what arrived in the last complete phase, and the copies that belong to complete phases."""
    table = phase_table(blk, a)
    clocks = p32(blk[B_VC]) + i64(warp) * 32
    handed = table + MBARRIER_DONE
    vstore(clocks, umax(vload(clocks, v32), vload(handed, v32)))
    base = p32(blk[B_LB])
    base[warp] = umax(base[warp], handed[warp])
    spoken = p32(blk[B_SPOKEN]) + i64(warp) * 32
    mine = array(i32, 96)
    vstore(mine, vload(clocks, v32))
    mine[warp] = base[warp]
    vstore(mine + HANDED_SINGLY, vload(spoken, v32))
    vstore(mine + HANDED_LANES, vload(spoken + SPOKEN_LANES, v32))
    take_singly(mine, handed + HANDED_SINGLY, handed + HANDED_LANES)
    vstore(spoken, vload(mine + HANDED_SINGLY, v32))
    vstore(spoken + SPOKEN_LANES, vload(mine + HANDED_LANES, v32))
    if table[MBARRIER_COPIES] != 0:
        running = (i32(a >> 3) << PHASE_BITS) | (table[MBARRIER_PHASE] & ((1 << PHASE_BITS) - 1))
        table[MBARRIER_COPIES] = copies_land(ctx, blk, running)
