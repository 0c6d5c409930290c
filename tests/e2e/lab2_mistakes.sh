#!/usr/bin/env bash
# Lab 2, parts 4 to 6: each mistake in an exercise is found, and named: a sed expression changes
# the reference, and the check must print FAIL with these words.
# seconds: 300
# sanitizers: no
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# The commands with which make compiles a reference and links the program that tries it.
cuda=()
[ -e "$BUILD/gpu_calls" ] || cuda=(HAVE_CUDA=) # this build is without
commands_of() { # exercise
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n V=1 BUILD="$BUILD" "${cuda[@]}" \
        -W "lab2_ddp/solution/$1.c" "$BUILD/sol/lab2_ddp/trial/$1" 2>&1 | sed 's/ *$//'
}
for name in 4a_bucket_add 4b_bucket_finish 4c_exposed_seconds 5a_partition 5b_share_seen \
    6a_efficiency 6b_bandwidth_for; do
    commands_of $name >"$work/commands"
    grep -- "-c lab2_ddp/solution/$name.c -o [^ ]*$" "$work/commands" | tail -n 1 \
        >"$work/compile-$name"
    grep -- "-o $BUILD/sol/lab2_ddp/trial/$name\$" "$work/commands" | tail -n 1 >"$work/link-$name"
    [ -s "$work/compile-$name" ] && [ -s "$work/link-$name" ] ||
        fail "make does not say how it builds $name: $(tail -n 5 "$work/commands")"
done

try() { # number, exercise, words, sed expression
    local dir=$work/$1 name=$2
    mkdir -p "$dir/check" "$dir/trial"
    sed "$4" "lab2_ddp/solution/$name.c" >"$dir/$name.c"
    cmp -s "$dir/$name.c" "lab2_ddp/solution/$name.c" && fail "$name: $4 changes nothing"
    cp "$BUILD/sol/lab2_ddp/check/$name" "$dir/check/"
    {
        bash -c "$(sed "s|-c lab2_ddp/solution/$name.c -o .*|-w -c $dir/$name.c -o $dir/$name.o|" \
            "$work/compile-$name")" &&
            bash -c "$(sed "s| [^ ]*parts\.a| $dir/$name.o&|; s|-o [^ ]*\$|-o $dir/trial/$name|" \
                "$work/link-$name")"
    } >"$dir/make.log" 2>&1 || fail "$name with $4: does not build: $(cat "$dir/make.log")"
    "$dir/check/$name" >"$dir/log" 2>&1
    grep "^FAIL  ${name#*_} " "$dir/log" | grep -qF -- "$3" ||
        fail "$name with $4: expected FAIL with '$3': $(cat "$dir/log")"
    echo "ok  $name: $(sed -n 's/^FAIL.*found: //p' "$dir/log")"
    rm -rf "$dir"
}
mistakes=0
mistake() { mistakes=$((mistakes + 1)); printf '%s\0' $mistakes "$1" "$2" "$3" >>"$work/mistakes"; }

a=4a_bucket_add
mistake $a 'use comm_all_reduce_start' \
    's|b->flight\[b->count++\].*|comm_all_reduce(b->comm, bucket, COMM_SUM, b->s);|'
mistake $a 'it calls comm_wait in the backward pass' 's|comm_test(|comm_wait(|'
mistake $a 'does not ask comm_test' 's|comm_test(.*|;|'
mistake $a 'when only those from' 's|b->first, n)|b->first - 8, n)|'
mistake $a 'when only those from' \
    's|int n = (int)(b->end - b->first)|int n = (int)(b->end - b->first) + 4; b->first -= 4|'
mistake $a 'or it is exchanged twice' 's|b->end = b->first;||'
mistake $a 'twice: begin a new bucket' \
    's|n = (int)(b->end - b->first)|n = b->grads.n - (int)b->first|'
mistake $a 'their all-reduce is not started' 's|4.0 \* n|n|'
mistake $a 'their all-reduce is not started' 's|< b->least|<= b->least|'
mistake $a 'it starts a bucket of only' 's|4.0 \* n|40.0 * n|'
mistake $a 'b->count is 0' 's|b->flight\[b->count++\] = comm|comm|'
mistake $a 'is not the request of' 's|b->count++|b->count++ * 0|'
mistake $a 'a bucket reaches to where' \
    's|n = (int)(b->end - b->first)|n = count|; s|n < b->least|(b->end - b->first) < b->least|'
b=4b_bucket_finish
mistake $b 'never started' 's|b->end > b->first|b->end < b->first|'
mistake $b 'is empty, and it starts one' 's|b->end > b->first|b->end >= b->first|'
mistake $b 'it does not wait for all-reduce number' 's|i < b->count|i < b->count - 1|'
mistake $b 'it does not wait for all-reduce number' 's|comm_wait(|comm_test(|'
mistake $b 'b->count is 6' 's|b->count = 0;||'
mistake $b 'for which comm_wait was called before' \
    's|comm_wait(b->comm, b->flight\[i\])|&, comm_wait(b->comm, b->flight[0])|'
