"""Cases: matrices loaded by wmma, multiplied and stored, in every shape and type."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .case import Case
from .tensor import BITS

# PTX type of the memory that holds a kind of element, and the domain of its values.
_INPUTS = {
    "f16": ("f16x2", "unit"), "bf16": ("bf16x2", "unit"), "tf32": ("f32", "unit"), "f32": ("f32", "unit"),
    "f64": ("f64", "unit"), "s32": ("s32", "any"), **dict.fromkeys(("s8", "u8", "s4", "u4", "b1"), ("u32", "bits")),
}  # fmt: skip
_LARGE = ("m16n16k16", "m8n32k16", "m32n8k16")


def _registers(operand: str, size: int, kind: str) -> int:
    """Of a fragment; A and B of f16 always have eight."""
    return 8 if kind == "f16" and operand in "ab" else size * BITS[kind] // 32 // max(32, BITS[kind])


def _memory(size: int, kind: str) -> str:
    base, _ = _INPUTS[kind]
    count = size * BITS[kind] // 32 // max(32, BITS[kind])
    return f"{base}*{count}"


def product_case(
    shape: str, layouts: str, factor: str, sums: tuple[str, str], how: str = "", space: str = ".global", pad: int = 0
) -> Case:
    """D = A B + C of one warp. `layouts`: of A, B, C and D, "r" or "c" each; `sums`: types of D and C; `space`: ""
    for generic addresses, which are the same here; `pad`: D's lines are as many elements longer than the tile's."""
    d, c = sums
    m, n, k = (int(x) for x in re.findall(r"\d+", shape))
    sizes = {"a": (m, k), "b": (k, n), "c": (m, n), "d": (m, n)}
    kinds = {"a": factor, "b": factor, "c": c, "d": d}
    words = {"r": "row", "c": "col"}
    wide = d == "f64"
    names = {x: [f"%w{x}{at}" for at in range(_registers(x, size[0] * size[1], kinds[x]))] for x, size in sizes.items()}
    group = {x: "{" + ", ".join(given) + "}" for x, given in names.items()}
    body = [f"ld.param.u64 %u{at}, [param_{x}];" for at, x in enumerate("abcd")]
    for at, (x, layout) in enumerate(zip("abc", layouts, strict=False)):
        stride = sizes[x][1] if layout == "r" else sizes[x][0]
        form = f"wmma.load.{x}.sync.aligned.{words[layout]}.{shape}{space}.{kinds[x]}"
        body += [f"mov.u32 %t0, {stride};", f"{form} {group[x]}, [%u{at}], %t0;"]
    types = f"{d}.{c}" if factor == "f16" else f"{d}.{factor}.{factor}.{c}"
    middle = f"{words[layouts[0]]}.{words[layouts[1]]}.{shape}"
    clamp = how if "satfinite" in how else ""
    combine = how if "popc" in how else ""
    rounding = how if d == "f64" else ""
    form = f"wmma.mma{combine}.sync.aligned.{middle}{rounding}.{types}{clamp}"
    body.append(f"{form} {', '.join(group[x] for x in 'dabc')};")
    # Without a stride operand the lines follow each other.
    tail = f", {sizes['d'][1] if layouts[3] == 'r' else sizes['d'][0]}" if pad else ""
    body.append(f"wmma.store.d.sync.aligned.{words[layouts[3]]}.{shape}{space}.{d} [%u3], {group['d']}{tail};")
    inputs = tuple((_memory(sizes[x][0] * sizes[x][1], kinds[x]), _INPUTS[kinds[x]][1]) for x in "abc")
    # A count of one: the case's frame would load it into a register of its own, which is left alone.
    operands = tuple((kind.removesuffix("*1"), domain) for kind, domain in inputs)
    output = _memory(m * n, d)
    declare = tuple(f".reg .b{64 if wide else 32} %w{x}<{len(given)}>;" for x, given in names.items())
    title = f"wmma {shape}.{types}{how} {layouts}{space or ' generic'}"
    return Case(
        title, tuple(body), output, operands, lines_before=declare, grid=(1, 1, 1), block=(32, 1, 1),
        device_may_differ=d[0] == "f",
    )  # fmt: skip


def float_cases() -> Iterator[Case]:
    for n, shape in enumerate(_LARGE):
        layouts = ("rrrr", "rccr", "crrc", "cccc")
        for at, sums in enumerate((("f32", "f32"), ("f16", "f16"), ("f32", "f16"), ("f16", "f32"))):
            yield product_case(shape, layouts[(n + at) % 4], "f16", sums, space=".global" if at else "")
        for layout in layouts[n % 2 :: 2]:
            yield product_case(shape, layout, "bf16", ("f32", "f32"))
    for layout, rounding in (("rrrc", ""), ("ccrr", ".rz")):
        yield product_case("m16n16k8", layout, "tf32", ("f32", "f32"))
        yield product_case("m8n8k4", layout, "f64", ("f64", "f64"), rounding, pad=1)


def integer_cases() -> Iterator[Case]:
    for n, shape in enumerate(_LARGE):
        for at, (kind, layout) in enumerate((("s8", "rrrr"), ("u8", "rccr"), ("s8", "crrc"), ("u8", "cccc"))):
            how = ".satfinite" if (n + at) % 2 else ""
            yield product_case(shape, layout, kind, ("s32", "s32"), how, space="" if at == n else ".global")
    for kind, how in (("s4", ""), ("u4", ".satfinite")):
        yield product_case("m8n8k32", "rcrc", kind, ("s32", "s32"), how)
    for how in (".xor.popc", ".and.popc"):
        yield product_case("m8n8k128", "rccr", "b1", ("s32", "s32"), how)


CASES = (*float_cases(), *integer_cases())
