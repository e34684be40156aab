# Every target sets up what it needs on a machine that has nothing but Python 3.11 or later.
PYTHON ?= python3
BIN := .venv/bin
TACITA_DATA ?= $(wildcard ../shared/data)
export TACITA_DATA
# Tests start hundreds of processes, and each would compile every module that it loads.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow mutants check format docs bench java clean browser

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Spark needs Java; where there is none and no way to install it, its tests are skipped and say so.
JAVA := $(shell command -v java 2> /dev/null)
java:
ifeq ($(JAVA),)
	-@test -z "$$JAVA_HOME" && command -v apt-get > /dev/null && apt-get update -qq && \
	  { apt-get install -qq -y openjdk-17-jre-headless || apt-get install -qq -y default-jre-headless; } > /dev/null
endif

# What a user installs: enough for the demonstration.
.venv/.plain: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

.venv/.installed: .venv/.plain packages/tacita-papers/pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  --editable '.[test,check]' --editable packages/tacita-papers
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium > /dev/null; } \
		|| echo "there is no Chromium, so the tests of pages in a browser are skipped"
	@touch $@

demo: .venv/.plain ## simulate a small transit agency, publish it, show what came out
	$(BIN)/tacita demo

browser: # Chromium of the system, for pages; without it their tests are skipped and say so
	-@command -v chromium > /dev/null || { command -v apt-get > /dev/null && apt-get update -qq && apt-get install -qq -y chromium > /dev/null; }

test: .venv/.installed java browser ## run the tests, in a few minutes
	$(BIN)/pytest -q --numprocesses auto --dist worksteal

test-slow: .venv/.installed java browser ## run the tests that take longer, the properties on new examples, and the mutants
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[kafka,nats]'
	@command -v nats-server > /dev/null || apt-get install --quiet --yes nats-server || echo 'without nats-server its tests are skipped'
	@test -d /usr/lib/postgresql || apt-get install --quiet --yes postgresql || echo 'without PostgreSQL its test is skipped'
	$(BIN)/pytest -q -m slow --numprocesses auto --dist worksteal
	TACITA_EXAMPLES=new $(BIN)/pytest -q -m 'hypothesis and not slow'
	$(BIN)/python tools/mutants.py --jobs 2

mutants: .venv/.installed ## break the code on purpose in many ways and see that a test notices each
	$(BIN)/python tools/mutants.py --jobs 2

check: .venv/.installed ## lint, types, imports, entropy
	$(BIN)/ruff check src packages tests tools benchmarks
	$(BIN)/ruff format --check --quiet src packages tests tools benchmarks
	$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache > /dev/null || $(BIN)/lint-imports
	$(BIN)/python tools/entropy_lint.py
	$(BIN)/python tools/cli_reference.py --check
	$(BIN)/python tools/public_names.py --check
	$(BIN)/python tools/api_reference.py --check

format: .venv/.installed ## format the code and write the command line's reference
	$(BIN)/ruff check --fix --quiet src packages tests tools benchmarks
	$(BIN)/ruff format --quiet src packages tests tools benchmarks
	$(BIN)/python tools/public_names.py
	$(BIN)/python tools/cli_reference.py
	$(BIN)/python tools/api_reference.py

docs: .venv/.installed ## build the documents as a site, in the folder site
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	$(BIN)/python tools/api_reference.py
	$(BIN)/zensical build --clean --strict

bench: .venv/.installed java ## measure speed and memory, as ratios in one run
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/mining.py
	$(BIN)/python benchmarks/itemsets.py
	$(BIN)/python benchmarks/inference_speed.py
	$(BIN)/python benchmarks/sets_speed.py
	$(BIN)/python benchmarks/streams_speed.py
	$(BIN)/python benchmarks/hiding_speed.py
	$(BIN)/python benchmarks/trajectories_speed.py
	$(BIN)/python benchmarks/networks.py speed
	$(BIN)/python benchmarks/networks.py regions
	$(BIN)/python benchmarks/ledger.py
	$(BIN)/python benchmarks/engines.py --people 2000000
	$(BIN)/python benchmarks/engines.py

clean: ## remove what the targets made
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache site tacita-demo tacita-demo-*
