# The two commands are `make run` and `make test`; both set up what they need.
.DEFAULT_GOAL := help
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
# Where cargo builds, and what set-up builds for the tests.
BUILT := $(abspath $(or $(CARGO_TARGET_DIR),target))
export PATH := $(BUILT)/tools/bin:$(PATH)

H5_SOURCES := $(shell find h5/src h5/public h5/scripts h5/index.html h5/vite.config.ts h5/vite.ops.config.ts h5/vite.admin.config.ts h5/package-lock.json -type f 2>/dev/null)

.PHONY: help run package services services-stop chains chains-stop chains-test test check lint test-rust test-counts build-counts record-counts record-calls test-sim test-beside-sim test-clients test-h5 test-package test-browser sim chaos lighthouse bench bench-baseline load setup-run setup-test clean

help: ## This list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup-run:
	@scripts/setup.sh run

setup-test:
	@scripts/setup.sh test

# The users' app and, beside it, the operators' console in h5/dist-ops and the back office in h5/dist-admin.
h5/dist/index.html: $(H5_SOURCES)
	@scripts/setup.sh run
	cd h5 && npm run --silent build
	@touch $@

run: setup-run h5/dist/index.html ## Build and start the exchange (FEED=<folder> replays recorded data, STORE=postgres uses a private Postgres)
	cargo build --release -p xng-gateway
	@scripts/run.sh $(BUILT)/release/exchange

package: setup-run h5/dist/index.html ## What a machine needs to run it, under target/package: a tree and its archive (docs/operations.md "Install")
	cargo build --release -p xng-gateway
	@scripts/package.sh $(BUILT)/release/exchange target/package

services: ## Start a private Postgres and Redis under data/services and print their urls
	@scripts/setup.sh services
	@scripts/services.sh start

services-stop: ## Stop them; their data stay
	@scripts/services.sh stop

chains: ## Start private nodes (Bitcoin, and EVM where there is npm or an anvil) and a signer under target/chains and print how to reach them; installs nodes if there are none
	cargo build --quiet -p xng-signer
	@scripts/chains.sh start $(BUILT)/debug/exchange-signer

chains-stop: ## Stop them; chains and seed stay
	@scripts/chains.sh stop

chains-test: ## Custody, signer and exchange against real nodes, which are installed if there are none; each test has its own
	@scripts/chains.sh install
	@# Of the whole workspace: a part of it has other features, and would be compiled anew.
	CHAINS_REQUIRED=1 cargo nextest run --workspace \
		-E 'package(xng-custody) | package(xng-signer) | (binary(server) & (test(evm::) | test(deposits::) | test(withdrawals::)))'

PART := scripts/part.sh

test: ## Everything: lints, Rust, instruction counts, simulator, real clients, app, package, browser; ends with each part's minutes
	@$(PART) --new
	@$(PART) set-up 5 $(MAKE) setup-test
	@$(PART) lint 5 $(MAKE) lint
	@$(PART) "build of tests" 8 cargo test --workspace --no-run --quiet
	@# The build of what is counted takes one processor for minutes; most tests wait for something else.
	@$(PART) rust 12 $(MAKE) --jobs=2 --output-sync=line test-rust build-counts
	@# Seeds take what the others leave of the processor, which mostly wait: five minutes for both.
	@$(MAKE) --jobs=2 --output-sync=line test-sim test-beside-sim
	@$(PART) browser 9 $(MAKE) test-browser
	@scripts/promises.sh
	@$(PART) --table
	@echo "make test: all green"

check: setup-run ## What to run while working: format, lints, types, unit tests of Rust and app
	cargo fmt --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	@# Of the whole workspace: a part of it has other features, and would be compiled anew.
	cargo test --workspace --lib --quiet -- --skip store:: --skip services::
	cd h5 && npm run --silent check && npm test --silent

lint: setup-test
	cargo fmt --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cd h5 && npm run --silent check

test-rust: setup-test ## Rust only
	@scripts/promises.sh --new
	cargo nextest run --workspace
	cargo test --workspace --doc --quiet

COUNTS := cargo run --quiet -p xng-counts --

test-counts: setup-test ## Instructions of the hot functions: noticeably more than benches/counts.tsv says fails
	$(COUNTS) check

build-counts: setup-test
	@# Cargo builds one thing at a time. This takes minutes, so the tests should have the lock first: half a minute makes that likely.
	@sleep 30
	nice -n 19 $(COUNTS) build

