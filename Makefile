# SPDX-License-Identifier: Apache-2.0
VENV   := .venv
PYTHON := $(VENV)/bin/python
ARQLINK := $(VENV)/bin/arqlink
# conftest.py says which tests go together, and in which order.
PARALLEL := -n auto
WAVES  := build/waves/retransmission.fst
VIEW   := $(WAVES:.fst=.gtkw)
C_FILES := $(wildcard $(foreach ext,c h cpp,sim/*/*.$(ext) sim/*/*/*.$(ext) research/*/*.$(ext) research/*/*/*.$(ext) sw/*/*.$(ext) sw/driver/*/*.$(ext) examples/*/*/*.$(ext)))
LINTS  := $(shell sed -n 's/^  \(lint[a-z0-9_]*\):.*/\1/p' fusesoc.core)

.PHONY: help setup verilog regs sw demo soc-demo test test-research test-docs test-pages test-full mutants coverage campaign fuzz lint lint-types lint-style lint-scala synth synth-all bench docs planner release figures figures-full figures-link stats-full wave clean

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: setup-core ## Install what the demo, the simulations and their tests need: packages of Debian, and .venv

setup-all: ## Install what all targets need; setup-GROUP: what the group needs (scripts/setup)

setup-%:
	@scripts/setup $(subst +, ,$*)

verilog: setup ## Write modules for your design to build/verilog: of all configurations, or CONFIG=default SET="windowFrames=4096 maxK=32" PREFIX=arqlink_
	$(ARQLINK) verilog $(if $(CONFIG),--config $(CONFIG)) $(SET:%=--set %) $(if $(PREFIX),--prefix $(PREFIX))

regs: setup ## Write the generated contracts to rtl/regs
	$(ARQLINK) regs

sw: setup-firmware ## Build the driver and the software of the soft system to build/sw, and print their sizes
	$(MAKE) --no-print-directory -C sw/driver
	$(MAKE) --no-print-directory -C sw

demo: setup ## Send a file and a capture over a simulated satellite link
	$(ARQLINK) demo link

soc-demo: setup-firmware ## Boot the firmware in simulation, and change its link over the UART while a file crosses
	$(ARQLINK) demo soc

test: setup-all ## Run all tests but the longest, and those of make test-research, test-docs and test-pages; another seed: ARQLINK_SEED=7 make test
	$(PYTHON) -m pytest $(PARALLEL)

test-research: setup-all ## Run the experiments' long tests
	$(PYTHON) -m pytest $(PARALLEL) -m "research and not full" research/tests

test-docs: setup-all ## Run the tests of what documents quote
	$(PYTHON) -m pytest $(PARALLEL) -m "docs and not full"

test-pages: setup-all ## Run the tests that look at the planner and the dashboards in a browser
	$(PYTHON) -m pytest $(PARALLEL) -m "browser and not full"

test-full: setup-all ## Run all tests
	$(PYTHON) -m pytest $(PARALLEL) -m ""

mutants: setup-firmware+dev ## Put each of the seeded faults into the RTL, and see that the test which is named for it fails (docs/verification.md); FAULTS="arq/ArqSender.scala"
	$(PYTHON) -m cocotb_tests.mutants $(FAULTS)

coverage: setup-firmware+dev+examples ## Run the benches on models that count what they reach, and show the largest holes of rtl/ (docs/verification.md)
	rm -rf build/coverage
	-ARQLINK_COVERAGE=1 $(PYTHON) -m pytest $(PARALLEL) cocotb_tests
	$(PYTHON) -m cocotb_tests.coverage

campaign: setup ## Random faults between two link ends, RUNS=100 of each pair; PAIRS="small:small tiny:tiny", SEED=1, FORGE=0.3
	$(ARQLINK) campaign run $(if $(RUNS),--runs $(RUNS)) $(if $(SEED),--seed $(SEED)) $(if $(FORGE),--forge $(FORGE)) $(PAIRS:%=--pair %)

