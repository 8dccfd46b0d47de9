"""What the runtime's functions share: the template decorator, fault log, and site statistics."""

from warpgauge.vgpu.layout import *  # noqa: F403
from warpgauge.vgpu.layout import BLK, CTX, FAULT, FAULT_CAPACITY, FAULT_SLOTS, SITE, SITE_ADDRESSES
from warpgauge.vgpu.types import *  # noqa: F403
from warpgauge.vgpu.types import i32, i64, p64, void

C_NTHREADS, C_SHARED_BYTES = CTX["NTHREADS"], CTX["SHARED_BYTES"]
B_ID = BLK["ID"]
(S_REQUESTS, S_LANES, S_SECTORS, S_IDEAL, S_WAVEFRONTS, S_CONFLICTS) = range(6)
S_WORST, S_WBLOCK, S_WWARP, S_WMASK = SITE["WORST"], SITE["WBLOCK"], SITE["WWARP"], SITE["WMASK"]
S_WSECTORS, S_WWAVEFRONTS, S_WIDTH, S_DELTA = SITE["WSECTORS"], SITE["WWAVEFRONTS"], SITE["WIDTH"], SITE["DELTA"]
S_COUNTED, S_LO, S_HI, S_KIND = SITE["COUNTED"], SITE["LO"], SITE["HI"], SITE["KIND"]
S_PMASK, S_PPHASE, S_PSECTORS, S_PIDEAL = SITE["PMASK"], SITE["PPHASE"], SITE["PSECTORS"], SITE["PIDEAL"]
S_PWAVEFRONTS, S_PCONFLICTS = SITE["PWAVEFRONTS"], SITE["PCONFLICTS"]
S_PMIN, S_PMAX, S_PLOW, S_PCLASS, S_SEALED = SITE["PMIN"], SITE["PMAX"], SITE["PLOW"], SITE["PCLASS"], SITE["SEALED"]
F_COUNT, F_BLOCK, F_THREAD = FAULT["COUNT"], FAULT["BLOCK"], FAULT["THREAD"]
F_OBLOCK, F_OTHREAD, F_ADDRESS, F_EXTRA = FAULT["OBLOCK"], FAULT["OTHREAD"], FAULT["ADDRESS"], FAULT["EXTRA"]


def runtime(*parameters, inline=False):
    """Marks a template: its code depends on the named constants, which become part of its symbol."""

    def mark(function):
        function.__template__ = parameters
        function.__inline__ = inline
        return function

    return mark


@runtime()
def fault(ctx: p64, kind: i64, ins: i64, other: i64, block: i64, thread: i64, address: i64, extra: i64) -> p64:
    """Log a finding, or count it again; returns its entry. The table keeps first occurrences."""
    table = p64(ctx[CTX_FAULTS])
    n = table[0]
    entry = table + FAULT_SLOTS
    for _ in range(i64(0), n):
        if entry[0] == kind and entry[1] == ins and entry[2] == other:
            entry[F_COUNT] += 1
            return entry
        entry = entry + FAULT_SLOTS
    if n >= FAULT_CAPACITY - 2:
        entry = table + FAULT_SLOTS * (FAULT_CAPACITY - 1)
        entry[F_COUNT] += 1
        return entry
    table[0] = n + 1
    entry[0] = kind
    entry[1] = ins
    entry[2] = other
    entry[F_COUNT] = 1
    entry[F_BLOCK] = block
    entry[F_THREAD] = thread
    entry[F_OBLOCK] = block
    entry[F_OTHREAD] = thread
    entry[F_ADDRESS] = address
    entry[F_EXTRA] = extra
    return entry


CTX_FAULTS = CTX["FAULTS"]


@runtime()
def record_worst(
    site: p64, metric: i64, block: i64, warp: i32, mask: i32, sectors: i64, wavefronts: i64, addresses: p64
) -> void:
    """Keep the request with the largest metric (excess sectors, conflicts); the earliest one on a tie."""
    site[S_WORST] = metric + 1
    site[S_WBLOCK] = block
    site[S_WWARP] = i64(warp)
    site[S_WMASK] = i64(mask)
    site[S_WSECTORS] = sectors
    site[S_WWAVEFRONTS] = wavefronts
    for k in range(32):
        site[SITE_ADDRESSES + k] = addresses[k]


@runtime(inline=True)
def tally(site: p64, mask: i32) -> void:
    """One request and its active lanes."""
    site[S_REQUESTS] += 1
    site[S_LANES] += i64(ctpop(mask))
