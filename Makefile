# make run    start her (sets everything up the first time)
# make test   the whole test suite
# make check  format, lint, types, import rules
# make bench  what it costs, in numbers
# make bench-render  what her face costs, beside three-vrm in a browser
# make goldens  draw the approved pictures of the tests anew (look at them before committing)
# make stills draw the pictures that ship for machines that cannot draw
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check bench bench-render goldens stills install install-dev lock clean

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

bench-render: install-dev
	@$(BIN)/python -m tests.bench render

goldens: install-dev
	@$(BIN)/python -m tests.render.goldens

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