fuzz: setup ## Hostile packets and conversations over bad wires through the gateway model, with the checks of AddressSanitizer and UBSan; PACKETS=5000000 SEED=1
	$(ARQLINK) fuzz $(if $(PACKETS),--packets $(PACKETS)) $(if $(SEED),--seed $(SEED))

lint: setup-all ## Check Python with ruff and basedpyright, C and C++ with clang-format, Scala with scalafmt, and with Verilator the Verilog of all configurations, of the pair and of the soft system
	@$(MAKE) --no-print-directory --output-sync --jobs $$(nproc) lint-types lint-style lint-scala $(LINTS:%=fusesoc-%)

lint-types:
	$(VENV)/bin/basedpyright

lint-style:
	$(VENV)/bin/ruff check --quiet
	$(VENV)/bin/ruff format --quiet --check
	$(VENV)/bin/clang-format --dry-run -Werror $(C_FILES)

lint-scala:
	mvn -q -B -f rtl/pom.xml spotless:check

fusesoc-%:
	$(VENV)/bin/fusesoc --cores-root . run --target=$* arqlink

synth: setup-synth ## Place and route encoder and decoder with one seed, or TARGETS="default" SEED=1-3
	$(ARQLINK) synth $(or $(TARGETS),encoder decoder) --seed "$(or $(SEED),$(SEEDS),1)"

synth-all: setup-synth ## Place and route all targets with three seeds, but for those of which docs/place_and_route.json has results; up to two hours
	$(ARQLINK) synth --recorded

bench: setup ## Measure in simulation, compare with software, and write build/bench.json and docs/results.md
	$(ARQLINK) bench --docs

docs: setup-docs+live ## Write the documentation site to build/site; its index.html opens without a server
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict

planner: setup-live ## Write the planner page, which opens without a server, to build/pages/planner.html
	$(ARQLINK) planner build/pages/planner.html

release: setup-docs+live+firmware ## Write build/release/arqlink-VERSION.tar.gz: Verilog, constraints, registers, driver, examples, documentation, wheel
	NO_MKDOCS_2_WARNING=1 $(ARQLINK) release

figures: setup-docs+research ## Render the pictures of the documents from their sources in docs/figures; simulate the papers' figures where the results are missing, 15 minutes
	$(PYTHON) -m docs.tools.figures
	$(ARQLINK) figures rr4752 zhu

figures-full: setup-docs+research ## The same with the papers' durations and eight seeds, and what the papers did not measure
	$(PYTHON) -m docs.tools.figures
	$(ARQLINK) figures --full

figures-link: setup-docs ## Run the RTL for the pictures of the link in docs/figures/link, and for the table of docs/statistics.md
	$(PYTHON) -m docs.tools.figures.link
	$(ARQLINK) bench --stats

stats-full: setup ## Run the statistics with 200,000 frames at each point
	ARQLINK_STATS_FRAMES=200000 $(PYTHON) -m pytest -n auto -m "" cocotb_tests/statistics

$(WAVES): $(wildcard sim/pair/* arqlink/*/*.py) $(shell find rtl/src -name '*.scala') | setup
	mkdir -p $(@D)
	head -c 12000 LICENSE > $(@D)/input
	$(ARQLINK) send $(@D)/input $(@D)/output --n 11 --loss bernoulli:0.05 --delay-ms 2 --seed 3 --waves $@

wave: $(WAVES) ## Show one retransmission in GTKWave
	$(PYTHON) -m docs.tools.figures.link.wave_view $(WAVES) sim/pair/retransmission.gtkw $(VIEW)
	@command -v gtkwave > /dev/null || { echo "GTKWave is not installed: apt-get install gtkwave; the waves are in $(WAVES), their view in $(VIEW)." >&2; exit 2; }
	gtkwave $(WAVES) $(VIEW)

clean: ## Remove everything that was built, but not .venv
	rm -rf build rtl/target