record-counts: setup-test ## Write benches/counts.tsv anew
	$(COUNTS) record

record-calls: setup-test ## Write the app's copy of the calls' document anew, and the types and parsers made from it
	@# Of the whole workspace: a part of it has other features, and would be compiled anew.
	RECORD=1 cargo test --quiet --workspace --lib the_app_has_this_document
	cd h5 && npm run --silent schema

SIM := cargo run --quiet --profile sim -p xng-sim --

test-sim: setup-test ## Seeds of the simulator for five minutes
	@# The same build as that of test-rust: one with other features would compile everything again.
	cargo test --workspace --no-run --quiet
	@PROMISES=target/promises.tsv $(PART) "simulator (beside)" 6 nice $(BUILT)/debug/sim --seconds 300

# One after the other: they share the build, the installed packages and ports. A make of its own, not the one that runs two.
test-beside-sim:
	@MAKEFLAGS= $(PART) counts 5 $(MAKE) test-counts
	@MAKEFLAGS= $(PART) clients 5 $(MAKE) test-clients
	@MAKEFLAGS= $(PART) app 2 $(MAKE) test-h5
	@MAKEFLAGS= $(PART) package 2 $(MAKE) test-package

sim: setup-test ## The simulator: SEEDS=n FIRST_SEED=s STEPS=m
	$(SIM) --seeds $(or $(SEEDS),100) --first-seed $(or $(FIRST_SEED),1) --steps $(or $(STEPS),2000)

chaos: setup-test ## The long form of what breaks things: 2,000 seeds, 200 kills, every failing sync, kills of exchange, node and signer; a trading bot, ten minutes
	@scripts/promises.sh --new
	PROMISES=target/promises.tsv $(SIM) --seeds 2000 --steps 2000
	FAULT_CYCLES=200 CHAINS_REQUIRED=1 cargo test --workspace --test faults
	CHAINS_CYCLES=200 CHAINS_REQUIRED=1 cargo test --workspace --test regtest --test evm
	PROPTEST_CASES=40000 cargo test --workspace --test bytes
	PROPTEST_CASES=40000 cargo test --workspace --lib -- journal::tests::bytes journal::tests::crash snapshot::tests
	gateway/tests/clients/freqtrade_live.py
	@scripts/promises.sh

test-clients: setup-test ## Real clients from PyPI and npm against the real binary (CLIENTS="ccxt …" some of them)
	@# The same build as that of test-rust: one with other features would compile everything again.
	cargo test --workspace --no-run --quiet
	gateway/tests/clients/run.py $(CLIENTS)

test-h5: setup-test h5/dist/index.html ## The app's unit tests and size gates
	cd h5 && npm test --silent
	cd h5 && npm run --silent sizes

test-package: setup-test h5/dist/index.html ## The packaged tree as unit and container start it
	@# The same build as that of test-rust: one with other features would compile everything again.
	cargo test --workspace --no-run --quiet
	scripts/test_package.py $(BUILT)/debug/exchange

test-browser: setup-test h5/dist/index.html ## The app in Chromium: against a fake, then against the real binary
	cd h5 && npm run --silent e2e
	@# The same build as that of test-rust: one with other features would compile everything again.
	cargo test --workspace --no-run --quiet
	cd h5 && EXCHANGE_BIN=$(BUILT)/debug/exchange npm run --silent e2e:real

lighthouse: setup-test h5/dist/index.html ## Lighthouse on the app and the release server, five runs; wants a quiet machine
	cargo build --release -p xng-gateway
	cd h5 && EXCHANGE_BIN=$(BUILT)/release/exchange npm run --silent lighthouse

bench: ## The quick benches, compared with the saved baseline if there is one; wants a quiet machine
	cargo bench -p xng-benches --bench quick -- --baseline-lenient saved
	@echo 'The long ones: cargo bench -p xng-benches --bench persisting | recovery | watching (benches/README.md)'

bench-baseline: ## Run the quick benches and save what they say as the baseline
	cargo bench -p xng-benches --bench quick -- --save-baseline saved

load: setup-run ## The load generator's short set against a private exchange (LOAD="<mode> …" another run); writes target/load.html
	cargo build --release -p xng-gateway
	cargo build --release -p xng-benches --bin load
	$(BUILT)/release/load $(or $(LOAD),standard --seconds 5) --report target/load.html

clean: ## Remove what was built; data/ stays
	rm -rf target h5/dist h5/dist-ops h5/dist-admin h5/node_modules
