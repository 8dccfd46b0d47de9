"""Which files a compile may read, and which it must not.

A candidate may read the tree of its source's folder and its header folders; the toolchain's headers are there for all.
Any other file belongs to somebody else, and a compiler that reads it also quotes it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warpgauge.diagnostics import Diagnostic, Span, WarpgaugeError
from warpgauge.evidence import Location

from .computed import Macro, definition, spelled
from .directives import Directive, directives, probed_names
from .readable import read_source

_DIRECTIVES = ("include", "include_next")
_HELP = "put the file into the folder of the source, or (in a candidate) name its folder in `include`"


@dataclass(frozen=True)
class UserFiles:
    """`files`: path -> content of the source and of each user file that it may include.

    `outside`: name of a file elsewhere, as an `#include` spells it -> where it does. `probes`: files elsewhere that
    exist, by path, for whatever reason the text names them.
    """

    files: dict[str, bytes]
    outside: dict[str, tuple[Location, ...]]
    probes: tuple[str, ...]


def refusal(name: str, places: Sequence[Location]) -> Diagnostic:
    """The finding about an `#include` of a file that is not the candidate's."""
    first, *rest = (Span(place) for place in places)
    message = f'#include "{name}": the file lies outside the folders that this source may read'
    return Diagnostic("SRC801", "error", message, first, tuple(rest[:8]), _HELP)


def user_files(
    source: Path, include: Sequence[Path], toolchain: Sequence[Path] = (), macros: Mapping[str, str] | None = None
) -> UserFiles:
    """Follows every `#include` and `__has_include`, whatever its surrounding `#if` says.

    So `files` can only be too large, which is what a cache key needs. `macros` are defined before the first line.
    Raises OSError for a file that cannot be read, WarpgaugeError PRB907 for one that is no text, SRC801 for an
    `#include` whose file cannot be told.
    """
    if source.suffix == ".ptx":
        return UserFiles({os.path.normpath(source): read_source(source)}, {}, ())
    walk = _Walk(_Search(source, include, toolchain))
    try:
        walk.read("", "".join(f"#define {name} {value}\n" for name, value in (macros or {}).items()))
        walk.follow(os.path.normpath(source))
    except WarpgaugeError as error:
        raise error.showing({path: content.decode(errors="replace") for path, content in walk.files.items()}) from None
    return UserFiles(
        dict(sorted(walk.files.items())),
        {name: tuple(dict.fromkeys(places)) for name, places in sorted(walk.outside.items())},
        tuple(sorted(walk.search.outside)),
    )


class _Search:
    """Finds what a name may mean, and says whose it is."""

    def __init__(self, source: Path, include: Sequence[Path], toolchain: Sequence[Path]) -> None:
        self.source_folder = str(source.parent)
        self.folders = [str(folder) for folder in (*include, *toolchain)]
        self.own = [os.path.realpath(folder) for folder in (source.parent, *include)]
        self.tools = [os.path.realpath(folder) for folder in toolchain]
        self.outside: set[str] = set()

    def hits(self, name: str, folder: str, *, quoted: bool, everywhere: bool) -> tuple[set[str], bool]:
        """User files of this name, and whether the compiler may take a file from elsewhere for it."""
        paths = [os.path.join(place, name) for place in (folder, self.source_folder, *self.folders)]
        owners = [self.owner(path) for path in paths]
        near, listed = owners[:2], [owner for owner in owners[2:] if owner]
        certain = quoted and not everywhere and near[0]
        deciding = near[:1] if certain else near + (listed if everywhere else listed[:1])
        # Every folder that has the file counts for the key, not only the first: a file may appear on the way to it.
        users = {_plain(path) for path, owner in zip(paths, owners, strict=True) if owner == "user"}
        return users, "other" in deciding

    def owner(self, path: str) -> str:
        """`user`, `toolchain` or `other`; empty where there is no such file."""
        if not os.path.exists(path) or os.path.isdir(path):
            return ""
        real = os.path.realpath(path)
        if _inside(real, self.tools):
            return "toolchain"
        # A pipe or a device is nobody's source, wherever it lies.
        if _inside(real, self.own) and os.path.isfile(real):
            return "user"
        self.outside.add(path)
        return "other"


def _plain(path: str) -> str:
    """The path without `..` and doubled separators, unless a link makes that another place."""
    plain = os.path.normpath(path)
    same = os.path.realpath(os.path.dirname(plain)) == os.path.realpath(os.path.dirname(path))
    return plain if same else path


def _inside(path: str, folders: Sequence[str]) -> bool:
    return any(path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


class _Walk:
    """The files seen so far, the macros that they define, and the directives that only macros can complete."""

    def __init__(self, search: _Search) -> None:
        self.search = search
        self.files: dict[str, bytes] = {}
        self.outside: dict[str, list[Location]] = {}
        self.macros: dict[str, list[Macro]] = {}
        self.computed: list[tuple[str, Directive]] = []
        self.pending: list[str] = []

    def follow(self, source: str) -> None:
        self.pending.append(source)
        while self.pending:
            while self.pending:
                path = self.pending.pop()
                if path not in self.files:
                    self.files[path] = read_source(path)
                    self.read(path, self.files[path].decode(errors="replace"))
            # A file that was found late may define what an earlier directive means.
            for path, directive in self.computed:
                self.complete(path, directive)

    def read(self, path: str, text: str) -> None:
        for directive in directives(text):
            if found := definition(directive):
                self.macros.setdefault(found[0], []).append(found[1])
            elif directive.word in _DIRECTIVES:
                if literal := _literal(directive.rest):
                    self.found(path, directive, literal)
                else:
                    self.computed.append((path, directive))
        for name in probed_names(text):
            users, _ = self.search.hits(name, os.path.dirname(path), quoted=True, everywhere=True)
            self.pending += sorted(users - self.files.keys())

    def complete(self, path: str, directive: Directive) -> None:
        names = spelled(directive.rest, self.macros)
        if names is None:
            message = f"#include {directive.rest.strip()}: only the preprocessor can tell which file this is"
            place = Span(self.place(path, directive))
            raise WarpgaugeError(Diagnostic("SRC801", "error", message, place, help="write the name of the file here"))
        for literal in sorted(names):
            self.found(path, directive, literal)

    def found(self, path: str, directive: Directive, literal: str) -> None:
        name, folder = literal[1:-1], os.path.dirname(path)
        everywhere = directive.word == "include_next"
        users, outside = self.search.hits(name, folder, quoted=literal[0] == '"', everywhere=everywhere)
        self.pending += sorted(users - self.files.keys())
        if outside:
            self.outside.setdefault(name, []).append(self.place(path, directive))

    def place(self, path: str, directive: Directive) -> Location:
        # A macro that was given from outside has no line.
        return Location(path, directive.line, directive.column) if path else Location(self.search.source_folder, 0)


def _literal(rest: str) -> str:
    """The header name that a directive spells out, in its quotes or angles; empty if it does not."""
    closing = {'"': '"', "<": ">"}.get(rest[:1], "")
    end = rest.find(closing, 1) if closing else -1
    return rest[: end + 1] if end > 1 else ""
