"""`warpgauge pad` for a terminal and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console

from warpgauge.diagnostics.terminal import show, wrapped
from warpgauge.evaluate.padding import Choice, PadAnswer
from warpgauge.padding import Tile

# dtype -> its name in CUDA C++, where that is another.
_TYPES = {
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned int",
    "u64": "unsigned long long",
    "i8": "signed char",
    "i16": "short",
    "i32": "int",
    "i64": "long long",
    "f16": "half",
    "bf16": "__nv_bfloat16",
    "f32": "float",
    "f64": "double",
    "e4m3": "__nv_fp8_e4m3",
    "e5m2": "__nv_fp8_e5m2",
}
_TITLES = {"now": "as it is", "pad": "pad", "swizzle": "swizzle"}


def declaration(choice: Choice, tile: Tile, dtype: str) -> str:
    """The array in CUDA C++; 16-byte rows need the array itself aligned as well."""
    pitch = choice.option.layout.pitch // tile.element_bytes
    return f"__shared__ __align__(16) {_TYPES.get(dtype, dtype)} tile[{tile.rows}][{pitch}];"


def index(choice: Choice, tile: Tile) -> str:
    """How element (r, c) is addressed."""
    return f"tile[r][{choice.option.layout.column(tile.element_bytes)}]"


def pad_json(answer: PadAnswer, dtype: str) -> dict[str, Any]:
    """Plain data: every layout with its formula, cost, predicted and counted wavefronts."""
    tile = answer.advice.tile
    return {
        "tile": {"rows": tile.rows, "columns": tile.columns, "dtype": dtype, "element_bytes": tile.element_bytes},
        "arch": answer.choices[0].occupancy.arch,
        "threads": answer.choices[0].occupancy.demand.threads,
        "layouts": [_choice_json(choice, answer, dtype) for choice in answer.choices],
    }


def _choice_json(choice: Choice, answer: PadAnswer, dtype: str) -> dict[str, Any]:
    tile, layout, found = answer.advice.tile, choice.option.layout, choice.occupancy
    return {
        "name": choice.name,
        "declaration": declaration(choice, tile, dtype),
        "index": index(choice, tile),
        "pitch": layout.pitch // tile.element_bytes,
        "swizzle": asdict(layout.swizzle) if layout.swizzle else None,
        "bytes": choice.bytes,
        "wasted": choice.wasted,
        "alignment": layout.alignment,
        "misaligned": list(choice.option.misaligned),
        "conflict_free": choice.option.good,
        "splits_sectors": choice.splits_sectors,
        "occupancy": {
            "blocks_per_sm": found.blocks_per_sm,
            "warps_per_sm": found.warps_per_sm,
            "occupancy": found.occupancy,
            "limited_by": ", ".join(found.limited_by),
            "shared": found.demand.shared,
            "refused": found.refused,
        },
        "accesses": [
            {
                "access": access.word,
                "bytes_per_lane": access.bytes_per_lane,
                "predicted": asdict(cost),
                "counted": asdict(counted),
            }
            for access, cost, counted in zip(
                answer.advice.accesses, choice.option.costs, choice.counted.accesses, strict=True
            )
        ],
        "faults": list(choice.counted.faults),
        "agrees": choice.agrees,
        "provenance": asdict(choice.counted.provenance),
    }


def _cell(answer: PadAnswer, choice: Choice, n: int) -> str:
    """Counted wavefronts of one access; those that a layout could save in brackets."""
    if choice.counted.faults:
        return "faults" if answer.advice.accesses[n].word in choice.option.misaligned else "-"
    saved = choice.option.costs[n].avoidable
    return f"{choice.counted.accesses[n].wavefronts:,}" + (f" ({saved:,} conflicts)" if saved else "")


def render_pad(console: Console, answer: PadAnswer, dtype: str) -> None:
    """The verdict on the layout at hand, the layouts that are advised, what they cost, and what was counted."""
    tile, now = answer.advice.tile, answer.choices[0]
    for line in wrapped(_verdict(answer), console.width, "", "  "):
        show(console, (line, "bold"))
    for choice in answer.choices:
        show(console, (f"{_TITLES[choice.name]}: ", "bold"), declaration(choice, tile, dtype))
        found = choice.occupancy
        words = [
            f"element (r, c) is {index(choice, tile)}",
            f"{choice.bytes:,} bytes, {choice.wasted:,} of them padding",
            f"{found.blocks_per_sm} blocks and {found.warps_per_sm} warps per SM of {found.arch} with "
            f"{found.demand.registers} registers and {found.demand.shared:,} bytes of shared memory (limited by "
            f"{', '.join(found.limited_by)})",
        ]
        if choice.splits_sectors:
            words.append(
                "rows do not begin at multiples of 32 bytes: cp.async.cg would fetch sectors again, cp.async.ca not"
            )
        if found.refused:
            words.append(f"does not launch: {found.refused}")
        words += [f"found by executing it: {fault}" for fault in choice.counted.faults[:1]]
        for text in words:
            for line in wrapped(text, console.width, "  ", "    "):
                show(console, line)
    show(console, (f"Wavefronts of the whole tile ({now.counted.provenance}, by executing every layout)", "bold"))
    headings = ["access", "requests", "least", *(_TITLES[choice.name] for choice in answer.choices)]
    rows = [
        [
            access.word,
            f"{now.option.costs[n].requests:,}",
            _least(answer, n),
            *(_cell(answer, choice, n) for choice in answer.choices),
        ]
        for n, access in enumerate(answer.advice.accesses)
    ]
    widths = [max(len(row[n]) for row in [headings, *rows]) for n in range(len(headings))]
    for row in [headings, *rows]:
        cells = [
            f"{row[0]:<{widths[0]}}",
            *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        show(console, "  " + "  ".join(cells))
    if not all(choice.agrees for choice in answer.choices):
        text = "Execution did not find what the rule predicts, so none of this is vouched for: please report it."
        for line in wrapped(text, console.width, "", "  "):
            show(console, (line, "bold red"))


def _least(answer: PadAnswer, n: int) -> str:
    return f"{min(choice.option.costs[n].least for choice in answer.choices):,}"


def _verdict(answer: PadAnswer) -> str:
    now, others = answer.choices[0].option, answer.choices[1:]
    if now.good and not others:
        return "The tile is free of bank conflicts as it is: nothing to change."
    if now.good:
        return "The tile is free of bank conflicts as it is, and stays so in less memory."
    what = (
        f"{', '.join(dict.fromkeys(now.misaligned))}: wider than the rows keep aligned, which faults"
        if now.misaligned
        else f"{now.avoidable:,} avoidable conflicts in {now.wavefronts:,} wavefronts"
    )
    if not others:
        return f"{what}. No padding and no swizzle of this kind saves any: change which lane handles which element."
    good = [f"the {choice.name}" for choice in others if choice.option.good]
    left = [f"the {choice.name} leaves {choice.option.avoidable:,}" for choice in others if not choice.option.good]
    if not good:
        return f"{what}. No layout frees all accesses at once; the best of each kind: {', '.join(left)}."
    free = " and ".join(good)
    return f"{what}. {free[0].upper() + free[1:]} below free{'s' * (len(good) == 1)} all accesses at once" + (
        f"; {', '.join(left)}." if left else "."
    )
