# One command per need. Each target sets up what it uses, in .venv and target/, and only when stale.

PYTHON  ?= python3
CARGO   ?= cargo
VENV    := .venv
BIN     := $(VENV)/bin
STAMPS  := $(VENV)/stamps
OUT     ?= out
# Which tests this machine did not let run, and why: each program of tests adds its own.
SKIPPED := $(STAMPS)/skipped.txt
# Which tests of real runs failed at first.
AGAIN   := $(STAMPS)/again
REAL_PYTHON = $(BIN)/python -m pytest -q -m realtime -o cache_dir=$(CURDIR)/$(AGAIN)/cache
FUZZ_SECONDS ?= 180
# Other Pythons under which `make test-package` repeats the first steps.
PYTHONS ?=
# Where `make c` puts the header and the libraries.
PREFIX  ?= $(OUT)/c

# What the installed package is made of: a change of any of these rebuilds the native module.
RUST_SOURCES := Cargo.toml Cargo.lock \
	$(shell find crates -name '*.rs' -o -name '*.toml' -o -name '*.json' 2>/dev/null)

# Else each process would compile Python's libraries anew, which costs as much as its work.
unexport PYTHONDONTWRITEBYTECODE

# All Rust tests but those of objects, whose tools would have libraries compiled with other features. Every call of Cargo
# selects the same crates: another selection would have libraries compiled anew. The runner chooses which tests run.
RUST_TESTS := test --release --workspace --exclude schedlab-objects --tests --quiet
ONLY = --config 'target."cfg(all())".runner = ["tools/only_tests.sh", "$(1)"]'

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-built test-models test-real test-real-first test-real-again lint lint-rust lint-types format soak fuzz studies \
	bench footprint clean check-tools
.PHONY: c docs gallery renew wheels test-package kernel-deps kernel test-kernel soak-kernel renew-bpf
.DELETE_ON_ERROR:

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Build and install schedlab into .venv.
	@# Libraries of Python are fetched while Rust compiles.
	@$(MAKE) --no-print-directory --jobs 2 $(STAMPS)/installed

demo: setup ## Compare seven schedulers on an avionics task set; prints the path of the report last.
	$(BIN)/schedlab compare examples/avionics.toml --processors 4 --copies 4 \
		--overheads paper-2008-4k --out $(OUT)/avionics

test: lint test-built ## What continuous integration runs.
	@rm -f $(SKIPPED)
	@# Real runs leave most of the processors' time to the other tests.
	@SCHEDLAB_SKIPPED=$(CURDIR)/$(SKIPPED) $(MAKE) --no-print-directory --jobs 2 --output-sync=line \
		test-models test-real-first
	@SCHEDLAB_SKIPPED=$(CURDIR)/$(SKIPPED) $(MAKE) --no-print-directory test-real-again
	@echo "== all tests passed"
	@if [ -s $(SKIPPED) ]; then echo "== but for those that were skipped here, or ran twice:"; sort -u $(SKIPPED); fi

test-built: check-tools
	@echo "== building the Rust tests"
	@# The profile and the features of the build that is installed: what both need is compiled once.
	$(CARGO) $(RUST_TESTS) --no-run

test-models: check-tools setup ## Tests of all that does not run for real.
	@echo "== tests of models: Rust"
	$(CARGO) $(RUST_TESTS) $(call ONLY,models)
	$(CARGO) test --release --package schedlab-objects --quiet
	@echo "== tests of models: Python"
	$(BIN)/python -m pytest -q -m "not realtime and not soak and not site" --numprocesses auto --dist loadfile

test-real: test-real-first ## Tests of real runs: one at a time, and those that fail a second time.
	@$(MAKE) --no-print-directory test-real-again

# What else the machine does can make a real run late. What fails is tried again when all other tests are over.
test-real-first: check-tools setup
	@rm -rf $(AGAIN)
	@mkdir -p $(AGAIN)
	@echo "== tests of real runs: Rust"
	SCHEDLAB_AGAIN=$(CURDIR)/$(AGAIN)/rust $(CARGO) $(RUST_TESTS) $(call ONLY,real)
	@echo "== tests of real runs: Python"
	@# Pytest ends with status 1 if tests failed, and with another one if it could not do them.
	$(REAL_PYTHON) || { [ $$? = 1 ] && echo failed >$(AGAIN)/python; }

test-real-again:
	@if [ -s $(AGAIN)/rust ]; then echo "== again: Rust"; tools/only_tests.sh again $(AGAIN)/rust; fi
	@if [ -s $(AGAIN)/python ]; then \
		echo "== again: Python"; $(REAL_PYTHON) --last-failed --last-failed-no-failures none; fi

renew: check-tools $(STAMPS)/dependencies ## Write anew what tests compare with: schemas, messages, docs/tests.md, types of Python.
	@# Of several crates, so that no library is compiled with other features than usually.
	RENEW=1 $(CARGO) $(RUST_TESTS) $(call ONLY,models) -- documentation result_schema schemas bad_input
	$(BIN)/datamodel-codegen

