"""Where things lie in the records that generated code and Python share. All slots are 64-bit unless said.

Three records: CTX (one per worker thread), BLK (one per resident block), and a warp's state (header, one mask per basic
block, then the registers that live across blocks). Addresses: device address + CTX[GDELTA] = host address.
"""

from __future__ import annotations

LANES = 32
MAX_WARPS = 32
ARENA_BASE = 0x7F0000000000
SHARED_WINDOW = 0x7E0000000000
LOCAL_WINDOW = 0x7D0000000000
FUNCTION_BASE = 0x7C0000000000  # "addresses" of functions, 16 apart
WINDOW_BYTES = 1 << 32


def _number(names: str) -> dict[str, int]:
    return {name: slot for slot, name in enumerate(names.split())}


CTX = _number(
    "GDELTA BUFFERS NBUFFERS SITES FAULTS PARAMS NTHREADS NWARPS BX BY BZ GX GY GZ SHARED_BYTES LOCAL_BYTES"
    " STATE_BYTES CLOCK STOP"
    " GW GR GA GWS GRS GAS GWM GLM GR2"
    " TRACE TRACE_N TRACE_CAP NBLOCKS STORES CALLBACK NSYNC"
    " STOP_INS STOP_WARP STOP_MASK FUEL CONSTANTS TIDS VARIABLES DYNAMIC_BYTES PARAM_ADDRESS RESUMES"
    " ENTRY PRINTER GRID_WORKSPACE SYNC_VERSION ACTIVITY DECISIONS PARTED_BYTES"
    # Tables of block and warp numbers; 0: in order of their numbers.
    " BLOCK_ORDER WARP_ORDER"
    # What ties blocks of the launch to each other, as far as global memory shows: the bits below.
    " CROSSED"
)
BLK = _number(
    "ID CTAX CTAY CTAZ SHARED LOCAL STATES EXITED EPOCH SAFE SW SR SA SWS SRS SAS SWM SLM VC LB LVC LVCF"
    " ACQ REL RELF BAR MAXEXIT EXITTHREAD PROGRESS SLOT SHADOW_BYTES YIELDED SYNC_AT SYNC_KEY PARTED HAS_PARTED"
    # Shared memory that asynchronous copies are on their way to: a tag per granule (copy + 1 << 16 | thread), and a log
    # of these copies per warp. 0: the kernel has none.
    " PENDING COPIES"
    # Per eight bytes of shared memory, what an mbarrier there has put in order. 0: the kernel has none.
    # And, if so, what single lanes have handed on: two tables by warp and other warp, an epoch and the lanes of the
    # other warp whose accesses up to then come before what the warp does.
    " MBARRIERS SPOKEN"
)
# One barrier (16 per block): threads arrived, threads expected (0: all alive), warps that came (either form), warps
# that wait, resume block + 1 of the first waiter, reduction count, reduction and, reduction or.
BAR_SLOTS = 16
BAR = _number("ARRIVED EXPECTED CAME WAITS RESUME COUNT AND OR INS ANY_RED")
NUM_BARRIERS = 16
ARRIVALS_AT = NUM_BARRIERS * BAR_SLOTS  # then, per barrier and warp, the epoch of its arrival
BAR_BYTES = 8 * (ARRIVALS_AT + NUM_BARRIERS * MAX_WARPS)

# A warp's state header.
WARP = _number(
    "ALIVE NPENDING FUEL REDCOUNT REDAND REDOR FORCE NDEFERRED ABSENT PASSED JOIN FLOOR BARLANES BARPASS REDLANES"
)
PENDING_WORDS_AT = 16  # slots; one bit per basic block follows

# One access site: statistics, then the worst request. LO and HI cache the buffer last hit; SEALED says that nothing can
# write it and all of it is defined.
SITE = _number(
    "REQUESTS LANES SECTORS IDEAL WAVEFRONTS CONFLICTS WORST WBLOCK WWARP WMASK WSECTORS WWAVEFRONTS"
    " WIDTH DELTA COUNTED LO HI KIND PMASK PPHASE PSECTORS PIDEAL PWAVEFRONTS PCONFLICTS"
    " PMIN PMAX PLOW PCLASS SEALED"
)
SITE_ADDRESSES = 32
# Shapes of a half-warp's addresses: all equal, or neighbouring elements. PCLASS holds one per half, or WHOLE_ROW.
ANY_SHAPE, ONE_ADDRESS, ONE_ROW, WHOLE_ROW = 0, 1, 2, 16
# The last request's addresses relative to its first lane: the next one often has the same shape, hence the same cost.
SITE_PATTERN = 64
SITE_SLOTS = 96
# Kinds of site: how lanes that share a word or an address are served.
LOAD_KIND, STORE_KIND, ATOMIC_KIND, MERGING_ATOMIC_KIND, COMPARE_KIND = range(5)

# How often warps executed each basic block, a row of counts per number of active lanes (0 to 32). A second such table
# follows for a block's last warp if that has fewer than 32 threads.
ACTIVITY_ROWS = LANES + 1
# One decision (see ptx.decisions): times that lanes went different ways, lane-slots that idled for it, the most telling
# split, and from slot DECISION_WAYS on the block that each of its lanes went to.
DECISION = _number("SPLITS IDLE WORST WBLOCK WWARP WMASK")
DECISION_WAYS = 8
DECISION_SLOTS = DECISION_WAYS + LANES
# Bytes per warp: the decision (+ 1) at which each pair of lanes last went different ways, 16 bits each. Then 32-bit
# words per chain of branches: how often it was begun, in which of these each lane takes part, and where each lane went
# (-1: not split yet).
PARTED_PAIRS = 2 * LANES * LANES
CHAIN_INTS = 3 * LANES
CHAIN_MEMBER, CHAIN_WAY = LANES, 2 * LANES

