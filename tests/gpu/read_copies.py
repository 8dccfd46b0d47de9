"""What hardware counts for asynchronous copies, read with Nsight Compute.

Where the project is installed: `python -m tests.gpu.read_copies build DIR` compiles the kernels into DIR.
On a machine with a GPU and `ncu` (NumPy is enough): `python -m tests.gpu.read_copies read DIR OUT.json`.
Back: `python -m tests.gpu.read_copies compare OUT.json` shows every reading beside what the virtual GPU counts.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.oracle.driver import Driver

SOURCE = Path(__file__).parents[1] / "virtual" / "readings" / "copies.cu"
LANE = np.arange(32, dtype=np.int32)
# (from, to) of each lane, in units of the copy's bytes.
PATTERNS = {
    "rows": (LANE, LANE),
    "apart in shared": (LANE, 2 * LANE),
    "one bank": (LANE, 8 * LANE),
    "swizzled": (LANE, LANE ^ (LANE >> 3)),
    "reversed": (LANE[::-1].copy(), LANE),
    "apart in global": (3 * LANE, LANE),
    "one source": (0 * LANE, LANE),
    "rows of eight": (LANE % 8 + 64 * (LANE // 8), LANE % 8 ^ (LANE // 8) | 8 * (LANE // 8)),
}
MASKS = {"all": 0xFFFFFFFF, "odd": 0xAAAAAAAA, "first eleven": 0x7FF}
KERNELS = ("ca_4", "ca_8", "ca_16", "cg_16")
WANTED = re.compile(
    r"ldgsts|^l1tex__[a-z_]*(requests|sectors|wavefronts|bank_conflicts)[a-z_]*_mem_(global|shared)_op_(ld|st)$"
)


def launches() -> Iterator[tuple[str, str, str]]:
    """(kernel, pattern, mask): every kernel with every pattern, partial masks and zero fill with two of them."""
    for kernel in KERNELS:
        yield from ((kernel, pattern, "all") for pattern in PATTERNS)
        for pattern in ("rows", "one bank"):
            yield from ((kernel, pattern, mask) for mask in ("odd", "first eleven"))
            yield from ((f"{kernel}_zeros", pattern, mask) for mask in MASKS)


def buffers(pattern: str) -> dict[str, np.ndarray]:
    start, end = PATTERNS[pattern]
    return {"in": np.arange(1024, dtype=np.int32), "from": start, "to": end}


def build(folder: Path) -> None:
    from warpgauge.build import compile_source

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "copies.cubin").write_bytes(compile_source(SOURCE).cubin)


def launch(folder: Path) -> None:
    driver = Driver()
    code = (folder / "copies.cubin").read_bytes()
    for kernel, pattern, mask in launches():
        scalars = [MASKS[mask].to_bytes(4, "little")]
        driver.run(code, kernel, buffers(pattern), scalars, grid=(1, 1, 1), block=(32, 1, 1))


def _ncu() -> str:
    places = [*Path("/opt/nvidia/nsight-compute").glob("*/ncu"), *Path("/usr/local").glob("cuda*/bin/ncu")]
    found = shutil.which("ncu") or next((str(p) for p in sorted(places, reverse=True)), None)
    if found is None:
        raise SystemExit("no ncu on this machine")
    return found


def _metrics(ncu: str) -> list[str]:
    """Which of the counters that may be concerned this chip has."""
    known = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, check=True).stdout
    names = {line.split()[0] for line in known.splitlines() if line.strip()}
    return sorted(f"{name}.sum" for name in names if WANTED.search(name) and name.startswith(("l1tex__", "smsp__")))


def read(folder: Path, out: Path) -> None:
    ncu = _ncu()
    metrics = _metrics(ncu)
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(metrics)]
    command += [sys.executable, "-m", "tests.gpu.read_copies", "launch", str(folder)]
    answer = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in answer.stdout.splitlines() if line.startswith('"')]
    if len(lines) < 3:
        raise SystemExit(f"ncu said: {answer.stdout[-2000:]}{answer.stderr[-2000:]}")
    head, _units, *rows = csv.reader(lines)
    plan = list(launches())
    if len(rows) != len(plan):
        raise SystemExit(f"{len(rows)} launches were read, {len(plan)} were made")
    found = []
    for (kernel, pattern, mask), row in zip(plan, rows, strict=True):
        values = dict(zip(head, row, strict=True))
        assert values["Kernel Name"].startswith(kernel), (kernel, values["Kernel Name"])
        counts = {m: float(values[m].replace(",", "")) for m in metrics if values.get(m, "").strip()}
        found.append({"kernel": kernel, "pattern": pattern, "mask": mask, "counts": counts})
    out.write_text(json.dumps({"metrics": metrics, "rows": found}, indent=1))


def compare(file: Path) -> None:
    from warpgauge.build import compile_source
    from warpgauge.vgpu import GlobalMemory, execute

    artifact = compile_source(SOURCE)
    for row in json.loads(file.read_text())["rows"] if file.exists() else [_unread(*plan) for plan in launches()]:
        memory = GlobalMemory()
        places = [memory.add(name, data) for name, data in buffers(row["pattern"]).items()]
        e = execute(
            artifact, row["kernel"], grid=(1, 1, 1), block=(32, 1, 1), arguments=[*places, MASKS[row["mask"]]],
            memory=memory, mode="count",
        )  # fmt: skip
        copies = [s for s in e.sites if s.bytes_per_lane == int(row["kernel"].split("_")[1]) and s.provenance.detail]
        print(row["kernel"], row["pattern"], row["mask"], sep=", ")
        for s in copies:
            counted = f"{s.requests} requests, {s.sectors} sectors, {s.wavefronts} wavefronts, {s.conflicts} conflicts"
            print(f"  counted, {s.space}: {counted}")
        for name, value in row["counts"].items():
            if value:
                print(f"  read: {name} = {value:g}")


def _unread(kernel: str, pattern: str, mask: str) -> dict[str, object]:
    return {"kernel": kernel, "pattern": pattern, "mask": mask, "counts": {}}


if __name__ == "__main__":
    {"build": build, "launch": launch, "read": read, "compare": compare}[sys.argv[1]](*map(Path, sys.argv[2:]))