mistake $b 'the open bucket is [' 's|b->first = b->end = .*||'
wait='for (int i = 0; i < b->count; i++) comm_wait(b->comm, b->flight[i]); int from = b->count;'
mistake $b 'before it starts the last bucket' \
    "s|if (b->end > b->first)|$wait\\n&|
    s|int i = 0; i < b->count; i++)\$|int i = from; i < b->count; i++)|"
c=4c_exposed_seconds
mistake $c 'one layer: nothing to hide behind' 's|return network - now|return network|'
mistake $c 'one layer: nothing to hide behind' 's|fmax(network, now)|network|'
mistake $c 'each bucket waits for the one before' 's|fmax(network, now)|now|'
mistake $c 'a bucket of two layers, and the rest' 's|bucket < least|bucket <= least|'
mistake $c 'one bucket of all layers' 's| \&\& i < layers - 1||'
mistake $c 'fast network: only the last bucket' 's|^        bucket = 0;$||'
mistake $c 'ranks: ' 's|LINK_ALL_REDUCE, P|LINK_ALL_REDUCE, 2|'
p=5a_partition
mistake $p 'it returns' 's|count / size;|(count + size - 1) / size;|'
mistake $p 'outside of mine' 's|i < n; i++|i <= n; i++|'
mistake $p 'both read image' 's|order\[i \* size + rank\]|order[i]|'
mistake $p 'both read image' 's|order\[rank \* n + i\]|order[rank + i]|'
mistake $p 'have the same order' 's|seed, epoch);|seed, 0);|'
mistake $p 'give each a seed of its own' 's|seed + rank : seed|seed : seed|'
mistake $p 'read different images' 's|kind == PARTITION_OWN|kind >= PARTITION_OWN|'
mistake $p 'add the rank to the seed, not to the epoch' \
    's|kind == PARTITION_OWN_ORDERS ? seed + rank : seed, |seed, kind == 2 ? epoch + rank : |'
mistake $p 'expected position' 's|seed + rank : seed|seed + 7 * rank : seed|'
mistake $p 'reads image' \
    's|= kind == PARTITION_PLAIN|= 1 + (kind == PARTITION_PLAIN|; s|: order\[i\];|: order[i]);|'
s=5b_share_seen
mistake $s 'plain' 's|return epochs > 0|return 1.0 / size|'
mistake $s 'own orders' 's|(double)size \* epochs : epochs|epochs : epochs|'
mistake $s 'one order for all' 's|(double)size \* epochs : epochs|size * epochs : size * epochs|'
mistake $s '0 epochs' 's|return epochs > 0|return 1|'
mistake $s 'expected 0.25' 's|1 - 1.0 / size|1 - 1 / size|'
mistake $s '50000' 's|(double)size|size|'

e=6a_efficiency
mistake $e 'that is the share that waits' 's|return (.*);|return 1 - & |; s|- return|-|'
mistake $e 'that is the speed-up' 's|return (|return P * (|'
mistake $e 'above 1 no efficiency can be' \
    's|return .*|return (work.forward + end) / (work.forward + work.backward);|'
mistake $e 'bytes for bits' 's|P, work.bytes|P, 8 * work.bytes|'
mistake $e 'a whole batch of its own' \
    's|return .*|one = end - work.backward; end = (work.forward + work.backward) / P; \
        return end / (end + one);|'
mistake $e 'nothing overlaps' 's|int K = work.buckets|int K = 1|'
mistake $e 'the exchange begins with the backward pass' \
    's|fmax(.*|fmax(work.backward, K * one);|'
mistake $e 'only the last bucket waits' 's|fmax(.*|work.backward + one;|'
mistake $e 'each bucket costs latencies' \
    's|P, work.bytes / K, link)|P, work.bytes, link) / K|'
mistake $e 'one rank exchanges nothing' 's|P > 1 ? \(.*\) : 0|1 ? \1 + 1 : 0|'
w=6b_bandwidth_for
mistake $w 'in bits per second' 's|return fmin|return 8 * fmin|'
mistake $w 'in megabytes per second' 's|return fmin|return 1e-6 * fmin|'
mistake $w 'no latency' 's|2.0 \* (P - 1) / P|2.0|'
mistake $w 'a reduce-scatter and an all-gather' 's|2.0 \* (P - 1) / P|1.0 * (P - 1) / P|'
mistake $w 'computing * (1 / wanted - 1)' 's|\* (1 / wanted - 1)||'
mistake $w 'the latency alone takes too long' 's|: INFINITY|: -1|; s|allowed > latencies|1|'
mistake $w 'recursive doubling is in time' 's|return fmin(.*|return fmax(-INFINITY,|'
mistake $w 'three ranks' 's|while (P > 1 << rounds)|while (P >= 2 << rounds)|'

export -f try fail; export work
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mistakes" ||
    fail "the mistakes above were not found as expected"
echo "$mistakes mistakes found"
