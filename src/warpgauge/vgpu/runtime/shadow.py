"""Shadow state: who wrote and read each granule last, and what orders two accesses.

A granule is the smallest access the kernel makes in that space, so byte-exactness holds by construction. Order inside
a block is a clock per pair of warps (named barriers with arrive included); inside a warp a clock per pair of lanes,
advanced by bar.warp.sync; between blocks what fences and atomics have released and acquired.
"""

from .base import *  # noqa: F403
from .pending import B_PENDING, too_early

GLOBAL = True
GRANULE_SHIFT = 2
STRONG = False
ATOMIC = False
COPIED = False  # bytes that the compiler only moves on, such as a structure's padding
UNREAD = 0  # bit n: element n of a lane's vector goes to a register that nothing reads
E = 4

EPOCH_MASK = (1 << EPOCH_BITS) - 1
B_EPOCH, B_SAFE, B_SHADOW = BLK["EPOCH"], BLK["SAFE"], BLK["SHADOW_BYTES"]
B_VC, B_LB, B_LVC, B_LVCF, B_ACQ = BLK["VC"], BLK["LB"], BLK["LVC"], BLK["LVCF"], BLK["ACQ"]
B_SPOKEN = BLK["SPOKEN"]
# The tables: last plain writer, readers, last strong or atomic writer (words), the instructions that did it, the warps
# and the lanes of the last warp that read, another block that read (global only). They are consecutive slots.
T_W, T_R, T_A, T_WS, T_RS, T_AS, T_WM, T_LM, T_R2 = range(9)
B_SW, C_GW, C_NWARPS = BLK["SW"], CTX["GW"], CTX["NWARPS"]
B_RELF, B_SLOT, C_NSYNC, C_CALLBACK = BLK["RELF"], BLK["SLOT"], CTX["NSYNC"], CTX["CALLBACK"]
C_SYNC_VERSION, B_SYNC_AT, B_SYNC_KEY, B_REL = CTX["SYNC_VERSION"], BLK["SYNC_AT"], BLK["SYNC_KEY"], BLK["REL"]
SPACE_CODE = 0
C_CROSSED = CTX["CROSSED"]


@runtime(inline=True)
def spoken_of(blk: p64, pair: i32) -> i32:
    """Up to which epoch some lane of a warp has spoken to another; fences and barriers take it for all of its lanes."""
    if blk[B_SPOKEN] == 0:
        return i32(0)
    spoken = p32(blk[B_SPOKEN])
    return spoken[i64(pair)]


@runtime()
def lanes_spoke(blk: p64, warp: i32, other: i32, lanes_: i32, epoch: i64) -> i1:
    """Have these lanes of a warp handed on, each for itself, what they did up to an epoch?"""
    if blk[B_SPOKEN] == 0:
        return i1(0)
    spoken = p32(blk[B_SPOKEN]) + i64(warp * 32 + other)
    return i64(spoken[0]) >= epoch and (lanes_ & ~spoken[SPOKEN_LANES]) == 0


@runtime()
def warp_ordered(blk: p64, warp: i32, other: i32, lanes_: i32, epoch: i64) -> i1:
    """Does what these lanes of another warp did up to an epoch come before what this warp does now?"""
    table = p32(blk[B_VC])
    if epoch <= blk[B_SAFE] or i64(table[warp * 32 + other]) >= epoch:
        return i1(1)
    return lanes_spoke(blk, warp, other, lanes_, epoch)


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
            if i64(clock[(warp * 32 + lane_) * 32 + i32(thread & 31)]) >= epoch:
                return i1(1)
        return lanes_spoke(blk, warp, other, i32(1) << i32(thread & 31), epoch)
    return warp_ordered(blk, warp, other, i32(1) << i32(thread & 31), epoch)


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


