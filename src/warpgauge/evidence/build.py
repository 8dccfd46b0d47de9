"""What compiling a candidate produced."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KernelResources:
    """ptxas's figures for one kernel: registers per thread; bytes for the rest."""

    entry: str
    registers: int
    static_shared: int
    stack_frame: int
    spill_stores: int
    spill_loads: int
    constant: int = 0
    barriers: int = 0


@dataclass(frozen=True)
class BuildArtifact:
    """Compiled source for one architecture.

    `lowered` maps each requested entry (plain name, mangled name or template instance) to its symbol in `ptx`.
    `sass` is nvdisasm's text with PTX line numbers (`-gp`), empty if disassembly was not asked for.
    `sources` maps each user file the compiler read to its text, for carets in diagnostics.
    `compiler` names the tool and version, `key` the content address in the cache.
    """

    arch: str
    ptx: str
    cubin: bytes
    sass: str
    lowered: dict[str, str]
    resources: dict[str, KernelResources]
    sources: dict[str, str]
    compiler: str
    key: str
    log: str = ""
