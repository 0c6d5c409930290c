#!/usr/bin/env bash
# seconds: 600
# all: yes
# sanitizers: no
# Lab 3, part 9, in its window: curves grow while a network trains, and stand while it is paused; a
# panel fills the window; quitting early keeps what is done.
set -eu
program=$BUILD/student/lab3_scale/9_speedrun
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
title='Lab 3' mouse='900 250'
small=(1 student/lab3_scale/9_speedrun --data synthetic --threads 1 --width 4 --images 256 
    --test 100 --batch 64 --plain-model linear)

start "${small[@]}" --runs 400 --epochs 12 --no-compare
changes 'an epoch'
press space; settle; echo 'ok: paused'
press space; changes 'space again'
grow() { grep -q '^trained' "$work/log"; }
within 300 grow || fail 'no training is over'
finish
expect '^the recipe +[0-9]+  0\.[0-9]{4}'
expect 'first frame after'; grep 'frame' "$work/log"

start "${small[@]}" --runs 2 --epochs 2 --ablate
all() { grep -q '^trained  100 %' "$work/log"; }
within 300 all || fail 'it does not train all'
settle
press Tab; changes 'Tab, one panel'
press Tab; changes 'Tab, both again'
press question question
finish
expect '^plain linear +2 '
expect '^Muon +2 .* [+-]0\.[0-9]{4} ± 0\.[0-9]{4}$'
