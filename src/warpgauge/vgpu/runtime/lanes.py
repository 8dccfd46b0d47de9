"""Warp-level exchange: shuffles, matches, reductions."""

from .base import *  # noqa: F403

SHUFFLE = 0
UP, DOWN, BFLY, IDX = range(4)
REDUCE = 0
R_ADD, R_MIN, R_MAX, R_UMIN, R_UMAX, R_AND, R_OR, R_XOR = range(8)
UNIT = i32


@runtime("SHUFFLE")
def shuffle(
    ctx: p64, blk: p64, ins: i32, warp: i32, value: v32, b: v32, c: v32, member: v32, mask: i32, out: p32
) -> i32:
    """Each active lane reads a lane of its segment into `out`; returns the lanes whose source was in range."""
    values = array(i32, 32)
    vstore(values, value)
    bs = array(i32, 32)
    vstore(bs, b)
    cs = array(i32, 32)
    vstore(cs, c)
    named = array(i32, 32)
    vstore(named, member)
    inside = i32(0)
    # CUDA C++ writes the clamp 31 (0 for up) in all lanes; with any other, segments are somebody's hand-written own.
    clamp = i32(31)
    if SHUFFLE == UP:
        clamp = i32(0)
    from_width = (i32(bits((c & v32(i32(0xFF))) != v32(clamp))) & mask) == 0
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        segment = (cs[l] >> 8) & 31
        # A width w gives the segment mask 32 - w; only those of powers of two are lines of ones down to a bit.
        split = cs[l] >> 8
        if from_width and (split > 31 or (32 - split) & (31 - split) != 0):
            fault(ctx, F_WIDTH, i64(ins), 0, blk[B_ID], i64(warp * 32 + l), i64(cs[l]), 0)
        low = l & segment
        high = low | ((cs[l] & 31) & ~segment)
        step = bs[l] & 31
        source = l
        fits = i1(0)
        if SHUFFLE == UP:
            source = l - step
            fits = sge(source, high)
        elif SHUFFLE == DOWN:
            source = l + step
            fits = sle(source, high)
        elif SHUFFLE == BFLY:
            source = l ^ step
            fits = sle(source, high)
        else:
            source = low | (step & ~segment)
            fits = sle(source, high)
        if fits:
            inside = inside | (i32(1) << l)
        else:
            source = l
        if (mask >> (source & 31)) & 1 == 0:
            fault(ctx, F_SOURCE_LANE, i64(ins), 0, blk[B_ID], i64(warp * 32 + l), i64(source), i64(mask))
        elif (named[l] >> (source & 31)) & 1 == 0 and (named[source & 31] >> (source & 31)) & 1 != 0:
            # (Where the source's own mask leaves it out, that is the finding.)
            fault(ctx, F_SOURCE_UNNAMED, i64(ins), 0, blk[B_ID], i64(warp * 32 + l), i64(source), i64(named[l]))
        out[l] = values[source & 31]
    return inside


@runtime("UNIT")
def match_any(value: v(UNIT), member: v32, mask: i32, out: p32) -> void:
    """Per lane, those of the active lanes in its mask that hold the same value."""
    values = array(UNIT, 32)
    vstore(values, value)
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        out[l] = i32(bits(value == v(UNIT)(values[l]))) & mask & lane(member, l)


@runtime("UNIT")
def match_all(value: v(UNIT), member: v32, mask: i32, out: p32) -> void:
    """Per lane, the active lanes in its mask if all of them hold one value, else 0."""
    values = array(UNIT, 32)
    vstore(values, value)
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        group = mask & lane(member, l)
        same = i32(bits(value == v(UNIT)(values[l]))) & group
        out[l] = group if same == group else i32(0)


@runtime("REDUCE")
def redux(value: v32, member: v32, mask: i32, out: p32) -> void:
    """Per lane, one value from the active lanes in its mask; each group of lanes with one mask is computed once."""
    values = array(i32, 32)
    vstore(values, value)
    left = mask
    while left != 0:
        named = lane(member, i32(cttz(left)))
        group = i32(bits(member == v32(named))) & left
        left = left & ~group
        m = mask & named
        if m == 0:
            m = group
        total = values[i32(cttz(m))]
        m = m & (m - 1)
        while m != 0:
            l = i32(cttz(m))
            m = m & (m - 1)
            x = values[l]
            if REDUCE == R_ADD:
                total = total + x
            elif REDUCE == R_MIN:
                total = smin(total, x)
            elif REDUCE == R_MAX:
                total = smax(total, x)
            elif REDUCE == R_UMIN:
                total = umin(total, x)
            elif REDUCE == R_UMAX:
                total = umax(total, x)
            elif REDUCE == R_AND:
                total = total & x
            elif REDUCE == R_OR:
                total = total | x
            else:
                total = total ^ x
        while group != 0:
            k = i32(cttz(group))
            group = group & (group - 1)
            out[k] = total


@runtime()
def nth_set_bit(word: v32, base: v32, offset: v32, out: p32) -> void:
    """Per lane: the |offset|-th set bit from `base` (0 to 31) on, upwards if offset > 0; offset 0: that bit itself."""
    words = array(i32, 32)
    vstore(words, word)
    places = array(i32, 32)
    vstore(places, base)
    offsets = array(i32, 32)
    vstore(offsets, offset)
    for l in range(32):
        step = i32(1)
        left = offsets[l]
        if slt(left, 0):
            step = i32(-1)
            left = -left
        if left == 0:
            left = i32(1)
            step = i32(32)
        place = places[l]
        found = i32(-1)
        while place < 32 and left != 0:
            if (words[l] >> place) & 1 != 0:
                left -= 1
                if left == 0:
                    found = place
            place += step
        out[l] = found
