#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# A loss landscape that is killed resumes, and ends as one that was not; 1 and 2 ranks give the same
# networks and points; bad files and options are refused.
set -u
lab=lab1_gd
. tests/e2e/_lab.sh
. tests/e2e/_small_data.sh
small_data "$work" 1000 120
# One thread per rank: sums of gradients in another order would differ in the last digit.
options=(--data cifar10 --data-dir "$work" --model mlp --train-images 1000 --updates 30
    --images 100 --points 11 --threads 1)
results() { echo "$work/$1/lab1_loss_landscape"; }
land() { out=$work/$1 run "$2" sol/5_loss_landscape "${@:3}"; is 0; } # name, ranks, options…
same() { # how the second came about, two names, parts…
    for part in "${@:4}"; do
        cmp "$(results "$2")/$part" "$(results "$3")/$part" || fail "$part differs $1"
    done
}

land whole 1
cp "$work/log" "$work/whole.log"
for part in plane line-training line-test path hessian; do
    rows=$(grep -c '^-\?[0-9]' "$(results whole)/mlp-$part.csv") || fail "no mlp-$part.csv"
    case $part in plane | path | hessian) want=121 ;; *) want=21 ;; esac
    [ "$rows" = "$want" ] || fail "mlp-$part.csv has $rows points, expected $want"
done
grep -q 'nan' "$(results whole)"/mlp-*.csv && fail "a point is missing"
grep -Eq 'largest eigenvalue [0-9.]+ ' "$work/log" || fail "no eigenvalues"
# Along the sharpest direction the loss is curved as the largest eigenvalue says (rectifiers: 20 %).
curved() { # name, network
    local largest
    largest=$(sed -nE 's/.*largest eigenvalue ([0-9.e+]+) .*/\1/p' "$work/log")
    awk -F, -v largest="$largest" '/^[-0-9]/ && $2 == 0 { s[n] = $1; loss[n++] = $3 }
        END { m = (n - 1) / 2; bend = (loss[m + 1] + loss[m - 1] - 2 * loss[m]) / s[m + 1] ^ 2
            print "curvature", bend, "eigenvalue", largest
            exit !(n == 11 && bend > 0.8 * largest && bend < 1.2 * largest) }' \
        "$(results "$1")/$2-hessian.csv" || fail "$2: not curved as λ = $largest says"
}
curved whole mlp
# The path ends at the origin of its plane, in it, and begins elsewhere.
awk -F, 'NR == 2 { started = $6 > 0 && $5 != $6 && $4 > 0 } { last = $0 }
    END { split(last, v, ","); near = v[5] - v[6] < 1e-4 && v[6] - v[5] < 1e-4
        exit !(started && near && v[1] == 30 && v[2] == 0 && v[3] == 0 && v[4] < 1e-3) }' \
    "$(results whole)/mlp-path-snapshots.csv" || fail "mlp-path-snapshots.csv is wrong"
[ -s "$(results whole)/landscape.png" ] || fail "no figure"

# SIGKILL in the middle of the plane; then the same command again.
"$BUILD/sol/lab1_gd/5_loss_landscape" --out "$work/cut" "${options[@]}" >"$work/log" 2>&1 &
victim=$!
while kill -0 $victim 2>/dev/null; do
    points=$(grep -c '^[0-9]' "$(results cut)/mlp-plane.points.csv" 2>/dev/null)
    [ "${points:-0}" -lt 10 ] || break
done
kill -KILL $victim 2>/dev/null
wait $victim 2>/dev/null; [ $? = 137 ] || fail "it was over before it could be killed"
there=$(grep -c '^[0-9]' "$(results cut)/mlp-plane.points.csv")
[ "$there" -lt 121 ] || fail "it was over before it was killed"
land cut 1
grep -q 'trained before' "$work/log" || fail "it trained again"
measured=$(sed -nE 's/^plane of .*\(([0-9]+) measured now\).*/\1/p' "$work/log")
[ "$measured" -gt 0 ] && [ "$measured" -lt 121 ] || fail "$measured points were measured again"
echo "killed after $there points or one more, $measured measured afterwards"
same 'after the kill' whole cut mlp-{plane,line-training,line-test,path,path-snapshots,hessian}.csv

