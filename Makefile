# Everything a newcomer needs: `make run`, `make test`. See CONTRIBUTING.md for the short loop.
# Needs Python >= 3.11 with venv, and a package index that pip can reach; nothing else.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHON := $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)

.DEFAULT_GOAL := help
.PHONY: help setup run test lint bench audit figures pictures baselines reference lock clean

help: ## say what can be made
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

$(READY): requirements.lock
	@test -n "$(PYTHON)" || { echo "quorate needs Python 3.11 or newer on the PATH; none was found"; exit 2; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) from requirements.lock (about a minute)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
	@touch $(READY)

setup: $(READY) ## make the environment from the hashed lock

run: $(READY) ## play a live campaign with its dashboard; Ctrl-C ends it
	@$(BIN)/quorate demo

lint: $(READY) ## ruff, mypy --strict, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint ## lint, then every test
	$(BIN)/python -m pytest -n 2

bench: $(READY) ## speed, as ratios to stated peers measured in the same run
	$(BIN)/python -m benchmarks

audit: $(READY) ## the full-size searches for violations (about a quarter of an hour)
	$(BIN)/python -m benchmarks.audit

figures: $(READY) ## the paper's figures at full size, into out/figures
	$(BIN)/quorate figures --out out/figures

pictures: $(READY) ## every figure at full size, and its picture into docs/images
	$(BIN)/quorate figures all --out out/figures
	cp out/figures/*.png docs/images/

baselines: $(READY) ## add crowd-kit (half a gigabyte), for the Dawid-Skene row of `quorate replay`
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-baselines.lock

reference: $(READY) ## write docs/cli.md anew from the commands' help
	@$(BIN)/python -m quorate.cli.reference > docs/cli.md

lock: ## write requirements.lock anew (needs uv)
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
		--extra dask --group dev pyproject.toml -o requirements.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 \
		--extra dask --extra baselines --group dev -c requirements.lock pyproject.toml -o requirements-baselines.lock

clean: ## remove the environment and every cache
	rm -rf $(VENV) out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
