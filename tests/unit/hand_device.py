"""A hand-made device: memory as arrays by name, and a "GPU" that adds two of them in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.unit.hand import execution, global_site, strided
from warpgauge.evidence import Execution

SOURCE = """\
extern "C" __global__ void add(const float* a, const float* b, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i];
}
"""


class Memory:
    """Arrays by name and by address."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.at: dict[int, str] = {}
        self.uninitialised: set[str] = set()
        self.read_only: set[str] = set()

    def add(
        self,
        name: str,
        array: np.ndarray[Any, Any],
        *,
        initialised: bool = True,
        writable: bool = True,
        elements: np.ndarray[Any, Any] | None = None,
    ) -> int:
        assert elements is None, "this stand-in knows no gaps"
        address = 4096 * (len(self.at) + 1)
        self.arrays[name], self.at[address] = array.copy(), name
        self.uninitialised |= set() if initialised else {name}
        self.read_only |= set() if writable else {name}
        return address

    def read(self, name: str) -> np.ndarray[Any, Any]:
        return self.arrays[name].copy()

    def contents(self) -> dict[str, np.ndarray[Any, Any]]:
        return {name: array.copy() for name, array in self.arrays.items() if name not in self.read_only}


class Gpu:
    """Executes `y = a + b` and answers with `result`, unless a test changes either."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.result: Callable[[str], Execution] = lambda mode: execution(
            global_site(strided(4), 4, line=3), checked=mode == "shadow"
        )

    def kernel(self, memory: Memory, arguments: list[Any]) -> None:
        a, b, y, n = arguments
        memory.arrays[memory.at[y]][:n] = memory.arrays[memory.at[a]][:n] + memory.arrays[memory.at[b]][:n]

    def execute(
        self, build: Any, entry: str, *, memory: Memory, arguments: list[Any], mode: str, **more: Any
    ) -> Execution:
        self.calls.append({"entry": entry, "arguments": arguments, "mode": mode, "memory": memory, **more})
        self.kernel(memory, arguments)
        return self.result(mode)