lint: check-tools setup ## Formatting, lints, types.
	@echo "== formatting, lints, types"
	@$(CARGO) metadata --locked --format-version 1 >/dev/null || { echo "Cargo.lock is stale: run cargo check and commit it" >&2; exit 1; }
	$(CARGO) fmt --all --check
	$(BIN)/ruff check python docs/site tests/python tests/kernel tests/walks studies
	$(BIN)/ruff format --check python docs/site tests/python tests/kernel tests/walks
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=line lint-rust lint-types

lint-rust: check-tools
	$(CARGO) clippy --release --workspace --all-targets --quiet -- -D warnings

lint-types: setup
	$(BIN)/mypy

format: setup ## Format Rust and Python sources.
	$(CARGO) fmt --all
	$(BIN)/ruff format python docs/site tests/python tests/kernel tests/walks
	$(BIN)/ruff check --fix python docs/site tests/python tests/kernel tests/walks

soak: check-tools setup ## The long random runs: 100,000 systems against simulation, climbs towards bounds; prints their power.
	$(CARGO) run --release --package schedlab-tests --bin soak -- --systems 100000 --threads 2
	BLOCKING_SYSTEMS=100000 $(CARGO) test --release --package schedlab-sim --test all -- blocking_bounds --nocapture
	LOCK_SYSTEMS=100000 $(CARGO) test --release --package schedlab-sim --test all -- \
		protocols_promises protocols_random protocols_bounds --include-ignored --nocapture
	@# Every test that is too long for each change; then the simulator's with its assertions of development builds.
	$(CARGO) test --release --workspace --exclude schedlab-native --lib --bins --tests -- --ignored
	$(CARGO) test --package schedlab-sim --package schedlab-tests
	@$(MAKE) --no-print-directory $(STAMPS)/s3
	$(BIN)/python -m pytest -q -m soak
	@# Where real-time priorities are refused, each line says so.
	@mkdir -p $(OUT)
	if $(BIN)/schedlab measure --quick --out $(OUT)/overheads.toml; then set -- --overheads $(OUT)/overheads.toml; fi; \
		$(BIN)/python tests/real_runs.py --duration 60s --out $(OUT)/real-runs "$$@"
	$(BIN)/python tests/real_runs.py --matrix --duration 2s --out $(OUT)/matrix
	fuzz/run.sh $(FUZZ_SECONDS)

fuzz: setup ## Feed mutated files to every reader, FUZZ_SECONDS (180) for each; needs cargo-fuzz.
	fuzz/run.sh $(FUZZ_SECONDS)

studies: setup ## Run every study at its full size and plot it; resumes where it was stopped.
	$(BIN)/schedlab study run --all --full --out $(OUT)/studies

gallery: setup ## Run every study at its usual size, and build the site of all figures and claims (out/gallery).
	@# Where real-time priorities are refused, studies that measure are not run, and the site says so.
	$(BIN)/schedlab study run --all --no-plot --out $(OUT)/studies || [ $$? -eq 3 ]
	$(BIN)/schedlab study gallery --results $(OUT)/studies --out $(OUT)/gallery

bench: $(STAMPS)/peers ## Measure the simulator beside SimSo on the same sets, and the analyses.
	$(VENV)/peers/bin/python benches/simso_peer.py
	@# Where valgrind is missing, it says so.
	-$(PYTHON) benches/instructions.py
	$(CARGO) run --release --package schedlab-tests --bin engine_rates
	$(BIN)/python benches/read_rate.py
	$(BIN)/python benches/simulate_lines.py
	$(CARGO) bench --package schedlab-analysis
	$(CARGO) bench --package schedlab-batch
	$(CARGO) bench --package schedlab-bench-locks
	$(CARGO) bench --package schedlab-runtime --bench fast_paths
	$(CARGO) test --release --package schedlab-runtime --lib -- --ignored --nocapture what_a_record_costs
	$(CARGO) bench --package schedlab-runtime --bench run_cost
	$(CARGO) bench --package schedlab-lp-blocking
	$(CARGO) bench --package schedlab-membus
	$(CARGO) bench --package schedlab-tracepoints
	@# Where cyclictest (rt-tests) or real-time priorities are missing, it says so.
	$(PYTHON) benches/release_latency.py

