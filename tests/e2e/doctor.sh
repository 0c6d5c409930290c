#!/usr/bin/env bash
# `make doctor`: a row for every part, a status that agrees with them, the one command at the end;
# also where nothing is installed, and for each system's package manager. Other machines are folders
# of links to a few programs, used as the whole PATH.
# all: yes
# seconds: 120
# sanitizers: no
# ranks: 0
set -u
. tests/e2e/_work.sh
parts=$(sed -n 's/^\([a-z0-9]*\) *|.*/\1/p' common/setup/parts.txt)
rows() { # every part has one row: found or missing
    for part in $parts; do
        [ "$(grep -cE "^$part +(found|missing) " "$work/out")" = 1 ] || fail "$1: no row for $part"
    done
}
required=$(sed -n 's/^\([a-z0-9]*\) *| required .*/\1/p' common/setup/parts.txt)

# ---- this machine: it built the tests, so all that is required is here ----
make doctor BUILD="$work/build" >"$work/out" 2>&1; status=$?
rows "this machine"
[ $status = 0 ] || fail "this machine: exit $status, although the tests were built on it"
for part in $required; do
    grep -qE "^$part +found " "$work/out" || fail "$part: not found here"
done
tail -n 3 "$work/out" | grep -qE '^(nothing is missing|install: |missing: )' ||
    fail "no closing line"
[ ! -e "$work/build/config.mk" ] || fail "doctor writes the build's configuration"

# ---- machines with nothing but a shell ----
nothing() { # FOLDER: the programs that every system has
    mkdir -p "$1"
    for program in bash sh awk sed grep tr cut sort uniq head tail paste cat mkdir rm mv cp \
        dirname basename printf uname nproc id env ldd; do
        ln -s "$(command -v $program)" "$1/$program"
    done
}
fake() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; } # FILE, script
machine() { # FOLDER, status expected
    env -i PATH="$1" HOME="$work" CUDA_HOME= MPICC="$1/none" "$(command -v bash)" \
        common/setup/doctor.sh "$work/doctor" >"$work/out" 2>&1
    status=$?
    rows "$1"
    [ $status = "$2" ] || fail "$1: exit $status, expected $2"
    if grep -iE 'command not found|syntax error|No such file' "$work/out"; then
        fail "$1: doctor stumbles"
    fi
    for part in $required; do
        grep -qE "^$part +missing " "$work/out" || fail "$1: $part is not reported as missing"
    done
}
nothing "$work/bare"
machine "$work/bare" 2
grep -q '^install: no apt-get, dnf or pacman found' "$work/out" || fail "bare: what to do?"

nothing "$work/fedora"; fake "$work/fedora/dnf" 'exit 1'; fake "$work/fedora/gcc" 'exit 1'
machine "$work/fedora" 2
grep -qE '^install: (sudo )?dnf install -y gcc openmpi openmpi-devel openblas-devel .*SDL2-devel' \
    "$work/out" || fail "Fedora's command"
nothing "$work/arch"; fake "$work/arch/pacman" 'exit 1'
machine "$work/arch" 2
grep -qE '^install: (sudo )?pacman -S --needed gcc openmpi openblas .*cmocka' "$work/out" ||
    fail "Arch's command"

# macOS: every goal that builds, and doctor, ends at once and names a container; make's list comes.
mkdir "$work/mac"; fake "$work/mac/uname" 'echo Darwin'
for goal in doctor lab1 'check LAB=lab1' all; do
    # a goal and its variable are words
    # shellcheck disable=SC2086
    PATH=$work/mac:$PATH make $goal BUILD="$work/mac/build" >"$work/out" 2>&1; status=$?
    [ $status = 2 ] && [ ! -e "$work/mac/build" ] && [ "$(wc -l <"$work/out")" = 3 ] &&
        grep -q 'not supported on macOS: use a Linux container' "$work/out" &&
        grep -qF "docker run -it --shm-size=1g -v \"$PWD:/labs\" -w /labs debian:stable" \
            "$work/out" || fail "make $goal on macOS"
done
PATH=$work/mac:$PATH make help >"$work/out" 2>&1 || fail "make help on macOS"

# Debian, an ordinary user, no sudo: it says what to ask for, without the one package that
# dpkg-query knows.
nothing "$work/debian"; fake "$work/debian/apt-get" 'exit 0'
fake "$work/debian/dpkg-query" 'for last; do :; done; [ "$last" != zlib1g-dev ] || echo installed'
rm "$work/debian/id"; fake "$work/debian/id" 'echo 1000'
machine "$work/debian" 2
command='sudo apt-get install -y --no-install-recommends gcc libc6-dev openmpi-bin libopenmpi-dev'
grep -q "^install: $command " "$work/out" || fail "Debian's command"
if grep '^install: .*zlib1g-dev' "$work/out"; then fail "asks for a package that is installed"; fi
grep -q 'ask the administrator to run exactly this' "$work/out" ||
    fail "an ordinary user is not told whom to ask"
grep '^install: ' "$work/out"
