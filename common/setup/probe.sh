#!/usr/bin/env bash
# probe.sh --key: prints the compilers that a probe would use; if they differ from config.mk's
# PROBED_KEY, make probes again.
#
# probe.sh OUT [SET…]: finds out what this machine has by compiling and linking a small program per
# part (parts.txt), never by guessing file names. Writes OUT/config.mk (flags for the Makefile) and
# OUT/probe/results, lines "part<TAB>found|missing<TAB>version<TAB>where or why". The compilers'
# output is in OUT/probe/NAME.log. Exits 0 even if parts are missing (deps.sh decides what that
# means); 2 if a program gave no answer.
# Respects CC, MPICC, CUDA_HOME, CBLAS_LIBS and CBLAS_CFLAGS.
set -u
export LC_ALL=C
# shellcheck source=common/setup/packages.sh
. "$(dirname "$0")/packages.sh"
cc=${CC:-gcc}
key() {
    echo "$cc" "$(command -v "${cc%% *}")" "$(command -v "${MPICC:-mpicc}")" \
        "$(command -v nvcc)" "${CUDA_HOME-}" "${CBLAS_LIBS-}" "${CBLAS_CFLAGS-}"
}
if [ "$1" = --key ]; then key; exit; fi
out=$1; shift
work=$out/probe
rm -rf "$work"; mkdir -p "$work" || exit 2
# A program that does not answer in time is not missing: the probe ends without a result.
limit=${LABS_PROBE_SECONDS:-60}
run_limited() {
    command -v timeout >/dev/null 2>&1 || { "$@"; return; }
    timeout --foreground "$limit" "$@" || { [ $? != 124 ] || echo "$1" >"$work/late"; return 1; }
}

found() { printf '%s\tfound\t%s\t%s\n' "$1" "$2" "$3" >"$work/$1.result"; }
missing() { printf '%s\tmissing\t-\t%s\n' "$1" "$2" >"$work/$1.result"; }
flags() { # PART CFLAGS LIBS: variables for the Makefile
    local upper; upper=$(echo "$1" | tr '[:lower:]' '[:upper:]')
    printf 'HAVE_%s := 1\n%s_CFLAGS := %s\n%s_LIBS := %s\n' \
        "$upper" "$upper" "$2" "$upper" "$3" >"$work/$1.mk"
}

# try PART CFLAGS LIBS: does $work/PART.c compile and link with these? Leaves $work/PART.
try() {
    echo "\$ $cc $2 -o $1 $1.c $3" >>"$work/$1.log"
    # CC and the flags are lists of words.
    # shellcheck disable=SC2086
    $cc $2 -o "$work/$1" "$work/$1.c" $3 >>"$work/$1.log" 2>&1
}

# shared_file PROGRAM NAME: the shared library NAME… that the linked program loads.
shared_file() {
    ldd "$1" 2>/dev/null | grep -o "/[^ ]*$2[^ ]*" | head -n 1
}

# library PART FILE INCLUDES STATEMENTS CANDIDATE…: the first candidate "CFLAGS;LIBS" that works.
# The statements print the version.
library() {
    local part=$1 file=$2 candidate version
    printf '#include <stdio.h>\n%s\nint main(void) { %s return 0; }\n' "$3" "$4" >"$work/$part.c"
    shift 4
    for candidate in "$@"; do
        [ "$candidate" != ";" ] || continue
        if try "$part" "${candidate%%;*}" "${candidate#*;}"; then
            version=$(run_limited "$work/$part" 2>>"$work/$part.log" | head -n 1 |
                cut -d ' ' -f 1-2)
            found "$part" "${version:--}" "$(shared_file "$work/$part" "$file")"
            flags "$part" "${candidate%%;*}" "${candidate#*;}"
            return
        fi
    done
    if [ -f "$work/no-compiler" ]; then missing "$part" "not probed: needs the compiler"
    else missing "$part" "no program with it links (${out#"$PWD/"}/probe/$part.log)"; fi
}

