#!/usr/bin/env bash
# The self-installing set-up, on a machine that lacks a library: a compiler that cannot link it
# until a stand-in for apt-get has "installed" it. DEPS=no only prints; a missing optional part does
# not stop a build; a user without sudo gets a message, not a password prompt. With ALL=1 also: what
# it takes is said before, how far it is meanwhile; Ctrl-C ends cleanly; a goal installs what it
# needs; parts that were found are probed again only when the compilers change; the reference BLAS,
# which is slow, is not used silently; the build says how many files it makes, and how far it is.
# all: yes
# seconds: 400
# sanitizers: no
# ranks: 0
set -u
. tests/e2e/_work.sh
bin=$work/bin; mkdir "$bin"
script() { printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"; chmod +x "$bin/$1"; }
gcc=$(command -v "${CC:-gcc}" || command -v gcc)
script cc-without "case \"\$*\" in
*-l\$LACKS*) [ -e $work/installed ] || { echo no \$LACKS; exit 1; } ;;
esac
exec $gcc \"\$@\""
# It says what it would fetch, if its lists are new. The test's parts of it: fetch, unpack.
cat >"$bin/apt-get" <<EOF
#!/bin/sh
case "\$*" in *--print-uris*)
    [ ! -e $work/old_lists ] || exit 100
    echo '1 upgraded, 11 newly installed, 0 to remove and 5 not upgraded.'
    echo 'After this operation, 34.5 MB of additional disk space will be used.'
    echo "'http://host/a_1.deb' a_1.deb 4000000 MD5Sum:0"
    echo "'http://host/b_1.deb' b_1.deb 2000000 "
    exit ;;
esac
wait_for() { # expression: a line of the output; a minute at most
    tries=0
    until grep -aq "\$1" $work/out; do
        tries=\$((tries + 1)); [ \$tries -lt 600 ] || { echo "E: never: \$1"; exit 100; }
        sleep 0.1
    done
}
echo "apt-get \$*" >>$work/apt
case "\$*" in
*' update') rm -f $work/old_lists ;;
*--download-only*) . $work/fetch ;;
*' install '*) . $work/unpack; touch $work/installed ;;
esac
EOF
chmod +x "$bin/apt-get"
: >"$work/fetch"; : >"$work/unpack"
script dpkg-query 'exit 1'
script sudo 'exit 1'
for name in g++ clang++ python3; do script $name 'exit 1'; done # half of what a probe takes
export PATH=$bin:$PATH CC=$bin/cc-without CUDA_HOME=$work/none # nvcc takes seconds
unset DEPS
deps() {
    rm -f "$work/apt"
    "$@" common/setup/deps.sh "$work/build" run window </dev/null >"$work/out" 2>&1
    status=$?
}
mkdir "$work/build"

export LACKS=jansson
deps env DEPS=no
[ $status = 2 ] || fail "DEPS=no: exit $status, expected 2"
grep -q 'jansson: JSON' "$work/out" || fail "the missing part is not named"
grep -qE 'install it with: (sudo )?apt-get install -y --no-install-recommends libjansson-dev$' \
    "$work/out" || fail "DEPS=no: no command"
[ ! -e "$work/apt" ] || { cat "$work/apt"; fail "DEPS=no: apt-get was started"; }
[ ! -e "$work/build/config.mk" ] ||
    fail "a configuration is left although a required part is missing"

# An ordinary user, whose sudo wants a password; no terminal. The package lists lack it.
script id '[ "$1" = -u ] && echo 1000'
touch "$work/old_lists"
deps env
rm "$work/old_lists"
[ $status = 2 ] || fail "ordinary user: exit $status, expected 2"
grep -q 'ask the administrator' "$work/out" || fail "ordinary user: whom to ask?"
grep -q 'sudo apt-get update && sudo apt-get install .*libjansson-dev' "$work/out" ||
    fail "ordinary user: what to ask for?"
[ ! -e "$work/apt" ] || fail "ordinary user: apt-get was started"

script mpirun 'exec sleep 100' # a busy machine: not a missing part
LACKS=nothing deps env LABS_PROBE_SECONDS=1
rm "$bin/mpirun"
[ $status = 2 ] && grep -q '^error: mpirun has not answered for 1 s' "$work/out" ||
    fail "a probe without an answer: exit $status, expected 2 and its name"
[ ! -e "$work/apt" ] && [ ! -e "$work/build/config.mk" ] ||
    fail "a probe without an answer: apt-get was started, or there is a result"

export LACKS=SDL2 # optional: reported, and the build continues
deps env
[ $status = 0 ] || fail "an optional part is missing: exit $status, expected 0"
grep -q 'sdl2: shows windows' "$work/out" || fail "the optional part is not named"
grep -q '^HAVE_JANSSON := 1' "$work/build/config.mk" || fail "the rest is not found"
if grep '^HAVE_SDL2' "$work/build/config.mk"; then fail "the missing part is reported as found"; fi

