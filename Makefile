# The commands a person runs; `make help` lists them. Each does its own set-up: Python >= 3.10, Rust and Java 17 suffice.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Outside the checkout, so that a fresh clone on the same machine is warm.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/floeberg
export CARGO_TARGET_DIR ?= $(CACHE)/target
export FLOEBERG_BENCH_DIR ?= $(CACHE)/bench

VENV := .venv
BIN := $(VENV)/bin
PYTHON := $(BIN)/python
LIBRARIES := -p floeberg-core -p floeberg-protobuf -p floeberg-exec -p floeberg-rows -p floeberg-io -p floeberg-properties -p floeberg-files -p floeberg-avro -p floeberg-orc -p floeberg-parquet -p floeberg-lance -p floeberg-iceberg -p floeberg-commit -p floeberg-maintain
# Tests in as many processes, each with the tests of a file; the ten slowest are shown.
WORKERS ?= 2
PYTEST = $(PYTHON) -m pytest --numprocesses $(WORKERS) --dist loadscope --no-loadscope-reorder --durations 10
PYTHON_SOURCES := python tests tools benches examples docs/conf.py
# Of its own, so that the environment of everyday work stays small.
DOCS_VENV := $(CACHE)/docs

.PHONY: help demo test test-rust test-python test-spark spark-versions faults long object-stores catalogs interop java check break-rules fuzz fmt bench docs site wheel install venv clean

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: install ## Build, then run the main job on a real table, from Python and through PySpark
	@$(PYTHON) examples/demo.py

test: test-rust test-python test-spark ## All tests

test-rust: ## The Rust tests alone
	cargo test --locked $(LIBRARIES) -p floeberg-tests -p floeberg-fuzz-targets

test-python: install ## Build the package, then the Python tests alone (ARGS="-k name" narrows them)
	$(PYTEST) tests/python $(ARGS)

test-spark: install java $(VENV)/spark-classes.jsa ## The same for the tests that start Spark
	$(PYTEST) tests/spark $(ARGS)

spark-versions: venv java ## Some tests of reads, changes and streams with PySpark 4.0, 4.1 and 4.2 (ARGS="4.0.1" chooses)
	$(PYTHON) tools/spark_versions.py $(ARGS)

faults: install ## Storage that fails at every call, processes that are killed (KILLS=200 of each catalog), many writers at once
	FLOEBERG_KILLS=$(or $(KILLS),200) $(PYTEST) tests/faults $(ARGS)

long: install java ## What tests try, many more of it: HISTORIES=2000, INTERLEAVINGS=2000, PROPERTIES=3000 tables with filters, FRAMES=300 of each library, KILLS=200
	FLOEBERG_HISTORIES=$(or $(HISTORIES),2000) $(PYTHON) -m pytest tests/python/commit/test_histories.py --timeout 0
	FLOEBERG_PROPERTIES=$(or $(PROPERTIES),3000) $(PYTHON) -m pytest tests/python/scan/test_pruning_properties.py tests/python/scan/test_plan_parts.py tests/python/commit/test_delete_properties.py tests/python/values/test_sql_properties.py tests/python/values/test_computed_filters.py --timeout 0
	FLOEBERG_FRAMES=$(or $(FRAMES),300) $(PYTHON) -m pytest tests/python/write/test_drawn_frames.py --timeout 0
	FLOEBERG_LANCE_HISTORIES=$(or $(HISTORIES),2000) $(PYTHON) -m pytest tests/python/lance_tables/test_histories.py --timeout 0
	FLOEBERG_INTERLEAVINGS=$(or $(INTERLEAVINGS),2000) $(PYTHON) -m pytest tests/python/commit/test_interleavings.py --timeout 0
	FLOEBERG_PROPERTIES=$(or $(PROPERTIES),3000) $(PYTHON) -m pytest tests/spark/test_lanes_properties.py tests/spark/test_sql_values.py tests/spark/test_planning.py --timeout 0
	FLOEBERG_DAMAGES=8000 FLOEBERG_LANCE_DAMAGES=1200 $(PYTHON) -m pytest tests/python/test_damage.py tests/python/lance_tables/test_damage.py --timeout 0
	FLOEBERG_CASES=all $(PYTHON) -m pytest tests/spark/test_sql_histories.py tests/spark/test_sql_methods.py tests/spark/test_stream_properties.py tests/python/lance_tables/test_corpus.py --timeout 0
	FLOEBERG_SETTINGS=all $(PYTHON) -m pytest tests/spark/test_sql_under_settings.py --timeout 0
	FLOEBERG_CASES=all $(PYTHON) -m pytest tests/catalogs/test_served_contention.py tests/catalogs/test_cut_connections.py tests/catalogs/test_mariadb.py tests/catalogs/test_nessie.py --timeout 0
	FLOEBERG_CASES=all $(PYTHON) -m pytest tests/catalogs -k mariadb --timeout 0
	FLOEBERG_CASES=all $(PYTHON) -m pytest tests/object_stores -k "not spark" --timeout 0
	FLOEBERG_KILLS=$(or $(KILLS),200) FLOEBERG_DELETES=100 FLOEBERG_CHANGES=100 $(PYTHON) -m pytest tests/faults/test_killed.py tests/faults/test_killed_changes.py tests/faults/test_lance_killed.py tests/faults/test_deletes.py tests/faults/test_races.py --timeout 0

