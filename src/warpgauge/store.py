"""Content-addressed files that every process of the user shares: builds, machine code.

One file per key: a checksum line, then the bytes. A file that does not match its checksum is as good as absent; a
folder that cannot be written leaves warpgauge without a cache, never without a result.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from pathlib import Path

_log = logging.getLogger("warpgauge.store")
_told: set[str] = set()


def store_folder(kind: str) -> Path:
    """`kind/` in `$WARPGAUGE_CACHE`, else in `$XDG_CACHE_HOME/warpgauge`, else in `~/.cache/warpgauge`."""
    if own := os.environ.get("WARPGAUGE_CACHE"):
        return Path(own) / kind
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "warpgauge" / kind


def load(kind: str, key: str) -> bytes | None:
    """The stored bytes, or None where there are none that can be trusted."""
    path = _path(kind, key)
    try:
        checksum, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        _log.warning("cache entry %s is damaged; making it again", path)
        return None
    return body


def save(kind: str, key: str, body: bytes) -> None:
    """Write under `key`, complete or not at all: processes that store one key do not disturb each other."""
    path = _path(kind, key)
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(temporary, path)
    except OSError as error:
        # Each of the many entries of one check would fail alike.
        if (reason := str(error.strerror)) not in _told:
            _told.add(reason)
            _log.warning("cannot cache in %s (%s); going on without", store_folder(kind).parent, reason)
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _path(kind: str, key: str) -> Path:
    return store_folder(kind) / key[:2] / key[2:]
