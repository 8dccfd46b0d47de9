"""`compile_source`: a candidate's source file -> PTX, cubin, SASS, resources and entry symbols for one architecture."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warpgauge.arch.retired import buildable, why_not
from warpgauge.diagnostics import Diagnostic, Span, WarpgaugeError
from warpgauge.evidence import BuildArtifact, Location

from . import cache as artifact_cache
from .errors import only_errors, parse_nvrtc_log, parse_ptxas_log
from .hostcode import explain_host_code
from .includes import UserFiles, refusal, user_files
from .inline_asm import own_registers
from .macro_clash import explain_macros
from .names import entry_names, source_kernels
from .resources import parse_resources, without_times
from .retired import old_votes, with_advice
from .too_new import explain_assembler, explain_front_end, explain_ptx
from .toolchain import STUBS, find_toolchain

if TYPE_CHECKING:
    from .nvrtc import NvrtcResult

_PTX_FILE = re.compile(r'^\s*\.file\s+\d+\s+"((?:[^"\\]|\\.)*)"', re.MULTILINE)
_QUOTED_EXPRESSION = re.compile(r'name expression was: "([^"]*)"')
_FIRST = "warpgauge_first.h"
# What the compiler reads in place of a file that is not the candidate's.
_OUTSIDE = "#error outside the folders of this source\n"


@dataclass(frozen=True)
class _Job:
    """What to build: absolute paths, macros as text, `sources` the user's files by path, `outside` as in UserFiles.

    `text` stands in place of what the source holds, None for its own.
    """

    source: Path
    arch: str
    entries: tuple[str, ...]
    macros: dict[str, str]
    folders: tuple[Path, ...]
    sources: dict[str, str]
    outside: Mapping[str, Sequence[Location]]
    text: str | None = None


@dataclass(frozen=True)
class _Translation:
    """What NVRTC or nvJitLink made of a job; `lowered` only has what name expressions resolved."""

    ptx: str
    cubin: bytes
    log: str
    lowered: dict[str, str]


def source_files(path: Path, *, defines: Mapping[str, object] | None = None, include: Sequence[Path] = ()) -> UserFiles:
    """The user's files that a build may read, and those that it must not. WarpgaugeError SRC801 or PRB907."""
    source, folders = _absolute(path), tuple(map(_absolute, include))
    try:
        if Path(os.path.realpath(source)).suffix != source.suffix:
            message = f"cannot read {path}: a link to a file of another kind"
            raise WarpgaugeError(Diagnostic("PRB907", "error", message, Span(Location(str(path), 0))))
        return user_files(source, folders, find_toolchain().includes, _macros(defines))
    except OSError as error:
        message = f"cannot read {error.filename}: {error.strerror}"
        raise WarpgaugeError(Diagnostic("PRB907", "error", message, Span(Location(str(path), 0)))) from error


def compile_source(
    path: Path,
    *,
    arch: str = "sm_90",
    entries: Sequence[str] = (),
    defines: Mapping[str, object] | None = None,
    include: Sequence[Path] = (),
    sass: bool = True,
    cache: bool = True,
    text: str | None = None,
) -> BuildArtifact:
    """Compile CUDA C++, or assemble PTX if `path` ends in `.ptx`, for `arch` (`sm_80`, `sm_90a`, ...).

    `entries` are plain names, mangled names or template instances such as `gemm<128, 64>`, each a key of the result's
    `lowered`; with none, every kernel that the compiler emitted is listed. `defines` are macros (True is 1, False 0),
    `include` the user's header folders; files outside these and the source's folder are not read. `text` is compiled in
    place of the source's own (CUDA C++ only). Raises WarpgaugeError: SRC801 compile error, SRC803 host code, SRC804
    inline assembly that names registers of the compiler, PRB901 unknown architecture, PRB903 entry not found, PRB907
    unreadable file or missing compiler package. It carries the texts of the files that it points at.
    """
    source, folders = _absolute(path), tuple(map(_absolute, include))
    macros = _macros(defines)
    tools = find_toolchain()
    # The compiler reads a name as source: a line end in it would be a line of code that no file has.
    if odd := [entry for entry in entries if not entry.isprintable()]:
        raise WarpgaugeError(
            *(Diagnostic("PRB903", "error", f"{entry!r} is not the name of a kernel") for entry in odd)
        )
    found = source_files(path, defines=defines, include=include)
    files = found.files
    sources = {name: content.decode(errors="replace") for name, content in files.items()}
    job = _Job(source, arch, tuple(dict.fromkeys(entries)), macros, folders, sources, found.outside, text)
    key = artifact_cache.content_key(
        {
            "path": str(source),
            "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
            "elsewhere": found.probes,
            "include": [str(folder) for folder in folders],
            "options": [arch, macros, job.entries, sass],
            "text": text,
            "tools": tools.fingerprint,
            "stubs": _stubs_digest(),
        }
    )
    if cache and (stored := artifact_cache.load(key)):
        return stored
    _check_arch(arch)
    is_ptx = source.suffix == ".ptx"
    try:
        made = _assemble(job) if is_ptx else _translate(job)
        artifact = _artifact(job, made, tools.assembler if is_ptx else tools.compiler, sass, cache, key)
    except WarpgaugeError as error:
        raise error.showing(sources) from None
    if cache:
        artifact_cache.store(artifact)
    return artifact


