#!/usr/bin/env bash
# The checks of lab 3's exercises find each mistake of tests/mutants/lab3_scale and say what it is
# (_mutants.sh).
# seconds: 900
# sanitizers: no
set -u
lab=lab3_scale work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_mutants.sh
judge_mutants
