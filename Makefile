# The verbs that people and CI share. `make demo` and `make test` need nothing but Python and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SEEDS ?= 300
JOBS ?= 2

.PHONY: demo test lint format simulate test-cluster bench clean
.DEFAULT_GOAL := test

# The environment is made anew when what it is made from changes.
$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Landform needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade --constraint constraints.txt pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[fast]' --group dev
	touch $@

demo: $(VENV)/ready  ## Run a landscape of three parts and show the finished tree
	$(BIN)/python examples/demo.py

test: $(VENV)/ready  ## All tests that need no cluster
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

lint: $(VENV)/ready  ## Format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready  ## Format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

simulate: $(VENV)/ready  ## Everything under faults and crashes in virtual time, SEEDS seeds of each scenario; MODE=random or exhaustive
	$(BIN)/python -m landform.testing.simulation --seeds $(SEEDS) $(if $(MODE),--mode $(MODE))

test-cluster: $(VENV)/ready  ## Tests on a real control plane, node and podman; built from source on first use
	LANDFORM_CLUSTER_TESTS=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m cluster tests/cluster tests/components tests/contract tests/deployers tests/engine tests/examples tests/runtime

bench: $(VENV)/ready  ## Ratios against the real alternative, measured in one run
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist
