"""Which of the user's own files a compile may read.

Every `#include` and `__has_include` is followed, whatever its surrounding `#if` says, so the answer can only be too
large: that is what a cache key needs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from .text import blank_comments

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*include(?:_next)?\b[ \t]*(.*)$", re.MULTILINE)
_NAME = re.compile(r'"([^"\n]+)"|<([^>\n]+)>')
_HAS_INCLUDE = re.compile(r'__has_include\s*\(\s*(?:"([^"\n]+)"|<([^>\n]+)>)')


class ComputedInclude(Exception):
    """A name that only the preprocessor knows (`#include HEADER`): the files cannot be told from the text."""


def user_files(source: Path, include: Sequence[Path]) -> dict[str, bytes]:
    """Path -> content of `source` and of each user file that it may include; raises ComputedInclude."""
    files: dict[str, bytes] = {}
    pending = [os.path.normpath(source)]
    while pending:
        path = pending.pop()
        if path in files:
            continue
        files[path] = content = Path(path).read_bytes()
        folders = [os.path.dirname(path), os.path.dirname(source), *map(str, include)]
        for name in _names(content.decode(errors="replace")):
            # Every folder that has the file counts, not only the first: cheaper than repeating NVRTC's search order.
            candidates = {os.path.normpath(os.path.join(folder, name)) for folder in folders}
            pending += sorted(candidate for candidate in candidates if os.path.isfile(candidate))
    return dict(sorted(files.items()))


def _names(text: str) -> list[str]:
    code = blank_comments(text.replace("\\\n", "  "), strings=False)
    names = []
    for match in _DIRECTIVE.finditer(code):
        name = _NAME.match(match[1])
        if name is None:
            raise ComputedInclude(match[0].strip())
        names.append(name[1] or name[2])
    return names + [match[1] or match[2] for match in _HAS_INCLUDE.finditer(code)]
