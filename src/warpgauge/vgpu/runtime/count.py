"""Exact request costs: 32-byte sectors (global) and bank wavefronts (shared), the rule calibrated on sm_90."""

from .base import *  # noqa: F403


@runtime()
def sectors_of(a: p64, mask: i32, width: i64) -> i64:
    """Distinct aligned 32-byte segments that the active lanes' bytes touch."""
    seen = array(i64, 128)
    n = i64(0)
    top = i64(0)
    m = mask
    while m != 0:
        l = cttz(m)
        m = m & (m - 1)
        s = a[l] >> 5
        last = (a[l] + width - 1) >> 5
        while s <= last:
            fresh = n == 0 or s > top
            if not fresh:
                fresh = True
                j = n
                while j != 0:
                    j -= 1
                    if seen[j] == s:
                        fresh = i1(0)
                        break
            if fresh:
                seen[n] = s
                n += 1
                if s > top:
                    top = s
            s += 1
    return n


@runtime()
def pairs_agree(a: p64, mask: i32, distance: i32) -> i1:
    """Every lane and its partner lane ^ distance have one address; an inactive partner agrees."""
    m = mask
    while m != 0:
        l = cttz(m)
        m = m & (m - 1)
        partner = l ^ distance
        if (mask >> partner) & 1 != 0 and a[partner] != a[l]:
            return i1(0)
    return i1(1)


@runtime()
def group_wavefronts(a: p64, mask: i32, width: i64) -> i64:
    """Largest number of distinct four-byte words that lanes of one group want from one bank."""
    count = array(i32, 32)
    words = array(i64, 1024)
    memset(count, 0, 128)
    worst = i32(0)
    m = mask
    while m != 0:
        l = cttz(m)
        m = m & (m - 1)
        w = a[l] >> 2
        last = (a[l] + width - 1) >> 2
        while w <= last:
            bank = w & 31
            c = count[bank]
            j = i32(0)
            while j < c and words[bank * 32 + i64(j)] != w:
                j += 1
            if j == c and c < 32:
                words[bank * 32 + i64(c)] = w
                count[bank] = c + 1
                if c + 1 > worst:
                    worst = c + 1
            w += 1
    return i64(worst)


@runtime()
def atomic_wavefronts(a: p64, mask: i32) -> i64:
    """Lanes per bank, one after another, whether or not they share a word."""
    count = array(i32, 32)
    memset(count, 0, 128)
    worst = i32(0)
    m = mask
    while m != 0:
        l = cttz(m)
        m = m & (m - 1)
        bank = (a[l] >> 2) & 31
        count[bank] += 1
        if count[bank] > worst:
            worst = count[bank]
    return i64(worst)


@runtime()
def wavefronts_of(a: p64, mask: i32, width: i64, kind: i64) -> i64:
    """Wavefronts in the low half, wavefronts that are no conflict in the high half of the result."""
    if kind == ATOMIC_KIND:
        return atomic_wavefronts(a, mask) | (1 << 32)
    if kind == COMPARE_KIND:
        lanes_ = atomic_wavefronts(a, mask)
        return lanes_ * 2 | ((lanes_ + 1) << 32)
    size = i32(32)
    if width > 4:
        merged = i1(0)
        if kind == LOAD_KIND:
            merged = pairs_agree(a, mask, 1) or pairs_agree(a, mask, 2)
        size = 16
        if width > 8 and not merged:
            size = 8
        if width <= 8 and merged:
            size = 32
    total = i64(0)
    groups = i64(0)
    start = i32(0)
    while start < 32:
        part = mask & (((i32(-1)) >> (32 - size)) << start)
        if part != 0:
            groups += 1
            total += group_wavefronts(a, part, width)
        start += size
    return total | (groups << 32)