def _translate(job: _Job) -> _Translation:
    """CUDA C++ by NVRTC.

    The file that it reads first gives what nvcc includes before line 1 (INFINITY, uint32_t, INT_MAX, ...) and then the
    macros: as -D options they would also rewrite NVRTC's own headers, which break on a macro named T or x.
    """

    def ptx_for(target: str) -> str | None:
        attempt = _nvrtc(job, target.replace("sm_", "compute_"))
        return attempt.ptx if attempt.ok else None

    result = _nvrtc(job, job.arch)
    if result.ok:
        return _Translation(result.ptx, result.cubin, result.log, result.lowered)
    found, about_names = parse_nvrtc_log(result.log)
    if foreign := [name for name in job.outside if any(d.primary and d.primary.location.file == name for d in found)]:
        raise WarpgaugeError(*(refusal(name, job.outside[name]) for name in foreign))
    errors = with_advice(only_errors(found))
    if explained := explain_macros(explain_host_code(errors, job.sources), job.sources, job.macros):
        host = any(error.code == "SRC803" for error in explained)
        raise WarpgaugeError(*(explained if host else explain_front_end(explained, job.arch, job.sources, ptx_for)))
    if about_names:
        raise _unknown_entries(job, _blamed(about_names, _expressions(job)), about_names[0], ())
    # An old vote has no line in the assembler's complaint.
    if votes := next(filter(None, (old_votes(d.message, job.sources) for d in parse_ptxas_log(result.log, ""))), None):
        raise WarpgaugeError(*votes)
    if explained := explain_assembler(result.log, job.arch, job.sources, ptx_for(job.arch)):
        raise WarpgaugeError(*explained)
    reason = result.log or "NVRTC gave no reason"
    raise WarpgaugeError(Diagnostic("SRC801", "error", reason, Span(Location(str(job.source), 0))))


def _expressions(job: _Job) -> list[str]:
    return [entry for entry in job.entries if not entry.startswith("_Z")]


def _nvrtc(job: _Job, architecture: str) -> NvrtcResult:
    """One compile. `architecture` is a target (sm_90), or a virtual one (compute_90) for PTX that nothing assembles."""
    from .nvrtc import compile_program

    options = [
        f"--gpu-architecture={architecture}",
        "-lineinfo",
        "-std=c++17",
        # nvcc has __int128 where its host compiler does.
        "-device-int128",
        "--ptxas-options=-v",
        f"--pre-include={_FIRST}",
        *(f"-I{folder}" for folder in (*job.folders, *find_toolchain().includes)),
    ]
    defines = [f"#define {name} {value}\n" for name, value in job.macros.items()]
    # A file of this compile stands before one on disk, under any name that an #include spells.
    headers = dict.fromkeys(job.outside, _OUTSIDE) | {_FIRST: "#include <warpgauge_prelude.h>\n" + "".join(defines)}
    content = job.source.read_bytes() if job.text is None else job.text.encode()
    return compile_program(content, str(job.source), options, _expressions(job), headers)