pkg() { # NAME: a candidate as pkg-config knows it, or ";"
    echo "$(pkg-config --cflags "$1" 2>/dev/null);$(pkg-config --libs "$1" 2>/dev/null)"
}
probe_compiler() {
    printf 'int main(void) { return 0; }\n' >"$work/compiler.c"
    if ! try compiler "-std=gnu11" ""; then
        : >"$work/no-compiler"
        missing compiler "'$cc' does not compile and link (set CC=… for another)"
        return
    fi
    # shellcheck disable=SC2086
    found compiler "$($cc --version 2>/dev/null | head -n 1 | sed 's/ *([^)]*)//g')" \
        "$(command -v ${cc%% *})"
    local native="" needed="" # for this processor; no libraries that a program does not use
    if try compiler "-march=native" ""; then native=-march=native; fi
    if try compiler "" "-Wl,--as-needed"; then needed=-Wl,--as-needed; fi
    flags compiler "$native" "$needed"
}

probe_openmp() {
    library openmp 'lib[go]*mp' '#include <omp.h>' \
        'printf("%d", omp_get_max_threads() > 0 ? _OPENMP : 0);' \
        "-fopenmp;-fopenmp"
}

probe_mpi() { # Open MPI's wrapper says which flags; the labs' own compiler is used with them
    local mpicc bin why="no mpicc on PATH" compile link
    cat >"$work/mpi.c" <<'EOF'
#include <mpi.h>
#include <stdio.h>
#ifndef OPEN_MPI
#error not Open MPI
#endif
int main(void)
{
    printf("%d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
    return MPI_Wtime() < 0;
}
EOF
    for mpicc in ${MPICC:-mpicc mpicc.openmpi /usr/lib64/openmpi/bin/mpicc}; do
        command -v "$mpicc" >/dev/null 2>&1 || continue
        mpicc=$(command -v "$mpicc")
        why="$mpicc is not Open MPI's, or a program with it does not link"
        compile=$("$mpicc" --showme:compile 2>>"$work/mpi.log") || continue
        link=$("$mpicc" --showme:link 2>>"$work/mpi.log") || continue
        try mpi "$compile" "$link" || continue
        bin=$(dirname "$mpicc")
        why="$mpicc works, but mpirun is not Open MPI's (update-alternatives --config mpirun)"
        PATH=$PATH:$bin run_limited mpirun --version 2>>"$work/mpi.log" |
            grep -q 'Open MPI' || continue
        found mpi "Open MPI $(run_limited "$work/mpi" 2>>"$work/mpi.log")" "$mpicc"
        flags mpi "$compile" "$link"; echo "MPI_BIN := $bin" >>"$work/mpi.mk"
        return
    done
    [ ! -f "$work/no-compiler" ] || why="$why; needs the compiler, too"
    missing mpi "$why"
}

# Matrix products (BLAS) and eigenvalues (LAPACK): OpenBLAS holds both; elsewhere LAPACK is a
# separate library. -lblas may be the reference BLAS, whose products take 14 times as long: it
# counts as missing, unless CBLAS_LIBS asks for it. (Layers have their own product; the analyses,
# two parts' exercises and the grader's measure of a machine use BLAS.)
blas_name='static const char *blas_name(void)
{
    static const char *const known[][2] = {{"openblas_get_config", "OpenBLAS"},
        {"bli_info_get_version_str", "BLIS"}, {"MKL_Get_Version_String", "MKL"},
        {"mkl_get_version_string", "MKL"}, {"ATL_buildinfo", "ATLAS"}};
    void *all = dlopen(NULL, RTLD_NOW);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (dlsym(all, known[i][0])) return known[i][1];
    return "reference";
}'
probe_cblas() {
    local blas candidates routine='#include <cblas.h>
        #include <dlfcn.h>
        #include <stddef.h>
        void dsyev_(const char *, const char *, const int *, double *, const int *, double *,
            double *, const int *, int *, size_t, size_t);'
    local products='float x[2] = {3, 4}; if (cblas_snrm2(2, x, 1) != 5) return 1;'
    local eigenvalues='double a[4] = {1, 0, 0, 2}, w[2], work[8]; int n = 2, count = 8, info;
        dsyev_("N", "U", &n, a, &n, w, work, &count, &info, 1, 1); if (info || w[0] != 1) return 1;'
    if [ -z "${CBLAS_LIBS-}" ]; then
        library cblas 'lib[^/]*blas' "$routine"' char *openblas_get_config(void);' \
            "$products $eigenvalues printf(\"%s\", openblas_get_config());" \
            ";-lopenblas" "-I/usr/include/openblas;-lopenblas" "$(pkg openblas)"
        [ ! -f "$work/cblas.mk" ] || return
    fi
    candidates=(";-lcblas -llapack -ldl" ";-lblas -llapack -ldl" ";-lcblas -ldl" ";-lblas -ldl"
        "$(pkg cblas)")
    [ -z "${CBLAS_LIBS-}" ] || candidates=("${CBLAS_CFLAGS-};$CBLAS_LIBS -ldl")
    library cblas 'lib[^/]*blas' "$routine $blas_name" \
        "$products $eigenvalues printf(\"%s\", blas_name());" "${candidates[@]}"
    if grep -q '	reference	' "$work/cblas.result" && [ -z "${CBLAS_LIBS-}" ]; then
        rm "$work/cblas.mk"
        missing cblas \
            "only the reference BLAS, 14 times slower (CBLAS_LIBS='-lblas -llapack' uses it)"
    fi
    grep -q 'no program' "$work/cblas.result" && [ -z "${CBLAS_LIBS-}" ] || return
    printf '#include <cblas.h>\nint main(void) { %s return 0; }\n' "$products" >"$work/cblas.c"
    for blas in -lopenblas -lcblas -lblas; do
        if try cblas "" "$blas"; then
            missing cblas "$blas has no LAPACK (dsyev_), and -llapack is missing"
            return
        fi
    done
}

probe_zlib() {
    library zlib libz '#include <zlib.h>' 'printf("%s", zlibVersion());' \
        ";-lz" "$(pkg zlib)"
}
probe_jansson() {
    library jansson libjansson '#include <jansson.h>' \
        'json_decref(json_object()); printf("%s", JANSSON_VERSION);' \
        ";-ljansson" "$(pkg jansson)"
}
probe_libcrypto() {
    library libcrypto libcrypto '#include <openssl/crypto.h>
        #include <openssl/evp.h>' \
        'if (!EVP_sha256()) return 1; printf("%s", OpenSSL_version(OPENSSL_VERSION));' \
        ";-lcrypto" "$(pkg libcrypto)"
}
probe_cairo() {
    library cairo libcairo '#include <cairo.h>' 'printf("%s", cairo_version_string());' \
        "$(pkg cairo)" "-I/usr/include/cairo;-lcairo"
}
probe_sdl2() {
    library sdl2 libSDL2 '#define SDL_MAIN_HANDLED
        #include <SDL.h>' \
        'SDL_version v; SDL_GetVersion(&v); printf("%d.%d.%d", v.major, v.minor, v.patch);' \
        "$(pkg sdl2)" "$(sdl2-config --cflags 2>/dev/null);$(sdl2-config --libs 2>/dev/null)"
}
probe_cmocka() {
    library cmocka libcmocka '#include <stdarg.h>
        #include <stddef.h>
        #include <stdint.h>
        #include <setjmp.h>
        #include <cmocka.h>' 'cmocka_set_message_output(CM_OUTPUT_STDOUT);' \
        ";-lcmocka" "$(pkg cmocka)"
}

# The compiler of the same family; its library is linked to programs of $cc.
probe_cplusplus() {
    local cxx names="g++ clang++" log=$work/cplusplus.log
    case $cc in *clang*) names="clang++ g++" ;; esac
    printf '#include <functional>\nextern "C" int call(void);\n%s\n' \
        'int call(void) { std::function<int()> f = [] { return !new int; }; return f(); }' \
        >"$work/call.cpp"
    printf 'int call(void);\nint main(void) { return call(); }\n' >"$work/cplusplus.c"
    for cxx in $names; do
        "$cxx" -std=gnu++17 -c "$work/call.cpp" -o "$work/call.o" >>"$log" 2>&1 || continue
        try cplusplus "" "$work/call.o -lstdc++" || continue
        found cplusplus "$("$cxx" -dumpversion)" "$(command -v "$cxx")"
        flags cplusplus "" -lstdc++; echo "CXX := $cxx" >>"$work/cplusplus.mk"
        return
    done
    missing cplusplus "no C++ compiler whose library links with $cc"
}

