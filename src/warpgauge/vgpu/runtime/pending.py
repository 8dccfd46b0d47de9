"""Asynchronous copies in flight (shadow mode): which bytes of shared memory are pending, and until which wait.

Per warp a log of the copies that no wait has completed yet. Groups are counted per thread: a copy belongs to the group
that its thread commits next. An access to a pending granule is a finding; a wait by the thread that issued the copy
makes it an ordinary write, as of the wait.
"""

from .base import *  # noqa: F403

GRANULE_SHIFT = 2
C_CALLBACK0 = CTX["CALLBACK"]
B_PENDING, B_COPIES, B_SLOT1, B_EPOCH0 = BLK["PENDING"], BLK["COPIES"], BLK["SLOT"], BLK["EPOCH"]
B_W, B_R, B_WS = BLK["SW"], BLK["SR"], BLK["SWS"]
(H_HEAD, H_TAIL, H_WAIT, H_KEPT, H_CAP, H_ENTRIES) = (
    COPIES["HEAD"], COPIES["TAIL"], COPIES["WAIT"], COPIES["KEPT"], COPIES["CAP"], COPIES["ENTRIES"],
)  # fmt: skip


@runtime(inline=True)
def copies_of(blk: p64, warp: i32) -> p64:
    """The header of a warp's log."""
    return p64(blk[B_COPIES]) + i64(warp) * COPIES_SLOTS


@runtime(inline=True)
def copy_at(header: p64, number: i64) -> p32:
    return p32(header[H_ENTRIES]) + number * COPY_INTS


@runtime()
def copies_reset(ctx: p64, blk: p64) -> void:
    """At a block's start nothing is in flight; the logs keep their size."""
    for w in range(i64(0), ctx[CTX_NWARPS]):
        memset(p64(blk[B_COPIES]) + w * COPIES_SLOTS, 0, 8 * COPIES_KEPT)


CTX_NWARPS = CTX["NWARPS"]


@runtime()
def copy_entry(ctx: p64, blk: p64, warp: i32) -> p32:
    """Room for one more copy at the end of a warp's log: move the live ones down, ask for a longer log if they fill
    it."""
    header = copies_of(blk, warp)
    if header[H_TAIL] == header[H_CAP]:
        live = i64(0)
        for n in range(header[H_HEAD], header[H_TAIL]):
            entry = copy_at(header, n)
            if entry[COPY_MASK] != 0:
                to = copy_at(header, live)
                for k in range(i64(0), i64(COPY_INTS)):
                    to[k] = entry[k]
                live += 1
        header[H_HEAD] = 0
        header[H_TAIL] = live
        if live * 2 > header[H_CAP]:
            callback(ctx[C_CALLBACK0], CALL_LONGER_LOG, blk[B_SLOT1], i64(warp), 0, 0)
    number = header[H_TAIL]
    header[H_TAIL] = number + 1
    return copy_at(header, number)


@runtime("GRANULE_SHIFT")
def copy_issued(ctx: p64, blk: p64, ins: i32, warp: i32, a: p64, mask: i32, width: i64) -> void:
    """Lanes of `mask` have begun to copy `width` bytes to `a`: their granules are pending."""
    if mask == 0:
        return
    header = copies_of(blk, warp)
    commits = p32(header + COPIES_COMMITS)
    entry = copy_entry(ctx, blk, warp)
    entry[COPY_INS] = ins
    entry[COPY_MASK] = mask
    entry[COPY_WIDTH] = i32(width)
    vstore(entry + COPY_ADDRESSES, trunc(vload(a, v64), v32))
    vstore(entry + COPY_GROUPS, vload(commits, v32))
    vstore(entry + COPY_BOUND, v32(i32(0)))
    pending = p64(blk[B_PENDING])
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        tag = (i64(ins + 1) << 16) | i64(warp * 32 + l)
        g = a[l] >> GRANULE_SHIFT
        last = (a[l] + width - 1) >> GRANULE_SHIFT
        while g <= last:
            pending[g] = tag
            g += 1


@runtime()
def copy_commit(blk: p64, warp: i32, mask: i32) -> void:
    """Lanes of `mask` begin their next group."""
    commits = p32(copies_of(blk, warp) + COPIES_COMMITS)
    now = vload(commits, v32)
    vstore(commits, (now + 1) if lanes(mask) else now)


@runtime("GRANULE_SHIFT")
def copy_wait(blk: p64, ins: i32, warp: i32, mask: i32, keep: i32) -> void:
    """Lanes of `mask` wait for all of their groups but the last `keep`."""
    header = copies_of(blk, warp)
    header[H_WAIT] = i64(ins) + 1
    header[H_KEPT] = i64(keep)
    commits = vload(p32(header + COPIES_COMMITS), v32)
    waited = p32(header + COPIES_WAITED)
    vstore(waited, commits if lanes(mask) else vload(waited, v32))
    # A group g is complete if keep groups have been committed after it.
    for n in range(header[H_HEAD], header[H_TAIL]):
        entry = copy_at(header, n)
        live = entry[COPY_MASK]
        if live != 0:
            done = i32(bits(vload(entry + COPY_GROUPS, v32) + keep < commits)) & live & mask
            if done != 0:
                epochs = entry + COPY_EPOCHS
                vstore(epochs, v32(i32(blk[B_EPOCH0])) if lanes(done) else vload(epochs, v32))
                copy_landed(blk, entry, warp, done)
                entry[COPY_MASK] = live & ~done
    copies_trim(header)