@runtime("SPACE_CODE")
def race(ctx: p64, blk: p64, kind: i64, ins: i32, other: i32, warp: i32, lane_: i32, word: i64, address: i64) -> void:
    entry = fault(ctx, kind, i64(ins), i64(other), blk[B_ID], i64(warp * 32 + lane_), address, i64(SPACE_CODE))
    if entry[F_COUNT] == 1:
        entry[F_OBLOCK] = (word >> BLOCK_SHIFT) - 1
        entry[F_OTHREAD] = (word >> THREAD_SHIFT) & 1023


@runtime("GLOBAL", inline=True)
def shadow_table(ctx: p64, blk: p64) -> p64:
    if GLOBAL:
        return ctx + C_GW
    return blk + B_SW


@runtime()
def crossing(ctx: p64, word: i64, mine: i64, mark: i64) -> void:
    """Remember that this block meets what another block of the launch did, in order or not."""
    if word != 0 and word < HOST_WRITER and (word >> BLOCK_SHIFT) != (mine >> BLOCK_SHIFT):
        ctx[C_CROSSED] = ctx[C_CROSSED] | mark


@runtime()
def unordered(ctx: p64, blk: p64, warp: i32, lane_: i32, word: i64, mine: i64) -> i1:
    """Another thread's access that nothing puts before ours."""
    if word == 0 or (word >> THREAD_SHIFT) == (mine >> THREAD_SHIFT):
        return i1(0)
    return not ordered(ctx, blk, warp, lane_, word)


@runtime()
def readers_before(blk: p64, warp: i32, readers: i32, epoch: i64) -> i1:
    """Do all reads by these warps, the last of them at `epoch`, come before what every lane of this warp does now?"""
    base = p32(blk[B_LB])
    clocks = p32(blk[B_VC])
    m = readers
    while m != 0:
        w = i32(cttz(m))
        m = m & (m - 1)
        known = i64(base[warp])
        if w != warp:
            known = i64(clocks[warp * 32 + w])
        if known < epoch:
            return i1(0)
    return i1(1)


@runtime("GLOBAL", "STRONG", "SPACE_CODE", "COPIED", "GRANULE_SHIFT")
def shadow_load_lane(ctx: p64, blk: p64, ins: i32, warp: i32, lane_: i32, g: i64, address: i64) -> void:
    """One lane reads one granule."""
    if not GLOBAL:
        if blk[B_PENDING] != 0:
            if too_early(ctx, blk, ins, warp, lane_, g, address):
                return
    table = shadow_table(ctx, blk)
    writers = p64(table[T_W])
    strong_writers = p64(table[T_A])
    readers = p64(table[T_R])
    word = writers[g]
    strong_word = strong_writers[g]
    me = i64(warp * 32 + lane_)
    mine = ((blk[B_ID] + 1) << BLOCK_SHIFT) | (me << THREAD_SHIFT)
    if GLOBAL:
        crossing(ctx, word, mine, CROSSED_READS)
        crossing(ctx, strong_word, mine, CROSSED_READS)
    if (word | strong_word) == 0:
        if not COPIED:
            fault(ctx, F_UNINITIALISED, i64(ins), 0, blk[B_ID], me, address, SPACE_CODE)
            writers[g] = HOST_WRITER
    else:
        if unordered(ctx, blk, warp, lane_, word, mine):
            writer_ins = p32(table[T_WS])
            race(ctx, blk, F_RACE_RAW, ins, writer_ins[g], warp, lane_, word, address)
        if unordered(ctx, blk, warp, lane_, strong_word, mine):
            # Strong accesses may meet, except volatile ones of one warp: only an atomic orders lanes that way.
            own_warp = (strong_word >> (THREAD_SHIFT + 5)) == (mine >> (THREAD_SHIFT + 5))
            if not STRONG or (own_warp and (strong_word & FLAG_ATOMIC) == 0):
                strong_ins = p32(table[T_AS])
                race(ctx, blk, F_RACE_RAW, ins, strong_ins[g], warp, lane_, strong_word, address)
    reader_ins = p32(table[T_RS])
    warps = p32(table[T_WM])
    lanes_ = p32(table[T_LM])
    old = readers[g]
    now = mine | blk[B_EPOCH]
    if STRONG:
        now = now | FLAG_STRONG
    bit = i32(1) << lane_
    wbit = i32(1) << warp
    same_block = (old >> BLOCK_SHIFT) == (now >> BLOCK_SHIFT)
    stale = old == 0 or (same_block and (old & EPOCH_MASK) <= blk[B_SAFE])
    if not stale and same_block:
        stale = readers_before(blk, warp, warps[g], old & EPOCH_MASK)
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
            others = p32(table[T_R2])
            others[g] = i32(old >> BLOCK_SHIFT)
        warps[g] = wbit
        lanes_[g] = bit
        if STRONG and (old & FLAG_STRONG) == 0:
            now = now ^ FLAG_STRONG
    readers[g] = now
    reader_ins[g] = ins


