"""`check --markdown`: renders as a table and findings, whatever the findings' texts contain."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from tests.unit.hand_evaluation import evaluation, row
from warpgauge.contracts import Verdict
from warpgauge.diagnostics import Diagnostic, Span
from warpgauge.diagnostics.markdown import escaped, fenced, finding
from warpgauge.evaluate import Evaluation
from warpgauge.evidence import Location
from warpgauge.report.check_markdown import MOST_FINDINGS, check_markdown

PARSER = MarkdownIt("commonmark").enable("table")


def texts(markdown: str) -> list[str]:
    """What a reader sees of each inline piece."""
    return [
        "".join(child.content for child in token.children or ())
        for token in PARSER.parse(markdown)
        if token.type == "inline"
    ]


def test_a_candidate_has_a_heading_a_table_and_its_findings() -> None:
    text = check_markdown([evaluation()])
    assert text.startswith("### warpgauge: gemm\\_f32\n\n#### ❌ lanes\\_over\\_rows: FAIL\n\n| contract | verdict |")
    assert "| memory access | FAIL | 0.125 efficiency | 0.75 | all 256 blocks | counted | yes |" in text
    order = [text.index(f"**{head}**") for head in ("error MEM101", "error SAF601", "note PRB908")]
    assert order == sorted(order)
    assert "at kernel.cu:5: " in text
    assert "  earlier write: kernel.cu:6" in text
    assert "  Help: check the grid" in text


def test_the_table_is_a_table_to_a_parser() -> None:
    tokens = [token.type for token in PARSER.parse(check_markdown([evaluation(), evaluation(candidate="b")]))]
    assert tokens.count("table_open") == 3  # the overview and one per candidate
    assert tokens.count("fence") == 8


def test_several_candidates_have_an_overview() -> None:
    text = check_markdown([evaluation(), evaluation(row(Verdict.PASS), candidate="good")])
    assert "| candidate | verdict | because of | silenced |" in text
    assert "| good | ✅ PASS | - | 0 |" in text
    assert "| lanes\\_over\\_rows | ❌ FAIL | memory access, bank conflicts, numerics, safety | 0 |" in text


def test_an_unusable_candidate_has_no_table() -> None:
    broken = Evaluation("p", "c", diagnostics=(Diagnostic("PRB901", "error", "unknown key"),), unusable=True)
    assert check_markdown([broken]) == "### warpgauge: p\n\n#### ❔ c: UNKNOWN\n\n- **error PRB901**: unknown key\n"


@pytest.mark.parametrize(
    "text",
    ["gemm<128, float>", "A[i] * B[j] * C", "a | b", "`x`", "__global__ void f", "# no heading", "~~~", "a & b", r"\n"],
)
def test_any_text_shows_as_it_is(text: str) -> None:
    assert texts(f"- {escaped(text)}") == [text]
    assert texts(f"| a |\n| --- |\n| {escaped(text)} |") == ["a", text]


def test_nobody_is_mentioned() -> None:
    assert "@" not in escaped("thanks @someone")


def test_code_that_holds_a_fence_stays_inside() -> None:
    code = "// ```\nx = 1;\n// ````"
    (token,) = PARSER.parse(fenced(code, "cuda"))
    assert (token.type, token.content, token.info) == ("fence", code + "\n", "cuda")


def test_findings_beyond_the_limit_are_counted() -> None:
    many = tuple(Diagnostic("PRB908", "note", f"no. {n}.") for n in range(MOST_FINDINGS + 3))
    text = check_markdown([evaluation(row(Verdict.PASS), diagnostics=many)])
    assert f"no. {MOST_FINDINGS - 1}." in text and f"no. {MOST_FINDINGS}." not in text
    assert text.endswith("\n\nand 3 more findings\n")


def test_a_snippet_keeps_carets_under_the_code() -> None:
    span = Span(Location("k.cu", 1, 7), 4)
    text = finding(Diagnostic("MEM101", "error", "m", span), {"k.cu": "  a = x[i];\n"})
    assert "  ```cuda\n  a = x[i];\n      ^^^^\n  ```" in text
