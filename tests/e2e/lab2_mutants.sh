#!/usr/bin/env bash
# The checks of lab 2's exercises find each mistake of tests/mutants/lab2_ddp and say what it is
# (_mutants.sh). Those of part 3: lab2_train_mutants.sh.
# seconds: 900
# sanitizers: no
set -u
lab=lab2_ddp work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_mutants.sh
judge_mutants
