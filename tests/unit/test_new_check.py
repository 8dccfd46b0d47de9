"""`warpgauge new-check`: writes a contract with its test, never over a file, and leaves nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgauge.commands.main import main
from warpgauge.diagnostics import WarpgaugeError
from warpgauge.problem import dump_problem, load_problem
from warpgauge.starter import CHECK_FILES

NAMES = sorted(name.replace("@NAME@", "mine") for name in CHECK_FILES)


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_it_writes_what_can_be_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "checks"
    assert main(["new-check", "mine", "--folder", str(folder)]) == 0
    assert files(folder) == NAMES and f"next: python -m pytest {folder}\n" in capsys.readouterr().out
    problem = load_problem(folder)
    settings = problem.contract("mine")
    assert settings.binds and settings.thresholds == {"least_bytes": 16}
    assert settings.own and (settings.own.source, settings.own.folder) == ("mine.py:judge", folder)
    for path in (folder / name for name in NAMES):
        assert "@NAME@" not in path.read_text() and max(map(len, path.read_text().splitlines())) <= 120
    for name in ("mine.py", "test_mine.py"):
        compile((folder / name).read_text(), name, "exec")


def test_the_folder_goes_by_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-check", "mine"]) == 0
    assert files(tmp_path / "mine") == NAMES


@pytest.mark.parametrize("there", NAMES)
def test_it_refuses_to_overwrite(tmp_path: Path, capsys: pytest.CaptureFixture[str], there: str) -> None:
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).write_text("own")
    assert main(["new-check", "mine", "--folder", str(tmp_path)]) == 2
    assert "error[PRB907]" in capsys.readouterr().err
    assert files(tmp_path) == [there] and (tmp_path / there).read_text() == "own"


def test_a_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def full(self: Path, *arguments: object, **more: object) -> object:
        if self.name == "bad.cu" and "x" in arguments:
            raise OSError(28, "No space left on device", str(self))
        return opened(self, *arguments, **more)  # type: ignore[arg-type, call-overload]

    monkeypatch.setattr(Path, "open", full)
    assert main(["new-check", "mine", "--folder", str(tmp_path / "a" / "b")]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["Mine", "1st", "a-b", "", "../x", "safety", "memory_access", "build"])
def test_names_that_no_contract_can_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-check", name]) == 2
    assert "error[PRB901]" in capsys.readouterr().err and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[contracts.mine]\npython = "mine.py"', 'does not have the form "file.py:function"'),
        ('[contracts.safety]\npython = "mine.py:judge"', '"safety" is a contract of warpgauge'),
        ('[contracts.build]\npython = "mine.py:judge"', '"build" is a contract of warpgauge'),
        ('[contracts.Mine]\npython = "mine.py:judge"', "lower-case"),
        ("[contracts.mine]\nleast = 3", 'unknown contract "mine"'),
        ("[contracts.safety]\ntimeout_seconds = 3", "only a contract with python takes a time"),
        ('[contracts.mine]\npython = "mine.py:judge"\ntimeout_seconds = 0', "timeout_seconds"),
        ('[contracts.mine]\npython = "mine.py:judge"\nleast = "x"', "a number is needed"),
    ],
)
def test_mistakes_in_the_problem_are_named(tmp_path: Path, table: str, message: str) -> None:
    main(["new-check", "mine", "--folder", str(tmp_path)])
    text = (tmp_path / "problem.toml").read_text()
    (tmp_path / "problem.toml").write_text(text[: text.index("[contracts")] + table + "\n")
    with pytest.raises(WarpgaugeError) as caught:
        load_problem(tmp_path)
    assert [(d.code, message in d.message) for d in caught.value.diagnostics] == [("PRB901", True)]


def test_an_own_contract_survives_writing(tmp_path: Path) -> None:
    main(["new-check", "mine", "--folder", str(tmp_path)])
    problem = load_problem(tmp_path)
    (tmp_path / "problem.toml").write_text(dump_problem(problem))
    assert load_problem(tmp_path).contracts == problem.contracts


def test_loading_runs_nothing(tmp_path: Path) -> None:
    main(["new-check", "mine", "--folder", str(tmp_path)])
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    load_problem(tmp_path)
    assert not (tmp_path / "ran").exists()