export LACKS=jansson # root: installs exactly that, then continues
script id '[ "$1" = -u ] && echo 0'
deps env
[ $status = 0 ] || fail "root: exit $status, expected 0"
cat "$work/apt"
[ "$(grep -c 'install -y --no-install-recommends libjansson-dev$' "$work/apt")" = 1 ] ||
    fail "apt-get was not asked for exactly libjansson-dev"
grep -q '^setup: installing 12 packages, 6 MB to fetch, 34.5 MB on disk; log: ' "$work/out" ||
    fail "it does not say how much it installs"
if grep ' update' "$work/apt"; then fail "apt-get update, although the package is known"; fi
grep -q '^HAVE_JANSSON := 1' "$work/build/config.mk" || fail "what was installed is not found"

[ -n "${ALL-}" ] || exit 0 # each probe takes seconds: four in all

# Package lists that lack it are fetched first. Progress: what apt-get is at, also while it prints
# nothing; its output is in the log. The stand-in waits for what it should cause.
touch "$work/old_lists"
cat >"$work/fetch" <<'EOF'
echo 'Get:1 http://host a'; echo 'dlstatus:1:41.5:Retrieving file 5 of 12'
wait_for 'setup: fetching: 41 %, [0-9]* s  Retrieving file 5 of 12'
EOF
cat >"$work/unpack" <<'EOF'
echo 'pmstatus:a:7.25:Unpacking a (amd64)'; printf 'Unpack'
wait_for 'setup: installing: 7 %, [0-9]* s  Unpacking a'
echo 'ing a'; echo 'Waiting for cache lock: held by process 1'
wait_for 'setup: installing: 7 %, .* waiting for another program'
EOF
rm "$work/installed"
script id '[ "$1" = -u ] && echo 1000' # through a sudo, which passes on nothing but stdout, too
script sudo '[ "$1" = -n ] && shift && exec "$@" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-'
deps env SETUP_SECONDS=1
[ $status = 0 ] || fail "progress: exit $status, expected 0"
head -n 1 "$work/apt" | grep -q ' update$' || fail "apt-get update should come first"
script id '[ "$1" = -u ] && echo 0'
grep -q '^setup: installed in [0-9]* s$' "$work/out" || fail "it does not say that it is done"
if grep 'Get:1\|status:' "$work/out"; then fail "apt-get's output is on the screen"; fi
{ grep -q '^Get:1 ' "$work/build/apt.log" && grep -q '^Unpacking a$' "$work/build/apt.log"; } ||
    fail "apt-get's words are not in the log"
if grep 'status:' "$work/build/apt.log"; then fail "its status lines are in the log"; fi
rm "$work/installed" # on a terminal: one line, written again
TERM=xterm command script -qefc "common/setup/deps.sh $work/build run" /dev/null </dev/null \
    >"$work/out" 2>&1 || fail "on a terminal: exit $?"
cr=$(printf '\r')
grep -q "${cr}setup: fetching: 41 %.*${cr}setup: installing: 7 %.*${cr}setup: installing: 7 %" \
    <(tr '\n' ' ' <"$work/out") || fail "on a terminal: no line that is written again"

# Ctrl-C: apt-get ends while it fetches, and finishes while it installs.
interrupted() { # expression: the line after which it is pressed
    local deps i
    rm -f "$work/installed"; : >"$work/out"
    SETUP_SECONDS=1 setsid env --default-signal=INT common/setup/deps.sh "$work/build" run \
        </dev/null >"$work/out" 2>&1 &
    deps=$!
    for ((i = 0; i < 600; i++)); do
        if grep -q "$1" "$work/out"; then break; fi
        sleep 0.1
    done
    kill -INT -- -$deps || fail "Ctrl-C: it has ended before"
    wait $deps
    status=$?
    [ $status = 130 ] || fail "Ctrl-C: exit $status, expected 130"
    grep -q '^setup: stopped' "$work/out" || fail "Ctrl-C: no word that it stopped"
}
printf '%s\n' "echo 'dlstatus:1:50:Fetching'; exec sleep 300" >"$work/fetch"
interrupted 'fetching: 50 %'
[ ! -e "$work/installed" ] || fail "Ctrl-C while it fetches: it installs all the same"
: >"$work/fetch"
printf '%s\n' "echo 'pmstatus:a:50:Unpacking a'" "wait_for 'must not stop half way'" >"$work/unpack"
interrupted 'installing: 50 %'
[ -e "$work/installed" ] || fail "Ctrl-C while it installs: it did not finish"
: >"$work/unpack"

