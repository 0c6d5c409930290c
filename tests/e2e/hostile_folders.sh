#!/usr/bin/env bash
# seconds: 600
# ranks: 0
# Folders of results that a run must not trust, or cannot write: locked ones, pipes in place of
# files, full disks, names that are not UTF-8, lines that an earlier run did not write.
set -u
. tests/e2e/_hostile.sh
# shellcheck source=tests/e2e/_small_data.sh
. tests/e2e/_small_data.sh
small_data "$scratch/data" 100 50
small_data "$scratch/other-data" 100 60
export HEADLESS=1 OMP_NUM_THREADS=1
programs=$BUILD/sol/lab1_gd grader=$BUILD/assessment/grader/grade
fail() { echo "FAIL  $*"; hostile_failed=$((hostile_failed + 1)); }

# Without the note that there is no window, which belongs to headless runs.
cat >"$scratch/.run" <<'EOF'
#!/bin/bash
"$@" 2>"$0.err"; status=$?
grep -v '^no window: ' "$0.err" >&2
exit $status
EOF
chmod +x "$scratch/.run"
descend=("$scratch/.run" "$programs/1_gradient_descent")
data=(--data cifar10 --data-dir "$scratch/data")
land=("$scratch/.run" "$programs/5_loss_landscape" "${data[@]}" --model linear --points 3
    --images 32 --train-images 64 --batch 32 --updates 2 --no-eigenvalues --no-path --no-lines
    --device cpu)

# ---- one run at a time ----
mkdir -p "$scratch/busy/lab1_gradient_descent"
"$programs/5_loss_landscape" "${data[@]}" --out "$scratch/busy" --model linear --points 1001 \
    --images 10 --train-images 64 --batch 32 --updates 2 --device cpu >/dev/null 2>&1 &
holder=$!
until [ -e "$scratch/busy/lab1_loss_landscape/linear-plane.points.csv" ] || ! kill -0 $holder; do
    sleep 0.05
done
refused "lab1_loss_landscape: in use by process $holder on $(uname -n) (since " \
    "${land[@]}" --out "$scratch/busy"
refused "wait for it, end it, or use another --out" "${land[@]}" --out "$scratch/busy"
NP=2 refused "in use by process $holder" "${land[@]}" --out "$scratch/busy"
accepted "${descend[@]}" --out "$scratch/busy" # another program, another folder
kill -KILL $holder
wait $holder 2>/dev/null
accepted "${land[@]}" --out "$scratch/busy" # its lock is gone, and its points are another's
cp -r "$scratch/busy/lab1_gradient_descent" "$scratch/old"
NP=2 accepted "${descend[@]}" --out "$scratch/serial" # a serial program, started twice
[ "$(head -n 1 "$scratch/serial/lab1_gradient_descent/metrics.csv")" = \
    "$(head -n 1 "$scratch/old/metrics.csv")" ] || fail "two processes wrote metrics.csv"
exec 8<>"$scratch/serial/lab1_gradient_descent/.lock"
if type -P flock >/dev/null && flock -n 8; then
    refused "in use by process " "${descend[@]}" --out "$scratch/serial"
fi
exec 8>&-

# ---- something else in place of a file ----
put() { # kind path
    rm -rf "$2"; mkdir -p "${2%/*}"
    case $1 in
        pipe) mkfifo "$2" ;;
        folder) mkdir "$2" ;;
        device) ln -s /dev/full "$2" ;;
        loop) ln -s "${2##*/}" "$2" ;;
    esac
}
for file in .lock config.json metrics.csv descent.png; do
    for kind in pipe folder device loop; do
        # A new file is renamed over a link that leads nowhere.
        case $file-$kind in descent.png-loop | config.json-loop) continue ;; esac
        put $kind "$scratch/$kind/lab1_gradient_descent/$file"
        refused "$file: " "${descend[@]}" --out "$scratch/$kind"
    done
    rm -rf "$scratch/pipe" "$scratch/folder" "$scratch/device" "$scratch/loop"
done
refused "is not a folder" "${descend[@]}" --out /dev/null
refused "cannot make the folder" "${descend[@]}" --out /proc/nowhere

# ---- points of an earlier run ----
accepted "${land[@]}" --out "$scratch/land"
points=lab1_loss_landscape/linear-plane.points.csv
changed() { # words sed-script
    rm -rf "$scratch/changed"; cp -r "$scratch/land" "$scratch/changed"
    LC_ALL=C sed -i "$2" "$scratch/changed/$points"
    refused "$1" "${land[@]}" --out "$scratch/changed"
}
changed 'line 4: not a run' '4s/\./o/'
changed 'point 4 is at (0, 0), not at (1, 0)' '7s/^4,0,0,/4,0,1,/'

