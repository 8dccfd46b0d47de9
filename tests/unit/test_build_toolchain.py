"""Finding the CUDA wheels."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from warpgauge.build import find_toolchain, toolchain
from warpgauge.diagnostics import WarpgaugeError


def test_every_part_is_a_file_of_one_release() -> None:
    tools = find_toolchain()
    for path in (tools.nvrtc, tools.nvjitlink, tools.nvdisasm, *tools.includes):
        assert path.exists()
    assert tools.builtins is not None
    assert tools.builtins.parent == tools.nvrtc.parent
    assert set(tools.versions) == set(toolchain.PACKAGES)
    assert tools.fingerprint.count("==") == len(toolchain.PACKAGES)


def test_nvrtc_is_the_version_that_its_package_says() -> None:
    from warpgauge.build.nvrtc import supported_archs

    assert {80, 90, 100, 120} <= set(supported_archs())


@pytest.mark.parametrize("package", toolchain.PACKAGES)
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    toolchain.find_toolchain.cache_clear()
    with pytest.raises(WarpgaugeError) as error:
        find_toolchain()
    toolchain.find_toolchain.cache_clear()
    assert error.value.diagnostics[0].code == "PRB907"
    assert package in error.value.diagnostics[0].message


def test_a_package_without_its_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_roots", lambda: [tmp_path])
    toolchain.find_toolchain.cache_clear()
    with pytest.raises(WarpgaugeError) as error:
        find_toolchain()
    toolchain.find_toolchain.cache_clear()
    assert "nvidia-cuda-nvrtc" in error.value.diagnostics[0].message


def test_importing_build_loads_nothing_heavy() -> None:
    heavy = {"numpy", "llvmlite", "pydantic", "ctypes", "subprocess"}
    code = f"import sys, warpgauge.build; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
