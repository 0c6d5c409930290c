#!/usr/bin/env bash
# The self-installing set-up, on a machine that lacks a library: a compiler that cannot link it
# until a stand-in for apt-get has "installed" it. DEPS=no only prints; a missing optional part does
# not stop a build; a user without sudo gets a message, not a password prompt; parts that were found
# are probed again only when the compilers change (ALL=1). The reference BLAS, which is slow, is not
# used silently (ALL=1).
# seconds: 400
# sanitizers: no
# ranks: 0
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/out"; exit 1; }
bin=$work/bin; mkdir "$bin"
script() { printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"; chmod +x "$bin/$1"; }
gcc=$(command -v "${CC:-gcc}" || command -v gcc)
script cc-without "case \"\$*\" in
*-l\$LACKS*) [ -e $work/installed ] || { echo no \$LACKS; exit 1; } ;;
esac
exec $gcc \"\$@\""
script apt-get \
    "echo \"apt-get \$*\" >>$work/apt; case \"\$*\" in *install*) touch $work/installed ;; esac"
script apt-cache 'exit 0'
script dpkg-query 'exit 1'
script sudo 'exit 1'
export PATH=$bin:$PATH CC=$bin/cc-without
unset CUDA_HOME DEPS
deps() {
    rm -f "$work/apt"
    "$@" common/setup/deps.sh "$work/build" run </dev/null >"$work/out" 2>&1
    status=$?
}
mkdir "$work/build"

export LACKS=jansson
deps env DEPS=no
[ $status = 2 ] || wrong "DEPS=no: exit $status, expected 2"
grep -q 'jansson: JSON' "$work/out" || wrong "the missing part is not named"
grep -qE 'install it with: (sudo )?apt-get install -y --no-install-recommends libjansson-dev$' \
    "$work/out" || wrong "DEPS=no: no command"
[ ! -e "$work/apt" ] || { cat "$work/apt"; wrong "DEPS=no: apt-get was started"; }
[ ! -e "$work/build/config.mk" ] ||
    wrong "a configuration is left although a required part is missing"

script id '[ "$1" = -u ] && echo 1000' # an ordinary user, whose sudo wants a password; no terminal
deps env
[ $status = 2 ] || wrong "ordinary user: exit $status, expected 2"
grep -q 'ask the administrator' "$work/out" || wrong "ordinary user: whom to ask?"
grep -q 'sudo apt-get install .*libjansson-dev' "$work/out" ||
    wrong "ordinary user: what to ask for?"
[ ! -e "$work/apt" ] || wrong "ordinary user: apt-get was started"

export LACKS=SDL2 # optional: reported, and the build continues
deps env
[ $status = 0 ] || wrong "an optional part is missing: exit $status, expected 0"
grep -q 'sdl2: shows windows' "$work/out" || wrong "the optional part is not named"
grep -q '^HAVE_JANSSON := 1' "$work/build/config.mk" || wrong "the rest is not found"
if grep '^HAVE_SDL2' "$work/build/config.mk"; then wrong "the missing part is reported as found"; fi

export LACKS=jansson # root: installs exactly that, then continues
script id '[ "$1" = -u ] && echo 0'
deps env
[ $status = 0 ] || wrong "root: exit $status, expected 0"
cat "$work/apt"
[ "$(grep -c 'install -y --no-install-recommends libjansson-dev$' "$work/apt")" = 1 ] ||
    wrong "apt-get was not asked for exactly libjansson-dev"
if grep ' update' "$work/apt"; then wrong "apt-get update, although the package is known"; fi
grep -q '^HAVE_JANSSON := 1' "$work/build/config.mk" || wrong "what was installed is not found"

rm "$work/installed" # package lists that lack it are fetched first
script apt-cache 'exit 1'
deps env
[ $status = 0 ] || wrong "root, old lists: exit $status, expected 0"
head -n 1 "$work/apt" | grep -q ' update$' || wrong "apt-get update should come first"

[ -n "${ALL-}" ] || exit 0 # each probe takes seconds: four in all

# A folder with a libblas (and liblapack) that could be the reference's, or a fast one's.
blas=$work/blas; mkdir "$blas"
echo 'float cblas_snrm2(int n, const float *x, int step);' >"$blas/cblas.h"
stand_in() { # what else is in it
    printf '%s\n' 'float cblas_snrm2(int n, const float *x, int step) { return 5; }' \
        'void dsyev_(void *job, void *part, void *n, void *a, void *lda, double *w, void *work,' \
        '            void *size, int *info) { *w = 1; *info = 0; }' "$1" >"$blas/blas.c"
    # The name by which a program loads it is its whole path: no other can take its place.
    "$gcc" -shared -fPIC -Wl,-soname,"$blas/libblas.so" "$blas/blas.c" -o "$blas/libblas.so" ||
        wrong "no stand-in for BLAS"
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
[ $status = 2 ] || wrong "the reference BLAS: exit $status, expected 2"
grep -q 'cblas: .*only the reference BLAS, 14 times slower' "$work/out" ||
    wrong "the reference BLAS: why is it rejected?"
grep -q 'install it with: .*libopenblas-dev$' "$work/out" ||
    wrong "the reference BLAS: what to install"
deps env DEPS=no CBLAS_LIBS='-lblas -llapack'
[ $status = 0 ] || wrong "the reference BLAS, asked for: exit $status, expected 0"
grep -q '^override CBLAS_CFLAGS += -DREFERENCE_BLAS$' "$work/build/config.mk" ||
    wrong "the reference BLAS, asked for: programs are not told"
doctor=$(common/setup/doctor.sh "$work/doctor" 2>&1)
grep -qE '^cblas +missing .*reference BLAS' <<<"$doctor" || wrong "doctor: $doctor"
stand_in 'const char *bli_info_get_version_str(void) { return "0.9"; }'
deps env DEPS=no
[ $status = 0 ] || wrong "BLIS as libblas: exit $status, expected 0"
grep -q '^cblas	found	BLIS	' "$work/build/probe/results" ||
    wrong "BLIS: $(grep cblas "$work/build/probe/results")"
if grep REFERENCE_BLAS "$work/build/config.mk"; then wrong "BLIS is called the reference"; fi
stand_in ''
deps env
[ $status = 0 ] || wrong "the reference BLAS, root: exit $status, expected 0"
grep -q 'install .* libopenblas-dev$' "$work/apt" || wrong "OpenBLAS is not installed"
grep -q '^cblas	found	OpenBLAS ' "$work/build/probe/results" ||
    wrong "OpenBLAS: $(grep cblas "$work/build/probe/results")"
export CC=$bin/cc-without

# Through make: probed once, and again for another compiler.
unset BUILD
config() {
    make BUILD="$work/made" CC="$1" "$work/made/config.mk" >"$work/out" 2>&1 ||
        wrong "make config.mk"
}
config "$gcc"; cp -p "$work/made/config.mk" "$work/first"
config "$gcc"
[ ! "$work/made/config.mk" -nt "$work/first" ] || wrong "make probes again without need"
config "$bin/cc-without"
[ "$work/made/config.mk" -nt "$work/first" ] || wrong "another compiler is not probed"
