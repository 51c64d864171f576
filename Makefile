# The commands of the project. `make demo` and `make test` install what is missing first.

CATALOG ?=
PREFIX ?= /usr/local
export SWIFT ?= swift
# A target imports only what the manifest lets it.
BUILD = $(SWIFT) build --product peerd --explicit-target-dependency-import-check error
RELEASE = $(BUILD) -c release

.PHONY: help setup demo build install deb package test examples lab lint pure tidy sim mutants soak network powercut storm fuzz sanitize bench docs ci clean

help:
	@echo 'make demo [CATALOG="FILE..."]  build, and show in two acts what PeerSync is for'
	@echo 'make lab                       build, and try everything on one page'
	@echo 'make install [PREFIX=/usr/local] [DESTDIR=DIR]'
	@echo '                               install peerd, its manual, completions and units'
	@echo 'make deb                       make a Debian package with all that'
	@echo 'make package                   make it, and check it as Debian does'
	@echo 'make test                      run every test'
	@echo 'make examples                  build and run the packages of examples, as apps would'
	@echo 'make build                     build peerd: .build/release/peerd'
	@echo 'make lint                      check the format of every Swift file'
	@echo 'make pure                      check that the core stands alone'
	@echo 'make tidy                      check the rules of the house'
	@echo 'make sim                       simulate 1,600 fresh seeds, 600 of them with all that can go wrong'
	@echo 'make mutants                   plant faults in a copy of the sources, and see that each is found'
	@echo 'make soak [COUNT=n]            200,000 connections, or so many, come and go while members sync'
	@echo 'make network                   as root: what homes do to networks, on networks of its own'
	@echo 'make powercut [CUTS=n]         as root: 100 power cuts, or so many, under a device that writes'
	@echo 'make storm [RUNS=n]            as root: 40 minutes, or so many, in which all goes wrong on five devices'
	@echo 'make fuzz [SECONDS=n]           run each fuzzer for so long; without it, all for a minute'
	@echo 'make sanitize                  run every test under the thread and the address sanitizer'
	@echo 'make bench                     run every benchmark, one JSON line each'
	@echo 'make docs                      make the site of the library: .build/docs'
	@echo 'make ci                        what a merge has to pass'

setup:
	@scripts/setup.sh

build: setup
	$(RELEASE)

demo: build
	@scripts/demo.sh $(CATALOG)

install: build
	@scripts/install.sh .build/release/peerd $(PREFIX)

deb: setup
	@scripts/deb.sh

package: setup
	@scripts/package-check.sh

# A build for debugging is there in about two minutes, and fast enough for what a person does.
lab: setup
	$(BUILD)
	.build/debug/peerd lab --open

# The tests are those of the library and the daemon as they are shipped: no build of their own.
test:
	@scripts/setup.sh --browser
	@scripts/test.sh --disable-testable-imports

# They build the library once more, for debugging: an app's tests do.
examples: setup
	@scripts/examples.sh

lint:
	git ls-files -z '*.swift' | xargs -0 swift format lint --strict --parallel

# The core alone in a package of its own; and what stands on it imports nothing else of the system or of the project.
pure:
	@! grep -rnE '^ *(@.* )?import ' Sources/PeerSync/Core || { echo 'pure: the core imports nothing'; exit 1; }
	@! grep -rnE '^ *(@.* )?import ' Sources/PeerSync/Simulation Sources/PeerSync/Sandbox/Model \
	  | grep -vE 'import PeerSync(Core|Sandbox)$$' || { echo 'pure: the simulation imports the core alone'; exit 1; }
	@scripts/core-alone.sh

tidy: setup
	$(SWIFT) test --filter TidyTests

sim: build
	.build/release/peerd simulate --seeds 1000 --devices 4 --hours 1
	@for devices in 2 3 4 5 6 7; do \
	  .build/release/peerd simulate --seeds 100 --devices $$devices --hours 2 --faults all || exit 1; \
	done

# Each of 34 faults in a copy of the sources is found by a story or within a minute of simulation.
mutants:
	@scripts/mutants.py

# `make test` does the same with 5,000.
soak: setup
	PEERSYNC_TEST_MINUTES=300 PEERSYNC_SOAK=$(or $(COUNT),200000) scripts/test.sh --disable-testable-imports --filter SoakTests

# `make test` does the same; where there are no network namespaces both skip it.
network: setup
	@scripts/network.sh

# `make test` does 5; where there are no loop devices both skip it.
powercut: build
	@scripts/powercut.py --cuts $(or $(CUTS),100) || [ $$? -eq 77 ]

# `make test` does 2; where there are no network namespaces both skip it.
storm: setup
	@PEERSYNC_TEST_MINUTES=300 PEERSYNC_STORM=$(or $(RUNS),40) scripts/network.sh --filter StormTests

# The fuzzers build what they need by themselves: neither a package nor a C library.
fuzz:
	@scripts/fuzz.sh $(SECONDS)

# Each in a build directory of its own. Leaks are not looked for: what lives as long as the process is none.
sanitize: setup
	PEERSYNC_TEST_MINUTES=300 PEERSYNC_SANITIZED=1 SWIFT_BACKTRACE=enable=no \
	  scripts/test.sh --sanitize thread --scratch-path .build/thread
	PEERSYNC_TEST_MINUTES=300 PEERSYNC_SANITIZED=1 SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:suppressions=$(CURDIR)/scripts/address.supp \
	  scripts/test.sh --sanitize address --scratch-path .build/address

bench: build
	@for name in merge fold commit propagate events catch-up difference idle handshake verify purchase reunion spend refold; do .build/release/peerd bench $$name || exit 1; done
	@if [ "$$(id -u)" -eq 0 ]; then .build/release/peerd bench discover; \
	  else echo 'bench: skipped discover: it takes root, and a system with network namespaces' >&2; fi

docs: setup
	@scripts/docs.sh

ci:
	.ci/run

clean:
	rm -rf .build
