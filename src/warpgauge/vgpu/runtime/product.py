"""Dense tensor-core products D = A B + C of one warp.

Each element of D starts as that of C and takes the products of its row and column in ascending order of the inner
index: exact ones, each added with one rounding to the type of the sums (f32, f64, or s32 modulo 2**32).
"""

from warpgauge.vgpu.products import Product

from .base import *  # noqa: F403

PRODUCT = Product("m16n8k16", "f16", "f16", "f32", "f32")
A, B, C, D = range(4)
TO_ZERO, TO_NEAREST, UP, DOWN = range(4)
ROUNDING = TO_NEAREST
NAN_OF_HALF = 0x7E00


@runtime("PRODUCT", inline=True)
def half_values(low: v32) -> vf32:
    """The low 16 bits of each word as f16."""
    return fpext(bitcast(trunc(low, v16), vf16), vf32)


@runtime("PRODUCT", inline=True)
def from_e4m3(byte: v32) -> vf32:
    """f16 has the same fraction's top bits and an exponent eight higher; the one size of NaN is all ones."""
    size = byte & 0x7F
    word = (size << 7) | ((byte & 0x80) << 8)
    return half_values(v32(NAN_OF_HALF) if size == 0x7F else word) * 256.0


@runtime("PRODUCT", inline=True)
def signed_values(word: v32) -> vf32:
    return sitofp(word, vf32)


@runtime("PRODUCT")
def product(a: ptr(PRODUCT.unit), b: ptr(PRODUCT.unit), c: ptr(PRODUCT.unit), d: ptr(PRODUCT.unit)) -> void:
    """Each pointer: registers of 32 lanes one after the other. `d` may be `c`."""
    left = array(PRODUCT.compute, PRODUCT.size(A))
    right = array(PRODUCT.compute, PRODUCT.size(B))
    sums = array(PRODUCT.total, PRODUCT.size(C))
    for operand in unrolled(2):
        source = b if operand else a
        target = right + 0 if operand else left + 0
        for r in unrolled(PRODUCT.registers(operand)):
            word = vload(source + 32 * r, PRODUCT.words)
            for n in unrolled(PRODUCT.elements(operand)):
                place = target + 32 * (PRODUCT.elements(operand) * r + n)
                part = word >> n * PRODUCT.bits(operand)
                if PRODUCT.kind(operand) == "f16":
                    vstore(place, half_values(part))
                elif PRODUCT.kind(operand) == "bf16":
                    vstore(place, bitcast(part << 16, vf32))
                elif PRODUCT.kind(operand) == "tf32":
                    vstore(place, bitcast(part & 0xFFFFE000, vf32))
                elif PRODUCT.kind(operand) == "e5m2":
                    vstore(place, half_values(part << 8))
                elif PRODUCT.kind(operand) == "e4m3":
                    vstore(place, from_e4m3(part & 0xFF))
                elif PRODUCT.kind(operand) == "s8":
                    vstore(place, signed_values(ashr(part << 24, 24)))
                elif PRODUCT.kind(operand) == "u8":
                    vstore(place, signed_values(part & 0xFF))
                elif PRODUCT.kind(operand) == "s4":
                    vstore(place, signed_values(ashr(part << 28, 28)))
                elif PRODUCT.kind(operand) == "u4":
                    vstore(place, signed_values(part & 0xF))
                else:
                    vstore(place, bitcast(word, PRODUCT.values))
    for r in unrolled(PRODUCT.registers(C)):
        word = vload(c + 32 * r, PRODUCT.words)
        if PRODUCT.c == "f16":
            vstore(sums + 64 * r, half_values(word))
            vstore(sums + (64 * r + 32), half_values(word >> 16))
        else:
            vstore(sums + 32 * r, bitcast(word, PRODUCT.totals))
    # Column k of eight rows of A, and row k of B, each in one piece.
    columns = array(PRODUCT.compute, PRODUCT.size(A))
    rows = array(PRODUCT.compute, PRODUCT.size(B))
    for k in unrolled(PRODUCT.size(B) // 8):
        vstore(rows + 8 * k, gather(right, PRODUCT.factors_at(k)))
    for n in unrolled(PRODUCT.size(A) // 8):
        vstore(columns + 8 * n, gather(left, PRODUCT.column_at(n)))
    lines = array(PRODUCT.line, 8)
    for eight in unrolled(PRODUCT.rows // 8):
        for m in unrolled(8):
            if PRODUCT.integral:
                lines[m] = PRODUCT.line(0)
            else:
                lines[m] = gather(sums, PRODUCT.line_at(C, 8 * eight + m))
        column = columns + 8 * PRODUCT.depth * eight
        row = rows + 8 * PRODUCT.first_row(8 * eight)
        for _ in range(PRODUCT.depth):
            factors = vload(row, PRODUCT.line)
            for m in unrolled(8):
                factor = PRODUCT.line(column[m])
                if PRODUCT.combine == "xor":
                    lines[m] = lines[m] + ctpop(factor ^ factors)
                elif PRODUCT.combine == "and":
                    lines[m] = lines[m] + ctpop(factor & factors)
                elif PRODUCT.d == "f64":
                    lines[m] = fma(factor, factors, lines[m])
                elif PRODUCT.exact:
                    lines[m] = fmuladd(factor, factors, lines[m])
                else:
                    lines[m] = lines[m] + factor * factors
            row = row + 8
            column = column + 8
        for m in unrolled(8):
            if PRODUCT.integral:
                before = gather(sums, PRODUCT.line_at(C, 8 * eight + m))
                total = PRODUCT.total_line(0)
                if PRODUCT.combine != "":
                    total = lines[m]
                else:
                    total = fptosi(lines[m], PRODUCT.total_line)
                scatter(
                    sums,
                    PRODUCT.line_at(D, 8 * eight + m),
                    sadd_sat(before, total) if PRODUCT.clamps else before + total,
                )
            else:
                scatter(sums, PRODUCT.line_at(D, 8 * eight + m), lines[m])
    for r in unrolled(PRODUCT.registers(D)):
        if PRODUCT.d == "f16":
            low = zext(bitcast(fptrunc(vload(sums + 64 * r, vf32), vf16), v16), v32)
            high = zext(bitcast(fptrunc(vload(sums + (64 * r + 32), vf32), vf16), v16), v32)
            vstore(d + 32 * r, low | (high << 16))
        else:
            vstore(d + 32 * r, bitcast(vload(sums + 32 * r, PRODUCT.totals), PRODUCT.words))


@runtime("PRODUCT", "ROUNDING")
def directed(a: ptr(PRODUCT.unit), b: ptr(PRODUCT.unit), c: ptr(PRODUCT.unit), d: ptr(PRODUCT.unit)) -> void:
    """`product`, each fused addition rounded in one direction. (A call of its own, which no addition leaves.)"""
    set_rounding(ROUNDING)
    product(a, b, c, d)
    set_rounding(TO_NEAREST)
