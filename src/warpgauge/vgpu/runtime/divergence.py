"""Lanes of a warp that go different ways, and what they cost while they wait for each other."""

from .base import *  # noqa: F403

B_PARTED, B_HAS_PARTED = BLK["PARTED"], BLK["HAS_PARTED"]
C_DECISIONS, C_PARTED_BYTES = CTX["DECISIONS"], CTX["PARTED_BYTES"]
D_SPLITS, D_IDLE, D_WORST = DECISION["SPLITS"], DECISION["IDLE"], DECISION["WORST"]
D_WBLOCK, D_WWARP, D_WMASK = DECISION["WBLOCK"], DECISION["WWARP"], DECISION["WMASK"]
DECISION_BYTES = 8 * DECISION_SLOTS


@runtime(inline=True)
def parted_of(ctx: p64, blk: p64, warp: i32) -> p8:
    return p8(blk[B_PARTED]) + i64(warp) * ctx[C_PARTED_BYTES]


@runtime(inline=True)
def decision_of(ctx: p64, decision: i64) -> p64:
    return p64(p8(ctx[C_DECISIONS]) + decision * DECISION_BYTES)


@runtime()
def idle(ctx: p64, blk: p64, warp: i32, active: i32, waiting: i32, length: i64) -> void:
    """The warp executed `length` instructions without the lanes of `waiting`: charged to the decision at which each
    of them and the first active lane last went different ways."""
    if (blk[B_HAS_PARTED] >> i64(warp)) & 1 == 0:
        return
    row = vload(p16(parted_of(ctx, blk, warp)) + i32(cttz(active)) * 32, v16)
    m = waiting
    while m != 0:
        decision = lane(row, i32(cttz(m)))
        group = i32(bits(row == v16(decision))) & m
        m = m & ~group
        if decision != 0:
            record = decision_of(ctx, i64(decision) - 1)
            record[D_IDLE] += i64(ctpop(group)) * length


@runtime()
def part(pairs: p16, group: i32, others: i32, decision: i32) -> void:
    """Lanes of `group` go another way than those of `others`."""
    them = lanes(others)
    mark = v16(i16(decision + 1))
    m = group
    while m != 0:
        row = pairs + i32(cttz(m)) * 32
        m = m & (m - 1)
        vstore(row, mark if them else vload(row, v16))


@runtime(inline=True)
def pairs_of(ctx: p64, blk: p64, warp: i32) -> p16:
    """Which pairs of lanes have parted; none at a block's start."""
    pairs = p16(parted_of(ctx, blk, warp))
    if (blk[B_HAS_PARTED] >> i64(warp)) & 1 == 0:
        blk[B_HAS_PARTED] |= i64(1) << i64(warp)
        memset(pairs, 0, PARTED_PAIRS)
    return pairs


@runtime()
def split(ctx: p64, blk: p64, warp: i32, decision: i32, one: i32, two: i32, way_one: i32, way_two: i32) -> void:
    """Lanes `one` and lanes `two` part at a branch, if there are both."""
    if one == 0 or two == 0:
        return
    pairs = pairs_of(ctx, blk, warp)
    part(pairs, one, two, decision)
    part(pairs, two, one, decision)
    record = decision_of(ctx, i64(decision))
    record[D_SPLITS] += 1
    metric = (i64(2) << 8) | i64(umin(ctpop(one), ctpop(two)))
    if metric > record[D_WORST]:
        keep_split(blk, record, metric, warp, one | two, v32(way_one) if lanes(one) else v32(way_two))


@runtime()
def split_many(ctx: p64, blk: p64, warp: i32, decision: i32, chain: i32, mask: i32, ways: v32) -> void:
    """Lanes of `mask` come to a branch and go on at the blocks `ways`. `chain` is the number of its chain of branches
    + 1, or 0."""
    first = i32(cttz(mask))
    if i32(bits(ways == v32(lane(ways, first)))) & mask == mask:
        return
    pairs = pairs_of(ctx, blk, warp)
    m = mask
    while m != 0:
        group = i32(bits(ways == v32(lane(ways, i32(cttz(m)))))) & mask
        m = m & ~group
        part(pairs, group, mask & ~group, decision)
    record = decision_of(ctx, i64(decision))
    if chain == 0:
        record[D_SPLITS] += 1
        note(blk, record, warp, mask, ways)
        return
    state = p32(parted_of(ctx, blk, warp) + PARTED_PAIRS) + (chain - 1) * CHAIN_INTS
    member = vload(state + CHAIN_MEMBER, v32)
    before = vload(state + CHAIN_WAY, v32)
    if lane(before, first) == -1:
        record[D_SPLITS] += 1
    together = i32(bits(member == v32(lane(member, first))))
    now = ways if lanes(mask) else before
    vstore(state + CHAIN_WAY, now)
    note(blk, record, warp, together, now)


@runtime()
def open_chain(ctx: p64, blk: p64, warp: i32, chain: i32, mask: i32) -> void:
    """Lanes of `mask` come together to the first branch of a chain."""
    state = p32(parted_of(ctx, blk, warp) + PARTED_PAIRS) + chain * CHAIN_INTS
    state[0] += 1
    mine = lanes(mask)
    vstore(state + CHAIN_MEMBER, v32(state[0]) if mine else vload(state + CHAIN_MEMBER, v32))
    vstore(state + CHAIN_WAY, v32(-1) if mine else vload(state + CHAIN_WAY, v32))


@runtime()
def note(blk: p64, record: p64, warp: i32, mask: i32, ways: v32) -> void:
    """Keep the split with the most ways, of those the one that leaves the most lanes out of its largest group."""
    paths = i64(0)
    largest = i64(0)
    m = mask
    while m != 0:
        group = i32(bits(ways == v32(lane(ways, i32(cttz(m)))))) & mask
        m = m & ~group
        paths += 1
        largest = umax(largest, i64(ctpop(group)))
    metric = (paths << 8) | (i64(ctpop(mask)) - largest)
    if metric > record[D_WORST]:
        keep_split(blk, record, metric, warp, mask, ways)


@runtime()
def keep_split(blk: p64, record: p64, metric: i64, warp: i32, mask: i32, ways: v32) -> void:
    record[D_WORST] = metric
    record[D_WBLOCK] = blk[B_ID]
    record[D_WWARP] = i64(warp)
    record[D_WMASK] = i64(mask)
    vstore(record + DECISION_WAYS, zext(ways, v64))
