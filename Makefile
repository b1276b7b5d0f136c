# SPDX-License-Identifier: Apache-2.0
VENV   := .venv
PYTHON := $(VENV)/bin/python
WAVES  := build/waves/retransmission.fst
C_FILES := $(wildcard $(foreach ext,c h cpp,sim/*/*.$(ext) sim/*/*/*.$(ext) sw/*/*.$(ext) sw/driver/*/*.$(ext) examples/*/*/*.$(ext)))
LINTS  := $(shell sed -n 's/^  \(lint[a-z0-9_]*\):.*/\1/p' fusesoc.core)

.PHONY: help setup verilog regs sw demo soc-demo test test-docs test-full campaign fuzz lint synth synth-all bench docs planner release figures figures-full figures-link stats-full wave clean

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: ## Install what is missing, and create .venv
	@scripts/setup

verilog: setup ## Write modules for your design to build/verilog: of all configurations, or CONFIG=default SET="windowFrames=4096 maxK=32" PREFIX=arqlink_
	$(PYTHON) -m arqlink.integration ArqLink ArqLinkPhyClock ArqLinkByteStream ArqPair $(if $(CONFIG),--config $(CONFIG)) $(if $(SET),--set $(SET)) $(if $(PREFIX),--prefix $(PREFIX))

regs: setup ## Write the generated contracts to rtl/regs
	$(PYTHON) -m arqlink.rtl.contracts

sw: setup ## Build the driver and the software of the soft system to build/sw, and print their sizes
	$(MAKE) --no-print-directory -C sw/driver
	$(MAKE) --no-print-directory -C sw

demo: setup ## Send a file and a capture over a simulated satellite link
	$(PYTHON) -m arqlink.demo.link

soc-demo: setup ## Boot the firmware in simulation, and change its link over the UART while a file crosses
	$(PYTHON) -m arqlink.demo.soc

test: setup ## Run all tests but the longest, and those of make test-docs; another seed: ARQLINK_SEED=7 make test
	$(PYTHON) -m pytest -n auto --dist worksteal --durations=20

test-docs: setup ## Run the tests of what documents quote
	$(PYTHON) -m pytest -n auto --dist worksteal -m "docs and not full"

test-full: setup ## Run all tests
	$(PYTHON) -m pytest -n auto --dist worksteal --durations=20 -m ""

campaign: setup ## Random faults between two link ends, RUNS=100 of each pair; PAIRS="small:small tiny:tiny", SEED=1, FORGE=0.3
	$(PYTHON) -m arqlink.campaign --runs $(or $(RUNS),100) --first $(or $(SEED),1) --forge $(or $(FORGE),0) $(if $(PAIRS),--pairs $(PAIRS))

fuzz: setup ## Hostile packets and conversations over bad wires through the gateway model, with the checks of AddressSanitizer and UBSan; PACKETS=1000000 SEED=1
	$(PYTHON) -m arqlink.gateway.fuzz $(or $(PACKETS),1000000) $(or $(SEED),1)

lint: setup ## Check Python with ruff and basedpyright, C and C++ with clang-format, Scala with scalafmt, and with Verilator the Verilog of all configurations, of the pair and of the soft system
	$(VENV)/bin/ruff check --quiet
	$(VENV)/bin/ruff format --quiet --check
	$(VENV)/bin/basedpyright
	$(VENV)/bin/clang-format --dry-run -Werror $(C_FILES)
	mvn -q -B -f rtl/pom.xml spotless:check
	for target in $(LINTS); do \
	  $(VENV)/bin/fusesoc --cores-root . run --target=$$target arqlink || exit 1; \
	done

synth: setup ## Place and route encoder and decoder with one seed, or TARGETS="default" SEEDS="1 2 3"
	$(PYTHON) -m arqlink.fpga $(or $(TARGETS),encoder decoder) --seeds $(or $(SEEDS),1)

synth-all: setup ## Place and route all targets with three seeds, but for those of which docs/place_and_route.json has results; up to two hours
	$(PYTHON) -m arqlink.fpga --recorded

bench: setup ## Measure in simulation, compare with software, and write build/bench.json and docs/results.md
	$(PYTHON) -m arqlink.bench --docs

docs: setup ## Write the documentation site to build/site; its index.html opens without a server
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict

planner: setup ## Write the planner page, which opens without a server, to build/pages/planner.html
	$(PYTHON) -m arqlink.pages planner build/pages/planner.html

release: setup ## Write build/release/arqlink-VERSION.tar.gz: Verilog, constraints, registers, driver, examples, documentation, wheel
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m arqlink.integration.release

figures: setup ## Render the pictures of the documents from their sources in docs/figures; simulate the papers' figures where the results are missing, 15 minutes
	$(PYTHON) -m docs.tools.figures
	$(PYTHON) -m arqlink_research.papers rr4752 zhu

figures-full: setup ## The same with the papers' durations and five seeds, and what the papers did not measure
	$(PYTHON) -m docs.tools.figures
	$(PYTHON) -m arqlink_research.papers --full

figures-link: setup ## Run the RTL for the pictures of the link in docs/figures/link, and for the README's table of statistics
	$(PYTHON) -m docs.tools.figures.link
	$(PYTHON) -m arqlink.bench.statistics

stats-full: setup ## Run the statistics with 200,000 frames at each point
	ARQLINK_STATS_FRAMES=200000 $(PYTHON) -m pytest -n auto -m "" cocotb_tests/statistics

$(WAVES): $(wildcard sim/pair/* arqlink/*/*.py) | setup
	mkdir -p $(@D)
	head -c 12000 LICENSE > $(@D)/input
	$(PYTHON) -m arqlink send $(@D)/input $(@D)/output --n 11 --loss bernoulli:0.05 --delay-ms 2 --seed 3 --waves $@

wave: $(WAVES) ## Show one retransmission in GTKWave
	@command -v gtkwave > /dev/null || { echo "GTKWave is not installed: apt-get install gtkwave; the waves are in $(WAVES)." >&2; exit 2; }
	gtkwave $(WAVES) sim/pair/retransmission.gtkw

clean: ## Remove everything that was built, but not .venv
	rm -rf build rtl/target
