# The front door. `make` alone lists the targets; CMakePresets.json has the builds behind them.
.DEFAULT_GOAL := help
.PHONY: help deps build test test-unit test-extras test-sanitizers test-clang test-scalar test-neon test-wheel coverage quickstart bench \
        bench-peers bench-python bench-explorer explorer-soak results search mqar guests endless crash-test signal-test thread-test power-test \
        fault-test mutation-test mpi mpi-program test-mpi mpi-campaign bench-mpi fuzz fuzz-campaign format format-check tidy web wasm wheel docs \
        site install deb container-test clean

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 3600
EXECUTIONS ?= 10000000
CRASHES ?= 500
SIGNALS ?= 200
IMAGES ?= 30000
ALLOCATIONS ?= 20
MUTATIONS ?= 5000
RANK_KILLS ?= 50
ARGUMENTS ?= 5000
SEED ?= 1
BENCH_PRESET ?= release

# $(call configure,preset,folder): configures once and again when a preset changed; ninja sees to the rest. Tests and
# benchmarks, which need more libraries than the program, come in with the first target that wants them.
configure = @[ $(2)/build.ninja -nt CMakePresets.json ] && ! grep -qs '^SCHEMAMEM_PROGRAM_ALONE:.*=ON' $(2)/CMakeCache.txt || \
            { cmake --preset $(1) -DSCHEMAMEM_PROGRAM_ALONE=OFF --log-level=WARNING && touch $(2)/build.ninja; }
configure_program = @[ build/build.ninja -nt CMakePresets.json ] || \
                    { cmake --preset release -DSCHEMAMEM_PROGRAM_ALONE=ON --log-level=WARNING && touch build/build.ninja; }
