"""What Nsight Compute reads for single asynchronous copies on an H200 (docs/measured/asynchronous_copies_h200.md)."""

from __future__ import annotations

from tests.virtual.copies import ROWS, differences, executed


def test_copies_are_among_the_global_loads() -> None:
    assert list(executed()) == list(ROWS)
    assert differences() == []


def test_what_is_not_predicted_is_marked() -> None:
    """The writes to shared memory have counters of their own, which the rule for stores does not always give."""
    differ = 0
    for key, run in executed().items():
        (write,) = [s for s in run.sites if s.space == "shared"]
        assert write.provenance.detail == "rule assumed"
        assert all(not s.provenance.detail for s in run.sites if s.space == "global")
        differ += write.wavefronts != ROWS[key]["copy_wavefronts"]
    assert differ
