#!/usr/bin/env bash
# Some of `make hidden`: submissions that the grader must judge as expected.
# seconds: 600
# sanitizers: no
# shellcheck disable=SC2086 # words
tests/tools/hidden.sh "$BUILD" redirection/pull \
    ${ALL:+honest/own_adam evasion/turns honest/sync redirection/jump}
