"""LLVM types as the restricted Python of `runtime/` names them: i32, f32, ptr(i64), v(i32) for one value per lane."""

from __future__ import annotations

from dataclasses import dataclass

LANES = 32


@dataclass(frozen=True)
class Type:
    """`name` is LLVM's spelling; `element` the pointee of a pointer or the lane type of a vector."""

    name: str
    kind: str  # int | float | ptr | vector | void
    bits: int = 0
    element: Type | None = None
    lanes: int = 0


i1, i8, i16, i32, i64 = (Type(f"i{n}", "int", n) for n in (1, 8, 16, 32, 64))
f16, f32, f64 = Type("half", "float", 16), Type("float", "float", 32), Type("double", "float", 64)
void = Type("void", "void")


def ptr(element: Type) -> Type:
    return Type("ptr", "ptr", 64, element)


def v(element: Type, lanes: int = LANES) -> Type:
    """One value per lane of a warp, or of a half-warp."""
    return Type(f"<{lanes} x {element.name}>", "vector", lanes * element.bits, element, lanes)


def half(element: Type) -> Type:
    return v(element, LANES // 2)


p8, p16, p32, p64 = ptr(i8), ptr(i16), ptr(i32), ptr(i64)
v1, v8, v16, v32, v64 = v(i1), v(i8), v(i16), v(i32), v(i64)
o32 = v(i32, 8)
vf16, vf32, vf64 = v(f16), v(f32), v(f64)
h1, h32, h64 = half(i1), half(i32), half(i64)
INTS = {t.bits: t for t in (i1, i8, i16, i32, i64)}
