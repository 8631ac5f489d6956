# `make help` lists the targets; docs/testing.md says what each of them does.

CARGO ?= cargo
JAVA ?= $(shell scripts/jdk 17 || scripts/jdk javac)/bin/java
DEMO ?= BottomUpMergeSort
INQUEST = target/release/inquest
SECONDS ?= 60

.PHONY: help build test demo bench stress fuzz clean

help:
	@echo 'make build    target/release/inquest'
	@echo 'make demo     record a small buggy program and look at the recording (DEMO=$(DEMO))'
	@echo 'make test     formatting, lints, all tests'
	@echo 'make bench    what recording costs (long; ARGS="--only ant --variant short")'
	@echo 'make stress   all JDK classes, ten million objects, kill -9, virtual threads, order of threads, real programs (long; ARGS="kill --jdk 17")'
	@echo 'make fuzz     damaged class files and recordings (SECONDS=$(SECONDS))'
	@echo 'make clean    removes target/'

build:
	@scripts/need cc jdk17
	$(CARGO) build --release -p cli

demo: build
	@scripts/compile examples
	@rm -rf target/demo
	@echo; sed -n 's|^ \* ||p' examples/$(DEMO).java
	$(INQUEST) record -o target/demo -- $(JAVA) -cp target/java/examples $(DEMO)
	@echo
	$(INQUEST) stats target/demo
	@echo
	$(INQUEST) dump target/demo --limit 40

test:
	@scripts/need cc python jdk17 jdk25 programs
	$(CARGO) fmt --check
	$(CARGO) clippy --workspace --all-targets --release -- -D warnings
	@scripts/compile
	$(CARGO) test --workspace --release

bench: build
	@scripts/need python jdk17 jdk25 programs
	bench/run $(ARGS)

stress: build
	@scripts/need python jdk17 jdk25 programs
	scripts/stress $(ARGS)

fuzz:
	@scripts/need cc jdk17 python
	INQUEST_FUZZ_SECONDS=$(SECONDS) $(CARGO) test --workspace --release -- --ignored fuzz

clean:
	$(CARGO) clean