# The header of a warp's log of copies: the first and one past the last live entry, the last wait (instruction + 1) and
# how many groups that kept; then two rows of 32-bit words, the groups that each lane has committed and those it had
# when it last waited. A block's start clears all that, but not how many entries there is room for and where they are.
COPIES = {"HEAD": 0, "TAIL": 1, "WAIT": 2, "KEPT": 3, "CAP": 40, "ENTRIES": 41}
COPIES_COMMITS, COPIES_WAITED, COPIES_KEPT, COPIES_SLOTS = 8, 24, 40, 48
# One entry, 32-bit words: the instruction, lanes in flight, bytes per lane; then per lane the shared address, the
# group, what mbarrier and phase the copy is bound to (0: none), and the epoch of that.
COPY_INS, COPY_MASK, COPY_WIDTH = 0, 1, 2
COPY_ADDRESSES, COPY_GROUPS, COPY_BOUND, COPY_EPOCHS, COPY_INTS = 16, 48, 80, 112, 144
COPIES_FIRST = 64  # entries that a log has at first
# What F_PENDING says in EXTRA: in 16 bits how many groups a wait may keep for the copy to be complete, these flags, in
# 12 bits from 20 on how many the last wait kept, and from 32 on that wait (instruction + 1; 0: none since the copy).
PENDING_COMMITTED, PENDING_BOUND = 1 << 16, 1 << 17

# An mbarrier's row beside the word itself, 32-bit words: the number of the running phase, from 1 on; whether copies are
# bound to it; then per warp the epochs that the running phase hands on for all of its lanes, the later ones that it
# hands on for single lanes, and these lanes; then the same of the last complete phase.
MBARRIER_PHASE, MBARRIER_COPIES, MBARRIER_NOW, MBARRIER_DONE, MBARRIER_INTS = 0, 1, 16, 112, 208
HANDED_SINGLY, HANDED_LANES = 32, 64
SPOKEN_LANES = MAX_WARPS * MAX_WARPS
# A copy is bound to (word number << PHASE_BITS | phase).
PHASE_BITS = 16
# Flags of an arrival and of a wait.
ARRIVE_DROPS, ARRIVE_KEEPS, ARRIVE_RELEASES, ARRIVE_BINDS = 1, 2, 4, 8
WAIT_PARITY, WAIT_ACQUIRES = 1, 2
# What F_MBARRIER says in OTHER.
MBARRIER_NONE, MBARRIER_TWICE, MBARRIER_COUNT, MBARRIER_BEYOND, MBARRIER_ENDED = range(1, 6)

# A fault entry, keyed by (KIND, INS, OTHER); FAULTS[0] is the number of entries.
FAULT = _number("KIND INS OTHER COUNT BLOCK THREAD OBLOCK OTHREAD ADDRESS EXTRA")
FAULT_SLOTS = 12
FAULT_CAPACITY = 512
# In OTHER: of the other access only the thread, or what holds it, is known, not the instruction.
UNKNOWN_PLACE = 0x7FFFFFFF

# Shadow word of a writer or the last reader: block + 1 in 27 bits, thread in 10, two flags, epoch in 24.
EPOCH_BITS = 24
FLAG_STRONG = 1 << 24
FLAG_ATOMIC = 1 << 25
THREAD_SHIFT = 26
BLOCK_SHIFT = 36
HOST_WRITER = ((1 << 27) - 1) << BLOCK_SHIFT

# Kinds of fault, in the order of `results.FAULT_CODES`.
(
    F_RACE_RAW,
    F_RACE_WAR,
    F_RACE_WAW,
    F_OUT_OF_BOUNDS,
    F_MISALIGNED,
    F_UNINITIALISED,
    F_MASK,
    F_BARRIER_PASSED,
    F_BARRIER_MIXED,
    F_EARLY_EXIT,
    F_TRAP,
    F_MASK_ABSENT,
    F_SOURCE_LANE,
    F_READ_ONLY,
    F_BARRIER_COUNT,
    F_SOURCE_UNNAMED,
    F_WIDTH,
    F_MASK_PASSED,
    F_PENDING,
    F_MBARRIER,
    F_PART_OF_WARP,
) = range(21)
GLOBAL_SPACE, SHARED_SPACE, LOCAL_SPACE, CONST_SPACE = 0, 1, 2, 3

# A block wrote what another wrote; read what another wrote; wrote what another read.
CROSSED_WRITES, CROSSED_READS, CROSSED_READERS = 1, 2, 4

# Return codes of a block step.
DONE, YIELDED, DEADLOCK, STOPPED = 0, 1, 2, 3
STOP_UNSUPPORTED, STOP_TRAP, STOP_CANCELLED, STOP_ASSERT, STOP_STACK = 1, 2, 3, 4, 5
# What generated code asks Python for.
CALL_RMW, CALL_ACQUIRE, CALL_RELEASE, CALL_LONGER_LOG = 1, 2, 3, 4