probe_font() {
    local file
    for file in /usr/share/fonts/{truetype/dejavu,dejavu-sans-fonts,TTF}/DejaVuSans.ttf; do
        if [ -r "$file" ]; then found font "DejaVu Sans" "$file"; return; fi
    done
    missing font "no DejaVu Sans"
}
probe_fashion() {
    local dir=/usr/share/datasets/fashion-mnist
    if [ -r "$dir/train-images-idx3-ubyte.gz" ]; then found fashion "Fashion-MNIST" "$dir"
    else missing fashion "not in $dir"; fi
}
probe_tool() { # PART [PROGRAM]: a program with --version
    local where version program=${2:-$1}
    where=$(command -v "$program") || { missing "$1" "not on PATH"; return; }
    version=$(run_limited "$program" --version 2>/dev/null |
        grep -o '[0-9][0-9.]*[0-9]' | head -n 1)
    found "$1" "$version" "$where"
}
probe_sandbox() { probe_tool sandbox bwrap; }
probe_curl() { probe_tool curl; }
probe_shellcheck() { probe_tool shellcheck; }
probe_xvfb() { probe_tool xvfb Xvfb; }
probe_xdotool() { probe_tool xdotool; }
probe_qemu() { probe_tool qemu qemu-x86_64; }
probe_cppcheck() { probe_tool cppcheck; }
probe_formatter() { probe_tool formatter clang-format; }
probe_patch() { probe_tool patch; }
probe_python3() { # the tests' small web server comes with the full package only
    if run_limited python3 -c 'import http.server, json, struct' >"$work/python3.log" 2>&1; then
        probe_tool python3
    else missing python3 "no python3 with its standard library"; fi
}