@runtime("GLOBAL", "STRONG", "ATOMIC", "SPACE_CODE", "GRANULE_SHIFT")
def shadow_store_lane(
    ctx: p64, blk: p64, ins: i32, warp: i32, lane_: i32, g: i64, address: i64, same_value: i1
) -> void:
    """One lane writes one granule; a race between equal values is let pass (every order gives that value)."""
    if not GLOBAL:
        if blk[B_PENDING] != 0:
            if too_early(ctx, blk, ins, warp, lane_, g, address):
                return
    table = shadow_table(ctx, blk)
    writers = p64(table[T_W])
    strong_writers = p64(table[T_A])
    readers = p64(table[T_R])
    word = writers[g]
    strong_word = strong_writers[g]
    me = i64(warp * 32 + lane_)
    mine = ((blk[B_ID] + 1) << BLOCK_SHIFT) | (me << THREAD_SHIFT)
    if GLOBAL:
        second = p32(table[T_R2])
        crossing(ctx, word, mine, CROSSED_WRITES)
        crossing(ctx, strong_word, mine, CROSSED_WRITES)
        crossing(ctx, readers[g], mine, CROSSED_READERS)
        crossing(ctx, i64(second[g]) << BLOCK_SHIFT, mine, CROSSED_READERS)
    late = unordered(ctx, blk, warp, lane_, word, mine)
    if late and not same_value:
        writer_ins = p32(table[T_WS])
        race(ctx, blk, F_RACE_WAW, ins, writer_ins[g], warp, lane_, word, address)
    if not same_value and unordered(ctx, blk, warp, lane_, strong_word, mine):
        own_warp = (strong_word >> (THREAD_SHIFT + 5)) == (mine >> (THREAD_SHIFT + 5))
        meets: i1 = ATOMIC or (STRONG and (not own_warp or (strong_word & FLAG_ATOMIC) != 0))
        if not meets:
            strong_ins = p32(table[T_AS])
            race(ctx, blk, F_RACE_WAW, ins, strong_ins[g], warp, lane_, strong_word, address)
    if readers[g] != 0 and not same_value:
        check_readers(ctx, blk, ins, warp, lane_, g, address, mine)
    if GLOBAL:
        cleared = p32(table[T_R2])
        cleared[g] = 0
    readers[g] = 0
    now = mine | blk[B_EPOCH]
    if STRONG or ATOMIC:
        if ATOMIC:
            now = now | FLAG_ATOMIC
        strong_writers[g] = now | FLAG_STRONG
        strong_at = p32(table[T_AS])
        strong_at[g] = ins
    elif not (late and same_value):
        # (After an unordered write of the same value the first writer stays: a reader must be ordered after one.)
        writers[g] = now
        plain_at = p32(table[T_WS])
        plain_at[g] = ins


@runtime(inline=True)
def by_thread(word: i64, thread: i64) -> i64:
    """The shadow word with another thread of its block in it."""
    return (word & ~(i64(1023) << THREAD_SHIFT)) | (thread << THREAD_SHIFT)