measured() { # points command…
    local expected=$1; shift
    accepted "$@"
    grep -q "plane of .*: 9 points ($expected measured now)" "$scratch/.out" ||
        fail "not $expected points measured by $*: $(grep measured "$scratch/.out")"
}
measured 0 "${land[@]}" --out "$scratch/land"
head -c -5 "$scratch/land/$points" >"$scratch/cut" && cp "$scratch/cut" "$scratch/land/$points"
measured 1 "${land[@]}" --out "$scratch/land"
measured 9 "${land[@]}" --out "$scratch/land" --extent 0.5
measured 9 "${land[@]}" --out "$scratch/land" --data-dir "$scratch/other-data"
# The same path, and the same name, with other weights.
network=lab1_loss_landscape/linear.safetensors
accepted "${land[@]}" --out "$scratch/other" --seed 2
mkdir "$scratch/given"
cp "$scratch/busy/$network" "$scratch/given/n.safetensors"
measured 9 "${land[@]}" --out "$scratch/land" --checkpoint "$scratch/given/n.safetensors"
measured 0 "${land[@]}" --out "$scratch/land" --checkpoint "$scratch/given/n.safetensors"
cp "$scratch/other/$network" "$scratch/given/n.safetensors"
measured 9 "${land[@]}" --out "$scratch/land" --checkpoint "$scratch/given/n.safetensors"
# Names that are not UTF-8.
odd=$scratch/$'bytes\xff\xfe\\' other=$scratch/$'bytes\xff\xfd\\'
mkdir "$odd"
cp "$scratch/given/n.safetensors" "$odd/"$'n\xff.safetensors'
measured 9 "${land[@]}" --out "$odd" --checkpoint "$odd/"$'n\xff.safetensors'
measured 0 "${land[@]}" --out "$odd" --checkpoint "$odd/"$'n\xff.safetensors'
if grep -rqa 'null)' "$odd"; then fail "(null) in the results"; fi
cp -r "$odd" "$other"
config='"out": ".*bytes\\\\xff\\\\xfe\\\\\\\\"'
grep -q "$config" "$odd/lab1_loss_landscape/config.json" ||
    fail "config.json: $(grep '"out"' "$odd/lab1_loss_landscape/config.json")"

# So is the folder of the data; what is said of it is in config.json all the same.
if [ -d /usr/share/datasets/fashion-mnist ]; then
    cp -r /usr/share/datasets/fashion-mnist "$odd/data"
    accepted "$BUILD/sol/lab2_ddp/3_train" --data fashion --data-dir "$odd/data" --model linear \
        --epochs 0 --out "$scratch/trained"
    grep -q '"data": "Fashion-MNIST.*bytes.*xff.*xfe' "$scratch"/trained/*/config.json ||
        fail "config.json: $(grep '"data"' "$scratch"/trained/*/config.json)"
fi

# ---- writes that fail ----
cp -r "$scratch/busy" "$scratch/full"
# shellcheck disable=SC2016
with_limit=(bash -c 'ulimit -f "$0"; exec "$@"')
refused "descent.png: File too large" "${with_limit[@]}" 20 "${descend[@]}" --out "$scratch/full"
cmp -s "$scratch/full/lab1_gradient_descent/descent.png" "$scratch/old/descent.png" ||
    fail "the old figure is gone"
refused "metrics.csv: File too large" "${with_limit[@]}" 2 "${descend[@]}" --out "$scratch/full"
refused "File too large" "${with_limit[@]}" 40 "${land[@]}" --out "$scratch/none"
# shellcheck disable=SC2016
refused "standard output: " bash -c '"$@" >/dev/full' sh "${descend[@]}" --out "$scratch/full"
# shellcheck disable=SC2016
refused "standard output: No space left" bash -c '"$@" >/dev/full' sh "${descend[@]}" --help
# shellcheck disable=SC2016
accepted bash -c '"$@" | head -n 1 >/dev/null; exit "${PIPESTATUS[0]}"' sh "${descend[@]}" \
    --out "$scratch/head"
[ -s "$scratch/head/lab1_gradient_descent/descent.png" ] || fail "lost by | head"
# shellcheck disable=SC2016
accepted bash -c '"$@" <&- >&-' sh "${descend[@]}" --out "$scratch/closed"
grep -q results "$scratch/closed/lab1_gradient_descent/"* && fail "messages in a file of results"
if mkdir "$scratch/small" && unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2016
    refused "No space left on device" unshare -m bash -c \
        'mount -t tmpfs -o size=64k none "$0" && "$@"' "$scratch/small" "${descend[@]}" \
        --out "$scratch/small"
fi

# ---- the grader ----
grade=("$grader" --trust --data synthetic --out "$scratch/grade")
rubric() { # words JSON
    printf '%s' "$2" >"$scratch/rubric.json"
    refused "$1" "${grade[@]}" --rubric "$scratch/rubric.json"
}
put pipe "$scratch/a.pipe"
refused "is not a regular file" "${grade[@]}" --rubric "$scratch/a.pipe"
refused "is a folder" "${grade[@]}" --rubric "$scratch"
refused "not a file" "${grade[@]}" --submission "$scratch/a.pipe"
rubric "'models': expected a list" '{}'
rubric "'models': expected a list" '[]'
rubric "'models': expected a list" '{"models": [5]}'
rubric "'synthetic': expected a number from 1" '{"models": ["mlp"], "budget": {"synthetic": 0}}'
rubric "'synthetic': expected a number from 1" '{"models": ["mlp"], "budget": {"synthetic": "9"}}'
budgets='"models": ["mlp"], "budget": {"synthetic": 9}, "epochs": {"synthetic": 1}'
budgets+=', "batch": {"synthetic": 8}'
rubric "'synthetic': expected a number from 1" "{${budgets/: 1/: 0}}"
rubric "batch: 'synthetic': expected a number from 1" "{${budgets/: 8/: 0}}"
rubric "'builds' is missing" "{$budgets, \"criteria\": 7}"
put pipe "$scratch/grade/.lock"
refused ".lock: is not a regular file" "${grade[@]}"

hostile_done 50
