# make demo sets up .venv and judges the examples; make test runs the tests. Needs Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2
# Hardware readings and the kernels that they were taken of.
TRUTH ?= tests/truth
# Generated kernels, and the number of their first batch: to go on, the last one that was printed.
FUZZ_KERNELS ?= 20000
FUZZ_SEED ?= 1

.PHONY: help venv demo test lint type check corpus fuzz bench truth agreement gpu clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo    judge the example kernels, good and bad'
	@echo 'make test    run the tests'
	@echo 'make lint    linter and formatter, without changing files'
	@echo 'make type    type checker'
	@echo 'make check   what CI runs: test, lint, type'
	@echo 'make corpus  judge the labelled kernels and write docs/corpus.md'
	@echo 'make fuzz    generated kernels on both engines; FUZZ_KERNELS=20000 FUZZ_SEED=1, failures in out/fuzz'
	@echo 'make bench   speed of the virtual GPU, the compiler and the commands on this machine'
	@echo 'make truth   predicted counters against hardware readings'
	@echo 'make agreement  the same as docs/agreement.md'
	@echo 'make gpu     the tests that need a real GPU'
	@echo 'make clean   remove .venv and tool caches'

venv: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'warpgauge needs Python 3.11 or newer; name one with make PYTHON=...' >&2; exit 1; }
	@echo 'Setting up $(VENV) (downloads the CUDA compiler wheels, a few hundred MB) ...'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
	@echo '$(VENV) is ready.'

# Exit code 1 says that a candidate broke a binding contract, which the bad candidates of each example are there to do.
JUDGE = $(BIN)/warpgauge check $(1) || test $$? -eq 1

demo: $(STAMP)
	@$(call JUDGE,examples/vec_add)
	@$(call JUDGE,examples/transpose)
	@$(call JUDGE,examples/gemm_f32)

# Neighbours in one process: what tests of a file keep for each other is made once.
test: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

type: $(STAMP)
	$(BIN)/mypy

check: test lint type

corpus: $(STAMP)
	$(BIN)/python -m tests.corpus --jobs $(JOBS)

fuzz: $(STAMP)
	nice $(BIN)/python -m tests.fuzz --kernels $(FUZZ_KERNELS) --seed $(FUZZ_SEED) --jobs $(JOBS)

bench: $(STAMP)
	$(BIN)/python -m tests.bench

truth: $(STAMP)
	$(BIN)/warpgauge truth $(TRUTH)

agreement: $(STAMP)
	$(BIN)/python -m tests.agreement

gpu: $(STAMP)
	$(BIN)/python -m pytest tests/gpu

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
