"""nvdisasm: cubin to SASS text, kept by what the text follows from."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from pathlib import Path

from warpgauge import store

from .cubin import sections
from .toolchain import find_toolchain

# Of nvdisasm's line options, `-g` notes the source line of each instruction, `-gi` adds the inlining chain, and `-gp`
# notes the PTX line; only the last tells which PTX access became which SASS access.
_OPTIONS = ("-c", "-gp")
# Its data-flow analysis costs a third of its time, and gives the targets of indirect branches and nothing else.
_WITHOUT_TARGETS = "-ndf"
_INDIRECT = re.compile(r"\b(?:BRX|BRXU|JMX|JMXU)\b")
# Source lines and paths, which `-gp` does not print: an edited comment or another folder changes nothing else.
_SOURCE_LINES = frozenset({".debug_line", ".rela.debug_line"})


def disassemble(cubin: bytes, *, cache: bool = True) -> str:
    """SASS with PTX line notes."""
    key = _key(cubin)
    if cache and (stored := store.load("sass", key)) is not None:
        return stored.decode()
    text = _run(cubin, *_OPTIONS, _WITHOUT_TARGETS)
    if _INDIRECT.search(text):
        text = _run(cubin, *_OPTIONS)
    if cache:
        store.save("sass", key, text.encode())
    return text


def _key(cubin: bytes) -> str:
    """SHA-256 of the tool and of all that it reads of a cubin; names of sections count, their places do not."""
    digest = hashlib.sha256(repr((find_toolchain().fingerprint, _OPTIONS)).encode())
    # The header without the places of its tables: kind of file, machine, flags.
    digest.update(cubin[:32] + cubin[48:64])
    for section in sections(cubin):
        if section.name not in _SOURCE_LINES:
            digest.update(f"\0{section.name}\0{section.form}\0".encode() + section.content)
    return digest.hexdigest()


def _run(cubin: bytes, *options: str) -> str:
    with tempfile.TemporaryDirectory(prefix="warpgauge-") as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        done = subprocess.run(
            [str(find_toolchain().nvdisasm), *options, path.name],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"nvdisasm failed ({done.returncode}): {done.stderr.strip()}")
    return done.stdout
