"""The checkers that judge a contract, each on a kernel that is good and on one that is bad."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from warpgauge.checkers.entry import run_checker

PROBLEM = """\
[problem]
name = "move"
arch = "sm_90"
[dims]
n = 1024
[[shapes]]
role = "small"
n = 96
[tensors]
x = { shape = ["n"], dtype = "f32", role = "input" }
y = { shape = ["n"], dtype = "f32", role = "output" }
[reference]
builtin = "scale"
scalars = { alpha = 1.0 }
[tolerance]
rel_l2 = 0.0
"""
CANDIDATE = """\
[candidate]
source = "k.cu"
[[launch]]
entry = "k"
grid = ["n // 32"]
block = [32]
args = ["x", "y", "n"]
"""
HEAD = (
    'extern "C" __global__ void k(const float* x, float* y, int n) {\n  int t = threadIdx.x, i = blockIdx.x * 32 + t;\n'
)
GOOD = HEAD + "  y[i] = x[i];\n}\n"
SCATTERED = HEAD + "  int j = t * (n / 32) + blockIdx.x;\n  y[j] = x[j];\n}\n"
WRONG = HEAD + "  y[i] = x[i] + 1.0f;\n}\n"
CONFLICTS = HEAD + "  __shared__ float s[1024];\n  s[t * 32] = x[i];\n  __syncwarp();\n  y[i] = s[t * 32];\n}\n"
PADDED = CONFLICTS.replace("[1024]", "[1056]").replace("t * 32", "t * 33")
HALF_MASK = HEAD + "  float v = x[i];\n  y[i] = __shfl_sync(0xffff, v, t);\n}\n"
FULL_MASK = HALF_MASK.replace("0xffff,", "0xffffffff,")
RACE = (
    HEAD
    + "  __shared__ float s[1];\n  s[0] = x[i];\n  __syncwarp();\n"
    + "  y[i] = __shfl_sync(0xffffffff, x[i], t) + 0.0f * s[0];\n}\n"
)


def check(folder: Path, name: str, source: str, *more: str, extra: str = "") -> int:
    (folder / "problem.toml").write_text(PROBLEM + extra)
    (folder / "candidate.toml").write_text(CANDIDATE)
    (folder / "k.cu").write_text(source)
    return run_checker(name, [str(folder), *more])


@pytest.mark.parametrize(
    ("name", "good", "bad", "code"),
    [
        ("check_memory_coalescing", GOOD, SCATTERED, "MEM101"),
        ("validate_coalescing", GOOD, SCATTERED, "MEM101"),
        ("check_bank_conflict", PADDED, CONFLICTS, "SHM201"),
        ("check_shuffle", FULL_MASK, HALF_MASK, "SAF608"),
        ("validate_numerical", GOOD, WRONG, "NUM502"),
    ],
)
def test_good_and_bad(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, good: str, bad: str, code: str
) -> None:
    assert check(tmp_path, name, good) == 0
    assert code not in capsys.readouterr().out
    assert check(tmp_path, name, bad) == 1
    assert f"error[{code}]" in capsys.readouterr().out
    assert check(tmp_path, name, bad, "--json") == 1
    (candidate,) = json.loads(capsys.readouterr().out)["candidates"]
    assert code in {d["code"] for d in candidate["diagnostics"]}


@pytest.mark.parametrize(
    "name",
    ["check_memory_coalescing", "validate_coalescing", "check_bank_conflict", "check_shuffle", "validate_numerical"],
)
def test_what_cannot_be_judged(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, name, "nonsense") == 1
    assert "SRC801" in capsys.readouterr().out
    assert check(tmp_path, name, GOOD.replace(" k(", " other(")) == 2
    assert run_checker(name, [str(tmp_path / "gone")]) == 2
    cluster = (
        HEAD + '  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");\n  y[i] = x[i];\n}\n'
    )
    assert check(tmp_path, name, cluster) == 3


def test_every_lane_of_the_worst_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "validate_coalescing", SCATTERED) == 1
    out = capsys.readouterr().out
    assert "k.cu:4: global load of 4 bytes per lane, 32 requests, 1,024 sectors, fewest 128" in out
    table = out[out.index("global load") :].splitlines()[2:6]
    addresses = [int(word) for line in table for word in line.split("-", 1)[1].split()[1:]]
    assert len(addresses) == 32 and {b - a for a, b in pairwise(addresses)} == {128}


def test_the_degree_of_every_access(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "check_bank_conflict", CONFLICTS) == 1
    out = capsys.readouterr().out
    assert (
        "k.cu:4: shared store of 4 bytes per lane, 32 requests: 32-way conflict at worst, 992 conflicts in all" in out
    )
    assert check(tmp_path, "check_bank_conflict", CONFLICTS.replace("t * 32", "t * 2")) == 1
    assert "2-way conflict" in capsys.readouterr().out
    assert check(tmp_path, "check_bank_conflict", PADDED) == 0
    assert "no conflict at worst, 0 conflicts in all" in capsys.readouterr().out


def test_other_findings_are_not_about_shuffles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "check_shuffle", RACE) == 0
    assert "other findings: " in capsys.readouterr().out
    assert check(tmp_path, "check_shuffle", RACE.replace("0xffffffff, x", "0xffff, x")) == 1


def test_a_checker_that_was_asked_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the problem lets the contract only advise, a FAIL is a FAIL; where it leaves it out, nothing is known."""
    advises = "[contracts]\nmemory_access = { bind = false }\n"
    assert check(tmp_path, "check_memory_coalescing", SCATTERED, extra=advises) == 1
    left_out = "[contracts]\nmemory_access = { enabled = false }\n"
    assert check(tmp_path, "check_memory_coalescing", SCATTERED, extra=left_out) == 3
