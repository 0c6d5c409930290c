#!/usr/bin/env bash
# Some of `make hidden`: submissions that the grader must judge as expected.
# seconds: 600
# sanitizers: no
# shellcheck disable=SC2086 # words
tests/tools/hidden.sh "$BUILD" honest/own_adam redirection/pull \
    ${ALL:+evasion/turns honest/sync redirection/jump}
