"""Lanes that wait: pending blocks of a warp, warp-level gates, block barriers (ids, counts, arrive, reductions)."""

from .base import *  # noqa: F403
from .shadow import B_EPOCH, B_LB, B_LVC, B_LVCF, B_SAFE, B_VC, spoken_of

SHADOW = False
NWORDS = 1  # 64-bit words of pending bits
MASKS_AT, WAKE_AT, WAKEBAR_AT = 64, 64, 64  # byte offsets in the warp state

W_ALIVE, W_NPENDING, W_FORCE, W_NDEFERRED = WARP["ALIVE"], WARP["NPENDING"], WARP["FORCE"], WARP["NDEFERRED"]
W_ABSENT, W_PASSED, W_JOIN = WARP["ABSENT"], WARP["PASSED"], WARP["JOIN"]
W_FLOOR, W_BARLANES, W_BARPASS = WARP["FLOOR"], WARP["BARLANES"], WARP["BARPASS"]
W_REDCOUNT, W_REDAND, W_REDOR = WARP["REDCOUNT"], WARP["REDAND"], WARP["REDOR"]
B_STATES, B_EXITED, B_BAR, B_PROGRESS = BLK["STATES"], BLK["EXITED"], BLK["BAR"], BLK["PROGRESS"]
B_MAXEXIT, B_EXITTHREAD = BLK["MAXEXIT"], BLK["EXITTHREAD"]
B_REL, B_RELF = BLK["REL"], BLK["RELF"]
C_STATE_BYTES, C_CONSTANTS, C_NWARPS2 = CTX["STATE_BYTES"], CTX["CONSTANTS"], CTX["NWARPS"]
# What leads a block: a masked exchange between lanes, a warp barrier, or an instruction of the whole warp.
EXCHANGE, WARP_BARRIER, ALIGNED = range(3)
C_RESUMES = CTX["RESUMES"]  # number of blocks that follow a barrier; their indices are in CTX[CONSTANTS]
R_ARRIVED, R_EXPECTED, R_CAME, R_WAITS = BAR["ARRIVED"], BAR["EXPECTED"], BAR["CAME"], BAR["WAITS"]
R_RESUME, R_COUNT, R_AND, R_OR, R_INS = BAR["RESUME"], BAR["COUNT"], BAR["AND"], BAR["OR"], BAR["INS"]
R_ANY = BAR["ANY_RED"]


@runtime("MASKS_AT", "NWORDS")
def pend(state: p64, block: i32, mask: i32) -> void:
    """Lanes to run at a basic block."""
    if mask == 0:
        return
    masks = p32(p8(state) + MASKS_AT)
    words = state + PENDING_WORDS_AT
    word = i64(block >> 6)
    bit = i64(1) << i64(block & 63)
    if words[word] & bit == 0:
        state[W_NPENDING] += 1
        words[word] |= bit
        deferred = words + NWORDS
        if deferred[word] & bit != 0:
            deferred[word] ^= bit
            state[W_NDEFERRED] -= 1
    masks[block] |= mask


@runtime("MASKS_AT", "NWORDS")
def pop(state: p64) -> i64:
    """The lowest pending basic block and its lanes as block << 32 | mask; -1 when the warp has nothing to run."""
    if state[W_NPENDING] == 0:
        if state[W_NDEFERRED] == 0:
            return -1
        undefer(state)
    words = state + PENDING_WORDS_AT
    k = state[W_FLOOR] >> 6
    left = words[k] & (i64(-1) << (state[W_FLOOR] & 63))
    while left == 0 and k + 1 < NWORDS:
        k += 1
        left = words[k]
    if left == 0:
        # Nothing at or above the floor: lanes that had used up their slice get another.
        state[W_FLOOR] = 0
        k = 0
        while words[k] == 0:
            k += 1
        left = words[k]
    bit = cttz(left)
    words[k] ^= i64(1) << bit
    state[W_NPENDING] -= 1
    block = k * 64 + bit
    masks = p32(p8(state) + MASKS_AT)
    mask = masks[block]
    masks[block] = 0
    return (block << 32) | i64(mask)


@runtime("NWORDS")
def undefer(state: p64) -> void:
    """Nothing else can run: let the lanes that wait for others at a warp-level instruction go, the first by force."""
    words = state + PENDING_WORDS_AT
    for k in range(i64(0), NWORDS):
        words[k] |= words[NWORDS + k]
        words[NWORDS + k] = 0
    state[W_NPENDING] += state[W_NDEFERRED]
    state[W_NDEFERRED] = 0
    state[W_FORCE] = 1


