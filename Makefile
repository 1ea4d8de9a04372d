# One command for each wish; `make` alone lists them. Nothing is installed outside .venv but Debian packages,
# and those only where this user may (root, or sudo without a password).

PYTHON ?= python3
# `setup` installs the model unless told not to; every other target keeps what was set up.
MODEL ?= $(if $(filter setup,$(MAKECMDGOALS)),gemma,$(if $(wildcard .venv/.ready-none),none,gemma))
export MODEL
BIN := .venv/bin
READY := .venv/.ready-$(MODEL)

# Hashes are the lock; the build's own tools are pinned the same way.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
LOCKED := $(INSTALL) --require-hashes --build-constraint .lock/build.txt

.PHONY: help setup demo test check lint types arrows unit cases bench chaos soak language-report leaning lock clean

help:
	@echo "make setup            install everything into .venv (MODEL=none: without the language model)"
	@echo "make demo             an operator's session before your eyes (DEMO_EXIT=1: leave when it is over)"
	@echo "make test             all tests, with a table of their minutes"
	@echo "make check            lint, types, arrows, unit tests, labelled cases: three minutes"
	@echo "make bench            figures beside their floor or peer (BENCH_JSON=FILE)"
	@echo "make chaos            the tests of make test with larger numbers"
	@echo "make soak             the agent under load for long (SOAK_MINUTES=N)"
	@echo "make language-report  how sentences are read, as tables and a page"
	@echo "make leaning          fit what words lean to, and what a cry is, on the labelled sentences anew"
	@echo "make lock             resolve the dependencies anew"

setup: $(READY)

$(READY): .lock/pip.txt .lock/build.txt .lock/run.txt .lock/hmi.txt .lock/dev.txt .lock/model.txt .lock/second-model.txt pyproject.toml
	@.ci/debian broker || true
	@$(PYTHON) -c 'import sys; sys.exit(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}: make setup PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing the locked packages into .venv"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r .lock/pip.txt
	@$(LOCKED) -r .lock/dev.txt
	@$(INSTALL) --no-deps --build-constraint .lock/build.txt --editable .
ifneq ($(MODEL),none)
	@.ci/debian compiler
	@echo "installing the language model (its library is compiled once, about five minutes; then pip's cache has it)"
	@.ci/model
endif
	@rm -f .venv/.ready-*
	@touch $@

demo: setup
	$(BIN)/edge-agent demo

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

arrows: setup
	$(BIN)/lint-imports

unit: setup
	$(BIN)/python -m pytest -q -n auto tests -m "not model and not net and not slow and not search"

cases: setup
	$(BIN)/edge-agent cases run labeled_cases

check: lint types arrows unit cases

test: setup
	@.ci/debian broker units browser peers
	@.ci/npm
	@.ci/parts \
		"lint:make lint" "types:make types" "arrows:make arrows" \
		"unit:make unit" "cases:make cases" \
		"search:$(BIN)/python -m pytest -q tests/safety/search -m search" \
		"services:$(BIN)/python -m pytest -q tests -m 'net and not model and not browser'" \
		"page:$(BIN)/python -m pytest -q tests/hmi -m browser" \
		"packaging:$(BIN)/python -m pytest -q tests -m 'slow and not net and not model'" \
		$(if $(filter none,$(MODEL)),,"model:$(BIN)/python -m pytest -q tests -m model") \
		"demo:env DEMO_EXIT=1 timeout 300 $(BIN)/edge-agent demo"

bench: setup
	$(BIN)/python -m tests.bench

chaos: setup
	@.ci/debian broker
	CHAOS=long $(BIN)/python -m pytest -q tests/chaos
	EDGE_AGENT_SEARCH_SECONDS=600 $(BIN)/python -m pytest -q --timeout 900 tests/safety/search -m search

soak: setup
	@.ci/debian broker
	$(BIN)/python -m tests.soak

language-report: setup
	$(BIN)/python -m tests.language.public_sentences .state/public 1500
	$(BIN)/edge-agent cases language-report tests/language/held_out .state/public --html .state/language.html

# What the words of a sentence lean to: fitted anew after a change of the labelled sentences.
leaning: setup
	$(BIN)/python -m tests.language.public_sentences .state/others --last
	$(BIN)/python -m offline_rules.fitting offline_rules/data edge_agent/adapters/model/data/fit.jsonl \
		labeled_cases/sentences/zh/general.jsonl labeled_cases/sentences/en/general.jsonl .state/others/*.jsonl

lock:
	.lock/renew

clean:
	rm -rf .venv .state .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
