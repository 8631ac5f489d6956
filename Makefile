# `make help` lists the targets; docs/testing.md says what each of them does.

CARGO ?= cargo
JAVA ?= $(shell scripts/jdk 17 || scripts/jdk javac)/bin/java
DEMO ?= BottomUpMergeSort
DEMO_LOCATION ?= BottomUpMergeSort.sort\#1:a[2]
INQUEST = target/release/inquest
SECONDS ?= 60
PREFIX ?= /usr/local
DESTDIR ?=

# Tests run a build of their own, in which overflows and assertions are looked at. All of them use its one binary, and
# write down what they leave out.
test: export INQUEST_BINARY = $(CURDIR)/target/checked/inquest
test: export INQUEST_LEFT_OUT = $(CURDIR)/target/left-out

.PHONY: help build install dist check test demo bench stress fuzz bare-root clean screenshots

help:
	@echo 'make build    target/release/inquest, its debug information beside it'
	@echo 'make install  binary, man pages and completions below PREFIX=$(PREFIX) (DESTDIR for packagers)'
	@echo 'make dist     a tar archive and a Debian package in target/dist'
	@echo 'make demo     record a small buggy program, find the bug by answers, look into its past'
	@echo 'make check    formatting, lints, the tests within the crates: the everyday loop'
	@echo 'make test     formatting, lints, all tests, the page in a browser among them'
	@echo 'make screenshots  the pictures in docs/, of the page as it is'
	@echo 'make bench    what recording costs, then what questions about the past and analyses cost (long; ARGS="--only ant --variant short", PAST="--largest 1e8")'
	@echo 'make stress   all JDK classes, ten million objects, kill -9, virtual threads, order of threads, real programs, settings of the JVM, frameworks (long; ARGS="kill --jdk 17")'
	@echo 'make fuzz     damaged class files and recordings, slices against experiments (SECONDS=$(SECONDS))'
	@echo 'make bare-root  does the Debian package work on a system without Rust, Node and Java? (root, long)'
	@echo 'make clean    removes target/ and what the page was built from'

build: ui/dist/index.html
	@scripts/need cc jdk17
	$(CARGO) build --release -p cli
	@scripts/separate-debug $(INQUEST)

install: build
	scripts/lay-out $(INQUEST) '$(DESTDIR)$(PREFIX)'

dist: build
	scripts/dist $(INQUEST) target/dist

bare-root: dist
	scripts/bare-root $(ARGS)

# The page is built before the binary, which takes it in.
ui/dist/index.html: ui/node_modules/.package-lock.json ui/index.html ui/vite.config.js $(wildcard ui/src/*.* ui/src/*/*.* ui/src/*/*/*.*)
	cd ui && npm run --silent build

ui/node_modules/.package-lock.json: ui/package-lock.json ui/package.json
	@scripts/need node
	cd ui && npm ci --silent --no-audit --no-fund

demo: build
	@scripts/compile examples
	@rm -rf target/demo
	@echo; sed -n 's|^ \* ||p' examples/$(DEMO).java
	$(INQUEST) record -o target/demo -- $(JAVA) -cp target/java/examples $(DEMO)
	@echo
	$(INQUEST) tree target/demo
	@echo
	printf 'n\ny\ny\ny\ny\nn\n' | $(INQUEST) ask target/demo --strategy top-down --source examples --report target/demo.md
	@echo
	$(INQUEST) history target/demo '$(DEMO_LOCATION)'

# Installs nothing, records nothing, needs no browser.
check:
	$(CARGO) fmt --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) test --workspace --lib --bins --quiet

test: ui/dist/index.html
	@scripts/need cc python jdk17 jdk25 programs builds frameworks-quick chromium
	@mkdir -p target && rm -f $(INQUEST_LEFT_OUT)
	$(CARGO) fmt --check
	$(CARGO) clippy --workspace --all-targets --profile checked -- -D warnings
	@scripts/compile
	$(CARGO) test --workspace --profile checked
	scripts/stress matrix --quick
	scripts/frameworks --quick
	scripts/projects --quick
	cd ui && npm test --silent
	@scripts/left-out

bench: build
	@scripts/need python jdk17 jdk25 programs
	bench/run $(ARGS)
	bench/past --java $(JAVA) $(PAST)
	bench/analysis
	bench/soundness
	bench/omissions

stress: build
	@scripts/need python jdk17 jdk25 programs frameworks
	scripts/stress $(ARGS)

fuzz:
	@scripts/need cc jdk17 python
	INQUEST_FUZZ_SECONDS=$(SECONDS) $(CARGO) test --workspace --profile checked -- --ignored fuzz

screenshots: build
	@scripts/need chromium
	@scripts/compile examples
	cd ui && node test/screenshots.mjs

clean:
	$(CARGO) clean
	rm -rf ui/dist ui/node_modules
