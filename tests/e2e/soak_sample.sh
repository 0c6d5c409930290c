#!/usr/bin/env bash
# seconds: 300
# sanitizers: no
# Six runs of `make soak`, always the same victims and signals.
tests/tools/soak.sh "$BUILD" 6 1
