"""What this machine has of what warpgauge can use, and what each missing piece would add. Looks; changes nothing."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from warpgauge.build.toolchain import PACKAGES, find_toolchain
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.store import store_folder

State = Literal["ok", "missing", "broken"]

OLDEST_PYTHON = (3, 11)
_TOOL_SECONDS = 10
_VECTORS = ("avx512f", "avx2", "avx", "sse4.2", "sve", "neon")


@dataclass(frozen=True)
class Finding:
    """One piece: whether it is there, what exactly was found, and what it gives or would give.

    warpgauge does not work without a piece that is `needed`. One that is not `used` yet waits for a later version.
    """

    name: str
    state: State
    found: str
    gives: str
    needed: bool = False
    used: bool = True


def _python() -> Finding:
    text = f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    state: State = "ok" if sys.version_info >= OLDEST_PYTHON else "broken"
    return Finding("Python", state, text, "runs warpgauge (3.11 or newer)", needed=True)


def _package(name: str, gives: str, *, needed: bool) -> Finding:
    try:
        return Finding(name, "ok", version(name), gives, needed, used=needed)
    except PackageNotFoundError:
        return Finding(name, "missing", "not installed", gives, needed, used=needed)


def _family() -> Finding:
    """One release family: a compiler and headers of different major releases give kernels that nobody meant."""
    name, gives = "CUDA family", "compiler, assembler and headers of one major release"
    versions: dict[str, list[str]] = {}
    for package in PACKAGES:
        try:
            versions.setdefault(version(package).partition(".")[0], []).append(package)
        except PackageNotFoundError:
            continue
    if len(versions) > 1:
        mixed = "; ".join(f"{major}: {', '.join(packages)}" for major, packages in sorted(versions.items()))
        return Finding(name, "broken", f"mixed majors: {mixed}", gives, needed=True)
    try:
        tools = find_toolchain()
        from warpgauge.build.nvrtc import supported_archs

        archs = supported_archs()
    except (WarpgaugeError, OSError, RuntimeError) as error:
        return Finding(name, "broken", str(error), gives, needed=True)
    parts = (tools.nvrtc, tools.nvjitlink, tools.nvdisasm)
    roots = {next(p.name for p in part.parents if re.fullmatch(r"cu\d+", p.name)) for part in parts}
    if len(roots) > 1:
        return Finding(name, "broken", f"parts of several releases: {', '.join(sorted(roots))}", gives, needed=True)
    found = f"{roots.pop()}, compiles for sm_{archs[0]} to sm_{archs[-1]}"
    return Finding(name, "ok", found, gives, needed=True)


def _processor() -> Finding:
    gives = "the virtual GPU executes lanes as vectors: the wider, the faster"
    try:
        from llvmlite import binding

        features = binding.get_host_cpu_features()
    except (ImportError, OSError, RuntimeError) as error:
        return Finding("CPU", "broken", f"LLVM does not know it: {error}", gives, needed=True)
    vectors = next((name for name in _VECTORS if features.get(name)), "no vectors known")
    return Finding("CPU", "ok", f"{binding.get_host_cpu_name()}, {vectors}, {os.cpu_count()} cores", gives, needed=True)


def _cache() -> Finding:
    """Whether the cache could be written, by permission only: nothing is created."""
    folder = store_folder("build").parent
    gives = "compiled kernels are kept from one run to the next"
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        free = shutil.disk_usage(there).free
        known = "" if folder.exists() else ", will be made"
        state: State = "ok" if free > 1 << 26 else "broken"
        return Finding("cache folder", state, f"{folder}{known}, {free / (1 << 30):.1f} GiB free", gives)
    return Finding("cache folder", "broken", f"{folder} cannot be written", gives)


def _driver() -> Finding:
    name, gives = "GPU driver", "kernels on a real GPU: measured times and the target contract"
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return Finding(name, "missing", "no libcuda.so.1", gives, used=False)
    number, count = ctypes.c_int(), ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(number))
    release = f"CUDA {number.value // 1000}.{number.value % 1000 // 10}"
    if status := cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)):
        return Finding(name, "broken", f"{release}, but it does not start (error {status})", gives, used=False)
    if not count.value:
        return Finding(name, "broken", f"{release}, no GPU", gives, used=False)
    return Finding(name, "ok", f"{release}, {', '.join(_devices(cuda, count.value))}", gives, used=False)


def _devices(cuda: ctypes.CDLL, count: int) -> Iterator[str]:
    for index in range(count):
        device, text = ctypes.c_int(), ctypes.create_string_buffer(256)
        cuda.cuDeviceGet(ctypes.byref(device), index)
        cuda.cuDeviceGetName(text, len(text), device)
        yield text.value.decode(errors="replace")


def _tool(name: str, gives: str, run: Callable[..., subprocess.CompletedProcess[str]] = subprocess.run) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, "missing", "not on PATH", gives, used=False)
    try:
        answer = run([path, "--version"], capture_output=True, text=True, timeout=_TOOL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, "broken", f"{path} does not run: {error}", gives, used=False)
    numbers = re.findall(r"\bV?(\d+\.\d+(?:\.\d+)*)", answer.stdout + answer.stderr)
    if answer.returncode or not numbers:
        return Finding(
            name, "broken", f"{path} does not say its version (exit code {answer.returncode})", gives, used=False
        )
    return Finding(name, "ok", f"{numbers[-1]}, {Path(path)}", gives, used=False)


_CORE = {
    "numpy": "tensors and references",
    "llvmlite": "machine code for the virtual GPU",
    "pydantic": "checked problem and candidate files",
    "rich": "terminal output",
}
_EXTRAS = {
    "cuda-bindings": "loading and launching kernels on a real GPU",
    "torch": "its kernels and libraries as baselines",
}
_TOOLS = {
    "ncu": "hardware counters beside those of the virtual GPU",
    "compute-sanitizer": "a second opinion on races and bad accesses, on a real GPU",
    "nvcc": "a second compiler, for sources that NVRTC refuses",
}


def examine() -> tuple[Finding, ...]:
    """Everything that was looked at, what is needed first."""
    return (
        _python(),
        *(_package(name, gives, needed=True) for name, gives in {**_CORE, **PACKAGES}.items()),
        _family(),
        _processor(),
        _cache(),
        _driver(),
        *(_package(name, gives, needed=False) for name, gives in _EXTRAS.items()),
        *(_tool(name, gives) for name, gives in _TOOLS.items()),
    )


def healthy(findings: tuple[Finding, ...]) -> bool:
    """Whether warpgauge can judge kernels here."""
    return all(finding.state == "ok" for finding in findings if finding.needed)
