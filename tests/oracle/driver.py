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

    def load(self, image: bytes) -> ctypes.c_void_p:
        """A module of PTX text or of a cubin."""
        module = ctypes.c_void_p()
        self("cuModuleLoadData", ctypes.byref(module), image + b"\0")
        return module

    def kernel(self, module: ctypes.c_void_p, entry: str) -> ctypes.c_void_p:
        kernel = ctypes.c_void_p()
        self("cuModuleGetFunction", ctypes.byref(kernel), module, entry.encode())
        return kernel

    def upload(self, array: np.ndarray) -> ctypes.c_uint64:
        """The address of a new buffer with the array's bytes."""
        place = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(array.nbytes))
        self("cuMemcpyHtoD_v2", place, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        return place

    def download(self, place: ctypes.c_uint64, like: np.ndarray) -> np.ndarray:
        """What a buffer holds, which is freed."""
        out = np.empty_like(like)
        self("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), place, ctypes.c_size_t(out.nbytes))
        self("cuMemFree_v2", place)
        return out

    def launch_block(
        self, kernel: ctypes.c_void_p, parameters: bytes, *, grid: Index3, block: Index3, dynamic_shared: int = 0
    ) -> None:
        """Launch with the whole parameter block as the kernel reads it, and wait for the end."""
        raw, size = ctypes.create_string_buffer(parameters, len(parameters)), ctypes.c_size_t(len(parameters))
        # cuda.h: CU_LAUNCH_PARAM_BUFFER_POINTER is 1, CU_LAUNCH_PARAM_BUFFER_SIZE 2, CU_LAUNCH_PARAM_END 0.
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(raw), 2, ctypes.addressof(size), 0)
        self("cuLaunchKernel", kernel, *grid, *block, dynamic_shared, None, None, extra)
        self("cuCtxSynchronize")

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
        module = self.load(code.encode() if isinstance(code, str) else code)
        kernel = self.kernel(module, entry)
        places = {name: self.upload(array) for name, array in buffers.items()}
        texts = [ctypes.create_string_buffer(raw, len(raw)) for raw in scalars]
        values = [*places.values(), *texts]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
        self("cuLaunchKernel", kernel, *grid, *block, dynamic_shared, None, pointers, None)
        self("cuCtxSynchronize")
        out = {name: self.download(places[name], array) for name, array in buffers.items()}
        self("cuModuleUnload", module)
        return out
