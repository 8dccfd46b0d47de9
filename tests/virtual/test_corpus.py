"""The labelled corpus: what is found in a kernel is what was recorded, and the published page follows from that.

Every third kernel is judged here; `make corpus` judges all of them and writes what it finds.
"""

from __future__ import annotations

import pytest

from tests.corpus.__main__ import PAGE
from tests.corpus.judge import judge
from tests.corpus.labels import Labelled, adjudicated, corpus
from tests.corpus.page import page
from tests.corpus.results import read
from tests.corpus.score import score

CORPUS = corpus()
RESULTS = read()


@pytest.mark.parametrize("kernel", CORPUS[::3], ids=lambda kernel: kernel.id)
def test_kernel_gives_the_recorded_findings(kernel: Labelled) -> None:
    assert judge(kernel) == RESULTS[kernel]


def test_corpus_is_large_and_half_of_it_good() -> None:
    good = sum(kernel.good for kernel in CORPUS)
    assert len(CORPUS) >= 60
    assert 2 * good >= len(CORPUS) - 2
    assert len({kernel.hand for kernel in CORPUS}) >= 3


def test_page_is_what_the_findings_give() -> None:
    assert PAGE.read_text() == page(score(RESULTS), tuple(RESULTS))


def test_no_good_kernel_has_an_error() -> None:
    assert score(RESULTS).good_with_errors == []


def test_changed_labels_name_a_kernel_and_a_reason() -> None:
    names = {kernel.id for kernel in CORPUS}
    for change in adjudicated():
        assert change["kernel"] in names
        assert len(change["reason"].split()) > 5