@runtime("GLOBAL", "STRONG", "ATOMIC", "SPACE_CODE")
def check_readers(ctx: p64, blk: p64, ins: i32, warp: i32, lane_: i32, g: i64, address: i64, mine: i64) -> void:
    """Are all reads since the last write before this one?

    Only the last reader is remembered whole. Where another one races, the place of its read is not known, and its
    thread only if it belongs to the writing warp.
    """
    table = shadow_table(ctx, blk)
    readers = p64(table[T_R])
    reader_ins = p32(table[T_RS])
    warps = p32(table[T_WM])
    lanes_ = p32(table[T_LM])
    old = readers[g]
    gentle = i1(0)
    if STRONG or ATOMIC:
        gentle = (old & FLAG_STRONG) != 0
    last = i32((old >> (THREAD_SHIFT + 5)) & 31)
    if (old >> BLOCK_SHIFT) == (mine >> BLOCK_SHIFT):
        epoch = old & EPOCH_MASK
        if epoch > blk[B_SAFE]:
            m = warps[g]
            while m != 0:
                w2 = i32(cttz(m))
                m = m & (m - 1)
                if w2 != warp:
                    # (Which lanes read is only known of the last warp that did.)
                    who = lanes_[g] if last == w2 else i32(0)
                    if not gentle and not warp_ordered(blk, warp, w2, who, epoch):
                        if last == w2:
                            race(ctx, blk, F_RACE_WAR, ins, reader_ins[g], warp, lane_, old, address)
                        else:
                            race(
                                ctx,
                                blk,
                                F_RACE_WAR,
                                ins,
                                i32(UNKNOWN_PLACE),
                                warp,
                                lane_,
                                by_thread(old, i64(w2 * 32)),
                                address,
                            )
                        break
                elif last == warp and not (gentle and ATOMIC):
                    reader = (old >> THREAD_SHIFT) & 1023
                    if not ordered_in_block(blk, warp, lane_, reader, epoch):
                        race(ctx, blk, F_RACE_WAR, ins, reader_ins[g], warp, lane_, old, address)
                        break
                    k = lanes_[g] & ~(i32(1) << lane_)
                    while k != 0:
                        l2 = i64(warp * 32 + i32(cttz(k)))
                        k = k & (k - 1)
                        if not ordered_in_block(blk, warp, lane_, l2, epoch):
                            race(
                                ctx, blk, F_RACE_WAR, ins, i32(UNKNOWN_PLACE), warp, lane_, by_thread(old, l2), address
                            )
                            break
    elif not gentle and not ordered(ctx, blk, warp, lane_, old):
        race(ctx, blk, F_RACE_WAR, ins, reader_ins[g], warp, lane_, old, address)
    if GLOBAL:
        others = p32(table[T_R2])
        b2 = i64(others[g])
        if b2 != 0 and b2 != (mine >> BLOCK_SHIFT) and not gentle:
            pretend = (b2 << BLOCK_SHIFT) | 1
            if not ordered(ctx, blk, warp, lane_, pretend):
                race(ctx, blk, F_RACE_WAR, ins, i32(UNKNOWN_PLACE), warp, lane_, pretend, address)


@runtime("GLOBAL", "STRONG", "SPACE_CODE", "GRANULE_SHIFT", "COPIED", "UNREAD", "E")
def shadow_load(ctx: p64, blk: p64, ins: i32, warp: i32, a: p64, first: i64, mask: i32, width: i64) -> void:
    """All active lanes' reads of `width` bytes; `first` is the address of granule 0."""
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        g = (a[l] - first) >> GRANULE_SHIFT
        last = (a[l] + width - 1 - first) >> GRANULE_SHIFT
        while g <= last:
            wanted = i1(1)
            if UNREAD != 0:
                element = ((g << GRANULE_SHIFT) + first - a[l]) // E
                wanted = (i64(UNREAD) >> element) & 1 == 0
            if wanted and (STRONG or not shadow_read_simply(ctx, blk, ins, warp, l, g)):
                shadow_load_lane(ctx, blk, ins, warp, l, g, a[l])
            g += 1


