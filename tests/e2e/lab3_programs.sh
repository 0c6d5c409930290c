#!/usr/bin/env bash
# seconds: 900
# sanitizers: no
# Lab 3's parts 2 to 8 and 10 (1: lab3_sweep.sh, 9: lab3_speedrun.sh), each short: what they find
# follows the rules, and is the same on three ranks; the stubs name their exercise; what cannot be
# is refused.
set -u
lab=lab3_scale
. tests/e2e/_lab.sh
. tests/e2e/_small_data.sh
small_data "$work" 1000 240
data=(--data cifar10 --data-dir "$work")
rows() { [ "$(grep -c "$1" "$results/$2")" = "$3" ] || fail "$2: expected $3 rows of $1"; }

# ---- part 2 ----
options=(--data synthetic --model linear --images 256 --test 100 --epochs 1 --seeds 1 --side 3
    --k 4)
agree 1 3 sol/2_gap; is 0 "Kendall's tau"
rows '^\(small\|large\)' metrics.csv 8
figure gap
run 1 student/2_gap; stub 2a_interpolate.c
run 1 sol/2_gap --k 64; refused '--images=256: the large batch' # larger than the images

# ---- part 3 ----
options=(--data synthetic --model linear --images 2048 --test 100 --epochs 1 --seeds 1 --batch 8
    --starts 1 --start-model linear --start-images 64 --start-epochs 2)
agree 1 3 sol/3_learning_rate
# 1/k, 1 and k, up to what 32 batches can tell.
table '$1 == "covariance" && $2 == 16 { rows++; expected = rows == 1 ? 1 / 16 : rows == 2 ? 1 : 16
        if ($5 < 0.6 * expected || $5 > 1.6 * expected) bad = 1 }
    END { exit bad || rows != 3 }'
rows '^start' metrics.csv 2
figure learning_rate
run 1 student/3_learning_rate; stub 3a_scaled_rate.c
run 1 sol/3_learning_rate --batch 512; refused '--images=2048: the largest batch has 8192'

# ---- part 4 ----
# Synchronised, three ranks are one, to rounding, and without it they are not; ghost_norm is the
# network's own batch norm.
options=("${data[@]}" --images 96 --test 100 --epochs 0.7 --seeds 1 --batch 32 --large 32)
run 3 sol/4_batch_norm; is 0
table '$1 == "apart" && $2 == 1 { apart = $3 }
    $1 == "synchronised" && $2 == 1 { rows++; together = $3 }
    $1 == "ghost_norm" { rows++; if (!($3 < 1e-3)) bad = 1 }
    END { exit bad || rows != 2 || !(together < 1e-6) || !(apart > 100 * together) }'
figure batch_norm
run 1 student/4_batch_norm; stub 4a_ghost_norm.c
run 1 sol/4_batch_norm --layer fc9; refused '--layer=fc9: resnet8 has no such'

# ---- part 5 ----
# 1,024 images: an epoch has 128 batches of 8, 25 of 40, 5 of 200.
options=(--data synthetic --model linear --images 1024 --test 100 --epochs 3 --seeds 1 --batch 8
    --k 25 --longer 2)
agree 1 3 sol/5_noise_and_time
table '{ updates[$1] = $3 }
    END { exit updates["small batch"] != 384 || updates["large batch"] != 15 ||
        updates["longer"] != 30 || updates["growing batch"] != 128 + 25 + 5 }'
figure remedies
run 1 student/5_noise_and_time; stub 3a_scaled_rate.c
run 1 sol/5_noise_and_time --k 200; refused '--images=1024: the large batch'

# ---- part 6 ----
# A row of each, tested; so few updates teach little.
options=(--data synthetic --model linear --images 512 --test 200 --batch 32 --epochs 1 --seeds 1)
agree 1 3 sol/6_optimisers
table 'NR > 1 { rows++; if (!($4 > 0 && $6 == 1)) bad = 1 } END { exit bad || rows != 11 }'
run 1 student/6_optimisers; stub 6a_momentum.c
run 1 sol/6_optimisers --warmup 16; refused 'a training has 16 updates'
# Of text the loss: those that learn are below what guessing gives, ln 256.
options=(--data text --images 96 --test 100 --seeds 1)
run 1 sol/6_optimisers --model mlp; refused 'this network reads images'
if [ -n "${ALL-}" ]; then
    run 2 sol/6_optimisers --model gpt-8-1-1; is 0 'test loss'
    table 'NR > 1 { rows++; if (!($4 > 2 && $4 < 5.5)) bad = 1 } END { exit bad || rows != 11 }'
fi

# ---- part 7 ----
# The small batch; 18 ways to train two larger ones. By the rules: the small batch's rate, times the
# root of 4, times 4.
options=("${data[@]}" --model linear --images 128 --test 50 --epochs 2 --seeds 2 --batch 8
    --k 2 --second-k 4 --tries 3)