@runtime("MASKS_AT", "NWORDS")
def gate(
    ctx: p64,
    blk: p64,
    state: p64,
    warp: i32,
    ins: i32,
    member: v32,
    mask: i32,
    active: i32,
    block: i32,
    form: i32,
    join: i32,
) -> i1:
    """May `mask` execute a warp-level instruction whose masks are `member`? False: held back until others come.

    `form`: EXCHANGE, WARP_BARRIER or ALIGNED. `join`: one past the block to which every way from here leads, 0 if there
    is none.
    """
    alive = i32(state[W_ALIVE])
    absent = i32(bits((member & v32(alive & ~mask)) != 0)) & mask
    foreign = i32(bits((member & (v32(i32(1)) << iota(v32))) == 0)) & mask
    force = state[W_FORCE]
    state[W_FORCE] = 0
    if form == WARP_BARRIER and absent != 0:
        # A warp barrier is met at any bar.warp.sync: lanes that wait at another one have come.
        passes = i32(state[W_BARPASS])
        if mask & passes == mask:
            state[W_BARPASS] = i64(passes & ~mask)
            return i1(1)
        wanted = named_by(member, mask) & alive & ~mask
        if wanted & ~i32(state[W_BARLANES]) == 0:
            state[W_BARPASS] |= i64(wanted)
            state[W_BARLANES] = i64(i32(state[W_BARLANES]) & ~(wanted | mask))
            return i1(1)
    if absent != 0:
        if force == 0 and state[W_NPENDING] + state[W_NDEFERRED] != 0:
            masks = p32(p8(state) + MASKS_AT)
            state[W_ABSENT] |= i64(named_by(member, mask) & alive & ~mask)
            state[W_JOIN] = i64(join)
            if form == WARP_BARRIER:
                state[W_BARLANES] |= i64(mask)
            deferred = state + (PENDING_WORDS_AT + NWORDS)
            # All lanes of the block, those that the guard leaves out too.
            masks[block] |= active
            bit = i64(1) << i64(block & 63)
            if deferred[i64(block >> 6)] & bit == 0:
                deferred[i64(block >> 6)] |= bit
                state[W_NDEFERRED] += 1
            return i1(0)
        if form != ALIGNED:
            name_absent(ctx, blk, warp, ins, member, absent, v32(alive & ~mask), F_MASK_ABSENT)
    if form == ALIGNED and mask != 0 and mask != -1:
        # Lanes that have ended, or that the block never had, are missing too.
        fault(ctx, F_PART_OF_WARP, i64(ins), 0, blk[B_ID], i64(warp * 32 + i32(cttz(mask))), i64(mask), 0)
    # Lanes that were still running when the first came here, went on to where all ways from here lead, and ended.
    # Those that ended on another way had left earlier in the program, whenever they were run. (A compiler may merge the
    # last stores of an early return with those at the end: this is no more than a warning.)
    ended = i32(state[W_ABSENT] & state[W_PASSED]) & ~alive
    passed = i32(bits((member & v32(ended)) != 0)) & mask
    state[W_ABSENT] = 0
    state[W_PASSED] = 0
    state[W_JOIN] = 0
    if passed != 0 and form != ALIGNED:
        name_absent(ctx, blk, warp, ins, member, passed, v32(ended), F_MASK_PASSED)
    if foreign != 0:
        f = i32(cttz(foreign))
        fault(ctx, F_MASK, i64(ins), 0, blk[B_ID], i64(warp * 32 + f), i64(lane(member, f)), i64(mask))
    return i1(1)


@runtime()
def named_by(member: v32, callers: i32) -> i32:
    """All lanes that the callers' masks name."""
    out = i32(0)
    m = callers
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        out = out | lane(member, l)
    return out


@runtime()
def name_absent(ctx: p64, blk: p64, warp: i32, ins: i32, member: v32, callers: i32, missing: v32, kind: i64) -> void:
    """Report the first of `callers` with the lanes that its mask names in vain."""
    l = i32(cttz(callers))
    named = lane(member, l)
    fault(ctx, kind, i64(ins), 0, blk[B_ID], i64(warp * 32 + l), i64(named), i64(named & lane(missing, l)))


@runtime()
def warp_exit(ctx: p64, blk: p64, state: p64, warp: i32, mask: i32, past: i64) -> void:
    """Lanes end. `past` is the exit's block + 1, or 0 for a bare exit (an early return)."""
    gone = mask & i32(state[W_ALIVE])
    if gone == 0:
        return
    state[W_ALIVE] = i64(i32(state[W_ALIVE]) & ~gone)
    blk[B_EXITED] += i64(ctpop(gone))
    if past > blk[B_MAXEXIT]:
        blk[B_MAXEXIT] = past
        blk[B_EXITTHREAD] = i64(warp * 32 + i32(cttz(gone)))


