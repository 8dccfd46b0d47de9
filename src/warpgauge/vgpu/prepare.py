"""From a parsed kernel to machine code: variable layout, granules, sites, the loaded functions."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from warpgauge import ptx
from warpgauge.diagnostics import Diagnostic, WarpgaugeError
from warpgauge.evidence import BuildArtifact

from .divergence import parted_bytes, splits
from .emit import unread
from .frame import Frame, SiteKey
from .functions import assemble, function_numbers
from .generated import generate
from .jit import Machine, link
from .state import resume_blocks

Mode = str  # run | count | shadow | trace
MODES = ("run", "count", "shadow", "trace")


@dataclass(frozen=True)
class Prepared:
    """A kernel ready to run in one mode. `shared_static` in bytes; dynamic shared memory follows at `dynamic_at`."""

    kernel: ptx.Kernel
    module: ptx.Module
    mode: Mode
    machine: Machine
    sites: tuple[SiteKey, ...]
    unsupported: Mapping[int, str]
    shared: Mapping[str, int]
    shared_static: int
    dynamic_at: int
    local: Mapping[str, int]
    entry_block: int
    prints: bool
    local_bytes: int
    state_bytes: int
    resumes: tuple[int, ...]
    variables: tuple[ptx.Variable, ...]
    granule_shift: Mapping[str, int]
    global_atomics: bool
    copies: bool
    mbarriers: bool
    decisions: tuple[ptx.Decision, ...]
    parted_bytes: int
    seconds: float
    functions: dict[str, Any] = field(default_factory=dict)


_prepared: dict[tuple[str, str, Mode], Prepared] = {}
_lock = threading.Lock()


def parsed(build: BuildArtifact) -> ptx.Module:
    return ptx.parsed(build.ptx)


def prepare(build: BuildArtifact, entry: str, mode: Mode) -> Prepared:
    """Generate (or fetch) code for `entry` of a build. Raises WarpgaugeError PRB903 for an unknown entry."""
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is none of {MODES}")
    module = parsed(build)
    symbol = build.lowered.get(entry, entry)
    if symbol not in module.kernels:
        known = ", ".join(sorted(build.lowered)) or "none"
        raise WarpgaugeError(Diagnostic("PRB903", "error", f"no kernel '{entry}' in the build; it has: {known}"))
    key = (build.key, symbol, mode)
    with _lock:
        if key in _prepared:
            return _prepared[key]
    start = time.perf_counter()
    made = _generate(module, module.kernels[symbol], mode, start)
    with _lock:
        return _prepared.setdefault(key, made)


def _layout(variables: tuple[ptx.Variable, ...]) -> tuple[dict[str, int], int]:
    """Byte offsets in declaration order, each aligned; and the end."""
    offsets, at = {}, 0
    for v in variables:
        at = -(-at // v.align) * v.align
        offsets[v.name] = at
        at += v.size
    return offsets, at


def _generate(module: ptx.Module, entry: ptx.Kernel, mode: Mode, start: float) -> Prepared:
    program = assemble(module, entry)
    kernel = program.kernel
    fixed = tuple(v for v in kernel.shared if not v.extern)
    shared, end = _layout(fixed)
    dynamic = [v for v in kernel.shared if v.extern]
    align = max((v.align for v in dynamic), default=16)
    dynamic_at = -(-end // max(align, 16)) * max(align, 16)
    shared.update({v.name: dynamic_at for v in dynamic})
    local, local_end = _layout(kernel.local)
    named = _named(kernel)
    variables = tuple(v for v in module.variables.values() if v.space in ("global", "const") and v.name in named)
    variables = _with_relocated(module, variables)
    granules = _granules(kernel)
    frame = Frame(
        count=mode != "run",
        shadow=mode == "shadow",
        trace=mode == "trace",
        shared=shared,
        local=local,
        variables={v.name: n for n, v in enumerate(variables)},
        params={p.name: p for p in kernel.params},
        granule_shift=granules,
        functions=function_numbers(module),
    )
    code = generate(module, program, frame, mode)
    machine = link(code.objects, code.symbols)
    decisions = splits(program)
    return Prepared(
        kernel=kernel,
        module=module,
        mode=mode,
        machine=machine,
        sites=code.sites,
        unsupported=code.unsupported,
        shared=shared,
        shared_static=end,
        dynamic_at=dynamic_at,
        local=local,
        entry_block=program.entry,
        prints=any(i.opcode == "call" and "vprintf" in i.text for i in kernel.instructions),
        local_bytes=-(-local_end // 16) * 16,
        state_bytes=code.state_bytes,
        resumes=resume_blocks(kernel),
        variables=variables,
        granule_shift=granules,
        global_atomics=any(s.op == "atomic" and s.space == "global" for s in code.sites),
        copies=any(s.asynchronous for s in code.sites),
        mbarriers=any(i.opcode == "mbarrier" or "mbarrier" in i.modifiers for i in kernel.instructions),
        decisions=decisions,
        parted_bytes=parted_bytes(decisions),
        seconds=time.perf_counter() - start,
        functions=_functions(machine),
    )


def _functions(machine: Machine) -> dict[str, Any]:
    i64, pointer = ctypes.c_int64, ctypes.c_void_p
    types = {"rt_run_range": (i64, i64), "rt_block_init": (i64,), "rt_block_step": ()}
    out = {}
    for name, more in types.items():
        out[name[3:]] = machine.function(name, i64 if name != "rt_block_init" else None, pointer, pointer, *more)
    return out


def _named(kernel: ptx.Kernel) -> set[str]:
    out = set()
    for i in kernel.instructions:
        for o in i.operands:
            if isinstance(o, ptx.Symbol):
                out.add(o.name)
            elif isinstance(o, ptx.Address) and isinstance(o.base, ptx.Symbol):
                out.add(o.base.name)
    return out


def _with_relocated(module: ptx.Module, variables: tuple[ptx.Variable, ...]) -> tuple[ptx.Variable, ...]:
    """Also the variables that initial values point to."""
    out = {v.name: v for v in variables}
    work = list(variables)
    while work:
        for _, target in work.pop().relocations:
            name = target.split("+")[0]
            if name in module.variables and name not in out:
                out[name] = module.variables[name]
                work.append(out[name])
    return tuple(out.values())


_WIDE = {"ldmatrix": 16, "stmatrix": 16, "mbarrier": 8}
_VECTORS = {"v2": 2, "v4": 4, "v8": 8}


def _granules(kernel: ptx.Kernel) -> dict[str, int]:
    """log2 of the smallest access of each space, at most 4 bytes (global) or 16 (shared): finer than that no two can
    differ. An instruction that is not known here may access 4 bytes."""
    smallest = {"global": 4, "shared": 16}
    apart: frozenset[str] | None = None
    for i in kernel.instructions:
        if not any(isinstance(o, ptx.Address) for o in i.operands) or "param" in i.modifiers or "const" in i.modifiers:
            continue
        size = _WIDE.get(i.opcode, 4)
        if i.opcode in ("ld", "st", "atom", "red", "ldu") and i.types:
            size = ptx.TYPE_BYTES[i.types[-1]]
            vector = i.operands[0 if i.opcode in ("ld", "ldu") else 1]
            if i.opcode in ("ld", "st", "ldu") and isinstance(vector, ptx.Vector):
                apart = unread(kernel) if apart is None else apart
                # Elements that nothing reads count as not read: then each is one for itself.
                whole = i.opcode == "st" or apart.isdisjoint(n for e in vector.elements for n in ptx.registers_of(e))
                named = all(isinstance(e, ptx.Register) and e.name != "_" for e in vector.elements)
                size *= len(vector.elements) if whole and (named or i.opcode == "st") else 1
        elif i.opcode == "cp" and len(i.operands) > 2 and isinstance(i.operands[2], ptx.Immediate):
            size = i.operands[2].value
        for space in smallest:
            if space in i.modifiers or not {"global", "shared", "local"} & set(i.modifiers):
                smallest[space] = min(smallest[space], size)
    return {space: size.bit_length() - 1 for space, size in smallest.items()}