# MPI may have come later than the build folder.
configure_with_mpi = @cmake --preset release -DSCHEMAMEM_PROGRAM_ALONE=OFF --log-level=WARNING && touch build/build.ninja
ctest = ctest --output-on-failure -j $(JOBS)
cpp_files = git ls-files --cached --others --exclude-standard 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' \
            'bench/*.h' 'bench/*.cpp' 'fuzz/*.h' 'fuzz/*.cpp' 'include/*.h' 'python/*.h' 'python/*.cpp' 'wasm/*.h' 'wasm/*.cpp'

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

quickstart: build ## install what is missing, build, talk to a trained memory, train one and evaluate it
	@scripts/quickstart.sh

deps: ## install the Debian packages that building and testing need
	@scripts/deps.sh build test

build: ## build the program: build/schemamem
	@scripts/deps.sh build
	$(configure_program)
	@cmake --build build -j $(JOBS) --target schemamem

test: deps ## build and run all tests that need no browser, PyTorch or scheduler
	$(call configure,release,build)
	@cmake --build build -j $(JOBS)
	@$(ctest) --test-dir build -LE extras -O build/ctest.log

test-unit: ## build and run the unit tests only
	@scripts/deps.sh build unit bench
	$(call configure,release,build)
	@cmake --build build -j $(JOBS)
	@$(ctest) --test-dir build -L unit

test-extras: build ## run the tests that need PyTorch, a browser or other heavy things, installing those first
	@scripts/deps.sh unit bench site extras
	@scripts/venv.sh
	$(configure_with_mpi)
	@cmake --build build -j $(JOBS)
	@$(ctest) --test-dir build -L extras -O build/ctest-extras.log

# Whatever starts threads: pools, and the one that writes checkpoints while a run trains on.
threaded = system_test models_test stream_test train_test eval_test
test-sanitizers: deps ## all unit tests under ASan+UBSan, those with threads under TSan
	$(call configure,dev,build-dev)
	@cmake --build build-dev -j $(JOBS)
	@$(ctest) --test-dir build-dev -L unit
	$(call configure,tsan,build-tsan)
	@cmake --build build-tsan -j $(JOBS) --target $(threaded)
	@setarch -R $(ctest) --test-dir build-tsan -L unit -R '[Tt]hread|^train\.Run'

test-clang: deps ## all unit tests, compiled by clang
	$(call configure,clang,build-clang)
	@cmake --build build-clang -j $(JOBS)
	@$(ctest) --test-dir build-clang -L unit

test-scalar: deps ## all unit tests with kernels of one lane
	$(call configure,scalar,build-scalar)
	@cmake --build build-scalar -j $(JOBS)
	@$(ctest) --test-dir build-scalar -L unit

test-neon: ## the unit tests of kernels and models and all golden vectors, compiled for aarch64 and run by qemu
	@scripts/deps.sh neon
	$(call configure,neon,build-neon)
	@cmake --build build-neon -j $(JOBS) --target kernels_test kernels_neon_test models_test golden_test
	@$(ctest) --test-dir build-neon -L unit

coverage: deps ## branch coverage of what reads files (scripts/coverage.py), or of ROOMS alone; fails below 90 %
	$(call configure,coverage,build-coverage)
	@cmake --build build-coverage -j $(JOBS) --target $$(scripts/coverage.py $(ROOMS) --targets)
	@scripts/coverage.py $(ROOMS) --jobs $(JOBS)

campaign = @cmake --build build -j $(JOBS) --target campaign && build/tests/campaigns/campaign build/schemamem --seed $(SEED)

crash-test: deps ## kill -9 training runs CRASHES times (default 500), resume them, compare every bit
	$(call configure,release,build)
	$(campaign) --kills $(CRASHES)

signal-test: deps ## stop training runs by SIGNALS signals (default 200), resume them, compare every bit
	$(call configure,release,build)
	$(campaign) --signals $(SIGNALS)

thread-test: deps ## 300 steps of the recipe fast with 1, 2, 3, 4, 7 and 8 threads, all models: the same bits
	$(call configure,release,build)
	$(campaign) --threads

power-test: deps ## replay IMAGES disks (default 30000) that a lost power may have left, resume each, compare every bit
	$(call configure,release,build)
	$(campaign) --power $(IMAGES)

fault-test: deps ## fail every system call and every ALLOCATIONS-th allocation (default 20) of seven commands, once each
	$(call configure,release,build)
	$(campaign) --shim build/tests/campaigns/libfault_shim.so --faults 1 --allocations $(ALLOCATIONS)

mutation-test: deps ## MUTATIONS files with changed bytes and ARGUMENTS random command lines (default 5000 each) through the program
	$(call configure,release,build)
	$(campaign) --mutations $(MUTATIONS) --arguments $(ARGUMENTS)

mpi: ## build the program with MPI, to train one run on several processes: build-mpi/schemamem (docs/scaling.md)
	@scripts/deps.sh build mpi
	@scripts/build_preset.sh mpi schemamem

mpi-program:
	@scripts/deps.sh build unit bench mpi
	$(configure_with_mpi)
	@cmake --build build -j $(JOBS) --target schemamem schemamem_mpi campaign

test-mpi: mpi-program ## one run on several processes: the same bits, ranks that die, errors and signals
	@$(ctest) --test-dir build -L extras -R ranks --no-tests=error
	@SCHEMAMEM_PROGRAM=build/schemamem python3 tests/extras/mpi_test.py

mpi-campaign: mpi-program ## 300 steps on 1, 2, 3, 4 and 8 ranks, and kill -9 of a rank RANK_KILLS times (default 50): the same bits
	@RANK_KILLS=$(RANK_KILLS) SEED=$(SEED) cmake --build build --target mpi_campaign

bench-mpi: mpi-program ## two ranks of one thread beside one process of two threads, after checking both
	@python3 bench/mpi/ranks.py --program build/schemamem

bench: ## build and run the benchmarks (BENCH_PRESET=native compiles for this machine alone)
	@scripts/deps.sh build unit bench
	$(call configure,$(BENCH_PRESET),$(if $(filter release,$(BENCH_PRESET)),build,build-$(BENCH_PRESET)))
	@cmake --build $(if $(filter release,$(BENCH_PRESET)),build,build-$(BENCH_PRESET)) -j $(JOBS) --target run_bench

bench-peers: build ## time the training steps beside PyTorch's, in one run, after checking both
	@scripts/venv.sh torch==2.13.0 numpy safetensors
	@.venv/bin/python bench/peers/peers.py --program build/schemamem

bench-python: build ## the first answer of talk, a push from Python beside C++, and PyTorch steps through the kernels beside plain ones
	@scripts/deps.sh unit bench
	$(call configure,release,build)
	@cmake --build build -j $(JOBS) --target push_time schemamem_static
	@tests/extras/python_package.sh build -k no_test || [ $$? = 5 ]
	@python3 bench/python/first_answer.py build/schemamem
	@build/python-venv/bin/python bench/python/push.py build/bench/push_time
	@tests/extras/python_torch.sh build bench/python/torch_step.py

bench-explorer: build ## the explorer's module in Chromium beside the native baseline, after checking both
	@scripts/deps.sh unit bench extras
	@scripts/venv.sh
	$(call configure,release,build)
	@cmake --build build -j $(JOBS) --target engine_tool
	@.venv/bin/python bench/explorer/engine.py

explorer-soak: build ## ten million rows of each model through the explorer's module, then an hour of play in its page: memory stays as it is
	@scripts/deps.sh extras
	@scripts/venv.sh
	@SCHEMAMEM_EXPLORER_ROWS=10000000 SCHEMAMEM_PROGRAM=build/schemamem .venv/bin/python tests/extras/explorer_engine_test.py -k memory_is_flat
	@SCHEMAMEM_EXPLORER_SECONDS=3600 SCHEMAMEM_PROGRAM=build/schemamem .venv/bin/python tests/extras/explorer_play_test.py

results: build ## from results/: the tables, figures and pages beside the runs, and the headline of the README
	@scripts/results.sh

search: build ## train every variant of configs/search (hours; resumable) and write docs/results/search.md
	@scripts/search.sh

mqar: build ## train the three models on associative recall and write docs/results/mqar.md (half an hour; resumable)
	@scripts/mqar.sh

endless: build ## train and evaluate the recipe endless, 81 runs and a control (hours; resumable), in results/
	@scripts/endless.sh

guests: build ## train a GRU and a transformer in PyTorch, score them beside our models, write docs/results/guests.md (ten minutes)
	@scripts/guests.sh

fuzz: deps ## run every fuzz target for FUZZ_SECONDS (default 3600), one after the other
	$(call configure,fuzz,build-fuzz)
	@cmake --build build-fuzz -j $(JOBS) --target fuzz_targets
	@scripts/fuzz.sh build-fuzz/fuzz $(FUZZ_SECONDS)

fuzz-campaign: deps ## give every fuzz target EXECUTIONS (default 10000000) in all, on one core; may be cut and goes on
	$(call configure,fuzz,build-fuzz)
	@cmake --build build-fuzz -j $(JOBS) --target fuzz_targets
	@nice -n 19 scripts/fuzz_campaign.sh build-fuzz/fuzz $(EXECUTIONS)

format: ## format all C++ sources
	@scripts/deps.sh format
	@$(cpp_files) | xargs clang-format-14 -i

format-check: ## fail if a C++ source is not formatted
	@scripts/deps.sh format
	@$(cpp_files) | xargs clang-format-14 --dry-run -Werror

tidy: ## run clang-tidy over src
	@scripts/deps.sh build test tidy
	$(call configure,dev,build-dev)
	@cmake --build build-dev -j $(JOBS) --target schemamem_build_info
	@run-clang-tidy-14 -quiet -extra-arg=-Wno-unknown-warning-option -p build-dev -j $(JOBS) "$(CURDIR)/src/.*"

web: ## rebuild the report page and the explorer from web/ (needs Node.js and npm; the results are committed)
	@cd web && npm ci --no-audit --no-fund && npm run --silent build

wasm: ## rebuild the module of the explorer, wasm/schemamem.wasm.gz, with zig in .venv (its result is committed)
	@scripts/deps.sh build
	@JOBS=$(JOBS) scripts/wasm.sh

wheel: ## write wheels of the Python package, for the interpreters in PYTHONS or found, to build/wheel
	@scripts/deps.sh wheel
	@scripts/wheel.sh $(PYTHONS)

test-wheel: wheel ## install the wheels without a compiler and run the page of the Python package
	@tests/extras/wheel.sh $(PYTHONS)

docs: ## write the reference of the C++ interface to build/docs/html
	@scripts/deps.sh docs
	@mkdir -p build/docs
	@doxygen docs/Doxyfile

site: ## write all pages and references as a site to build/site
	@scripts/deps.sh site
	@scripts/site.sh

install: build ## install the program, the libraries, the headers and the named models under PREFIX (default /usr/local)
	@cmake --build build -j $(JOBS) --target libraries
	@cmake --install build --prefix $(PREFIX)

deb: build ## write a Debian package of the same to build/
	@scripts/deps.sh deb
	@cmake --build build -j $(JOBS) --target libraries
	@cd build && cpack -G DEB

container-test: build ## run the whole steps of container/Dockerfile and container/schemamem.def on a bare Debian in a folder (as root; no engine needed)
	@scripts/deps.sh container
	@scripts/venv.sh
	@SCHEMAMEM_CONTAINER=whole SCHEMAMEM_PROGRAM=build/schemamem .venv/bin/python tests/extras/container_test.py

clean: ## remove all build folders
	rm -rf build build-dev build-tsan build-scalar build-native build-clang build-fuzz build-neon build-coverage build-wasm build-mpi
