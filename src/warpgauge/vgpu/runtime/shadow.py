"""Shadow state: who wrote and read each granule last, and what orders two accesses.

A granule is the smallest access the kernel makes in that space, so byte-exactness holds by construction. Order inside
a block is a clock per pair of warps (named barriers with arrive included); inside a warp a clock per pair of lanes,
advanced by bar.warp.sync; between blocks what fences and atomics have released and acquired.
"""

from .base import *  # noqa: F403

GLOBAL = True
GRANULE_SHIFT = 2
STRONG = False
ATOMIC = False

EPOCH_MASK = (1 << EPOCH_BITS) - 1
B_EPOCH, B_SAFE, B_SHADOW = BLK["EPOCH"], BLK["SAFE"], BLK["SHADOW_BYTES"]
B_VC, B_LB, B_LVC, B_LVCF, B_ACQ = BLK["VC"], BLK["LB"], BLK["LVC"], BLK["LVCF"], BLK["ACQ"]
# First of the slots W R WS RS WM LM (R2 for global), in the block record or in the context.
B_SW, C_GW, C_NWARPS = BLK["SW"], CTX["GW"], CTX["NWARPS"]
B_RELF, B_SLOT, C_NSYNC, C_CALLBACK = BLK["RELF"], BLK["SLOT"], CTX["NSYNC"], CTX["CALLBACK"]
BOTH_STRONG = FLAG_STRONG | FLAG_ATOMIC
SPACE_CODE = 0


@runtime()
def ordered_in_block(blk: p64, warp: i32, lane_: i32, thread: i64, epoch: i64) -> i1:
    """Does the access that `thread` of this block made at `epoch` happen before what (warp, lane) does now?"""
    if epoch <= blk[B_SAFE]:
        return i1(1)
    other = i32(thread >> 5)
    if other == warp:
        if i32(thread & 31) == lane_:
            return i1(1)
        base = p32(blk[B_LB])
        if i64(base[warp]) >= epoch:
            return i1(1)
        if (blk[B_LVCF] >> i64(warp)) & 1 != 0:
            clock = p32(blk[B_LVC])
            return i64(clock[(warp * 32 + lane_) * 32 + i32(thread & 31)]) >= epoch
        return i1(0)
    table = p32(blk[B_VC])
    return i64(table[warp * 32 + other]) >= epoch


@runtime()
def ordered(ctx: p64, blk: p64, warp: i32, lane_: i32, word: i64) -> i1:
    """The same for a shadow word, which may be another block's or the host's."""
    if word >= HOST_WRITER:
        return i1(1)
    thread = (word >> THREAD_SHIFT) & 1023
    epoch = word & EPOCH_MASK
    owner = (word >> BLOCK_SHIFT) - 1
    if owner == blk[B_ID]:
        return ordered_in_block(blk, warp, lane_, thread, epoch)
    if blk[B_ACQ] == 0:
        return i1(0)
    acquired = p32(blk[B_ACQ])
    return i64(acquired[owner * ctx[C_NWARPS] + (thread >> 5)]) >= epoch


@runtime()
def race(ctx: p64, blk: p64, kind: i64, ins: i32, other: i32, warp: i32, lane_: i32, word: i64, address: i64) -> void:
    entry = fault(
        ctx, kind, i64(ins), i64(other), blk[B_ID], i64(warp * 32 + lane_), address, i64(SPACE_CODE)
    )
    if entry[F_COUNT] == 1:
        entry[F_OBLOCK] = (word >> BLOCK_SHIFT) - 1
        entry[F_OTHREAD] = (word >> THREAD_SHIFT) & 1023


@runtime("GLOBAL", inline=True)
def shadow_table(ctx: p64, blk: p64) -> p64:
    if GLOBAL:
        return ctx + C_GW
    return blk + B_SW