@runtime("SHADOW", "WAKE_AT", "WAKEBAR_AT")
def bar_arrive(
    ctx: p64,
    blk: p64,
    state: p64,
    warp: i32,
    ins: i32,
    number: i32,
    count: i32,
    mask: i32,
    waits: i32,
    resume: i32,
    flags: i32,
) -> void:
    """Lanes come to barrier `number` (count 0: the whole block); with `waits` they go on at block `resume`."""
    if mask == 0:
        return
    bar = p64(blk[B_BAR]) + i64(number & 15) * BAR_SLOTS
    come = i64(ctpop(mask))
    if count != 0 and i64(mask) == state[W_ALIVE]:
        come = 32
    bar[R_ARRIVED] += come
    bar[R_CAME] |= i64(1) << i64(warp)
    bar[R_COUNT] += i64(ctpop(mask & flags))
    if bar[R_ANY] == 0:
        bar[R_AND] = 1
        bar[R_OR] = 0
        bar[R_ANY] = 1
    if mask & ~flags != 0:
        bar[R_AND] = 0
    if mask & flags != 0:
        bar[R_OR] = 1
    if count != 0:
        thread = i64(warp * 32 + i32(cttz(mask)))
        if bar[R_EXPECTED] != 0 and bar[R_EXPECTED] != i64(count):
            fault(ctx, F_BARRIER_COUNT, i64(ins), 0, blk[B_ID], thread, bar[R_EXPECTED], i64(count))
        bar[R_EXPECTED] = i64(count)
        if bar[R_ARRIVED] > i64(count):
            fault(ctx, F_BARRIER_COUNT, i64(ins), 0, blk[B_ID], thread, bar[R_ARRIVED], i64(count))
    if SHADOW:
        arrivals = p64(blk[B_BAR]) + (ARRIVALS_AT + i64(number & 15) * MAX_WARPS)
        # Later accesses of this epoch count as before the barrier too: readers that arrive one by one share it.
        arrivals[warp] = blk[B_EPOCH]
    if waits == 0:
        return
    bar[R_WAITS] |= i64(1) << i64(warp)
    wake = p32(p8(state) + WAKE_AT)
    wakebar = p32(p8(state) + WAKEBAR_AT)
    wake[resume] |= mask
    wakebar[resume] = number & 15
    if bar[R_RESUME] == 0:
        bar[R_RESUME] = i64(resume) + 1
        bar[R_INS] = i64(ins)
    elif bar[R_RESUME] != i64(resume) + 1 and count == 0:
        fault(ctx, F_BARRIER_MIXED, i64(ins), bar[R_INS], blk[B_ID], i64(warp * 32 + i32(cttz(mask))), 0, 0)


@runtime("SHADOW")
def bar_order(ctx: p64, blk: p64, bar: p64, arrivals: p64, whole: i1) -> void:
    """What a completed barrier orders: everything the comers had seen, for everyone who waited."""
    if blk[B_RELF] != 0:
        join_releases(ctx, blk, bar[R_CAME], bar[R_WAITS])
    if whole:
        blk[B_SAFE] = blk[B_EPOCH]
        blk[B_EPOCH] += 1
        return
    clocks = p32(blk[B_VC])
    base = p32(blk[B_LB])
    joined = array(i32, 32)
    safe = i32(blk[B_SAFE])
    for k in range(32):
        joined[k] = safe
    m = i32(bar[R_CAME])
    while m != 0:
        w = i32(cttz(m))
        m = m & (m - 1)
        for k in range(32):
            joined[k] = umax(joined[k], umax(clocks[w * 32 + k], spoken_of(blk, w * 32 + k)))
        joined[w] = umax(joined[w], i32(arrivals[w]))
    m = i32(bar[R_WAITS])
    while m != 0:
        w = i32(cttz(m))
        m = m & (m - 1)
        for k in range(32):
            clocks[w * 32 + k] = umax(joined[k], clocks[w * 32 + k])
        base[w] = umax(base[w], i32(arrivals[w]))
    blk[B_EPOCH] += 1


@runtime()
def join_releases(ctx: p64, blk: p64, came: i64, waits: i64) -> void:
    """Fenced writes of the comers count as fenced for the waiters (fences are cumulative over barriers)."""
    rel = p32(blk[B_REL])
    joined = array(i32, 32)
    memset(joined, 0, 128)
    m = i32(came)
    kinds = i64(0)
    while m != 0:
        w = i32(cttz(m))
        m = m & (m - 1)
        mine = (blk[B_RELF] >> i64(w)) & 0x100000001
        if mine != 0:
            kinds = kinds | mine
            for k in range(32):
                joined[k] = umax(joined[k], rel[w * 32 + k])
    if kinds == 0:
        return
    m = i32(waits)
    while m != 0:
        w = i32(cttz(m))
        m = m & (m - 1)
        blk[B_RELF] |= kinds << i64(w)
        for k in range(32):
            rel[w * 32 + k] = umax(joined[k], rel[w * 32 + k])


