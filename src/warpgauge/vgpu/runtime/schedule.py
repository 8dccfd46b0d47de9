"""The block scheduler: start a block, run its warps to their barriers, run a range of blocks."""

from .barrier import *  # noqa: F403
from .barrier import bar_try
from .base import *  # noqa: F403
from .pending import B_COPIES, copies_reset
from .shadow import B_SPOKEN

SHADOW = False

C_GX, C_GY, C_BX = CTX["GX"], CTX["GY"], CTX["BX"]
C_ENTRY, C_ACTIVITY = CTX["ENTRY"], CTX["ACTIVITY"]
C_BLOCK_ORDER, C_WARP_ORDER = CTX["BLOCK_ORDER"], CTX["WARP_ORDER"]
C_STOP, C_FUEL, C_LOCALS = CTX["STOP"], CTX["FUEL"], CTX["LOCAL_BYTES"]
B_CTAX, B_CTAY, B_CTAZ = BLK["CTAX"], BLK["CTAY"], BLK["CTAZ"]
B_SHARED0, B_LOCAL0, B_SHADOW0 = BLK["SHARED"], BLK["LOCAL"], BLK["SHADOW_BYTES"]
B_SYNC_KEY0, B_HAS_PARTED0 = BLK["SYNC_KEY"], BLK["HAS_PARTED"]
B_YIELDED, B_SW0, B_ACQ0, B_SLOT0 = BLK["YIELDED"], BLK["SW"], BLK["ACQ"], BLK["SLOT"]
W_FUEL = WARP["FUEL"]
POISON = 0xFF
PATIENCE = 4
BARRIER_SLICE = 4096


@runtime("SHADOW", "MASKS_AT", "NWORDS", "WAKE_AT", "WAKEBAR_AT")
def block_init(ctx: p64, blk: p64, number: i64) -> void:
    """Fresh shared memory (poisoned), warps at the entry, clocks at zero."""
    blk[B_ID] = number
    blk[B_CTAX] = number % ctx[C_GX]
    rest = number // ctx[C_GX]
    blk[B_CTAY] = rest % ctx[C_GY]
    blk[B_CTAZ] = rest // ctx[C_GY]
    blk[B_EXITED] = 0
    blk[B_MAXEXIT] = 0
    blk[B_YIELDED] = 0
    blk[B_PROGRESS] = 0
    blk[B_HAS_PARTED0] = 0
    memset(p8(blk[B_SHARED0]), POISON, ctx[C_SHARED_BYTES])
    if ctx[C_LOCALS] != 0:
        memset(p8(blk[B_LOCAL0]), POISON, ctx[C_LOCALS] * ctx[C_NWARPS2] * 32)
    memset(p8(blk[B_BAR]), 0, BAR_BYTES)
    if SHADOW:
        memset(p8(blk[B_SW0]), 0, blk[B_SHADOW0])
        blk[B_EPOCH] = 1
        blk[B_SAFE] = 0
        blk[B_LVCF] = 0
        blk[B_RELF] = 0
        blk[B_ACQ0] = 0
        blk[B_SYNC_KEY0] = 0
        memset(p8(blk[B_VC]), 0, 4096)
        memset(p8(blk[B_LB]), 0, 128)
        if blk[B_SPOKEN] != 0:
            memset(p8(blk[B_SPOKEN]), 0, 8 * SPOKEN_LANES)
        memset(p8(blk[B_REL]), 0, 4096)
        if blk[B_COPIES] != 0:
            copies_reset(ctx, blk)
    threads = ctx[C_NTHREADS]
    for w in range(i64(0), ctx[C_NWARPS2]):
        state = p64(p8(blk[B_STATES]) + w * ctx[C_STATE_BYTES])
        memset(state, 0, 8 * (PENDING_WORDS_AT + 2 * NWORDS))
        memset(p8(state) + MASKS_AT, 0, WAKE_AT - MASKS_AT + 2 * (WAKEBAR_AT - WAKE_AT))
        left = threads - w * 32
        alive = i32(-1)
        if left < 32:
            alive = (i32(1) << i32(left)) - 1
        state[W_ALIVE] = i64(alive)
        pend(state, i32(ctx[C_ENTRY]), alive)


@runtime("SHADOW", "WAKE_AT", "WAKEBAR_AT", "MASKS_AT", "NWORDS")
def block_step(ctx: p64, blk: p64) -> i64:
    """Run the block's warps until it ends, a warp or its barriers have used up their slice, or nothing can run."""
    rounds = i64(0)
    while True:
        rounds += 1
        ran = i1(0)
        yielded = i1(0)
        before = blk[B_PROGRESS]
        for turn in range(i64(0), ctx[C_NWARPS2]):
            w = turn
            if ctx[C_WARP_ORDER] != 0:
                order = p64(ctx[C_WARP_ORDER])
                w = order[turn]
            state = p64(p8(blk[B_STATES]) + w * ctx[C_STATE_BYTES])
            if state[W_NPENDING] + state[W_NDEFERRED] != 0:
                state[W_FUEL] = ctx[C_FUEL]
                r = warp_body(ctx, blk, state, i32(w), p64(ctx[C_ACTIVITY]))
                ran = i1(1)
                if r != 0:
                    yielded = i1(1)
                if ctx[C_STOP] != 0:
                    return STOPPED
        completed = i1(0)
        for number in range(i32(0), i32(NUM_BARRIERS)):
            if bar_try(ctx, blk, number):
                completed = i1(1)
        if blk[B_EXITED] == ctx[C_NTHREADS]:
            return DONE
        # (The phase of an mbarrier may have ended too, for which a warp waits that has given up its slice.)
        if blk[B_PROGRESS] != before:
            completed = i1(1)
        if completed and rounds >= BARRIER_SLICE:
            blk[B_YIELDED] += 1
            return YIELDED
        if not completed:
            if yielded:
                blk[B_YIELDED] += 1
                return YIELDED
            if not ran:
                return DEADLOCK


@runtime("SHADOW", "WAKE_AT", "WAKEBAR_AT", "MASKS_AT", "NWORDS")
def run_range(ctx: p64, blk: p64, first: i64, last: i64) -> i64:
    """Blocks at places first..last-1 of the order, one after another in one slot.

    Returns code << 60 | place; `last` at the end."""
    for place in range(first, last):
        number = place
        if ctx[C_BLOCK_ORDER] != 0:
            order = p64(ctx[C_BLOCK_ORDER])
            number = order[place]
        block_init(ctx, blk, number)
        code = block_step(ctx, blk)
        while code == YIELDED and blk[B_YIELDED] < PATIENCE:
            code = block_step(ctx, blk)
        if code != DONE:
            return (code << 60) | place
    return last
