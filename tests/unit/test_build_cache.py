"""The build cache: hits, what invalidates an entry, and what happens when the folder misbehaves."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from warpgauge import store
from warpgauge.build import compile_source
from warpgauge.build import nvrtc as nvrtc_module
from warpgauge.evidence import BuildArtifact

SOURCE = '#include "n.h"\nextern "C" __global__ void k(int* p) { p[0] = N; }\n'


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WARPGAUGE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "n.h").write_text("#define N 3\n")
    path = tmp_path / "src" / "k.cu"
    path.write_text(SOURCE)
    return path


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by one file name per real run of the compiler."""
    seen: list[str] = []
    real = nvrtc_module.compile_program

    def counting(source: bytes, name: str, *rest: Any) -> nvrtc_module.NvrtcResult:
        seen.append(name)
        return real(source, name, *rest)

    monkeypatch.setattr(nvrtc_module, "compile_program", counting)
    return seen


def build(source: Path, **options: object) -> BuildArtifact:
    return compile_source(source, sass=False, **options)  # type: ignore[arg-type]


def stored(folder: Path) -> list[Path]:
    return sorted(p for p in (folder / "cache").rglob("*") if p.is_file())


def test_second_build_is_read_back_equal(source: Path, compilations: list[str]) -> None:
    first = build(source)
    second = build(source)
    assert len(compilations) == 1
    assert first == second
    assert list(first.lowered) == list(second.lowered)
    assert list(first.resources) == list(second.resources)


def test_no_cache(source: Path, compilations: list[str], tmp_path: Path) -> None:
    build(source, cache=False)
    build(source, cache=False)
    assert len(compilations) == 2
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"arch": "sm_80"},
        {"defines": {"UNUSED": 1}},
        {"entries": ["k"]},
        {"include": [Path("elsewhere")]},
    ],
)
def test_every_option_is_part_of_the_key(source: Path, change: dict[str, object]) -> None:
    assert build(source).key != build(source, **change).key


def test_a_changed_header_builds_again(source: Path, compilations: list[str]) -> None:
    build(source)
    (source.parent / "n.h").write_text("#define N 4\n")
    assert "4" in build(source).ptx.split("mov.b32")[-1] or ", 4;" in build(source).ptx
    assert len(compilations) == 2
    (source.parent / "n.h").write_text("#define N 3\n")
    build(source)
    assert len(compilations) == 2


def test_a_header_that_appears_earlier_on_the_path_builds_again(source: Path, compilations: list[str]) -> None:
    source.write_text(
        '#if __has_include("extra.h")\n#include "extra.h"\n#else\n#define N 1\n#endif\n' + SOURCE.splitlines()[1]
    )
    first = build(source)
    (source.parent / "extra.h").write_text("#define N 9\n")
    assert build(source).key != first.key
    assert len(compilations) == 2


def test_a_header_that_a_macro_names_is_part_of_the_key(source: Path, compilations: list[str]) -> None:
    source.write_text('#define WHICH "n.h"\n#include WHICH\n' + SOURCE.splitlines()[1])
    build(source)
    (source.parent / "n.h").write_text("#define N 8\n")
    assert ", 8;" in build(source).ptx
    assert len(compilations) == 2
    build(source)
    assert len(compilations) == 2


def test_a_file_of_others_that_appears_builds_again(source: Path, tmp_path: Path) -> None:
    source.parent.joinpath("deep").mkdir()
    deep = source.parent / "deep" / "k.cu"
    deep.write_text('#if __has_include("../other.h")\n#endif\n#define N 1\n' + SOURCE.splitlines()[1])
    first = build(deep)
    (source.parent / "other.h").write_text("\n")
    assert build(deep).key != first.key


@pytest.mark.parametrize("damage", [b"", b"garbage", b"00\n{}"])
def test_a_damaged_entry_is_rebuilt(
    source: Path, compilations: list[str], tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    first = build(source)
    (entry,) = stored(tmp_path)
    entry.write_bytes(damage)
    with caplog.at_level(logging.WARNING, logger="warpgauge.store"):
        assert build(source) == first
    assert len(compilations) == 2
    assert "damaged" in caplog.text
    assert build(source) == first
    assert len(compilations) == 2


def test_one_flipped_byte_is_noticed(source: Path, compilations: list[str], tmp_path: Path) -> None:
    first = build(source)
    (entry,) = stored(tmp_path)
    content = bytearray(entry.read_bytes())
    content[len(content) // 2] ^= 1
    entry.write_bytes(content)
    assert build(source) == first
    assert len(compilations) == 2


def test_an_unusable_folder_means_no_cache(
    source: Path, compilations: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING, logger="warpgauge.store"):
        build(source)
        build(source)
    assert len(compilations) == 2
    assert "going on without" in caplog.text


def test_a_full_disk_leaves_no_half_written_entry(
    source: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "replace", full)
    with caplog.at_level(logging.WARNING, logger="warpgauge.store"):
        build(source)
    assert "No space left on device" in caplog.text
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_two_processes_at_once(source: Path, tmp_path: Path) -> None:
    code = "import sys, pathlib, warpgauge.build as b; "
    code += "print(b.compile_source(pathlib.Path(sys.argv[1]), sass=False).key)"
    command = [sys.executable, "-c", code, str(source)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    keys = {worker.communicate(timeout=120)[0].strip() for worker in workers}
    assert keys == {build(source).key}
    assert len(stored(tmp_path)) == 1


def test_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPGAUGE_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store.store_folder("build") == tmp_path / "own" / "build"
    monkeypatch.delenv("WARPGAUGE_CACHE")
    assert store.store_folder("build") == tmp_path / "xdg" / "warpgauge" / "build"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert store.store_folder("build") == Path(os.path.expanduser("~")) / ".cache" / "warpgauge" / "build"
