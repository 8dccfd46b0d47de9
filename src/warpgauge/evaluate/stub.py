"""What a kernel's own signature says about the problem and the candidate that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from warpgauge.build import compile_source
from warpgauge.build.names import readable
from warpgauge.problem.expr import RESERVED
from warpgauge.problem.model import LAUNCH_NAMES
from warpgauge.problem.place import fail
from warpgauge.ptx import Kernel, Variable, parsed

from .signature import Declared, Signature, signatures

Kind = Literal["tensor", "dimension", "number", "flag", "bytes"]

_FLOATS = ("f16", "bf16", "f32", "f64", "e4m3", "e5m2")


@dataclass(frozen=True)
class StubParameter:
    """One parameter: what it becomes in the files. `dtype` is empty where the source uses a type of its own.

    `written` marks a tensor that is not only read, `size` is the parameter's bytes (0: not known).
    """

    name: str
    kind: Kind
    dtype: str
    written: bool = False
    size: int = 0


@dataclass(frozen=True)
class StubKernel:
    """One launch. `name` is the function's in the source, `block` the threads that the kernel itself asks for (0: it
    does not say), `dynamic_shared` whether it uses shared memory that a launch sizes.
    """

    entry: str
    name: str
    parameters: tuple[StubParameter, ...]
    block: int = 0
    dynamic_shared: bool = False


@dataclass(frozen=True)
class Stub:
    """Everything that a source says; the rest is for its author to fill in."""

    source: Path
    arch: str
    kernels: tuple[StubKernel, ...]

    @property
    def parameters(self) -> Mapping[str, StubParameter]:
        """The parameters of all kernels by name; a tensor counts as written if any kernel writes it."""
        found: dict[str, StubParameter] = {}
        for parameter in (p for kernel in self.kernels for p in kernel.parameters):
            known = found.setdefault(parameter.name, parameter)
            written, dtype = known.written or parameter.written, known.dtype or parameter.dtype
            found[parameter.name] = replace(known, written=written, dtype=dtype)
        return found


def _name(name: str) -> str:
    return f"{name}_" if name in RESERVED | LAUNCH_NAMES else name


def _parameter(source: Declared | None, ptx: Variable | None, index: int) -> StubParameter:
    name = _name(source.name if source else f"p{index}")
    size = ptx.size if ptx else 0
    if source is None:
        # PTX alone: a pointer and a 64-bit integer look the same, and pointers are what kernels mostly take.
        assert ptx is not None
        if ptx.type in ("u64", "b64", "s64") and ptx.size == 8:
            return StubParameter(name, "tensor", "", True, size)
        plain = {"u": "dimension", "s": "dimension", "f": "number"}.get(ptx.type[0])
        return StubParameter(name, plain or "bytes", "", False, size)  # type: ignore[arg-type]
    if source.pointer:
        return StubParameter(name, "tensor", source.dtype, not source.constant, size)
    if not source.dtype:
        return StubParameter(name, "bytes", "", False, size)
    kind: Kind = "flag" if source.dtype == "bool" else "number" if source.dtype in _FLOATS else "dimension"
    return StubParameter(name, kind, source.dtype, False, size)


def _matching(symbol: str, known: list[Signature]) -> Signature | None:
    """The declaration of a compiled kernel: by its name, or by the name inside a mangled instance's."""
    plain = readable(symbol).rpartition("::")[2]
    return next((s for s in known if s.name == plain or f"{len(s.name)}{s.name}" in symbol), None)


def _compiled(entry: str, symbol: str, kernel: Kernel, known: list[Signature]) -> StubKernel:
    found = _matching(symbol, known)
    named = found.parameters if found and len(found.parameters) == len(kernel.params) else None
    parameters = tuple(_parameter(named[i] if named else None, p, i) for i, p in enumerate(kernel.params))
    threads = kernel.directives.get("reqntid") or kernel.directives.get("maxntid") or (0,)
    dynamic = any(variable.extern and not variable.size for variable in kernel.shared)
    return StubKernel(entry, found.name if found else entry, parameters, threads[0], dynamic)


def stub_of(source: Path, *, arch: str = "sm_90") -> Stub:
    """Compiles `source` and reads its kernels: parameters from the PTX, names and types from the source.

    Templates that the source does not instantiate are known by their text alone; their entry ends in `<?>`.
    WarpgaugeError: what compiling raises, and PRB903 where there is no kernel at all.
    """
    build = compile_source(source, arch=arch, sass=False)
    own = {} if source.suffix == ".ptx" else build.sources
    known = signatures(own)
    module = parsed(build.ptx)
    kernels = [_compiled(entry, symbol, module.kernels[symbol], known) for entry, symbol in build.lowered.items()]
    made = {found.name for symbol in build.lowered.values() if (found := _matching(symbol, known))}
    for signature in known:
        if signature.template and signature.name not in made:
            parameters = tuple(_parameter(p, None, i) for i, p in enumerate(signature.parameters))
            kernels.append(StubKernel(f"{signature.name}<?>", signature.name, parameters))
    if not kernels:
        raise fail("PRB903", f"{source} has no __global__ function", "")
    order = [signature.name for signature in known]
    kernels.sort(key=lambda kernel: order.index(kernel.name) if kernel.name in order else len(order))
    return Stub(source, arch, tuple(kernels))
