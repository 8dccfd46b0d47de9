"""Bytes for `__constant__` memory."""

from __future__ import annotations

import numpy as np

from warpgauge.problem.dtypes import encode
from warpgauge.problem.fill import read_npy
from warpgauge.problem.place import fail

from .arguments import out_of_range
from .scope import Scope

CONSTANT_BYTES = 64 << 10
"""Size of constant memory (CUDA C++ Programming Guide, technical specifications per compute capability)."""


def constant_bytes(names: Scope) -> dict[str, bytes]:
    """Variable name -> its initial bytes. PRB901 for a value that does not fit, PRB904 beyond 64 KiB in all."""
    filled = {}
    for name, table in names.candidate.constants.items():
        if table.file is not None:
            where = names.candidate.place("constants", name, "file")
            filled[name] = read_npy(table.file, table.dtype, names.candidate.folder, where).tobytes()
            continue
        values = []
        for index, value in enumerate(table.values or ()):
            key = ("constants", name, "values", index)
            number = names.number(value, *key) if isinstance(value, str) else value
            if reason := out_of_range(number, table.dtype):
                raise fail("PRB901", reason, names.candidate.place(*key))
            values.append(number)
        filled[name] = encode(np.array(values), table.dtype).tobytes()
    total = sum(len(data) for data in filled.values())
    if total > CONSTANT_BYTES:
        raise fail("PRB904", f"{total} bytes of constants, {CONSTANT_BYTES} fit", names.candidate.place("constants"))
    return filled
