"""Each example gives exactly the verdicts that its README's table promises."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from shutil import copytree

import pytest

from warpgauge.candidate import load_candidate
from warpgauge.evaluate import Evaluation, evaluate
from warpgauge.problem import load_problem

FOLDER = Path(__file__).parents[2] / "examples"
CONTRACTS = ("memory access", "bank conflicts", "numerics", "safety", "registers")


# The textbook finding of each bad candidate, and what stands on the line that it points at.
BLAMED = [
    ("flash_attention", "late_wait", "SAF615", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
    ("flash_attention", "no_barrier", "SAF601", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"),
    ("flash_attention", "no_mask", "NUM501", "reinterpret_cast<uint4*>(O + "),
    ("flash_attention", "no_rescale", "NUM501", "reinterpret_cast<uint4*>(O + "),
    ("flash_attention", "no_swizzle", "SHM201", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"),
    ("flash_attention", "no_wait", "SAF615", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
    ("flash_attention", "wrong_row", "NUM501", "reinterpret_cast<uint4*>(O + "),
    ("gemm_f16", "half_sum", "NUM501", "C[row * N + col] = sum;"),
    ("gemm_f32", "lanes_over_rows", "MEM101", "float a = A[row * K + k];"),
    ("gemm_mma", "late_wait", "SAF615", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
    ("gemm_mma", "no_barrier", "SAF601", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"),
    ("gemm_mma", "no_swizzle", "SHM201", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
    ("gemm_mma", "no_wait", "SAF615", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"),
    ("gemm_mma", "wrong_row", "NUM501", "reinterpret_cast<uint4*>(C + "),
    ("histogram", "global_atomics", "MEM101", "atomicAdd(&counts[data[i]], 1u);"),
    ("histogram", "no_atomics", "SAF601", "own[data[i]][lane] += 1u;"),
    ("histogram", "privatised", "SHM201", "atomicAdd(&own[data[i]], 1u);"),
    ("layernorm", "one_pass", "NUM501", "y[c] = __float2half("),
    ("reduce", "interleaved", "SHM201", "s[at] += s[at + d];"),
    ("scan", "hillis_steele_race", "SAF601", "float before = t >= d ? s[t - d] : 0.0f;"),
    ("softmax", "half_inside", "NUM501", "y[c] = __hdiv("),
    ("softmax", "no_maximum", "NUM503", "y[c] = __float2half("),
    ("split_k", "no_atomics", "SAF602", "C[row * N + col] += sum;"),
    ("split_k", "remainder_lost", "NUM501", "C[i] = sum;"),
    ("stencil", "in_place", "SAF602", "float left = x > 0 ? grid[i - 1] : 0.0f;"),
    ("stencil", "rim_unset", "SAF605", "s[ty - 1][tx]"),
    ("transpose", "naive", "MEM101", "out[x * rows + y] = in[y * cols + x];"),
    ("transpose", "tiled", "SHM201", "tile[threadIdx.x][threadIdx.y + j];"),
]


@cache
def judged(folder: Path, name: str) -> Evaluation:
    return evaluate(load_problem(folder), load_candidate(folder / "candidates" / f"{name}.toml"))


def promised() -> list[tuple[Path, str, dict[str, str]]]:
    """(example, candidate, verdict by contract) of every table row."""
    out = []
    for readme in sorted(FOLDER.glob("*/README.md")):
        lines = [line for line in readme.read_text().splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
        header = rows[0]
        for row in rows[2:]:
            cells = dict(zip(header, row, strict=True))
            name = cells[header[0]].strip("`").split("]")[0].lstrip("[").strip("`")
            out.append((readme.parent, name, {c: cells[c] for c in CONTRACTS}))
    return out


@pytest.mark.parametrize(("folder", "name", "verdicts"), promised(), ids=lambda v: v if isinstance(v, str) else "")
def test_example_keeps_its_promise(folder: Path, name: str, verdicts: dict[str, str]) -> None:
    result = judged(folder, name)
    found = {row.name: row.verdict for row in result.contracts}
    assert {c: found[c.replace(" ", "_")] for c in CONTRACTS} == {c: v.split()[0] for c, v in verdicts.items()}
    assert result.exit_code == (1 if "FAIL" in {v.split()[0] for v in verdicts.values()} else 0)


@pytest.mark.parametrize(("example", "name", "code", "text"), BLAMED)
def test_bad_candidate_is_blamed_at_the_line_that_is_bad(example: str, name: str, code: str, text: str) -> None:
    result = judged(FOLDER / example, name)
    lines = []
    for place in (d.primary.location for d in result.diagnostics if d.code == code and d.primary):
        lines.append(result.sources[place.file].splitlines()[place.line - 1])
    assert any(text in line for line in lines), lines


READINGS = json.loads((Path(__file__).parent / "readings" / "examples_h200.json").read_text())


@pytest.mark.parametrize(("example", "name"), sorted({tuple(row[:2]) for row in READINGS["rows"]}))
def test_counters_of_whole_kernels_are_those_of_hardware(example: str, name: str) -> None:
    """What Nsight Compute read for the same cubin, grid and inputs on an H200."""
    read = {row[2]: row[3:] for row in READINGS["rows"] if row[:2] == [example, name]}
    counted = {
        "-".join(f"{dim}{size}" for dim, size in run.shape.items()): [
            getattr(run.counters, counter) for counter in READINGS["counters"]
        ]
        for run in judged(FOLDER / example, name).runs
        if run.inputs == "declared"
    }
    assert counted == read


@pytest.mark.parametrize(("example", "lets", "most"), [("gemm_mma", "2 groups", 1), ("flash_attention", "1 group", 0)])
def test_a_wait_one_group_short_is_told_the_right_number(example: str, lets: str, most: int) -> None:
    told = [d.message for d in judged(FOLDER / example, "late_wait").diagnostics if d.code == "SAF615"]
    assert told
    assert all(f"the last wait lets {lets} go on: it must let at most {most}" in message for message in told)


def test_a_copy_in_a_header_comes_with_the_lines_that_ask_for_it() -> None:
    result = judged(FOLDER / "gemm_mma", "late_wait")
    first = result.diagnostics[0]
    assert first.code == "SAF615"
    chain = [span for span in first.related if span.label.startswith("the copy")]
    lines = [result.sources[s.location.file].splitlines()[s.location.line - 1] for s in chain]
    assert [span.label for span in chain] == ["the copy", *["the copy, inlined here"] * 3]
    assert "cp.async.cg" in lines[0] and "copy_async(" in lines[1] and "fetch<" in lines[2] and "bring(" in lines[3]
    # The kernel's own call is around both, and said once, at the end.
    assert [span.label for span in first.related].count("inlined here") == 2
    assert [(u.entry, u.static_shared, u.dynamic_shared) for u in result.resources] == [
        ("gemm", 49152, 0),
        ("gemm_any", 49152, 0),
    ]


def test_attention_is_right_with_a_causal_mask_as_well(tmp_path: Path) -> None:
    for path in (FOLDER / "flash_attention").rglob("*.*"):
        copy = tmp_path / "flash_attention" / path.relative_to(FOLDER / "flash_attention")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(
            path.read_text().replace("causal = 0", "causal = 1").replace("attention<false>", "attention<true>")
        )
    copytree(FOLDER / "gemm_mma", tmp_path / "gemm_mma")
    folder = tmp_path / "flash_attention"
    for name, exit_code in (("online", 0), ("no_mask", 0), ("no_rescale", 1)):
        # The causal mask hides what is behind the last key from every query.
        result = evaluate(
            load_problem(folder), load_candidate(folder / "candidates" / f"{name}.toml"), only=("numerics",)
        )
        assert result.exit_code == exit_code, name


def test_every_bad_candidate_has_its_textbook_finding() -> None:
    bad = {(folder.name, name) for folder, name, verdicts in promised() if "FAIL" in verdicts.values()}
    assert bad == {(example, name) for example, name, _, _ in BLAMED}


def test_there_are_good_and_bad_candidates() -> None:
    rows = promised()
    assert {folder.name for folder, _, _ in rows} == {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert any("FAIL" in " ".join(v.values()) for _, _, v in rows)
