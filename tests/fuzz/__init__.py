"""Differential fuzzing: whole generated kernels on the LLVM engine, in all its modes, and on the NumPy oracle.

A kernel is a tree of statements (`tree`), drawn by Hypothesis and written out as PTX (`kernel`, `write_*`). By
construction it is race-free, in bounds, initialised and ends, so that every engine must give the same bits and counts.
`python -m tests.fuzz` runs many of them; `make fuzz` does.
"""