object-stores: install java $(VENV)/spark-classes.jsa ## Tables in emulators of S3 and Azure on loopback (Node.js), Spark's connector (690 MB, once)
	$(PYTEST) tests/object_stores $(ARGS)

catalogs: install java ## The tests of catalogs over Iceberg's REST server, SeaweedFS and PostgreSQL, which it starts on loopback
	$(PYTEST) tests/catalogs $(ARGS)

interop: install java ## PyIceberg, DuckDB and Iceberg Java read what we write, and write what we read; downloads them once
	$(PYTEST) tests/interop $(ARGS)

check: install ## Format, lints, types, stubs, dependency and layering rules
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff format --check --quiet $(PYTHON_SOURCES)
	$(BIN)/ruff check --quiet $(PYTHON_SOURCES)
	$(BIN)/mypy
	$(PYTHON) tools/check_stubs.py
	$(PYTHON) tools/check_architecture.py
	$(PYTHON) tools/check_modules.py
	$(PYTHON) tools/check_lengths.py
	$(PYTHON) tools/check_known_failures.py
	$(PYTHON) tools/check_rules.py
	cargo test --locked --quiet $(LIBRARIES) -p floeberg-tests -p floeberg-fuzz-targets --test replay

fuzz: ## The fuzzers of all decoders, FUZZ_SECONDS=600 each (ARGS="puffin recipe" chooses); needs nightly Rust
	@python3 tools/run_fuzzers.py $(ARGS)

break-rules: venv ## Break rules of the specification and see their tests fail (ARGS="34 51" chooses; else ten at random)
	$(PYTHON) tools/break_rules.py $(ARGS)

fmt: venv ## Format Rust and Python
	cargo fmt --all
	$(BIN)/ruff format --quiet $(PYTHON_SOURCES)
	$(BIN)/ruff check --quiet --fix $(PYTHON_SOURCES)

# Environments of peers are made by tools.
bench: export PYTHONPATH := tools
bench: install java $(VENV)/.bench ## Benches against peers, ratios in one run (SCALE=0.1 for a smaller table, ICEBERG_JAVA=1 for that peer)
	cargo bench --locked --profile dev -p floeberg-benches
	$(PYTHON) benches/python/instruction_counts.py
	$(PYTHON) benches/python/bench_plan.py --scale $(or $(SCALE),1) $(if $(ICEBERG_JAVA),--java)
	$(PYTHON) benches/python/bench_spark_planning.py
	$(PYTHON) benches/python/bench_scan.py --scale $(or $(SCALE),1)
	$(PYTHON) benches/python/bench_equality.py --scale $(or $(SCALE),1)
	$(PYTHON) benches/python/bench_append.py --scale $(or $(SCALE),1)
	$(PYTHON) benches/python/bench_commit.py --scale $(or $(SCALE),1)
	$(PYTHON) benches/python/bench_delete.py --scale $(or $(SCALE),1) $(if $(ICEBERG_JAVA),--java)
	$(PYTHON) benches/python/bench_maintenance.py --scale $(or $(SCALE),1) $(if $(ICEBERG_JAVA),--java)
	$(PYTHON) benches/python/bench_upsert.py --scale $(or $(SCALE),1) $(if $(ICEBERG_JAVA),--java)
	$(PYTHON) benches/python/bench_changelog.py --scale $(or $(SCALE),1)
	$(PYTHON) benches/python/bench_compare.py --scale $(or $(SCALE),1)
	$(PYTHON) benches/python/bench_lance.py --scale $(or $(SCALE),1)
	$(PYTHON) benches/python/bench_spark.py --scale $(or $(SCALE),1) $(if $(ICEBERG_JAVA),--java)

docs: site ## The site, and the reference pages of the Rust crates under target/doc
	cargo doc --locked --no-deps $(LIBRARIES)
	@echo "$(CARGO_TARGET_DIR)/doc/floeberg_core/index.html"

# Every warning fails it: a dead link, a name that is not there, a page that no menu leads to.
site: $(DOCS_VENV)/.docs ## The documentation as a site, in docs/_build/html; needs no build of the package
	$(DOCS_VENV)/bin/sphinx-build --fail-on-warning --keep-going --quiet --fresh-env -d docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

wheel: venv ## The wheel that users install: optimised for size and speed
	$(BIN)/maturin build --locked --profile wheel --out dist

# The development wheel: the same build profile as the tests, so that nothing is compiled twice.
install: venv
	@$(PYTHON) tools/install_dev.py

venv: $(VENV)/.dev

java: venv
	@$(PYTHON) tools/check_java.py

# The JVMs of the tests start in half the time with it.
$(VENV)/spark-classes.jsa: $(VENV)/.dev tools/class_archive.py
	@$(PYTHON) tools/class_archive.py $@

# A requirements file is installed again when its content differs from the stamp of the last installation.
$(VENV)/.%: requirements/%.txt tools/make_venv.py
	@tools/make_venv.py $(VENV) $*

$(DOCS_VENV)/.docs: requirements/docs.txt tools/make_venv.py
	@tools/make_venv.py $(DOCS_VENV) docs

clean: ## Remove what was built inside the checkout (the shared target directory stays)
	rm -rf $(VENV) dist docs/_build .pytest_cache .ruff_cache .mypy_cache .hypothesis
