"""Times every variant of a plan on the GPU: numpy and the CUDA driver are all that it needs."""

from __future__ import annotations

import ctypes
import json
import statistics
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.oracle.driver import Driver

from .inputs import buffer

SAMPLES, WARM = 9, 2
#: A sample launches as often as this takes, so that events are precise.
LEAST_SECONDS = 400e-6
_MAX_DYNAMIC_SHARED = 8
_CLOCK_RATE = 13
_KEPT = ("family", "name", "grid", "block", "registers", "cycles", "bound", "warps_per_scheduler", "memory_cycles")
#: The protocol, for the page.
PROTOCOL = (
    f"{SAMPLES} samples after {WARM} warm ones, each of as many launches back to back as take "
    f"{LEAST_SECONDS * 1e6:.0f} us, between two events; the median; clocks as they are"
)


class Timer:
    """Buffers are made once and shared by the variants that ask for the same ones."""

    def __init__(self) -> None:
        self.driver = Driver()
        self.buffers: dict[tuple[int, str], ctypes.c_uint64] = {}
        self.start, self.stop = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (self.start, self.stop):
            self.driver("cuEventCreate", ctypes.byref(event), 0)
        rate = ctypes.c_int()
        self.driver("cuDeviceGetAttribute", ctypes.byref(rate), _CLOCK_RATE, 0)
        self.clock_hz = rate.value * 1000

    def _buffer(self, number: int, text: str) -> ctypes.c_uint64:
        if (number, text) not in self.buffers:
            kind, dtype, count = text.split()
            array, place = buffer(kind, dtype, int(count)), ctypes.c_uint64()
            size = ctypes.c_size_t(array.nbytes)
            self.driver("cuMemAlloc_v2", ctypes.byref(place), size)
            self.driver("cuMemcpyHtoD_v2", place, array.ctypes.data_as(ctypes.c_void_p), size)
            self.buffers[number, text] = place
        return self.buffers[number, text]

    def seconds(self, row: dict[str, Any], cubin: bytes) -> list[float]:
        """Seconds of one launch, a value per sample."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self.driver("cuModuleLoadData", ctypes.byref(module), cubin)
        self.driver("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
        shared = row["dynamic_shared"]
        self.driver("cuFuncSetAttribute", kernel, _MAX_DYNAMIC_SHARED, shared)
        values: list[Any] = []
        for n, text in enumerate(row["args"]):
            values.append(ctypes.c_int32(int(text.split()[1])) if text.startswith("i32") else self._buffer(n, text))
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])

        def sample(launches: int) -> float:
            elapsed = ctypes.c_float()
            self.driver("cuEventRecord", self.start, None)
            for _ in range(launches):
                self.driver("cuLaunchKernel", kernel, *row["grid"], *row["block"], shared, None, pointers, None)
            self.driver("cuEventRecord", self.stop, None)
            self.driver("cuEventSynchronize", self.stop)
            self.driver("cuEventElapsedTime", ctypes.byref(elapsed), self.start, self.stop)
            return elapsed.value / 1000 / launches

        once = min(sample(1) for _ in range(WARM))
        launches = max(1, round(LEAST_SECONDS / once))
        sample(launches)
        found = [sample(launches) for _ in range(SAMPLES)]
        self.driver("cuModuleUnload", module)
        return found


def measure(plan_folder: Path, out: Path) -> None:
    """Writes device, date and a row per variant: what was predicted, and the times."""
    began = time.perf_counter()
    plan = json.loads((plan_folder / "plan.json").read_text(encoding="utf-8"))
    timer = Timer()
    rows = []
    for row in plan["variants"]:
        samples = timer.seconds(row, (plan_folder / row["cubin"]).read_bytes())
        us = [1e6 * s for s in samples]
        kept = {key: row[key] for key in _KEPT}
        rows.append({**kept, "us": statistics.median(us), "us_least": min(us), "us_most": max(us)})
        print(f"{row['family']:<15} {row['name']:<40} {rows[-1]['us']:>10.1f} us", flush=True)
    head = {
        "device": timer.driver.name,
        "date": datetime.now(UTC).date().isoformat(),
        "protocol": PROTOCOL,
        "clock_hz": timer.clock_hz,
        "arch": plan["arch"],
        "chip": plan["chip"],
    }
    lines = ",\n".join(json.dumps(row) for row in rows)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(f'{json.dumps(head)[:-1]}, "variants": [\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{len(rows)} variants in {time.perf_counter() - began:.1f} s")
