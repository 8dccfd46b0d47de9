"""Generated code of a kernel and what belongs to it, kept by content: a second process need not generate again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warpgauge import ptx, store

from . import jit
from .frame import Frame, SiteKey
from .functions import Program

_EXPORTS = ("rt_run_range", "rt_block_init", "rt_block_step")


@dataclass(frozen=True)
class Generated:
    """`objects` are keys of machine code; `symbols` the scheduler's functions in it; `unsupported` instructions by
    index with the reason; `state_bytes` the size of a warp's state."""

    objects: tuple[str, ...]
    symbols: Mapping[str, str]
    sites: tuple[SiteKey, ...]
    unsupported: Mapping[int, str]
    state_bytes: int


@cache
def engine_digest() -> str:
    """Hash of everything that decides what code a kernel becomes: this folder, the parser, the CPU."""
    digest = hashlib.sha256(repr(jit.host_cpu()).encode())
    here = Path(__file__).parent
    for file in sorted([*here.rglob("*.py"), *(here.parent / "ptx").glob("*.py")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def generate(module: ptx.Module, program: Program, frame: Frame, mode: str) -> Generated:
    """From the store, or made now."""
    kernel = program.kernel
    # What the kernel's module variables are called and where they lie is part of the frame, not of the kernel's text;
    # so is what the machine code says of its tiles.
    parts = (engine_digest(), module.text, kernel.name, mode, repr(sorted(frame.variables.items())), repr(frame.tiles))
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    found = _stored(key, kernel)
    if found is not None:
        return found
    from .codegen import kernel_code  # the code generator is only loaded where there is something to generate

    text, code = kernel_code(program, frame, {"SHADOW": mode == "shadow"})
    units = code.library.units()
    objects = (jit.compile_module(text), *(jit.compile_module(u.text) for u in units))
    symbols = {e: next(u.symbol for u in units if u.symbol.startswith(e)) for e in _EXPORTS}
    made = Generated(objects, symbols, tuple(frame.sites), code.unsupported, int(code.library.constants["STATE_BYTES"]))
    store.save("code", key, json.dumps(_encode(made)).encode())
    return made


def _encode(made: Generated) -> dict[str, object]:
    sites = [(s.instruction.index, s.space, s.op, s.bytes_per_lane, s.merges, s.by_tile) for s in made.sites]
    unsupported = [[index, why] for index, why in made.unsupported.items()]
    return {
        "objects": made.objects,
        "symbols": dict(made.symbols),
        "sites": sites,
        "unsupported": unsupported,
        "state_bytes": made.state_bytes,
    }


def _stored(key: str, kernel: ptx.Kernel) -> Generated | None:
    """A stored plan whose machine code is all there."""
    body = store.load("code", key)
    if body is None:
        return None
    data = json.loads(body)
    if any(jit.fetch(k) is None for k in data["objects"]):
        return None
    instructions = kernel.instructions
    sites = tuple(SiteKey(instructions[index], *rest) for index, *rest in data["sites"])
    unsupported = {int(index): why for index, why in data["unsupported"]}
    return Generated(tuple(data["objects"]), data["symbols"], sites, unsupported, int(data["state_bytes"]))