def _assemble(job: _Job) -> _Translation:
    """PTX by nvJitLink, as one relocatable unit; `-Xptxas=-v` gives the same report that NVRTC's log has."""
    from .nvjitlink import assemble

    ptx = job.sources[str(job.source)]
    options = [f"-arch={job.arch}", "-lineinfo", "-verbose", "-Xptxas=-v"]
    result = assemble(ptx.encode(), job.source.name, options)
    if not result.ok:
        raise WarpgaugeError(*explain_ptx(parse_ptxas_log(result.log, str(job.source)), ptx))
    return _Translation(ptx, result.cubin, result.log, {})


def _artifact(job: _Job, made: _Translation, compiler: str, sass: bool, cache: bool, key: str) -> BuildArtifact:
    from .nvdisasm import disassemble

    named = entry_names(made.ptx)
    kernels = set(named.values())
    symbols = {**named, **{symbol: symbol for symbol in kernels}, **made.lowered}
    if missing := [entry for entry in job.entries if symbols.get(entry) not in kernels]:
        raise _unknown_entries(job, missing, "no kernel of this name", tuple(named))
    lowered = {entry: symbols[entry] for entry in job.entries} if job.entries else named
    if job.source.suffix != ".ptx" and (found := own_registers(made.ptx, job.sources, list(lowered.values()))):
        raise WarpgaugeError(*found)
    # The line table may spell a header's path with "..": renderers look a file up as the table spells it.
    spelled = {name: os.path.normpath(name) for name in _PTX_FILE.findall(made.ptx)}
    return BuildArtifact(
        arch=job.arch,
        ptx=made.ptx,
        cubin=made.cubin,
        sass=disassemble(made.cubin, cache=cache) if sass else "",
        lowered=lowered,
        resources=parse_resources(made.log),
        sources={**job.sources, **{name: job.sources[path] for name, path in spelled.items() if path in job.sources}},
        compiler=compiler,
        key=key,
        log=without_times(made.log),
    )


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _macros(defines: Mapping[str, object] | None) -> dict[str, str]:
    values = sorted((defines or {}).items())
    return {name: str(int(value)) if isinstance(value, bool) else str(value) for name, value in values}


@functools.cache
def _stubs_digest() -> str:
    digest = hashlib.sha256()
    for stub in sorted(STUBS.iterdir()):
        digest.update(f"{stub.name}\0".encode() + stub.read_bytes() + b"\0")
    return digest.hexdigest()


def _check_arch(arch: str) -> None:
    from .nvrtc import supported_archs

    if not buildable(arch, supported_archs()):
        known = ", ".join(f"sm_{number}" for number in supported_archs())
        reason = why_not(arch) or f"{find_toolchain().compiler} does not know it"
        advice = f"{find_toolchain().compiler} builds for {known}; with an a from sm_90 and an f from sm_100 on"
        message = f"cannot build for {arch!r}: {reason}"
        raise WarpgaugeError(Diagnostic("PRB901", "error", message, help=advice))


def _blamed(messages: list[str], expressions: list[str]) -> list[str]:
    """The expressions that NVRTC's messages quote (with its own spacing); all of them if it quotes none."""
    quoted = {re.sub(r"\s", "", text) for message in messages for text in _QUOTED_EXPRESSION.findall(message)}
    return [name for name in expressions if re.sub(r"\s", "", name) in quoted] or expressions


def _unknown_entries(job: _Job, missing: list[str], reason: str, emitted: tuple[str, ...]) -> WarpgaugeError:
    declared = [] if job.source.suffix == ".ptx" else source_kernels(job.sources)
    names = list(dict.fromkeys([*(kernel.name for kernel in declared), *emitted]))
    there = "the kernels there are: " + ", ".join(names) if names else "the source has no __global__ function"
    related = tuple(Span(kernel.location, len(kernel.name), kernel.name) for kernel in declared)
    primary = Span(Location(str(job.source), 0))
    return WarpgaugeError(
        *(
            Diagnostic("PRB903", "error", f"entry {entry!r} not found: {reason}", primary, related, there)
            for entry in missing
        )
    )