@runtime("GLOBAL", "STRONG", "SPACE_CODE")
def shadow_load_lane(ctx: p64, blk: p64, ins: i32, warp: i32, lane_: i32, g: i64, address: i64) -> void:
    """One lane reads one granule."""
    table = shadow_table(ctx, blk)
    writers = p64(table[0])
    readers = p64(table[1])
    word = writers[g]
    me = i64(warp * 32 + lane_)
    mine = ((blk[B_ID] + 1) << BLOCK_SHIFT) | (me << THREAD_SHIFT)
    if word == 0:
        fault(ctx, F_UNINITIALISED, i64(ins), 0, blk[B_ID], me, address, SPACE_CODE)
        writers[g] = HOST_WRITER
    elif (word >> THREAD_SHIFT) != (mine >> THREAD_SHIFT) and not ordered(ctx, blk, warp, lane_, word):
        if not (STRONG and (word & BOTH_STRONG) != 0):
            writer_ins = p32(table[2])
            race(ctx, blk, F_RACE_RAW, ins, writer_ins[g], warp, lane_, word, address)
    reader_ins = p32(table[3])
    warps = p32(table[4])
    lanes_ = p32(table[5])
    old = readers[g]
    now = mine | blk[B_EPOCH]
    if STRONG:
        now = now | FLAG_STRONG
    bit = i32(1) << lane_
    wbit = i32(1) << warp
    same_block = (old >> BLOCK_SHIFT) == (now >> BLOCK_SHIFT)
    stale = old == 0 or (same_block and (old & EPOCH_MASK) <= blk[B_SAFE])
    if stale:
        warps[g] = wbit
        lanes_[g] = bit
    elif same_block:
        if i32((old >> (THREAD_SHIFT + 5)) & 31) == warp:
            lanes_[g] |= bit
        else:
            lanes_[g] = bit
        warps[g] |= wbit
        if STRONG and (old & FLAG_STRONG) == 0:
            now = now ^ FLAG_STRONG
    else:
        if GLOBAL:
            others = p32(table[6])
            others[g] = i32(old >> BLOCK_SHIFT)
        warps[g] = wbit
        lanes_[g] = bit
        if STRONG and (old & FLAG_STRONG) == 0:
            now = now ^ FLAG_STRONG
    readers[g] = now
    reader_ins[g] = ins


@runtime("GLOBAL", "STRONG", "ATOMIC", "SPACE_CODE")
def shadow_store_lane(
    ctx: p64, blk: p64, ins: i32, warp: i32, lane_: i32, g: i64, address: i64, same_value: i1
) -> void:
    """One lane writes one granule; a race between equal values is let pass (every order gives that value)."""
    table = shadow_table(ctx, blk)
    writers = p64(table[0])
    readers = p64(table[1])
    writer_ins = p32(table[2])
    reader_ins = p32(table[3])
    warps = p32(table[4])
    lanes_ = p32(table[5])
    word = writers[g]
    me = i64(warp * 32 + lane_)
    mine = ((blk[B_ID] + 1) << BLOCK_SHIFT) | (me << THREAD_SHIFT)
    other_thread = (word >> THREAD_SHIFT) != (mine >> THREAD_SHIFT)
    if word != 0 and other_thread and not same_value and not ordered(ctx, blk, warp, lane_, word):
        if not ((STRONG or ATOMIC) and (word & BOTH_STRONG) != 0):
            race(ctx, blk, F_RACE_WAW, ins, writer_ins[g], warp, lane_, word, address)
    old = readers[g]
    if old != 0 and not same_value and not ((STRONG or ATOMIC) and (old & FLAG_STRONG) != 0):
        if (old >> BLOCK_SHIFT) == (mine >> BLOCK_SHIFT):
            epoch = old & EPOCH_MASK
            if epoch > blk[B_SAFE]:
                m = warps[g]
                last = i32((old >> (THREAD_SHIFT + 5)) & 31)
                while m != 0:
                    w2 = cttz(m)
                    m = m & (m - 1)
                    if w2 != warp:
                        if not ordered_in_block(blk, warp, lane_, i64(w2 * 32), epoch):
                            race(ctx, blk, F_RACE_WAR, ins, reader_ins[g], warp, lane_, old, address)
                            break
                    elif last == warp:
                        k = lanes_[g] & ~(i32(1) << lane_)
                        while k != 0:
                            l2 = cttz(k)
                            k = k & (k - 1)
                            if not ordered_in_block(blk, warp, lane_, i64(warp * 32 + l2), epoch):
                                race(ctx, blk, F_RACE_WAR, ins, reader_ins[g], warp, lane_, old, address)
                                break
        elif not ordered(ctx, blk, warp, lane_, old):
            race(ctx, blk, F_RACE_WAR, ins, reader_ins[g], warp, lane_, old, address)
        if GLOBAL:
            others = p32(table[6])
            b2 = i64(others[g])
            if b2 != 0 and b2 != (mine >> BLOCK_SHIFT):
                pretend = (b2 << BLOCK_SHIFT) | 1
                if not ordered(ctx, blk, warp, lane_, pretend):
                    race(ctx, blk, F_RACE_WAR, ins, reader_ins[g], warp, lane_, pretend, address)
    if GLOBAL:
        cleared = p32(table[6])
        cleared[g] = 0
    readers[g] = 0
    now = mine | blk[B_EPOCH]
    if STRONG:
        now = now | FLAG_STRONG
    if ATOMIC:
        now = now | FLAG_ATOMIC
    if same_value and word != 0 and other_thread:
        # Keep the first writer's order: a later reader must be ordered after some writer of this value.
        if ordered(ctx, blk, warp, lane_, word):
            writers[g] = now
            writer_ins[g] = ins
    else:
        writers[g] = now
        writer_ins[g] = ins


