# The command index: `make help`.  Every target can be run again; finished steps are stamped in $(VENV).
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV ?= .venv
COURSE ?= course
LESSONS ?= my_lessons
JOBS ?= 2
LAB_FLAGS ?=
PYTEST_FLAGS ?=
MUTANTS ?=

# A torch that the environment already has is kept, unless TORCH asks for another.
torch_asked := $(filter-out undefined,$(origin TORCH))
TORCH ?= torch==2.13.0

bin := $(VENV)/bin
python := $(or $(wildcard $(bin)/python),$(PYTHON))
# nbgrader and Jupyter start programs of their own environment by name.
run := PATH="$(abspath $(bin)):$$PATH"
torch_stamp := $(VENV)/.torch-$(firstword $(shell echo '$(TORCH)' | cksum))
installed := $(VENV)/.installed
cxx_sources = $(shell git ls-files 'grader/*.h' 'grader/*.cpp' 'grader/*.cuh')

.PHONY: help demo test lab release check bench opinfo corpus golden nvcc-check mutants attacks env clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  Variables: PYTHON=$(PYTHON)  VENV=$(VENV)  TORCH='$(TORCH)'  COURSE=$(COURSE)  LESSONS=$(LESSONS)"

demo: $(installed) ## From nothing to marks: release, seven sample submissions, autograde, feedback, table
	@$(run) python -m grader.demo $(COURSE) --samples tests/submissions

test: $(installed) ## The whole test suite
	@$(run) python -m grader.cli setup
	@$(run) python -m pytest -n $(JOBS) --dist worksteal $(PYTEST_FLAGS)

lab: $(installed) ## JupyterLab on your own copy of the released notebooks, in $(LESSONS)
	@mkdir -p $(LESSONS)
	@cp -rn notebooks/. $(LESSONS)/
	@$(run) jupyter lab --notebook-dir $(LESSONS) $(LAB_FLAGS)

release: $(installed) ## Make notebooks/ from solutions/
	@$(run) python -m grader.nbgrader.release

check: $(installed) ## Lint, formatting, types, and notebooks/ in step with solutions/
	@$(run) ruff check
	@$(run) ruff format --check
	@$(run) mypy
	@$(run) clang-format --dry-run --Werror $(cxx_sources)
	@$(run) python -m grader.nbgrader.release --check

bench: $(installed) ## Measure first use and the time to a verdict; writes docs/reports/benchmarks.md
	@$(run) python benchmarks/report.py docs/reports/benchmarks.md

opinfo: $(installed) ## Compare sim with PyTorch's own operator database; writes docs/reports/opinfo.md
	@$(run) python -m tests.opinfo.run --jobs $(JOBS) --table docs/reports/opinfo.md

corpus: $(installed) ## Judge the whole corpus on sim (an hour; goes on where it stopped); writes docs/reports/corpus.md
	@$(run) python -m grader.cli agree --devices sim --jobs $(JOBS) --out build/corpus --table docs/reports/corpus.md

golden: corpus ## make corpus, and accept what each wrong submission is told: tests/golden/*.txt
	@$(run) python -m tests.golden.accept build/corpus/results.jsonl

nvcc-check: $(installed) ## Compile every right submission with nvcc, no GPU needed (half an hour; goes on where it stopped)
	@$(run) python -m grader.agreement.nvcc_check --jobs $(JOBS) --table docs/reports/nvcc.md

mutants: $(installed) ## Break every right submission mechanically and see that each mutant fails (hours; MUTANTS="--sample 100")
	@$(run) python -m grader.mutation $(MUTANTS)

attacks: $(installed) ## Attack the judge, the compiler and a class; writes docs/reports/attacks.md (about ten minutes)
	@$(run) python -m tests.attacks.run

env: $(installed) ## Only make the environment in $(VENV)

clean: ## Remove .venv and what tools left; courses and lessons stay
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache

$(VENV)/.python:
	@command -v $(python) >/dev/null || { echo "$(python) not found. Install Python 3.11 or newer (Debian, Ubuntu: apt-get install python3), or say make PYTHON=/path/to/python" >&2; exit 1; }
	@$(python) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(python) is $$($(python) -V 2>&1); this course needs Python 3.11 or newer: make PYTHON=python3.12" >&2; exit 1; }
	@$(python) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(python) cannot make environments. Debian, Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(python) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || { echo "Python.h not found. Debian, Ubuntu: apt-get install python3-dev" >&2; exit 1; }
	@command -v "$${CXX:-g++}" >/dev/null || { echo "No C++ compiler ($${CXX:-g++}). Debian, Ubuntu: apt-get install g++" >&2; exit 1; }
	@echo "Making the environment in $(VENV)"
	@$(bin)/python -m pip --version >/dev/null 2>&1 || $(python) -m venv $(VENV)
	@touch $@

$(torch_stamp): $(VENV)/.python
	@if [ -z "$(torch_asked)" ] && $(bin)/python -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)'; \
	then echo "Keeping the torch that $(VENV) has"; \
	else $(bin)/python -m pip install $(TORCH); fi
	@touch $@

$(installed): $(torch_stamp) pyproject.toml .ci/constraints.txt
	@$(bin)/python -m pip install -c .ci/constraints.txt -e '.[course,dev]'
	@touch $@
