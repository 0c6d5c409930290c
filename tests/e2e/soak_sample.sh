#!/usr/bin/env bash
# seconds: 120
# sanitizers: no
# Six runs of `make soak`.
tests/tools/soak.sh "$BUILD" 6 "$((RANDOM + 1))"