@runtime("GLOBAL", "STRONG", "SPACE_CODE", "GRANULE_SHIFT")
def shadow_load(ctx: p64, blk: p64, ins: i32, warp: i32, a: p64, first: i64, mask: i32, width: i64) -> void:
    """All active lanes' reads of `width` bytes; `first` is the address of granule 0."""
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        g = (a[l] - first) >> GRANULE_SHIFT
        last = (a[l] + width - 1 - first) >> GRANULE_SHIFT
        while g <= last:
            shadow_load_lane(ctx, blk, ins, warp, l, g, a[l])
            g += 1


@runtime("GLOBAL", "SPACE_CODE", "GRANULE_SHIFT")
def shadow_load_row(ctx: p64, blk: p64, ins: i32, warp: i32, g: i64) -> i1:
    """Fast path: a full warp reads 32 neighbouring granules, all ordered, none with other readers. False: not so."""
    table = shadow_table(ctx, blk)
    writers = p64(table[0]) + g
    readers = p64(table[1]) + g
    w = vload(writers, v64)
    own = (blk[B_ID] + 1) << BLOCK_SHIFT
    safe = blk[B_SAFE]
    block_field = w & ~((i64(1) << BLOCK_SHIFT) - 1)
    fine = (w >= HOST_WRITER) or ((block_field == own) and ((w & EPOCH_MASK) <= safe))
    if i32(bits(fine)) != -1:
        return i1(0)
    r = vload(readers, v64)
    rblock = r & ~((i64(1) << BLOCK_SHIFT) - 1)
    now = own | (i64(warp) << (THREAD_SHIFT + 5)) | blk[B_EPOCH]
    lane_field = v64(iota(v64)) << THREAD_SHIFT
    mine = lane_field | now
    if i32(bits(r == mine)) == -1:
        return i1(1)
    free = (r == 0) or ((rblock == own) and ((r & EPOCH_MASK) <= safe))
    if i32(bits(free)) != -1:
        return i1(0)
    vstore(readers, mine)
    vstore(p32(table[3]) + g, v32(ins))
    vstore(p32(table[4]) + g, v32(i32(1) << warp))
    vstore(p32(table[5]) + g, v32(i32(1)) << iota(v32))
    return i1(1)


@runtime()
def synchronise(ctx: p64, blk: p64, warp: i32, mask: i32, a: p64, kind: i64) -> void:
    """Tell the bookkeeper of releases and acquires, once per distinct neighbouring address."""
    released = (blk[B_RELF] >> i64(warp)) & 1
    if released == 0 and (ctx[C_NSYNC] == 0 or kind == CALL_RELEASE):
        return
    previous = i64(0)
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        if a[l] != previous:
            callback(ctx[C_CALLBACK], kind, blk[B_SLOT], i64(warp), a[l], released)
        previous = a[l]
