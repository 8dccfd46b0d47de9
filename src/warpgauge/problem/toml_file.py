"""TOML files in (with the line of every key) and out."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from warpgauge.evidence import Location

from .place import Key, Place, dotted, fail
from .toml_positions import positions

_LARGEST_FILE = 4 << 20


@dataclass(frozen=True)
class TomlFile:
    """A parsed file. `data` is plain Python data; nothing in it has been checked yet."""

    path: Path
    text: str = field(repr=False)
    data: dict[str, Any] = field(repr=False)

    @property
    def sources(self) -> dict[str, str]:
        """The text by path, for those who show its lines."""
        return {str(self.path): self.text}

    @cached_property
    def _positions(self) -> dict[Key, tuple[int, int]]:
        return positions(self.text)

    def known(self, key: Key) -> Key:
        """The key as the text has it: a model may gather keys in a field of its own that no file holds."""
        shorter = (key[:at] + key[at + 1 :] for at in range(1, len(key) - 1))
        return key if key in self._positions else next((k for k in shorter if k in self._positions), key)

    def place(self, *key: str | int) -> Place:
        """The place of a key, or of the nearest table around it that the text holds."""
        for length in range(len(key), 0, -1):
            if found := self._positions.get(key[:length]):
                return Place(dotted(key), Location(str(self.path), *found))
        return Place(dotted(key), Location(str(self.path), 0))


def read_text(path: Path, what: str) -> str:
    """The text of a file that the user named; PRB907 if it is missing, too large, or not UTF-8."""
    place = Place("", Location(str(path), 0))
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise fail("PRB907", f"{what} {path} is larger than {_LARGEST_FILE >> 20} MiB", place)
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise fail("PRB907", f"cannot read {what} {path}: {error.strerror}", place) from None
    except UnicodeDecodeError as error:
        raise fail("PRB907", f"{what} {path} is not UTF-8 text (byte {error.start})", place) from None


def read_toml(path: Path, what: str) -> TomlFile:
    """Parses a TOML file. PRB907 if it cannot be read, PRB901 with the line if it is not TOML."""
    text = read_text(path, what)
    try:
        return TomlFile(path, text, tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = str(error)
        spot = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", message)
        line = int(spot[1]) if spot and spot[1] else text.count("\n") + 1 if spot else 0
        column = int(spot[2]) if spot and spot[2] else 0
        reason = re.sub(r" \(at .*\)$", "", message)
        place = Place("", Location(str(path), line, column))
        raise fail("PRB901", f"{what} {path} is not valid TOML: {reason}", place).showing({str(path): text}) from None


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_\-]+", name) else _string(name)


def _string(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    plain = "".join(escapes.get(c, c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}") for c in text)
    return f'"{plain}"'


def inline(value: Any) -> str:
    """One value as TOML text on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value) if math.isfinite(value) else str(value)
        case str():
            return _string(value)
        case list() | tuple():
            return "[" + ", ".join(inline(item) for item in value) + "]"
        case Mapping():
            pairs = ", ".join(f"{_key(str(name))} = {inline(item)}" for name, item in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
    raise TypeError(f"no TOML form for {type(value).__name__}")


def write_toml(data: Mapping[str, Any]) -> str:
    """TOML text of plain data: a header per top-level table (or array of tables), everything below it inline."""
    head = [f"{_key(name)} = {inline(value)}" for name, value in data.items() if not _is_table(value)]
    blocks = ["\n".join(head)] if head else []
    for name, value in data.items():
        if _is_table(value):
            header, tables = (
                (f"[{_key(name)}]", [value]) if isinstance(value, Mapping) else (f"[[{_key(name)}]]", value)
            )
            for table in tables:
                rows = [f"{_key(str(key))} = {inline(item)}" for key, item in table.items()]
                blocks.append("\n".join([header, *rows]))
    return "\n\n".join(blocks) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )
