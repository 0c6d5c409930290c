#!/usr/bin/env bash
# first_build.sh FILES JOBS: how much a first build compiles, and how long that takes: about a
# second of one processor per file.
set -u
minutes=$((($1 / $2 + 30) / 60))
case $minutes in
    0) time='less than a minute' ;;
    1) time='about a minute' ;;
    *) time="about $minutes minutes" ;;
esac
echo "building about $1 files, this first time: $time"