@runtime("GLOBAL", inline=True)
def shadow_read_simply(ctx: p64, blk: p64, ins: i32, warp: i32, lane_: i32, g: i64) -> i1:
    """One lane reads a granule that this block or the host wrote, with a barrier since, and that no block but this one
    has read since. False, and nothing done, where that is not so."""
    table = shadow_table(ctx, blk)
    writers = p64(table[T_W])
    strong_writers = p64(table[T_A])
    readers = p64(table[T_R])
    word = writers[g]
    own = blk[B_ID] + 1
    safe = blk[B_SAFE]
    now = (own << BLOCK_SHIFT) | (i64(warp * 32 + lane_) << THREAD_SHIFT) | blk[B_EPOCH]
    if strong_writers[g] != 0:
        return i1(0)
    if word < HOST_WRITER and ((word >> BLOCK_SHIFT) != own or (word & EPOCH_MASK) > safe):
        if (word >> THREAD_SHIFT) != (now >> THREAD_SHIFT):
            return i1(0)
    if not GLOBAL:
        if blk[B_PENDING] != 0:
            pending = p64(blk[B_PENDING])
            if pending[g] != 0:
                return i1(0)
    old = readers[g]
    warps = p32(table[T_WM])
    lanes_ = p32(table[T_LM])
    if old == 0 or ((old >> BLOCK_SHIFT) == own and (old & EPOCH_MASK) <= safe):
        warps[g] = i32(1) << warp
        lanes_[g] = i32(1) << lane_
    elif (old >> BLOCK_SHIFT) == own and (old & (EPOCH_MASK | FLAG_STRONG)) == blk[B_EPOCH]:
        # Nothing has been put in order since the last read: one epoch speaks for all readers.
        same = ((old ^ now) >> (THREAD_SHIFT + 5)) == 0
        lanes_[g] = (lanes_[g] if same else i32(0)) | (i32(1) << lane_)
        warps[g] |= i32(1) << warp
    else:
        return i1(0)
    readers[g] = now
    places = p32(table[T_RS])
    places[g] = ins
    return i1(1)


@runtime("GLOBAL", "GRANULE_SHIFT")
def shadow_store_simply(ctx: p64, blk: p64, ins: i32, warp: i32, a: p64, first: i64, mask: i32, width: i64) -> i32:
    """Lanes write granules of which every earlier access is the thread's own or has a barrier since. Returns the lanes
    for which that is not so, whose granules may count as written already."""
    table = shadow_table(ctx, blk)
    writers = p64(table[T_W])
    strong_writers = p64(table[T_A])
    readers = p64(table[T_R])
    places = p32(table[T_WS])
    own = blk[B_ID] + 1
    safe = blk[B_SAFE]
    epoch = blk[B_EPOCH]
    left = mask
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        now = (own << BLOCK_SHIFT) | (i64(warp * 32 + l) << THREAD_SHIFT) | epoch
        g = (a[l] - first) >> GRANULE_SHIFT
        last = (a[l] + width - 1 - first) >> GRANULE_SHIFT
        fine = i1(1)
        while g <= last and fine:
            word = writers[g]
            old = readers[g]
            fine = word == 0 or word >= HOST_WRITER or (word >> THREAD_SHIFT) == (now >> THREAD_SHIFT)
            if not fine:
                fine = (word >> BLOCK_SHIFT) == own and (word & EPOCH_MASK) <= safe
            if old != 0 and ((old >> BLOCK_SHIFT) != own or (old & EPOCH_MASK) > safe):
                fine = i1(0)
            if strong_writers[g] != 0:
                fine = i1(0)
            if GLOBAL:
                others = p32(table[T_R2])
                if others[g] != 0:
                    fine = i1(0)
            else:
                if blk[B_PENDING] != 0:
                    pending = p64(blk[B_PENDING])
                    if pending[g] != 0:
                        fine = i1(0)
            if fine:
                writers[g] = now
                readers[g] = 0
                places[g] = ins
            g += 1
        if fine:
            left = left & ~(i32(1) << l)
    return left


