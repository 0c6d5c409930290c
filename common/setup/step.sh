#!/bin/sh
# step.sh N OF STEP: a line about step N of a build: every one on a terminal, elsewhere ten in all.
n=$1 of=$(($2 > $1 ? $2 : $1))
if [ "$n" = 1 ] && [ "$of" -ge 10 ]; then echo "building $of files"; fi
[ -t 1 ] || [ $((n * 10 / of)) != $(((n - 1) * 10 / of)) ] || exit 0
printf '[%*d/%d]  %s\n' "${#of}" "$n" "$of" "$3"