# A folder with a libblas (and liblapack) that could be the reference's, or a fast one's.
blas=$work/blas; mkdir "$blas"
echo 'float cblas_snrm2(int n, const float *x, int step);' >"$blas/cblas.h"
stand_in() { # what else is in it
    printf '%s\n' 'float cblas_snrm2(int n, const float *x, int step) { return 5; }' \
        'void dsyev_(void *job, void *part, void *n, void *a, void *lda, double *w, void *work,' \
        '            void *size, int *info) { *w = 1; *info = 0; }' "$1" >"$blas/blas.c"
    # The name by which a program loads it is its whole path: no other can take its place.
    "$gcc" -shared -fPIC -Wl,-soname,"$blas/libblas.so" "$blas/blas.c" -o "$blas/libblas.so" ||
        fail "no stand-in for BLAS"
    echo | "$gcc" -shared -fPIC -x c - -o "$blas/liblapack.so"
}
script cc-blas "case \"\$*\" in
*openblas*) [ -e $work/installed ] || exit 1 ;;
*) in='-I$blas -L$blas' ;;
esac
exec $gcc \$in \"\$@\""
export CC=$bin/cc-blas
unset CBLAS_LIBS CBLAS_CFLAGS
rm "$work/installed"
stand_in ''
deps env DEPS=no
[ $status = 2 ] || fail "the reference BLAS: exit $status, expected 2"
grep -q 'cblas: .*only the reference BLAS, 14 times slower' "$work/out" ||
    fail "the reference BLAS: why is it rejected?"
grep -q 'install it with: .*libopenblas-dev$' "$work/out" ||
    fail "the reference BLAS: what to install"
deps env DEPS=no CBLAS_LIBS='-lblas -llapack'
[ $status = 0 ] || fail "the reference BLAS, asked for: exit $status, expected 0"
doctor=$(common/setup/doctor.sh "$work/doctor" 2>&1)
grep -qE '^cblas +missing .*reference BLAS' <<<"$doctor" || fail "doctor: $doctor"
stand_in 'const char *bli_info_get_version_str(void) { return "0.9"; }'
deps env DEPS=no
[ $status = 0 ] || fail "BLIS as libblas: exit $status, expected 0"
grep -q '^cblas	found	BLIS	' "$work/build/probe/results" ||
    fail "BLIS: $(grep cblas "$work/build/probe/results")"
stand_in ''
deps env
[ $status = 0 ] || fail "the reference BLAS, root: exit $status, expected 0"
grep -q 'install .* libopenblas-dev$' "$work/apt" || fail "OpenBLAS is not installed"
grep -q '^cblas	found	OpenBLAS ' "$work/build/probe/results" ||
    fail "OpenBLAS: $(grep cblas "$work/build/probe/results")"
export CC=$bin/cc-without

# Through make: probed once, and again for another compiler.
built=${BUILD:-build}
unset BUILD
# A goal installs what it needs: lab 1's first part no data, no sandbox; a window only where there
# is a display.
sets() { # sets expected, variables and goal
    env -u DISPLAY -u WAYLAND_DISPLAY -u HEADLESS make -pn COUNTING=1 BUILD="$built" "${@:2}" \
        >"$work/out" 2>&1
    [ "$(sed -n 's/^SETS := //p' "$work/out" | xargs)" = "$1" ] ||
        { grep '^SETS ' "$work/out" | tee "$work/out"; fail "${*:2}: expected the sets $1"; }
}
sets run lab1
sets run lab1 ONLY=3
sets 'run data' lab1 ONLY=4_
sets run lab2 SOL=1
sets run check DISPLAY=:7 HEADLESS=1
sets 'run window' check DISPLAY=:7
sets run "$built/student/lab1_gd/1_gradient_descent"
sets 'run data' "$built/student/lab1_gd/4_batch_size"
sets 'run grade data' demo
sets 'run unit test window grade data' test
config() {
    make BUILD="$work/made" CC="$1" "$work/made/config.mk" >"$work/out" 2>&1 ||
        fail "make config.mk"
}
config "$gcc"; cp -p "$work/made/config.mk" "$work/first"
config "$gcc"
[ ! "$work/made/config.mk" -nt "$work/first" ] || fail "make probes again without need"
config "$bin/cc-without"
[ "$work/made/config.mk" -nt "$work/first" ] || fail "another compiler is not probed"

# The build counts its steps before the first: a file each, the program the last.
program=$work/made/student/lab1_gd/1_gradient_descent
build() {
    make BUILD="$work/made" CC="$gcc" CFLAGS=-O0 "$program" >"$work/out" 2>&1 || fail "make"
}
build
files=$(find "$work/made" -name '*.o' ! -path '*/probe/*' | wc -l)
{ grep -qx "building $((files + 1)) files" "$work/out" &&
    grep -qx "\[$((files + 1))/$((files + 1))\]  LINK  $program" "$work/out"; } ||
    fail "$files objects and a program are not what it counts"
[ "$(grep -c '^\[' "$work/out")" = 10 ] || fail "not on a terminal: expected ten lines"
[ "$files" -lt 100 ] || fail "make lab1 builds $files files: the first part does not link so many"
rm "$work/made/lab1_gd/parts/1_linear/descent.o"
build
[ "$(grep '^\[' "$work/out" | cut -d ' ' -f 1 | xargs)" = '[1/2] [2/2]' ] ||
    fail "one file changed"
build
if grep '^\[' "$work/out"; then fail "nothing changed, and it builds"; fi
