"""The sections of a cubin, which is an ELF file of 64 bits."""

from __future__ import annotations

import struct
from dataclasses import dataclass

# Offsets and forms of the ELF header (Elf64_Ehdr) and of a section header (Elf64_Shdr).
_SECTIONS_AT, _SECTION_COUNT_AT = 40, 58
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BYTES = 8


@dataclass(frozen=True)
class Section:
    """One section. `form` holds what its header says besides the name and where its bytes lie in the file."""

    name: str
    form: tuple[int, ...]
    content: bytes


def sections(cubin: bytes) -> tuple[Section, ...]:
    """Every section, in the order of the file. ValueError for bytes that are no such file."""
    try:
        (start,) = struct.unpack_from("<Q", cubin, _SECTIONS_AT)
        size, count, names_at = struct.unpack_from("<HHH", cubin, _SECTION_COUNT_AT)
        headers = [_SECTION.unpack_from(cubin, start + n * size) for n in range(count)]
        names = cubin[headers[names_at][4] : headers[names_at][4] + headers[names_at][5]]
    except (struct.error, IndexError):
        raise ValueError("not a 64-bit ELF file") from None
    return tuple(_section(cubin, names, header) for header in headers)


def _section(cubin: bytes, names: bytes, header: tuple[int, ...]) -> Section:
    name, kind, flags, address, offset, size, *rest = header
    content = b"" if kind == _NO_BYTES else cubin[offset : offset + size]
    return Section(names[name:].split(b"\0", 1)[0].decode(), (kind, flags, address, size, *rest), content)