# A verdict is what the ranges say; of text the lower is better.
verdicts() { # 1; of text: -1
    awk -F, -v sign="$1" 'NR > 1 && $1 != 1 { if ($2 == "same rate") { low = $5; high = $6 }
        above = sign > 0 ? $5 > high : $6 < low; below = sign > 0 ? $6 < low : $5 > high
        if ($8 != (above ? "holds" : below ? "harms" : "unclear")) bad = 1; seen[$8] }
        END { exit bad || !("holds" in seen) }' "$results/metrics.csv" ||
        fail "verdicts: $(cat "$results/metrics.csv")"
}
agree 1 3 sol/7_contest
results=$work/lab3_contest
verdicts 1
table 'NR > 1 { n[$1]++; rate[$1, $2] = $3; if (!($5 <= $4 && $4 <= $6 && $3 > 0)) bad = 1 }
    END { small = rate[1, "small batch"]
        exit bad || n[1] != 1 || n[2] != 18 || n[4] != 18 || rate[4, "same rate"] != small ||
            (rate[4, "rate × √k"] / small - 2) ^ 2 > 1e-9 ||
            (rate[4, "rate × k"] / small - 4) ^ 2 > 1e-9 }'
rows '^[0-9]' tries.csv 69 # 23 are tuned, 3 trainings each
rows '^[0-9]' sweep.csv 74 # 37 are trained from 2 seeds
cp "$results/sweep.csv" "$results/metrics.csv" "$work/"
run 1 sol/7_contest; is 0
cmp "$results/sweep.csv" "$work/sweep.csv" || fail "it trained again"
recorded=$results
out=$work/drawn run 1 sol/7_contest --recorded "$recorded"; is 0
cmp "$results/metrics.csv" "$work/metrics.csv" || fail "recorded: another table"
figure contest
run 1 sol/7_contest --recorded "$recorded" --seeds 3
refused '37 trainings of these choices are not recorded'
run 1 student/7_contest; stub 3a_scaled_rate.c
run 1 sol/7_contest --second-k 32; refused '--images=128: the largest batch'
if [ -n "${ALL-}" ]; then
    options=(--data text --model gpt-8-1-1 --images 128 --test 100 --epochs 2 --seeds 2 --batch 4
        --k 2 --second-k 8 --tries 1)
    run 2 sol/7_contest --warmup 0.2; is 0 'test loss'
    verdicts -1
    table 'NR > 1 { if (!($4 > 2 && $4 < 5.6)) bad = 1 } END { exit bad }'
fi

# ---- part 8 ----
options=(--data synthetic --model linear --batch 32)
run 1 sol/8_predict; is 0
figure predict
table 'NR > 1 { rows[$1]++; if (!($3 > 0 && $4 > 0)) bad = 1 }
    END { exit bad || rows["devices"] != 12 || rows["published 7"] != 1 }'
[ "$(grep -cE '^(TSM|ResNet-50|BERT).* h .* %' "$work/log")" = 7 ] ||
    fail "not seven published rows"
# On the virtual clock a ring of two finds the link: 1 Gbit/s, 500 us; the exchange is as predicted.
run 3 sol/8_predict --clock virtual --link 1Gbit/s,500us; is 0
table '$1 == "ring" { rings++; if (($4 / $3 - 1) ^ 2 > 0.2 ^ 2) bad = 1 }
    $1 == "ranks" { ranks++; if ($2 > 1 && ($4 / $3 - 1) ^ 2 > 0.2 ^ 2) bad = 1 }
    END { exit bad || rings != 7 || ranks != 3 }'
run 1 sol/8_predict --devices 0; is 2
run 1 student/8_predict; stub 8a_step_seconds.c

# ---- part 10 ----
# Factors of two change nothing but what lies beyond an exponent's range.
options=(--data synthetic --model linear --images 512 --test 200 --batch 64 --epochs 2 --seeds 1)
agree 1 3 sol/10_precision
table 'NR > 1 { rows++; error[$1, $2] = $4; zero[$1, $2] = $6; stays[$1, $2] = $7 }
    END { exit rows != 11 || zero["float32", 1] != 0 || stays["float16", 1] != 0 ||
        !(stays["all float16", 1] > 0) || error["bfloat16", 1] != error["bfloat16", 4096] ||
        !(zero["float16", 4096] > zero["float16", 1]) ||
        !(zero["float16", 4096] > zero["scaled float16", 4096]) }'
figure precision
run 1 student/10_precision; stub 10a_float16_of.c
run 1 sol/10_precision --precision bf16; refused '--precision: this part rounds by itself'
run 1 sol/10_precision --batch 1024; refused '--batch=1024: there are 512 --images'
