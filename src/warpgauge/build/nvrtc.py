"""NVRTC by ctypes: one call turns CUDA C++ into PTX and cubin, without a host compiler or a driver."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from .toolchain import find_toolchain

#: nvrtcResult: the program's own fault (a compile error, or a name expression that failed), told by the log.
_COMPILATION = 6
_INVALID_OPTION = 5
_SUCCESS = 0


@dataclass(frozen=True)
class NvrtcResult:
    """`ok` False: read `log`. `lowered` maps each name expression to its mangled symbol."""

    ok: bool
    log: str
    ptx: str
    cubin: bytes
    lowered: dict[str, str]


@functools.cache
def _library() -> ctypes.CDLL:
    tools = find_toolchain()
    if tools.builtins is not None:
        # NVRTC loads this file by bare name at its first compile; some releases only find it if it is loaded already.
        ctypes.CDLL(str(tools.builtins), mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(tools.nvrtc))
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


def supported_archs() -> tuple[int, ...]:
    """Compute capabilities that this NVRTC compiles for, as 75, 80, 90, ..."""
    count = ctypes.c_int()
    _check(_library().nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    archs = (ctypes.c_int * count.value)()
    _check(_library().nvrtcGetSupportedArchs(archs))
    return tuple(archs)


def compile_program(
    source: bytes,
    name: str,
    options: Sequence[str],
    expressions: Sequence[str],
    headers: Mapping[str, str] = MappingProxyType({}),
) -> NvrtcResult:
    """Compile `source`, known to diagnostics and line tables as `name`; `expressions` are C++ names to instantiate,
    `headers` files that exist only for this compile, by name."""
    library = _library()
    program = ctypes.c_void_p()
    texts = (ctypes.c_char_p * len(headers))(*[text.encode() for text in headers.values()])
    names = (ctypes.c_char_p * len(headers))(*[header.encode() for header in headers])
    _check(library.nvrtcCreateProgram(ctypes.byref(program), source, name.encode(), len(headers), texts, names))
    try:
        for expression in expressions:
            _check(library.nvrtcAddNameExpression(program, expression.encode()))
        argv = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        status = library.nvrtcCompileProgram(program, len(options), argv)
        log = _fetch(program, "ProgramLog").rstrip(b"\0").decode(errors="replace").strip()
        if status in (_COMPILATION, _INVALID_OPTION):
            return NvrtcResult(False, log, "", b"", {})
        _check(status, log)
        ptx = _fetch(program, "PTX").rstrip(b"\0").decode()
        lowered = {expression: _lowered(program, expression) for expression in expressions}
        return NvrtcResult(True, log, ptx, _fetch(program, "CUBIN"), lowered)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _lowered(program: ctypes.c_void_p, expression: str) -> str:
    symbol = ctypes.c_char_p()
    _check(_library().nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(symbol)))
    return (symbol.value or b"").decode()


def _fetch(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _check(getattr(_library(), f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(getattr(_library(), f"nvrtcGet{what}")(program, buffer))
    return buffer.raw


def _check(status: int, log: str = "") -> None:
    if status != _SUCCESS:
        reason = (_library().nvrtcGetErrorString(status) or b"").decode()
        raise RuntimeError(f"NVRTC failed with {reason} ({status})" + (f": {log}" if log else ""))
