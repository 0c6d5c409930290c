#!/usr/bin/env bash
# figures.sh BUILD OUT [NAME]: redraw the figures of the README and the handouts into docs/, which
# takes minutes; NAME: those with it in their name. The labs' figures are in their parts.txt.
set -eu
export LC_ALL=C
b=$1 out=$2 only=${3-} drawn=0
export HEADLESS=1
# draw PROGRAM RANKS "NAME=FOLDER/FIGURE…" [OPTION…]: docs/NAME.png are figures of the program's
# results folder.
draw() {
    local program=$b/$1 ranks=$2 figures=$3 figure wanted=
    shift 3
    for figure in $figures; do [[ ${figure%=*} != *"$only"* ]] || wanted=1; done
    [ -n "$wanted" ] || return 0
    common/setup/launch.sh --np "$ranks" "$program" --out "$out" "$@" </dev/null
    for figure in $figures; do
        [[ ${figure%=*} != *"$only"* ]] || cp "$out/${figure#*=}.png" "docs/${figure%=*}.png"
    done
    drawn=1
}
mkdir -p docs
while IFS='|' read -r program ranks figures options; do
    # shellcheck disable=SC2086 # words
    draw "sol/$program" "$ranks" "$figures" $options
done < <(common/setup/parts.sh runs figure lab*_*)
draw assessment/grader/grade 1 assessment=grade --trust \
    --submission "$b/assessment/solution/train.c"
draw tests/bench/bench 1 roofline=roofline --programs "$b/tests/bench" --python false --rounds 1 \
    --no-ranks
[ $drawn = 1 ] || { echo "no figure has '$only' in its name" >&2; exit 2; }
