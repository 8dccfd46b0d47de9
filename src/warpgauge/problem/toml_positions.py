"""Where each key and value of a TOML text stands, so that an error can point at its line.

`tomllib` gives values without positions. This reads text that `tomllib` has already accepted, so it only has to find
the structure: headers, keys, inline tables and arrays. Values are skipped, not interpreted.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right

from .place import Key

_STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_\-]+")
_SCALAR = re.compile(r"[^,\]\}\n#]+")


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Key, int] = {}
        self.lengths: dict[Key, int] = {}

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def take(self, token: str) -> bool:
        self.blank()
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def name(self) -> str:
        self.blank()
        if quoted := _STRING.match(self.text, self.at):
            self.at = quoted.end()
            return str(tomllib.loads(f"key = {quoted.group()}")["key"])
        bare = _BARE.match(self.text, self.at)
        if bare is None:
            raise ValueError(f"no key at {self.at}")
        self.at = bare.end()
        return bare.group()

    def path(self) -> tuple[str, ...]:
        names = [self.name()]
        while self.take("."):
            names.append(self.name())
        return tuple(names)

    def inside(self, table: Key, names: tuple[str, ...]) -> Key:
        """The full key, where a name that is an array of tables stands for its last element."""
        key = table
        for name in names:
            key = (*key, name)
            if key in self.lengths:
                key = (*key, self.lengths[key] - 1)
        return key

    def note(self, key: Key, start: int) -> None:
        # A dotted key or a header also introduces the tables it passes through.
        for length in range(1, len(key) + 1):
            self.found.setdefault(key[:length], start)

    def pair(self, table: Key) -> None:
        self.blank()
        start = self.at
        key = self.inside(table, self.path())
        self.note(key, start)
        self.take("=")
        self.value(key)

    def value(self, key: Key) -> None:
        self.blank()
        self.found.setdefault(key, self.at)
        if self.take("["):
            index = 0
            while not self.take("]"):
                self.value((*key, index))
                self.take(",")
                index += 1
        elif self.take("{"):
            while not self.take("}"):
                self.pair(key)
                self.take(",")
        else:
            match = _STRING.match(self.text, self.at) or _SCALAR.match(self.text, self.at)
            if match is None:
                raise ValueError(f"no value at {self.at}")
            self.at = match.end()

    def document(self) -> None:
        table: Key = ()
        while True:
            self.blank()
            if self.at >= len(self.text):
                return
            start = self.at
            if self.take("[["):
                *outer, last = self.path()
                array = (*self.inside((), tuple(outer)), last)
                self.lengths[array] = self.lengths.get(array, 0) + 1
                table = (*array, self.lengths[array] - 1)
                self.note(table, start)
                self.take("]]")
            elif self.take("["):
                table = self.inside((), self.path())
                self.note(table, start)
                self.take("]")
            else:
                self.pair(table)


def positions(text: str) -> dict[Key, tuple[int, int]]:
    """Key -> (line, column), both from 1, for every table, key and array element of a valid TOML text."""
    scanner = _Scanner(text)
    scanner.document()
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    lines = {key: bisect_right(starts, offset) for key, offset in scanner.found.items()}
    return {key: (line, scanner.found[key] - starts[line - 1] + 1) for key, line in lines.items()}
