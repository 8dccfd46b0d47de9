"""The few CUDA driver calls that loading and launching a kernel needs, for tests on a machine with a GPU."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

Index3 = tuple[int, int, int]


class Driver:
    """A context on the first GPU. Any call that fails raises RuntimeError with the driver's code.

    Not to be made before a process forks: a context does not survive that.
    """

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

    def run(
        self,
        code: str | bytes,
        entry: str,
        buffers: dict[str, np.ndarray],
        scalars: Sequence[bytes] = (),
        *,
        grid: Index3,
        block: Index3,
        dynamic_shared: int = 0,
    ) -> dict[str, np.ndarray]:
        """Launch once with the buffers' addresses, then the scalars, as arguments; the buffers after it. `code` is PTX
        or a cubin."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(module), code.encode() + b"\0" if isinstance(code, str) else code)
        self("cuModuleGetFunction", ctypes.byref(kernel), module, entry.encode())
        places = {}
        for name, array in buffers.items():
            places[name] = ctypes.c_uint64()
            self("cuMemAlloc_v2", ctypes.byref(places[name]), ctypes.c_size_t(array.nbytes))
            self("cuMemcpyHtoD_v2", places[name], array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        texts = [ctypes.create_string_buffer(raw, len(raw)) for raw in scalars]
        values = [*places.values(), *texts]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
        self("cuLaunchKernel", kernel, *grid, *block, dynamic_shared, None, pointers, None)
        self("cuCtxSynchronize")
        out = {}
        for name, array in buffers.items():
            out[name] = np.empty_like(array)
            target = out[name].ctypes.data_as(ctypes.c_void_p)
            self("cuMemcpyDtoH_v2", target, places[name], ctypes.c_size_t(array.nbytes))
            self("cuMemFree_v2", places[name])
        self("cuModuleUnload", module)
        return out
