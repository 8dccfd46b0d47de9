"""nvdisasm: cubin to SASS text."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from .toolchain import find_toolchain


def disassemble(cubin: bytes) -> str:
    """SASS with PTX line notes.

    Of nvdisasm's line options, `-g` notes the source line of each instruction, `-gi` adds the inlining chain, and
    `-gp` notes the PTX line; only the last tells which PTX access became which SASS access.
    """
    with tempfile.TemporaryDirectory(prefix="warpgauge-") as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        done = subprocess.run(
            [str(find_toolchain().nvdisasm), "-c", "-gp", path.name],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"nvdisasm failed ({done.returncode}): {done.stderr.strip()}")
    return done.stdout