# The same weights, read from their file, on two ranks: the same surface.
checkpoint=$(results whole)/mlp.safetensors
land two 2 --no-eigenvalues --checkpoint "$checkpoint"
for part in plane line-training line-test; do
    cmp <(tail -n +2 "$(results two)/mlp-$part.csv") \
        <(tail -n +2 "$(results whole)/mlp-$part.csv") || fail "mlp-$part.csv differs on two ranks"
done

# Drawn again from its files, without data, networks or the exercise.
recorded() { # folder
    "$BUILD/student/lab1_gd/5_loss_landscape" --recorded "$1" --data-dir "$work/nowhere" \
        --out "$work/again" >"$work/log" 2>&1
    status=$?
}
recorded "$(results whole)"; is 0
[ -s "$(results again)/landscape.png" ] || fail "recorded: no figure"
cmp <(grep 'negative curvature' "$work/log") <(grep 'negative curvature' "$work/whole.log") ||
    fail "recorded: another surface"
spoilt() { # words, a file, sed script
    cp -r "$(results whole)" "$work/spoilt"
    sed -i "$3" "$work/spoilt/$2"
    recorded "$work/spoilt"; refused "^error: .*$1"
    rm -r "$work/spoilt"
}
spoilt 'landscape.json: line 1: ' landscape.json 1d
spoilt "'networks'" landscape.json s/networks/others/
spoilt "'loss': expected a number" landscape.json 's/"loss": .*/"loss": "low",/'
spoilt "'points' or 'range'" landscape.json 's/"range"/"ranges"/'
spoilt '120 points, expected 11 x 11' mlp-plane.points.csv 5d
spoilt 'not at' mlp-plane.points.csv '5s/,0,[^,]*,/,0,0.55,/'

# Bad options.
refuses() { out=$work/bad run 1 sol/5_loss_landscape "${@:2}"; refused "$1"; } # words, options…
refuses 'needs --checkpoint' --against "$checkpoint"
if [ -d /usr/share/datasets/fashion-mnist ]; then
    refuses 'give another --data' --checkpoint "$checkpoint" --data fashion \
        --data-dir /usr/share/datasets
fi

run 1 student/5_loss_landscape; stub 5_filter_normalize.c

# Of a language model, the mean over all characters.
images=("${options[@]}")
options=(--data text --model gpt-8-1-1 --updates 60 --images 24 --measure-batch 16 --points 11
    --threads 1 --no-lines --no-path --extent 0.1)
land text 1
curved text gpt-8-1-1
options=("${images[@]}")
[ -n "${ALL-}" ] || exit 0

# Trained on one of two ranks, and two networks at the same time: each as on one rank. The second
# time none is trained.
land split 2 --no-eigenvalues
same 'trained on two ranks' whole split mlp-{plane,line-training,line-test,path,path-snapshots}.csv
pair() {
    land "$1" "$2" --model resnet8 --compare --train-images 300 --batch 50 --updates 6 \
        --target 1e-9 --images 50 --points 3 --no-eigenvalues
}
pair pair1 1
cp "$work/log" "$work/pair1.log"
recorded "$(results pair1)"; is 0
cmp <(grep 'negative curvature' "$work/log") <(grep 'negative curvature' "$work/pair1.log") ||
    fail "recorded: other surfaces"
pair pair2 2
same 'on two ranks' pair1 pair2 \
    resnet8{,-without-skips}{.safetensors,.path.safetensors,.json,-path.csv}
rm "$(results pair2)"/*.points.csv
pair pair2 2
[ "$(grep -c 'trained before' "$work/log")" = 2 ] || fail "a network that was kept is trained again"
same 'when it was kept' pair1 pair2 resnet8-path.csv