probe_cuda() { # then NCCL and cuDNN, which depend on it
    local home nvcc where="no nvcc${CUDA_HOME:+ in $CUDA_HOME/bin} (set CUDA_HOME=…)"
    cat >"$work/cuda.cu" <<'EOF'
#include <cublas_v2.h>
#include <cuda_runtime.h>
__global__ void one(float *x) { *x = 1; }
int main()
{
    cublasHandle_t h;
    one<<<1, 1>>>(nullptr);
    return cublasCreate(&h) == CUBLAS_STATUS_SUCCESS && cudaDeviceSynchronize();
}
EOF
    nvcc=$(command -v nvcc || echo /none/bin/nvcc)
    for home in ${CUDA_HOME:-"${nvcc%/bin/nvcc}" /usr/local/cuda /opt/cuda}; do
        nvcc=$home/bin/nvcc
        [ -x "$nvcc" ] || continue
        where="$nvcc does not compile and link (${out#"$PWD/"}/probe/cuda.log)"
        echo "\$ $nvcc -o cuda cuda.cu -lcublas" >>"$work/cuda.log"
        "$nvcc" -o "$work/cuda" "$work/cuda.cu" -L"$home/lib64" -lcublas >>"$work/cuda.log" 2>&1 ||
            continue
        found cuda "$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" "$home"
        flags cuda "-I$home/include" "-L$home/lib64 -Wl,-rpath,$home/lib64 -lcublas -lcudart"
        echo "NVCC := $nvcc" >>"$work/cuda.mk"
        echo "CUDA_ARCHS := $("$nvcc" --list-gpu-code | sed 's/sm_//' | xargs)" >>"$work/cuda.mk"
        break
    done
    if [ ! -f "$work/cuda.mk" ]; then
        missing cuda "$where"; missing nccl "needs CUDA"; missing cudnn "needs CUDA"
        return
    fi
    library nccl libnccl '#include <nccl.h>' \
        'int v = 0; ncclGetVersion(&v); printf("%d.%d.%d", v / 10000, v / 100 % 100, v % 100);' \
        "-I$home/include;-L$home/lib64 -Wl,-rpath,$home/lib64 -lnccl -lcudart" "$(pkg nccl)"
    library cudnn libcudnn '#include <cudnn.h>' \
        'printf("%d.%d.%d", CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL);
            if (!cudnnGetVersion()) return 1;' \
        "-I$home/include;-L$home/lib64 -Wl,-rpath,$home/lib64 -lcudnn -lcudart" "$(pkg cudnn)"
}

probe_compiler
parts=$(part_list)
for part in $parts; do
    case $part in compiler | nccl | cudnn) ;; *) "probe_$part" & ;; esac
done
wait
if [ -e "$work/late" ]; then
    echo "error: $(cat "$work/late") has not answered for $limit s: is this machine very busy?" \
        "Run it again, perhaps with LABS_PROBE_SECONDS=600" >&2
    exit 2
fi
for part in $parts; do cat "$work/$part.result"; done >"$work/results"
{
    echo "# Written by common/setup/probe.sh: what this machine has. 'make clean' removes it," \
        "the next build writes it again."
    echo "PROBED_KEY := $(key)"
    echo "PROBED_SETS := $*"
    for part in $parts; do cat "$work/$part.mk" 2>/dev/null; done
} >"$work/config.mk"
mv "$work/config.mk" "$out/config.mk"
