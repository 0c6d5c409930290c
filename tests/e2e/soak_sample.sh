#!/usr/bin/env bash
# seconds: 600
# all: yes
# sanitizers: no
# Four runs of `make soak`, always the same victims and signals.
tests/tools/soak.sh "$BUILD" 4 1
