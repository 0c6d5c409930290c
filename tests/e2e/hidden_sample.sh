#!/usr/bin/env bash
# Some of `make hidden`: submissions that the grader must judge as expected.
# seconds: 400
# sanitizers: no
tests/tools/hidden.sh "$BUILD" honest/own_adam honest/sync redirection/pull redirection/only \
    redirection/file evasion/not_a evasion/turns redirection/jump