@runtime("SHADOW", "WAKE_AT", "WAKEBAR_AT", "MASKS_AT", "NWORDS")
def bar_try(ctx: p64, blk: p64, number: i32) -> i1:
    """Complete a barrier whose threads have all come: check who is missing, order memory, wake the waiters."""
    bar = p64(blk[B_BAR]) + i64(number) * BAR_SLOTS
    if bar[R_ARRIVED] == 0:
        return i1(0)
    living = ctx[C_NTHREADS] - blk[B_EXITED]
    whole = bar[R_EXPECTED] == 0
    expected = living if whole else bar[R_EXPECTED]
    if bar[R_ARRIVED] < expected:
        return i1(0)
    if whole and blk[B_EXITED] != 0 and bar[R_RESUME] != 0:
        if blk[B_MAXEXIT] >= bar[R_RESUME]:
            fault(ctx, F_BARRIER_PASSED, bar[R_INS], 0, blk[B_ID], blk[B_EXITTHREAD], 0, living)
        else:
            fault(ctx, F_EARLY_EXIT, bar[R_INS], 0, blk[B_ID], 0, 0, living)
    if SHADOW:
        bar_order(ctx, blk, bar, p64(blk[B_BAR]) + (ARRIVALS_AT + i64(number) * MAX_WARPS), whole)
    resumes = p32(ctx[C_CONSTANTS])
    m = i32(bar[R_WAITS])
    while m != 0:
        w = i32(cttz(m))
        m = m & (m - 1)
        state = p64(p8(blk[B_STATES]) + i64(w) * ctx[C_STATE_BYTES])
        state[W_REDCOUNT] = bar[R_COUNT]
        state[W_REDAND] = bar[R_AND]
        state[W_REDOR] = bar[R_OR]
        wake = p32(p8(state) + WAKE_AT)
        wakebar = p32(p8(state) + WAKEBAR_AT)
        for k in range(i32(0), i32(ctx[C_RESUMES])):
            block = resumes[k]
            if wake[block] != 0 and wakebar[block] == number:
                pend(state, block, wake[block])
                wake[block] = 0
    memset(bar, 0, 8 * BAR_SLOTS)
    blk[B_PROGRESS] += 1
    return i1(1)


@runtime("SHADOW")
def warp_sync(blk: p64, state: p64, warp: i32, member: v32, mask: i32) -> void:
    """bar.warp.sync: order the named lanes' memory accesses."""
    if not SHADOW:
        return
    alive = i32(state[W_ALIVE])
    # Lanes that were let pass because they wait at another bar.warp.sync take part here.
    mask = mask | (i32(state[W_BARPASS]) & alive)
    if mask == alive and i32(bits((member & v32(alive)) == v32(alive))) & alive == alive:
        base = p32(blk[B_LB])
        base[warp] = i32(blk[B_EPOCH])
        blk[B_EPOCH] += 1
        return
    clock = p32(blk[B_LVC]) + i64(warp) * 1024
    if (blk[B_LVCF] >> i64(warp)) & 1 == 0:
        memset(clock, 0, 4096)
        blk[B_LVCF] |= i64(1) << i64(warp)
    done = i32(0)
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        group = lane(member, l) & mask
        if (done >> l) & 1 == 0:
            done = done | group
            joined = array(i32, 32)
            memset(joined, 0, 128)
            g = group
            while g != 0:
                a = i32(cttz(g))
                g = g & (g - 1)
                for k in range(32):
                    joined[k] = umax(joined[k], clock[a * 32 + k])
                joined[a] = i32(blk[B_EPOCH])
            g = group
            while g != 0:
                a = i32(cttz(g))
                g = g & (g - 1)
                for k in range(32):
                    clock[a * 32 + k] = umax(joined[k], clock[a * 32 + k])
    blk[B_EPOCH] += 1


@runtime("SHADOW")
def fence(ctx: p64, blk: p64, warp: i32, mask: i32, narrow: i32) -> void:
    """membar.gl and stronger: this warp's next atomic or strong write releases what it has done and seen so far."""
    if not SHADOW:
        return
    if mask == 0:
        return
    rel = p32(blk[B_REL])
    clocks = p32(blk[B_VC])
    safe = i32(blk[B_SAFE])
    for k in range(32):
        rel[warp * 32 + k] = umax(safe, umax(clocks[warp * 32 + k], spoken_of(blk, warp * 32 + k)))
    rel[warp * 32 + warp] = i32(blk[B_EPOCH])
    blk[B_RELF] |= i64(1) << i64(warp + narrow * 32)
    blk[B_EPOCH] += 1
