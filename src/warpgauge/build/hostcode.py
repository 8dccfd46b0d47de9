"""Host code in a candidate: what it looks like, and what to do instead.

A candidate is device code plus a launch plan; the harness owns allocation, launch and timing. NVRTC refuses host code
with messages that do not say so, so the refusal is worded here. Code that the preprocessor hides from NVRTC
(`#ifndef __CUDACC_RTC__`) is left alone, because the look happens only after a compile failed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.evidence import Location

from .text import blank_comments, line_and_column

_UNSUPPORTED_HEADER = re.compile(r'cannot open source file "([^"]+)"')
#: What NVRTC says about a definition without an execution or memory space -> (what it is, what to change).
_UNMARKED: dict[str, tuple[str, str]] = {
    "is considered a host function": (
        "a function that is not marked __device__ or __global__",
        "mark the function __device__ if a kernel calls it; otherwise ",
    ),
    "is considered a host variable": (
        "a variable that is not marked __device__, __constant__ or __shared__",
        "mark the variable __device__ or __constant__ (or constexpr) if a kernel uses it; otherwise ",
    ),
}
_ADVICE = dict(_UNMARKED.values())
# NVRTC also takes a declaration that it could not read for a variable.
_BROKEN = re.compile(r"^expected |no storage class|type specifier|unrecognized|not expected here")
_HELP = (
    "keep only device code in the source: the launch plan in candidate.toml says grid, block and arguments, and "
    "warpgauge allocates, launches and compares; put host code in a file of its own or inside "
    "#ifndef __CUDACC_RTC__ ... #endif"
)

#: C++ and CUDA headers that only host code can use.
_HOST_HEADERS = """
    vector string iostream fstream sstream ostream istream iomanip map unordered_map set unordered_set list deque queue
    stack memory thread mutex future chrono random functional filesystem regex stdexcept exception condition_variable
    atomic bitset variant optional any string_view iterator valarray locale
    time.h sys/time.h unistd.h pthread.h omp.h mpi.h signal.h errno.h cerrno ctime csignal getopt.h
    cublas_v2.h cublas.h cublasLt.h cudnn.h cufft.h curand.h cusparse.h cusolverDn.h nccl.h nvml.h nvToolsExt.h
    cuda_runtime_api.h cuda_profiler_api.h helper_cuda.h helper_functions.h helper_string.h
    torch/extension.h torch/torch.h torch/types.h ATen/ATen.h c10/cuda/CUDAGuard.h pybind11/pybind11.h
"""
HOST_HEADERS = frozenset(_HOST_HEADERS.split())

#: (pattern, what it is). The first match on a line names it.
_FEATURES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bmain\s*\("), "a main function"),
    (re.compile(r"<<<"), "a kernel launch"),
    (re.compile(r"\bstd\s*::\s*(vector|string|map|unordered_map|set|cout|cerr|endl|unique_ptr|shared_ptr|chrono|thread|function)\b"),
     "a host library type"),
    (re.compile(r"\bcuda(Malloc\w*|Free\w*|Memcpy\w*|Memset\w*|DeviceSynchronize|Event\w+|Stream\w+|GetLastError|SetDevice)\s*\("),
     "a host API call"),
    (re.compile(r"\b(PYBIND11_MODULE|TORCH_LIBRARY)\b|\b(torch|at)\s*::\s*Tensor\b"), "a Python extension binding"),
)  # fmt: skip
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


def explain_host_code(errors: Sequence[Diagnostic], sources: Mapping[str, str]) -> list[Diagnostic]:
    """`errors` (SRC801) with those that come from host code replaced by one SRC803 per file; others stay, in order.

    The SRC803 points at the first place of host code; `related` lists up to eight more.
    """
    unmarked = [
        (error.primary.location, what) for error in errors if error.primary and (what := _unmarked(error, errors))
    ]
    if not unmarked and not any(_from_host_code(error, sources) for error in errors):
        return list(errors)
    places = {file: _places(text) for file, text in sources.items()}
    for location, what in unmarked:
        places.setdefault(location.file, {}).setdefault(location.line, (location.column, what))
    host = []
    for file, spots in places.items():
        spans = [Span(Location(file, line, spots[line][0]), label=spots[line][1]) for line in sorted(spots)]
        # A plain host function says less than the launch or the library call inside it.
        spans.sort(key=lambda span: span.label in _ADVICE)
        if spans:
            first, message = spans[0], f"host code in the source: {spans[0].label}"
            advice = _ADVICE.get(first.label, "") + _HELP
            host.append(Diagnostic("SRC803", "error", message, first, tuple(spans[1:9]), advice))
    rest = [error for error in errors if not _from_host_code(error, sources) and not _on(places, error)]
    return host + rest


def _unmarked(error: Diagnostic, errors: Sequence[Diagnostic]) -> str:
    """What an unmarked definition is, if this error is about one; empty otherwise."""
    what = next((words for marker, (words, _) in _UNMARKED.items() if marker in error.message), "")
    return "" if what and any(_spoils(other, error) for other in errors) else what


def _spoils(other: Diagnostic, error: Diagnostic) -> bool:
    """Whether another error says that the definition could not be read: a mistake in it, or one before it."""
    if error.primary is None or other.primary is None:
        return False
    here, there = error.primary.location, other.primary.location
    if (here.file, here.line) != (there.file, there.line):
        return False
    return there.column < here.column or bool(_BROKEN.search(other.message))


def _from_host_code(error: Diagnostic, sources: Mapping[str, str]) -> bool:
    header = _UNSUPPORTED_HEADER.search(error.message)
    if header:
        return header[1] in HOST_HEADERS
    if error.primary is None:
        return False
    location = error.primary.location
    return location.line in _places(sources.get(location.file, ""))


def _on(places: Mapping[str, Mapping[int, tuple[int, str]]], error: Diagnostic) -> bool:
    return error.primary is not None and error.primary.location.line in places.get(error.primary.location.file, {})


def _places(text: str) -> dict[int, tuple[int, str]]:
    """Line -> (column, what) of host code in one file."""
    code = blank_comments(text)
    spots: dict[int, tuple[int, str]] = {}
    for match in _INCLUDE.finditer(code):
        if match[1] in HOST_HEADERS:
            line, column = line_and_column(code, match.start(1) - 1)
            spots[line] = (column, f"#include <{match[1]}>, a header for host code")
    for pattern, what in _FEATURES:
        for match in pattern.finditer(code):
            line, column = line_and_column(code, match.start())
            spots.setdefault(line, (column, what))
    return spots
