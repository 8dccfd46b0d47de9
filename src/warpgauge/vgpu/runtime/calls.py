"""Function calls: arguments between places of local memory, and the stack of functions that call themselves."""

from .access import B_LOCAL, C_LOCAL_BYTES
from .base import *  # noqa: F403


@runtime(inline=True)
def local_of(ctx: p64, blk: p64, warp: i32, l: i32) -> p8:
    return p8(blk[B_LOCAL] + i64(warp * 32 + l) * ctx[C_LOCAL_BYTES])


@runtime()
def copy_local(ctx: p64, blk: p64, warp: i32, mask: i32, source: i64, target: i64, count: i64) -> void:
    """Per lane, bytes from one place of local memory to another."""
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        local = local_of(ctx, blk, warp, l)
        for k in range(i64(0), count):
            local[target + k] = local[source + k]


@runtime()
def move_frame(ctx: p64, blk: p64, warp: i32, mask: i32, pointer: i64, change: i64, limit: i64) -> i32:
    """Per lane, add to the stack pointer (it starts at -1, the poison of local memory); lanes that would overflow."""
    over = i32(0)
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        place = p32(local_of(ctx, blk, warp, l) + pointer)
        place[0] = place[0] + i32(change)
        if place[0] + 1 > i32(limit):
            over = over | (i32(1) << l)
    return over


@runtime()
def frame_bytes(
    ctx: p64, blk: p64, warp: i32, mask: i32, stack: i64, pointer: i64, at: i64, place: i64, count: i64, save: i32
) -> void:
    """Save or restore `count` bytes of local memory in each lane's frame."""
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        local = local_of(ctx, blk, warp, l)
        top = p32(local + pointer)
        frame = local + (stack + i64(top[0] + 1) + at)
        for k in range(i64(0), count):
            if save != 0:
                frame[k] = local[place + k]
            else:
                local[place + k] = frame[k]


@runtime()
def frame_row(
    ctx: p64, blk: p64, warp: i32, mask: i32, stack: i64, pointer: i64, at: i64, row: p8, size: i64, save: i32
) -> void:
    """Save or restore a register in each lane's frame: `size` bytes per lane in its state slot, 0 for a predicate."""
    m = mask
    while m != 0:
        l = i32(cttz(m))
        m = m & (m - 1)
        local = local_of(ctx, blk, warp, l)
        top = p32(local + pointer)
        frame = local + (stack + i64(top[0] + 1) + at)
        if size == 0:
            bits_ = p32(row)
            if save != 0:
                frame[0] = i8((bits_[0] >> l) & 1)
            else:
                bits_[0] = (bits_[0] & ~(i32(1) << l)) | (i32(frame[0]) << l)
        for k in range(i64(0), size):
            if save != 0:
                frame[k] = row[i64(l) * size + k]
            else:
                row[i64(l) * size + k] = frame[k]