@runtime()
def count_global(blk: p64, site: p64, warp: i32, mask: i32, a: p64) -> void:
    """Add one global request; `a` holds every lane's device address."""
    width = site[S_WIDTH]
    shifted = array(i64, 32)
    for k in range(32):
        shifted[k] = a[k] + site[S_DELTA]
    n = sectors_of(shifted, mask, width)
    best = (i64(ctpop(mask)) * width + 31) >> 5
    ideal = umin(n, best)
    tally(site, mask)
    site[S_SECTORS] += n
    site[S_IDEAL] += ideal
    site[S_PSECTORS] = n
    site[S_PIDEAL] = ideal
    if n - ideal + 1 > site[S_WORST]:
        record_worst(site, n - ideal, blk[B_ID], warp, mask, n, 0, shifted)


@runtime()
def count_shared(blk: p64, site: p64, warp: i32, mask: i32, a: p64) -> void:
    """Add one shared-memory request; `a` holds every lane's byte offset."""
    width = site[S_WIDTH]
    shifted = array(i64, 32)
    for k in range(32):
        shifted[k] = a[k] + site[S_DELTA]
    both = wavefronts_of(shifted, mask, width, site[S_KIND])
    n = both & 0xFFFFFFFF
    conflicts = n - (both >> 32)
    tally(site, mask)
    site[S_WAVEFRONTS] += n
    site[S_CONFLICTS] += conflicts
    site[S_PWAVEFRONTS] = n
    site[S_PCONFLICTS] = conflicts
    if conflicts + 1 > site[S_WORST]:
        record_worst(site, conflicts, blk[B_ID], warp, mask, 0, n, shifted)


SPACE = 0
PHASE_BITS = 127


@runtime("SPACE", inline=True)
def count_request(blk: p64, site: p64, warp: i32, mask: i32, first: i64, spill: p64) -> void:
    """Add one request of the shape that the site remembers. Its cost depends on the shape and on where in 128 bytes the
    first lane lies; if that too is as it was last time, so is the cost."""
    phase = first & PHASE_BITS
    if site[S_PPHASE] == phase:
        tally(site, mask)
        if SPACE == GLOBAL_SPACE:
            site[S_SECTORS] += site[S_PSECTORS]
            site[S_IDEAL] += site[S_PIDEAL]
        else:
            site[S_WAVEFRONTS] += site[S_PWAVEFRONTS]
            site[S_CONFLICTS] += site[S_PCONFLICTS]
        return
    count_anew(blk, site, warp, mask, first, spill)


@runtime("SPACE")
def count_anew(blk: p64, site: p64, warp: i32, mask: i32, first: i64, spill: p64) -> void:
    """Work the cost out from the addresses and remember it."""
    site[S_PPHASE] = first & PHASE_BITS
    pattern = site + SITE_PATTERN
    for k in range(32):
        spill[k] = first + pattern[k]
    if SPACE == GLOBAL_SPACE:
        count_global(blk, site, warp, mask, spill)
    else:
        count_shared(blk, site, warp, mask, spill)


@runtime()
def learn_shape(site: p64, shape: v64, mask: i32, step: i64) -> void:
    """Remember a request's addresses relative to its first lane, their extent and how the halves lie."""
    pattern = site + SITE_PATTERN
    vstore(pattern, shape)
    site[S_PMASK] = i64(mask) | (1 << 32)
    site[S_PPHASE] = -1
    low = i64(0)
    high = i64(0)
    bits_ = i64(0)
    for k in range(32):
        low = smin(low, pattern[k])
        high = smax(high, pattern[k])
        bits_ = bits_ | pattern[k]
    site[S_PMIN] = low
    site[S_PMAX] = high
    site[S_PLOW] = bits_
    site[S_PCLASS] = ANY_SHAPE
    if mask == -1:
        kinds = half_shape(pattern, step) | (half_shape(pattern + 16, step) << 2)
        if kinds == 10 and pattern[16] == 16 * step:
            kinds = i64(WHOLE_ROW)
        site[S_PCLASS] = kinds


@runtime()
def half_shape(a: p64, step: i64) -> i64:
    same = i1(1)
    row = i1(1)
    for k in range(i64(0), i64(16)):
        if a[k] != a[0]:
            same = i1(0)
        if a[k] != a[0] + k * step:
            row = i1(0)
    if same:
        return ONE_ADDRESS
    return i64(ONE_ROW) if row else i64(ANY_SHAPE)
