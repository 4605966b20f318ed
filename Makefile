# One door: people and CI call the same targets. Each creates what it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml pyproject.toml

.PHONY: demo test check format lint types bench campaign miri docs docs-tables clean build package rust-test python-test

demo: build            ## fit a built-in problem and print its formula
	$(BIN)/multigene demo

test: rust-test python-test   ## all tests

check: lint types test  ## format, lint, types, stubs, Rust and Python tests

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The editable install builds the engine in release mode; it is made again when a source of it changes.
$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[all]'
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/pip install --quiet --group test
	touch $@

$(VENV)/linted: $(VENV)/tested
	$(BIN)/pip install --quiet --group lint
	touch $@

build: $(VENV)/installed

rust-test:
	cargo test --workspace --exclude multigene-python --quiet

python-test: $(VENV)/tested
	$(BIN)/python -m pytest -q --numprocesses auto --dist loadfile

lint: $(VENV)/linted
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/linted
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest multigene._engine

format: $(VENV)/linted
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/installed   ## engine and estimator benchmarks, printed as tables
	$(BIN)/pip install --quiet --group bench
	$(BIN)/python -m benchmarks

miri:                  ## the engine's unsafe blocks under Miri (rustup toolchain install nightly --component miri rust-src)
	cargo +nightly miri test -p multigene-core --test soundness

campaign: $(VENV)/tested   ## reliability campaign in small: signals, kills, fuzzing; without what the clock decides
	$(BIN)/python -m benchmarks campaign --quick --skip "time limits" "small noisy" "never worse"

docs: $(VENV)/installed
	$(BIN)/pip install --quiet --group docs
	$(BIN)/mkdocs build --strict

docs-tables: $(VENV)/installed   ## tables of the pages that are read off the program
	$(BIN)/python docs/reference.py --write

docs-images: $(VENV)/tested   ## pictures of README and docs, in docs/images (needs Chromium)
	$(BIN)/python docs/make_images.py

package: $(VENV)/linted  ## wheel and source distribution in dist/, the wheel tried in a fresh environment
	rm -rf dist $(VENV)-wheel
	$(BIN)/maturin build --release --sdist --out dist
	$(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/pip install --quiet "$$(ls dist/*.whl)[cli]"
	cd dist && ../$(VENV)-wheel/bin/multigene demo --time 2
	rm -rf $(VENV)-wheel

clean:
	rm -rf $(VENV) target site dist