@runtime("GLOBAL")
def shadow_load_row(ctx: p64, blk: p64, ins: i32, warp: i32, base_lane: i32, g: i64) -> i1:
    """A half-warp reads 16 neighbouring granules, all written before. False, and nothing done, where that is not so."""
    table = shadow_table(ctx, blk)
    w = vload(p64(table[T_W]) + g, h64)
    strong = vload(p64(table[T_A]) + g, h64)
    if i16(bits(strong == 0)) != -1:
        return i1(0)
    own = (blk[B_ID] + 1) << BLOCK_SHIFT
    safe = blk[B_SAFE]
    fine = (w >= HOST_WRITER) or (((w >> BLOCK_SHIFT) == (blk[B_ID] + 1)) and ((w & EPOCH_MASK) <= safe))
    if i16(bits(fine)) != -1:
        return i1(0)
    if not GLOBAL:
        if blk[B_PENDING] != 0:
            if i16(bits(vload(p64(blk[B_PENDING]) + g, h64) == 0)) != -1:
                return i1(0)
    readers = p64(table[T_R]) + g
    warps = p32(table[T_WM]) + g
    lanes_ = p32(table[T_LM]) + g
    r = vload(readers, h64)
    own_block = (r >> BLOCK_SHIFT) == (blk[B_ID] + 1)
    fresh = (r == 0) or (own_block and ((r & EPOCH_MASK) <= safe))
    lane_base = p32(blk[B_LB])
    mine_alone = own_block and (vload(warps, h32) == (i32(1) << warp))
    fresh = fresh or (mine_alone and ((r & EPOCH_MASK) <= i64(lane_base[warp])))
    if GLOBAL:
        others = p32(table[T_R2]) + g
        foreign = trunc(r >> BLOCK_SHIFT, h32)
        vstore(others, vload(others, h32) if (own_block or (r == 0)) else foreign)
        fresh = fresh or not own_block
    same_warp = own_block and (((r >> (THREAD_SHIFT + 5)) & 31) == i64(warp))
    bit = (h32(i32(1)) << iota(h32)) << base_lane
    wbit = i32(1) << warp
    vstore(lanes_, (vload(lanes_, h32) | bit) if (same_warp and not fresh) else bit)
    vstore(warps, h32(wbit) if fresh else (vload(warps, h32) | wbit))
    thread = (i64(warp) << 5) + i64(base_lane)
    vstore(readers, (iota(h64) << THREAD_SHIFT) + ((own | blk[B_EPOCH]) + (thread << THREAD_SHIFT)))
    vstore(p32(table[T_RS]) + g, h32(ins))
    return i1(1)


@runtime("GLOBAL")
def shadow_load_group(ctx: p64, blk: p64, ins: i32, warp: i32, group: i32, g: i64) -> i1:
    """The lanes of `group` all read one granule that was written before. False, and nothing done, where it was not."""
    table = shadow_table(ctx, blk)
    writers = p64(table[T_W])
    strong_writers = p64(table[T_A])
    word = writers[g]
    own = blk[B_ID] + 1
    if strong_writers[g] != 0:
        return i1(0)
    if not GLOBAL:
        if blk[B_PENDING] != 0:
            pending = p64(blk[B_PENDING])
            if pending[g] != 0:
                return i1(0)
    if word < HOST_WRITER and ((word >> BLOCK_SHIFT) != own or (word & EPOCH_MASK) > blk[B_SAFE]):
        return i1(0)
    readers = p64(table[T_R])
    reader_ins = p32(table[T_RS])
    warps = p32(table[T_WM])
    lanes_ = p32(table[T_LM])
    old = readers[g]
    wbit = i32(1) << warp
    me = i64(warp * 32 + i32(cttz(group)))
    stale = old == 0 or (old >> BLOCK_SHIFT) != own or (old & EPOCH_MASK) <= blk[B_SAFE]
    if not stale:
        stale = readers_before(blk, warp, warps[g], old & EPOCH_MASK)
    if stale:
        if GLOBAL and old != 0 and (old >> BLOCK_SHIFT) != own:
            others = p32(table[T_R2])
            others[g] = i32(old >> BLOCK_SHIFT)
        warps[g] = wbit
        lanes_[g] = group
    else:
        if i32((old >> (THREAD_SHIFT + 5)) & 31) == warp:
            lanes_[g] |= group
        else:
            lanes_[g] = group
        warps[g] |= wbit
    readers[g] = (own << BLOCK_SHIFT) | (me << THREAD_SHIFT) | blk[B_EPOCH]
    reader_ins[g] = ins
    return i1(1)


@runtime("GLOBAL")
def shadow_store_row(ctx: p64, blk: p64, ins: i32, warp: i32, g: i64) -> i1:
    """A full warp writes 32 neighbouring granules whose earlier accesses all come before. False where they do not."""
    table = shadow_table(ctx, blk)
    writers = p64(table[T_W]) + g
    readers = p64(table[T_R]) + g
    w = vload(writers, v64)
    own = blk[B_ID] + 1
    safe = blk[B_SAFE]
    fine = (w == 0) or (w >= HOST_WRITER) or (((w >> BLOCK_SHIFT) == own) and ((w & EPOCH_MASK) <= safe))
    r = vload(readers, v64)
    quiet = (r == 0) or (((r >> BLOCK_SHIFT) == own) and ((r & EPOCH_MASK) <= safe))
    strong = vload(p64(table[T_A]) + g, v64)
    if i32(bits(fine and quiet and (strong == 0))) != -1:
        return i1(0)
    if not GLOBAL:
        if blk[B_PENDING] != 0:
            if i32(bits(vload(p64(blk[B_PENDING]) + g, v64) == 0)) != -1:
                return i1(0)
    if GLOBAL:
        others = p32(table[T_R2]) + g
        if i32(bits(vload(others, v32) == 0)) != -1:
            return i1(0)
    thread = i64(warp) << 5
    vstore(writers, (iota(v64) << THREAD_SHIFT) + (((own << BLOCK_SHIFT) | blk[B_EPOCH]) + (thread << THREAD_SHIFT)))
    vstore(readers, v64(i64(0)))
    vstore(p32(table[T_WS]) + g, v32(ins))
    return i1(1)


@runtime("SPACE_CODE")
def synchronise(ctx: p64, blk: p64, warp: i32, mask: i32, a: p64, kind: i64) -> void:
    """Tell the bookkeeper of releases and acquires, once per distinct neighbouring address."""
    # Bit w of the upper half: a fence of block scope, which is enough for shared memory.
    fences = blk[B_RELF] >> i64(warp)
    released = fences & 1
    tag = i64(0)
    if SPACE_CODE == SHARED_SPACE:
        released = released | ((fences >> 32) & 1)
        tag = (i64(1) << 62) | (blk[B_ID] << 20)
    if released == 0 and (ctx[C_NSYNC] == 0 or kind == CALL_RELEASE):
        return
    previous = i64(0)
    rel = p32(blk[B_REL])
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        # A spinning lane asks again and again: the bookkeeper is only called when something may have changed.
        key = (ctx[C_SYNC_VERSION] << 32) | (i64(rel[warp * 33]) << 8) | (i64(warp) << 2) | kind
        if a[l] != previous and (blk[B_SYNC_AT] != (a[l] | tag) or blk[B_SYNC_KEY] != key):
            blk[B_SYNC_AT] = a[l] | tag
            blk[B_SYNC_KEY] = key
            callback(ctx[C_CALLBACK], kind, blk[B_SLOT], i64(warp), a[l] | tag, released)
        previous = a[l]
