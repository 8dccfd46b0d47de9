"""nvJitLink by ctypes: assembles PTX into a cubin, in process."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from .toolchain import find_toolchain

_INPUT_PTX = 2
_SUCCESS = 0


@dataclass(frozen=True)
class LinkResult:
    """`ok` False: read `log`, which is then ptxas's error text; else `log` is its `-v` report."""

    ok: bool
    log: str
    cubin: bytes


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(find_toolchain().nvjitlink))


def assemble(ptx: bytes, name: str, options: Sequence[str]) -> LinkResult:
    """Assemble one PTX file for the architecture that `options` names (`-arch=sm_XX`)."""
    library = _library()
    handle = ctypes.c_void_p()
    argv = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    status = library.nvJitLinkCreate(ctypes.byref(handle), len(options), argv)
    if not handle:
        return LinkResult(False, f"nvJitLink refused its options ({status})", b"")
    try:
        for step in (
            lambda: status,
            lambda: library.nvJitLinkAddData(handle, _INPUT_PTX, ptx, len(ptx), name.encode()),
            lambda: library.nvJitLinkComplete(handle),
        ):
            if (result := step()) != _SUCCESS:
                return LinkResult(False, _log(handle, "Error") or f"nvJitLink error {result}", b"")
        size = ctypes.c_size_t()
        library.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size))
        cubin = ctypes.create_string_buffer(size.value)
        library.nvJitLinkGetLinkedCubin(handle, cubin)
        return LinkResult(True, _log(handle, "Info"), cubin.raw)
    finally:
        library.nvJitLinkDestroy(ctypes.byref(handle))


def _log(handle: ctypes.c_void_p, kind: str) -> str:
    size = ctypes.c_size_t()
    getattr(_library(), f"nvJitLinkGet{kind}LogSize")(handle, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value + 1)
    getattr(_library(), f"nvJitLinkGet{kind}Log")(handle, buffer)
    return buffer.value.decode(errors="replace").strip()
