"""TOML positions and TOML text."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpgauge.diagnostics import WarpgaugeError
from warpgauge.problem.toml_file import read_toml, write_toml
from warpgauge.problem.toml_positions import positions

TEXT = '''# a comment with = and [
a = 1
b.c = "x = [1]"   # b.d = 2
[table]
"quoted key" = { x = 1, y = [2, { z = 3 }] }
multi = """
[not.a.table]
k = 1
"""
list = [
  1,  # one
  "two",
]
[[item]]
name = 'first'
[[item]]
name = "second"
[item.sub]
deep = 1979-05-27T07:32:00Z
'''


def test_positions_of_every_kind_of_key() -> None:
    found = positions(TEXT)
    expected = {
        ("a",): (2, 1),
        ("b", "c"): (3, 1),
        ("table",): (4, 1),
        ("table", "quoted key"): (5, 1),
        ("table", "quoted key", "x"): (5, 18),
        ("table", "quoted key", "y", 0): (5, 30),
        ("table", "quoted key", "y", 1, "z"): (5, 35),
        ("table", "multi"): (6, 1),
        ("table", "list"): (10, 1),
        ("table", "list", 1): (12, 3),
        ("item", 0): (14, 1),
        ("item", 0, "name"): (15, 1),
        ("item", 1, "name"): (17, 1),
        ("item", 1, "sub", "deep"): (19, 1),
    }
    assert {key: found.get(key) for key in expected} == expected
    assert ("k",) not in found and ("not",) not in found and ("b", "d") not in found


def keys_of(data: object, at: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return {at} | {key for name, value in pairs for key in keys_of(value, (*at, name))}


def test_every_key_of_the_data_has_a_position() -> None:
    assert keys_of(tomllib.loads(TEXT)) - {()} == set(positions(TEXT))


SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_written_text_reads_back_and_has_positions(data: dict[str, object]) -> None:
    text = write_toml(data)
    assert tomllib.loads(text) == data
    assert keys_of(data) - {()} == set(positions(text))


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(WarpgaugeError) as error:
        read_toml(tmp_path / "none.toml", "problem file")
    assert error.value.diagnostics[0].code == "PRB907" and "none.toml" in error.value.diagnostics[0].message
    (tmp_path / "latin.toml").write_bytes(b'a = "\xe9"')
    with pytest.raises(WarpgaugeError) as error:
        read_toml(tmp_path / "latin.toml", "problem file")
    assert error.value.diagnostics[0].code == "PRB907" and "UTF-8" in error.value.diagnostics[0].message
    with pytest.raises(WarpgaugeError) as error:
        read_toml(tmp_path, "problem file")
    assert error.value.diagnostics[0].code == "PRB907"


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = ]\n", 2), ("a = 1\n\nb = [1,\n", 4), ("a = 1\na = 2\n", 2)])
def test_malformed_text_names_the_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(WarpgaugeError) as error:
        read_toml(path, "problem file")
    [diagnostic] = error.value.diagnostics
    assert diagnostic.code == "PRB901" and "not valid TOML" in diagnostic.message
    assert diagnostic.primary is not None and diagnostic.primary.location.line in (line, line + 1)