@runtime("GRANULE_SHIFT")
def copies_land(ctx: p64, blk: p64, running: i32) -> i32:
    """Copies of any warp that are bound to an earlier phase of an mbarrier than `running` become writes, as of the
    arrival that bound them. 1 if some are bound to the running one."""
    left = i32(0)
    for w in range(i64(0), ctx[CTX_NWARPS]):
        header = copies_of(blk, i32(w))
        for n in range(header[H_HEAD], header[H_TAIL]):
            entry = copy_at(header, n)
            bound = vload(entry + COPY_BOUND, v32)
            live = entry[COPY_MASK]
            here = i32(bits((bound >> PHASE_BITS) == (running >> PHASE_BITS))) & i32(bits(bound != 0)) & live
            waits = i32(bits(bound == running)) & here
            if waits != 0:
                left = i32(1)
            done = here & ~waits
            if done != 0:
                copy_landed(blk, entry, i32(w), done)
                entry[COPY_MASK] = live & ~done
        copies_trim(header)
    return left


@runtime()
def copies_trim(header: p64) -> void:
    """Forget the copies at the front of the log that are complete."""
    head = header[H_HEAD]
    tail = header[H_TAIL]
    going = i1(1)
    while head < tail and going:
        entry = copy_at(header, head)
        if entry[COPY_MASK] != 0:
            going = i1(0)
        else:
            head += 1
    if head == tail:
        head = i64(0)
        header[H_TAIL] = 0
    header[H_HEAD] = head


@runtime("GRANULE_SHIFT")
def copy_landed(blk: p64, item: p32, warp: i32, done: i32) -> void:
    """Copies of the lanes in `done` become writes of these lanes, at the epochs in the entry."""
    pending = p64(blk[B_PENDING])
    writers = p64(blk[B_W])
    readers = p64(blk[B_R])
    places = p32(blk[B_WS])
    own = (blk[B_ID] + 1) << BLOCK_SHIFT
    width = item[COPY_WIDTH]
    m = done
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        start = item[COPY_ADDRESSES + l]
        word = own | (i64(warp * 32 + l) << THREAD_SHIFT) | i64(item[COPY_EPOCHS + l])
        g = i64(start) >> GRANULE_SHIFT
        last = i64(start + width - 1) >> GRANULE_SHIFT
        while g <= last:
            pending[g] = 0
            writers[g] = word
            readers[g] = 0
            places[g] = item[COPY_INS]
            g += 1


@runtime("GRANULE_SHIFT")
def too_early(ctx: p64, blk: p64, ins: i32, warp: i32, lane_: i32, g: i64, address: i64) -> i1:
    """Report an access to a granule that a copy is still on its way to. False where none is."""
    pending = p64(blk[B_PENDING])
    tag = pending[g]
    if tag == 0:
        return i1(0)
    other = i32(tag & 0xFFFF)
    entry = fault(ctx, F_PENDING, i64(ins), (tag >> 16) - 1, blk[B_ID], i64(warp * 32 + lane_), address, 0)
    if entry[F_COUNT] == 1:
        entry[F_OTHREAD] = i64(other)
        entry[F_EXTRA] = missing_wait(blk, other >> 5, other & 31, g)
    return i1(1)


@runtime("GRANULE_SHIFT")
def missing_wait(blk: p64, warp: i32, lane_: i32, g: i64) -> i64:
    """Which wait a copy lacks: see PENDING_* in layout."""
    header = copies_of(blk, warp)
    commits = p32(header + COPIES_COMMITS)
    waited = p32(header + COPIES_WAITED)
    found = i64(0)
    for n in range(header[H_HEAD], header[H_TAIL]):
        entry = copy_at(header, n)
        start = i64(entry[COPY_ADDRESSES + lane_])
        inside = (start >> GRANULE_SHIFT) <= g and g <= (start + i64(entry[COPY_WIDTH]) - 1) >> GRANULE_SHIFT
        if (entry[COPY_MASK] >> lane_) & 1 != 0 and inside:
            # The newest copy of these bytes needs the strictest wait; counted as of the last wait behind its commit.
            group = entry[COPY_GROUPS + lane_]
            found = i64(0)
            if entry[COPY_BOUND + lane_] != 0:
                found = i64(PENDING_BOUND)
            if waited[lane_] > group:
                found = found | PENDING_COMMITTED | (i64(waited[lane_] - 1 - group) & 0xFFFF)
                found = found | ((header[H_KEPT] & 0xFFF) << 20) | (header[H_WAIT] << 32)
            elif commits[lane_] > group:
                found = found | PENDING_COMMITTED | (i64(commits[lane_] - 1 - group) & 0xFFFF)
    return found
