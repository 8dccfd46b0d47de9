"""Run every instruction case on a GPU through the CUDA driver and write the digests of what it answered.

Usage, from the checkout on a machine with a GPU: `python -m tests.oracle.read_device OUT.json`.
"""

from __future__ import annotations

import ctypes
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from . import truth
from .cases import CASES, KERNEL, Case, inputs_for, ptx_for


class Driver:
    """The few driver calls that loading and launching a kernel needs."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(128)
        self("cuDeviceGetName", name, 128, device)
        version = ctypes.c_int()
        self("cuDriverGetVersion", ctypes.byref(version))
        self.name = f"{name.value.decode()}, CUDA driver {version.value // 1000}.{version.value % 1000 // 10}"

    def __call__(self, function: str, *arguments: object) -> None:
        code = getattr(self.cuda, function)(*arguments)
        if code:
            raise RuntimeError(f"{function} answered {code}")

    def run(self, case: Case, buffers: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Launch a case once; the buffers after it."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(module), ptx_for(case).encode() + b"\0")
        self("cuModuleGetFunction", ctypes.byref(kernel), module, KERNEL.encode())
        places = {}
        for name, array in buffers.items():
            places[name] = ctypes.c_uint64()
            self("cuMemAlloc_v2", ctypes.byref(places[name]), ctypes.c_size_t(array.nbytes))
            self("cuMemcpyHtoD_v2", places[name], array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        pointers = (ctypes.c_void_p * len(places))(
            *[ctypes.cast(ctypes.byref(p), ctypes.c_void_p) for p in places.values()]
        )
        self("cuLaunchKernel", kernel, *case.grid, *case.block, case.dynamic_shared, None, pointers, None)
        self("cuCtxSynchronize")
        out = {}
        for name, array in buffers.items():
            out[name] = np.empty_like(array)
            target = out[name].ctypes.data_as(ctypes.c_void_p)
            self("cuMemcpyDtoH_v2", target, places[name], ctypes.c_size_t(array.nbytes))
            self("cuMemFree_v2", places[name])
        self("cuModuleUnload", module)
        return out


def as_lines(device: str, date: str, cases: dict[str, dict[str, str]]) -> str:
    """JSON with one line a case, so that a changed reading is a changed line."""
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in cases.items())
    return f'{{"device": {json.dumps(device)},\n"date": {json.dumps(date)},\n"cases": {{\n{rows}\n}}}}\n'


def main(path: Path) -> None:
    driver = Driver()
    cases = {}
    for case in filter(truth.readable, CASES):
        buffers = inputs_for(case)
        cases[case.id] = {"inputs": truth.inputs_digest(buffers), **truth.digests(case, driver.run(case, buffers))}
    date = datetime.now(UTC).date().isoformat()
    path.write_text(as_lines(driver.name, date, cases))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
