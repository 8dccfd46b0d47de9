"""Where the CUDA wheels put their libraries, binary and headers, and which versions they are.

Everything comes from Python packages; nothing here looks at a system toolkit, a driver or a compiler.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from warpgauge.diagnostics import Diagnostic, WarpgaugeError

#: The wheels a build needs, and what each one gives.
PACKAGES: dict[str, str] = {
    "nvidia-cuda-nvrtc": "CUDA C++ to PTX and cubin",
    "nvidia-nvjitlink": "PTX to cubin",
    "nvidia-cuda-nvdisasm": "cubin to SASS text",
    "nvidia-cuda-runtime": "CUDA headers (cuda_fp16.h, mma.h, cooperative_groups.h)",
    "nvidia-cuda-crt": "headers that the runtime headers include",
    "nvidia-cuda-cccl": "<cuda/ptx>, <cuda/std/...>",
}

STUBS = Path(__file__).parent / "stubs"


@dataclass(frozen=True)
class Toolchain:
    """Paths found and package versions; `versions` maps package name to version for each row of `PACKAGES`.

    `builtins` is NVRTC's second library, which older NVRTC releases cannot find by themselves.
    `includes` are the header folders in search order, after the user's own.
    """

    nvrtc: Path
    builtins: Path | None
    nvjitlink: Path
    nvdisasm: Path
    includes: tuple[Path, ...]
    versions: dict[str, str]

    @property
    def fingerprint(self) -> str:
        """All versions in one line: two builds with equal fingerprints used the same tools."""
        return " ".join(f"{name}=={version}" for name, version in sorted(self.versions.items()))

    @property
    def compiler(self) -> str:
        return f"NVRTC {self.versions['nvidia-cuda-nvrtc']}"

    @property
    def assembler(self) -> str:
        return f"nvJitLink {self.versions['nvidia-nvjitlink']}"


def _roots() -> list[Path]:
    """Folders that hold `lib`, `include` and `bin` of a CUDA release, newest release first."""
    from importlib.util import find_spec

    spec = find_spec("nvidia")
    parents = [Path(p) for p in (spec.submodule_search_locations or ())] if spec else []
    return sorted((root for parent in parents for root in parent.glob("cu[0-9]*")), key=lambda r: r.name, reverse=True)


def _newest(root: Path, pattern: str) -> Path | None:
    return max(root.glob(pattern), default=None)


def _missing(package: str, what: str) -> WarpgaugeError:
    return WarpgaugeError(
        Diagnostic(
            "PRB907",
            "error",
            f"{what} not found: the Python package {package} is not installed beside warpgauge",
            help=f"install the pinned set (`make .venv`), or `pip install {package}` of the CUDA 13 family",
        )
    )


@functools.cache
def find_toolchain() -> Toolchain:
    """Locate every part; raises WarpgaugeError PRB907 naming the first package that is missing."""
    from importlib.metadata import PackageNotFoundError, version

    versions: dict[str, str] = {}
    for package, gives in PACKAGES.items():
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            raise _missing(package, gives) from None
    roots = _roots()

    def first(package: str, pattern: str) -> Path:
        for root in roots:
            if found := _newest(root, pattern):
                return found
        raise _missing(package, pattern)

    nvrtc = first("nvidia-cuda-nvrtc", "lib/libnvrtc.so.*")
    headers = first("nvidia-cuda-runtime", "include/cuda_fp16.h").parent
    cccl = first("nvidia-cuda-cccl", "include/cccl/cuda/std/cstdint").parents[2]
    return Toolchain(
        nvrtc=nvrtc,
        builtins=_newest(nvrtc.parent, "libnvrtc-builtins.so.*"),
        nvjitlink=first("nvidia-nvjitlink", "lib/libnvJitLink.so.*"),
        nvdisasm=first("nvidia-cuda-nvdisasm", "bin/nvdisasm"),
        includes=(STUBS, headers, cccl),
        versions=versions,
    )