docs: setup $(STAMPS)/docs ## Build the site of all documents (out/docs) and test its pages; check the files for the forge.
	$(VENV)/docs/bin/zizmor --offline --quiet --persona=pedantic .github
	$(VENV)/docs/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/docs/bin/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(VENV)/docs/bin/check-jsonschema --builtin-schema vendor.github-issue-forms \
		$(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(VENV)/docs/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(VENV)/docs/bin/python docs/site/build.py $(OUT)/docs
	@# Where no browser is found, the tests are skipped, and say so.
	SCHEDLAB_SITE=$(OUT)/docs $(BIN)/python -m pytest -q -m site

c: check-tools ## Build the C libraries and their header, and install them below PREFIX (out/c).
	$(PYTHON) tools/build_package.py $(PREFIX)

wheels: check-tools ## Build the sdist and the wheel of a release (out/wheels): for glibc 2.28, with schedulers for the kernel.
	$(PYTHON) tools/from_sdist.py $(OUT)/wheels kernel=yes glibc=2.28

test-package: check-tools ## Build the sdist and from it the wheel (or take WHEEL), install it, and use it as a new user does.
	WHEEL=$(WHEEL) $(PYTHON) tests/walks/package.py $(OUT)/package $(PYTHONS)

kernel-deps: ## Install what the four targets below need (Debian, Ubuntu; elsewhere it names packages).
	tests/kernel/deps.sh

kernel: ## Build Linux 6.12 with sched_ext for a virtual machine, into a cache; or set SCHEDLAB_KERNEL to a folder with one.
	@kernel=`$(PYTHON) tests/kernel/vm.py --where`; \
		[ -e "$$kernel/bzImage" ] || [ -n "$$SCHEDLAB_KERNEL" ] || tests/kernel/build.sh "$$kernel"; echo "$$kernel"

test-kernel: check-tools ## Load schedulers into the kernel of a virtual machine and test them there.
	$(PYTHON) tests/kernel/lane.py --out $(OUT)/kernel

soak-kernel: check-tools ## The long form of test-kernel: 1,000 loads in a row, 20 random sets per scheduler.
	$(PYTHON) tests/kernel/lane.py --soak --out $(OUT)/kernel

renew-bpf: check-tools ## Compile the schedulers for the kernel anew (crates/scx/src/bpf); needs clang.
	tools/renew_bpf.sh

footprint: check-tools ## Print how many bytes each locking protocol costs: code, constants, data per lock.
	@$(CARGO) run --quiet --package schedlab-footprint

clean: ## Remove everything that the targets above made.
	rm -rf $(VENV) target dist $(OUT) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f python/schedlab/_native*.so
	rm -rf python/schedlab/_bin
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +

check-tools:
	@command -v $(CARGO) >/dev/null 2>&1 || { \
		echo "schedlab needs a Rust toolchain: 'cargo' was not found; see https://rustup.rs" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
		echo "schedlab needs Python 3.11 or later: '$(PYTHON)' was not found; try make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "schedlab needs Python 3.11 or later: '$(PYTHON)' is `$(PYTHON) --version`; try make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "schedlab needs Python's venv module: install python3-venv" >&2; exit 1; }
	@command -v cc >/dev/null 2>&1 || { \
		echo "schedlab needs a C compiler: 'cc' was not found; install gcc or clang" >&2; exit 1; }

$(STAMPS)/venv: | check-tools
	@echo "== Python environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dependencies: requirements.txt $(STAMPS)/venv
	@echo "== Python libraries"
	@# What is imported is compiled then: all of it would take 18 processor-seconds.
	@$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

# Peers have an environment of their own: what they need must not reach ours.
$(STAMPS)/peers: benches/requirements.txt $(STAMPS)/venv
	$(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check "setuptools<80"
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
		--requirement benches/requirements.txt
	@touch $@

# A server that speaks S3 has an environment of its own: it needs older libraries than ours.
$(STAMPS)/s3: tests/python/s3-requirements.txt $(STAMPS)/venv
	$(PYTHON) -m venv $(VENV)/s3
	$(VENV)/s3/bin/python -m pip install --no-compile --quiet --disable-pip-version-check --no-deps \
		--requirement tests/python/s3-requirements.txt
	@touch $@

# What builds the site has an environment of its own, which sees the libraries of ours after its own ones.
$(STAMPS)/docs: docs/requirements.txt $(STAMPS)/dependencies
	$(PYTHON) -m venv $(VENV)/docs
	$(VENV)/docs/bin/python -m pip install --no-compile --quiet --disable-pip-version-check \
		--requirement docs/requirements.txt
	@ours=`$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'` && \
		its=`$(VENV)/docs/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'` && \
		echo "import site; site.addsitedir('$$ours')" > "$$its/schedlab_libraries.pth"
	@touch $@

# One call of Cargo for both, so that what they share is compiled once.
$(STAMPS)/built: $(RUST_SOURCES) | check-tools
	@echo "== schedlab itself (about two minutes on two processors at first)"
	@# The stamp is as old as the beginning: what changes meanwhile is built again.
	@mkdir -p $(STAMPS) && touch $@.begun
	@$(CARGO) build --release --quiet --package schedlab-native --package schedlab-rt
	@install -D target/release/libschedlab_native.so python/schedlab/_native.abi3.so
	@install -D target/release/schedlab-rt python/schedlab/_bin/schedlab-rt
	@mv $@.begun $@

$(STAMPS)/installed: $(STAMPS)/dependencies $(STAMPS)/built pyproject.toml tools/build_package.py tools/wheels.py
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
