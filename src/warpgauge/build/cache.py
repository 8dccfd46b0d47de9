"""Build artifacts in the content-addressed store, as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict

from warpgauge import store as bytes_store
from warpgauge.evidence import BuildArtifact, KernelResources

#: Part of every key: raise it when the stored form or anything that shapes an artifact changes.
FORMAT = 2


def content_key(parts: object) -> str:
    """SHA-256 of plain JSON data."""
    return hashlib.sha256(json.dumps([FORMAT, parts], sort_keys=True).encode()).hexdigest()


def load(key: str) -> BuildArtifact | None:
    """The stored artifact, or None where there is none that can be trusted."""
    body = bytes_store.load("build", key)
    return None if body is None else _decode(json.loads(body))


def store(artifact: BuildArtifact) -> None:
    """Keep the artifact under its key; a folder that cannot be written is no error."""
    bytes_store.save("build", artifact.key, json.dumps(_encode(artifact)).encode())


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
