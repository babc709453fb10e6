# make run    start her (sets everything up the first time)
# make test   the whole test suite
# make check  format, lint, types, import rules
# make bench  what it costs, in numbers
# make stills draw the pictures that ship for machines that cannot draw
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check bench stills install install-dev lock clean

run: install
	@$(BIN)/otomo run

test: install-dev
	@$(BIN)/python -m pytest -n auto --dist loadfile

check: install-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --cache-dir .import_linter_cache
	@$(BIN)/python -m pytest -q tests/test_rules.py

bench: install-dev
	@$(BIN)/python -m tests.bench

stills: install
	@$(BIN)/python -m render.shipped

install:
	@$(PYTHON) bot/install.py

install-dev:
	@$(PYTHON) bot/install.py --dev

lock:
	@.ci/lock

clean:
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
