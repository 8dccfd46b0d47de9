"""Content-addressed store of build artifacts, shared by every process of the user.

One file per key: a checksum line, then JSON. A file that does not match its checksum is as good as absent; a folder
that cannot be written leaves warpgauge without a cache, never without a build.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

from warpgauge.evidence import BuildArtifact, KernelResources

_log = logging.getLogger("warpgauge.build")

#: Part of every key: raise it when the stored form or anything that shapes an artifact changes.
FORMAT = 1


def cache_folder() -> Path:
    """`build/` in `$WARPGAUGE_CACHE`, else in `$XDG_CACHE_HOME/warpgauge`, else in `~/.cache/warpgauge`."""
    if own := os.environ.get("WARPGAUGE_CACHE"):
        return Path(own) / "build"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "warpgauge" / "build"


def content_key(parts: object) -> str:
    """SHA-256 of plain JSON data."""
    return hashlib.sha256(json.dumps([FORMAT, parts], sort_keys=True).encode()).hexdigest()


def load(key: str) -> BuildArtifact | None:
    """The stored artifact, or None where there is none that can be trusted."""
    path = _path(key)
    try:
        checksum, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        _log.warning("cache entry %s is damaged; building again", path)
        return None
    return _decode(json.loads(body))


def store(artifact: BuildArtifact) -> None:
    """Write under `artifact.key`, complete or not at all: processes that store one key do not disturb each other."""
    path = _path(artifact.key)
    body = json.dumps(_encode(artifact)).encode()
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(temporary, path)
    except OSError as error:
        _log.warning("cannot cache builds in %s (%s); going on without", path.parent, error.strerror)
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _path(key: str) -> Path:
    return cache_folder() / key[:2] / f"{key[2:]}.json"


def _encode(artifact: BuildArtifact) -> dict[str, object]:
    return {**asdict(artifact), "cubin": base64.b85encode(artifact.cubin).decode()}


def _decode(data: dict[str, object]) -> BuildArtifact:
    resources = data["resources"]
    assert isinstance(resources, dict)
    fields = {
        **data,
        "cubin": base64.b85decode(str(data["cubin"])),
        "resources": {symbol: KernelResources(**row) for symbol, row in resources.items()},
    }
    return BuildArtifact(**fields)  # type: ignore[arg-type]
