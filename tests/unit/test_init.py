"""`warpgauge init`: the files it writes are read as they are, and nothing is ever overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge import starter
from warpgauge.candidate import load_candidate
from warpgauge.commands.main import main
from warpgauge.problem import load_problem


def test_it_writes_what_can_be_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "first"
    assert main(["init", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out == "".join(f"wrote {folder / name}\n" for name in starter.FILES) + f"next: warpgauge check {folder}\n"
    assert err == "" and {path.name for path in folder.iterdir()} == set(starter.FILES)
    problem, candidate = load_problem(folder), load_candidate(folder)
    assert problem.dims_of("small") and candidate.source == folder / "kernel.cu"


def test_every_part_is_explained(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path)]) == 0
    for name, mark in (("problem.toml", "#"), ("candidate.toml", "#"), ("kernel.cu", "//")):
        text = (tmp_path / name).read_text()
        assert text.startswith(mark) and text.count(mark) >= 3
        assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("there", starter.FILES)
def test_it_refuses_to_overwrite(tmp_path: Path, capsys: pytest.CaptureFixture[str], there: str) -> None:
    (tmp_path / there).write_text("mine")
    assert main(["init", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "error[PRB907]" in err and there in err
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(there, "mine")]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / "notes.txt").read_text() == "mine" and len(list(tmp_path.iterdir())) == 4


def test_a_file_in_the_way_of_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("")
    assert main(["init", str(tmp_path / "taken")]) == 2
    assert "error[PRB907]: cannot write" in capsys.readouterr().err


def test_a_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def full(self: Path, *arguments: object, **more: object) -> object:
        if self.name == "kernel.cu" and "x" in arguments:
            raise OSError(28, "No space left on device", str(self))
        return opened(self, *arguments, **more)  # type: ignore[arg-type, call-overload]

    monkeypatch.setattr(Path, "open", full)
    assert main(["init", str(tmp_path)]) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["init"])
    assert exit_.value.code == 2
