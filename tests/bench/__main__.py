"""Rows: what, figure, spread. Each is the median of several runs made one after another."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMMAND = [sys.executable, "-m", "warpgauge"]


def cpu() -> str:
    """Model name and the widest vectors it has."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    lines = dict(line.split("\t: ", 1) for line in text.splitlines() if "\t: " in line)
    flags = set(lines.get("flags\t", lines.get("flags", "")).split())
    vectors = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    name = lines.get("model name", platform.processor() or platform.machine())
    return f"{name}, {os.cpu_count()} cores, {vectors}"


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def command(*arguments: str, cache: str | None = None) -> float:
    """Wall seconds of one command line."""
    environment = {**os.environ, **({"WARPGAUGE_CACHE": cache} if cache else {})}
    return timed(lambda: subprocess.run([*COMMAND, *arguments], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL))


def spread(values: list[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}, {len(values)} runs"


class Rows:
    """Collects and prints rows as they come."""

    def __init__(self) -> None:
        self.console = Console()
        self.table = Table("what", "figure", "aim", "spread", title=f"warpgauge on {cpu()}")

    def add(self, what: str, figure: str, aim: str, values: list[float]) -> None:
        self.table.add_row(what, figure, aim, spread(values))
        self.console.print(f"  {what}: {figure}")


@dataclass(frozen=True)
class Product:
    """A kernel C = A B of square matrices: what rows call it, where its source is, a block's threads and its tile."""

    what: str
    source: Path
    dtype: type
    block: tuple[int, int, int]
    tile: int


TILED = Product("tiled GEMM", HERE / "gemm_tiled.cu", np.float32, (16, 16, 1), 16)
TENSOR = Product(
    "tensor-core GEMM", ROOT / "examples" / "gemm_mma" / "candidates" / "gemm.cu", np.float16, (256, 1, 1), 128
)


def execution(product: Product, n: int, mode: str, threads: int) -> tuple[float, float]:
    """G thread-instructions a second, and seconds without code generation."""
    from warpgauge.build import compile_source
    from warpgauge.vgpu import GlobalMemory, execute

    build = compile_source(product.source, entries=["gemm"])
    rng = np.random.default_rng(0)
    memory = GlobalMemory()
    arguments = [
        memory.add("A", rng.standard_normal(n * n).astype(product.dtype), writable=False),
        memory.add("B", rng.standard_normal(n * n).astype(product.dtype), writable=False),
        memory.add("C", np.zeros(n * n, product.dtype), initialised=False),
        n, n, n,
    ]  # fmt: skip
    e = execute(
        build, "gemm", grid=(n // product.tile, n // product.tile, 1), block=product.block, arguments=arguments,
        memory=memory, mode=mode, threads=threads,
    )  # fmt: skip
    return e.thread_instructions / e.seconds / 1e9, e.seconds


def engine_rows(rows: Rows) -> None:
    for product, mode, threads, aim in (
        (TILED, "count", 2, "2 G/s or better (AVX-512)"),
        (TILED, "count", 1, "-"),
        (TILED, "run", 2, "-"),
        (TILED, "shadow", 1, "-"),
        (TENSOR, "count", 2, "1 s"),
        (TENSOR, "count", 1, "-"),
        (TENSOR, "run", 2, "-"),
        (TENSOR, "shadow", 1, "2.5 times count, 1 thread"),
    ):
        results = [execution(product, 1024, mode, threads) for _ in range(3)]
        rate, seconds = (statistics.median(column) for column in zip(*results, strict=True))
        what = f"{product.what} 1024^3, {mode}, {threads} thread{'s' if threads > 1 else ''}"
        figure = f"{rate:.2f} G thread-instructions/s ({seconds:.2f} s)"
        rows.add(what, figure, aim, [r[1] for r in results])


def jit_seconds(product: Product, mode: str, cache: str) -> float:
    """What a process of its own takes to generate code, with what `cache` holds."""
    code = (
        "import sys, pathlib; from warpgauge.build import compile_source; from warpgauge.vgpu.prepare import prepare; "
        "print(prepare(compile_source(pathlib.Path(sys.argv[1]), entries=['gemm']), 'gemm', sys.argv[2]).seconds)"
    )
    arguments = [sys.executable, "-c", code, str(product.source), mode]
    environment = {**os.environ, "WARPGAUGE_CACHE": cache}
    return float(subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True).stdout)


def jit_rows(rows: Rows) -> None:
    for product, mode in ((TILED, "count"), (TILED, "shadow"), (TENSOR, "count"), (TENSOR, "shadow")):
        cold, new, warm = [], [], []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
                cold.append(jit_seconds(product, mode, first))
                warm.append(jit_seconds(product, mode, first))
                # Another kernel leaves most of the functions behind that every kernel calls.
                jit_seconds(TILED if product is TENSOR else TENSOR, mode, second)
                new.append(jit_seconds(product, mode, second))
        what = f"code generation of the {product.what}, {mode}"
        aim = "1.5 s" if product is TENSOR else "-"
        for state, values, wanted in (
            ("nothing cached", cold, aim),
            ("a kernel new to a used cache", new, aim),
            ("machine code cached", warm, "-"),
        ):
            rows.add(f"{what}, {state}", f"{statistics.median(values):.2f} s", wanted, values)


def command_rows(rows: Rows) -> None:
    with tempfile.TemporaryDirectory() as cache:
        cold = [command("check", "examples/gemm_f32", cache=f"{cache}/{n}") for n in range(3)]
        warm = [command("check", "examples/gemm_f32", cache=f"{cache}/0") for _ in range(3)]
    rows.add("check examples/gemm_f32, cold", f"{statistics.median(cold):.2f} s", "5 s", cold)
    rows.add("check examples/gemm_f32, warm", f"{statistics.median(warm):.2f} s", "2 s", warm)
    help_ = [command("--help") for _ in range(5)]
    rows.add("--help", f"{statistics.median(help_):.2f} s", "0.3 s", help_)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    rows.add("peak memory of a check", f"{peak:.0f} MB", "-", [peak])


def main() -> None:
    rows = Rows()
    print(f"load {os.getloadavg()[0]:.1f} at the start")
    engine_rows(rows)
    jit_rows(rows)
    command_rows(rows)
    rows.console.print(rows.table)


if __name__ == "__main__":
    main()
