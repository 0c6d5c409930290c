#!/usr/bin/env bash
# The self-check is neither fooled nor hung nor made to harm the machine by the code that it judges:
# each snippet below, in place of an exercise, gets FAIL or TODO and 0 points in one line that says
# why; the exercise beside it keeps its points; nothing is left running. Every fourth; ALL=1: all.
# seconds: 600
# ranks: 0
set -u
. tests/e2e/_work.sh
. tests/e2e/_processes.sh
read -ra compiler <<<"${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Icommon -Ilab1_gd -O2 -w -pthread"
export LIBRARIES="$BUILD/check_main.a $BUILD/libcommon.a -lm"
if [ "${SAN:-}" = 1 ]; then
    compiler+=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
    LIBRARIES="$BUILD/tests/support/no_dlclose.o -rdynamic $LIBRARIES"
fi
[[ $BUILD != */coverage ]] || compiler+=(--coverage)
export COMPILER="${compiler[*]}" work

# One case. What is wrong with its result goes to stdout, after the snippet.
try() { # number, expected line, C
    local m=$work/$1 status verdict
    mkdir -p "$m/check" "$m/trial" "$m/exercises"
    printf '%s\n' "$3" >"$m/exercises/1b_update.c"
    # shellcheck disable=SC2086 # words
    common/setup/compile_exercise.sh "$m/exercises/1b_update.c" "$m/1b_update.o" "$m/1b_update.o" \
        "$LIBRARIES" $COMPILER 2>"$m/compile.log"
    # shellcheck disable=SC2086
    $COMPILER "$m/1b_update.o" "$BUILD/lab1_gd/check/1b_update_check.o" $LIBRARIES -o \
        "$m/trial/1b_update" 2>>"$m/compile.log" ||
        { echo "case $1: cannot be linked: $(cat "$m/compile.log")"; return 1; }
    ln -s "$PWD/$BUILD"/sol/lab1_gd/check/{1a_gradient,1b_update} "$m/check/"
    ln -s "$PWD/$BUILD/sol/lab1_gd/trial/1a_gradient" "$m/trial/"
    TMPDIR=$m HOSTILE_CASE=$m timeout --kill-after=5 120 common/setup/check.sh \
        "$m/check/1b_update" "$m/check/1a_gradient" >"$m/log" 2>"$m/err"
    status=$?
    wrong() { # what
        printf 'FAIL  case %s: %s\n%s\n' "$1" "$2" "$(grep -v '^#include <' <<<"$3")"
        head -c 3000 "$m/log" "$m/err" | cat -v | sed 's/^/      /'
        return 1
    }
    within 60 none with_variable "HOSTILE_CASE=$m" >/dev/null ||
        { wrong "$1" "left running" "$3"; return; }
    [ "$(grep -cE 'PASS|FAIL|TODO' "$m/log")" = 2 ] ||
        { wrong "$1" "not two lines with a verdict" "$3"; return; }
    # A verdict's further lines are indented.
    verdict=$(sed -E ':a; N; $!ba; s/\n {6}/ /g' "$m/log" | sed -n 1p)
    grep -q -- "$2" <<<"$verdict" || { wrong "$1" "not as expected: $2" "$3"; return; }
    if ! grep -q '^PASS  1a_gradient *10/10' "$m/log"; then
        wrong "$1" 'its neighbour lost its points' "$3"; return
    fi
    case $2 in
        ^PASS*) [ "$(tail -n 1 "$m/log")" = '15 of 15 points' ] && [ $status = 0 ] ;;
        ^TODO*) [ "$(tail -n 1 "$m/log")" = '10 of 15 points, 1 to do' ] && [ $status = 0 ] ;;
        *) [ "$(tail -n 1 "$m/log")" = '10 of 15 points' ] && [ $status = 1 ] ;;
    esac || { wrong "$1" "the sum, or status $status" "$3"; return; }
    if LC_ALL=C tr -d '\n' <"$m/log" | LC_ALL=C grep -q '[[:cntrl:]]'; then
        wrong "$1" 'control characters' "$3"; return
    fi
    [ -z "$(find "$m" -size +65M)" ] && [ "$(wc -c <"$m/log")" -lt 20000 ] ||
        { wrong "$1" "too large a file" "$3"; return; }
    printf 'ok    %s\n' "$(cut -c 1-150 <<<"$verdict")"
    rm -rf "$m"
}

cases=0
whole() { # line, C
    cases=$((cases + 1))
    [ -z "${ALL-}" ] && [ $((cases % 4)) != 1 ] || printf '%s\0' $cases "$1" "$2" >>"$work/cases"
}
headers='#include "check.h"
#include "exercise.h"
#include "lab1.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
'
head='void update(double *w, double *b, double dw, double db, double rate)'
right='*w -= rate * dw; *b -= rate * db;'
body() { whole "$1" "$headers$head { $2 }"; }                  # line, statements
before() { whole "$1" "$headers$2 $head { $3 }"; }             # line, declarations, statements
fail() { printf '^FAIL  1b_update  *0/5 .*%s' "$1"; }     # words
passes='^PASS  1b_update  *5/5 '

# ---- what must stay possible ----
body "$passes" "$right"
body "$passes" "$right printf(\"w = %g\\n\", *w); fprintf(stderr, \"error: none\\n\");"
before "$passes" "static double step(double at, double slope) { return at - slope; }
    double half(double x) { return x / 2; }" '*w = step(*w, rate * dw); *b = step(*b, rate * db);'
body "$passes" "$right free(memset(malloc(100 << 20), 1, 100 << 20));"
before "$passes" 'static void *helper(void *unused) { return unused; }' \
    "pthread_t t; pthread_create(&t, 0, helper, 0); pthread_join(t, 0); $right"
body '^TODO  1b_update  *0/5 ' 'TODO("all of it");'
body '^TODO  1b_update  *0/5 ' 'printf("here\n"); TODO("all of it");'
body "$(fail 'stay what they were')" ''
# ---- it ends the program ----
for end in 'exit(0)' '_exit(0)' 'quick_exit(0)' 'exit(1)' 'exit(77)'; do
    words=${end#_} words=${words#quick_}
    body "$(fail "it ended the program with $words")" "$end;"
done
before "$(fail 'exit(0)')" 'static void hang(void) { for (;;) pause(); }' \
    'atexit(hang); _Exit(0);'
before "$(fail 'does not end')" 'static void hang(void) { for (;;) pause(); }' \
    'atexit(hang); exit(0);'
before "$(fail 'exit(0)')" '__attribute__((constructor)) static void first(void)
    { puts("PASS  update             5/5   forged"); fflush(stdout); _exit(0); }' "$right"
before "$passes" '__attribute__((destructor)) static void last(void) { _exit(7); }' "$right"
body "$(fail 'crashed (Aborted)')" 'abort();'
body "$(fail 'exit(0)')" 'pthread_exit(0);'
# ---- it starts others ----
body "$(fail 'started a process')" "if (fork() == 0) { $right }"
body "$(fail 'started a process')" "$right fork();"
body "$(fail 'started a process')" 'for (;;) fork();'
body "$(fail 'started a process')" 'execlp("true", "true", (char *)NULL);'
body "$(fail 'started a process')" 'system("true"); exit(0);'
body "$(fail 'started a process')" 'fclose(popen("sleep 100", "r"));'
# ---- signals ----
body "$(fail 'it stopped itself')" 'raise(SIGSTOP);'
body "$(fail 'ended by a signal (Killed)')" 'raise(SIGKILL);'
body "$(fail 'ended by a signal (Terminated)')" 'raise(SIGTERM);'
body "$(fail 'sent a signal')" 'kill(getppid(), SIGKILL);'
body "$(fail 'sent a signal')" 'kill(0, SIGKILL);'
body "$(fail 'sent a signal')" 'kill(getpid(), SIGSTOP);'
body "$(fail 'ended by a signal (Alarm')" 'alarm(1); for (;;) pause();'
body "$(fail 'sent a signal')" 'ptrace(PTRACE_TRACEME, 0, 0, 0);'
# ---- no end ----
body "$(fail 'does not end: still running after 5 s')" 'sleep(1000);'
body "$(fail 'does not end')" 'for (volatile unsigned i = 0;; i++) ;'
body "$(fail 'does not end')" 'for (int i = 1; i < 65; i++) signal(i, SIG_IGN); for (;;) pause();'
body "$(fail 'printed more than 1024 KiB')" 'for (;;) puts("PASS  update             5/5");'
body "$(fail 'printed more than 1024 KiB')" 'for (;;) fprintf(stderr, "130 of 130 points\n");'
# ---- forged lines ----
body "$(fail 'exit(0)')" \
    'puts("PASS  update             5/5   forged\n130 of 130 points"); exit(0);'
body "$(fail 'stay what they were')" \
    'puts("\nPASS  update             5/5   forged\nTODO in x\nFAIL");'
body "$(fail 'exit(0)')" 'fprintf(stderr, "error: TODO in x\n"); exit(0);'
body "$(fail 'stay what they were')" 'printf("\033[2J\007%c\r\xff\n", 0);'
body "$(fail 'stay what they were')" 'for (int i = 0; i < 100000; i++) putchar(10);'
# ---- files ----
body "$(fail 'standard output')" "close(1); $right"
body "$(fail 'stay what they were')" 'for (int i = 0; i < 1024; i++) close(i);'
body "$(fail 'stay what they were')" 'for (int i = 3; i < 1024; i++) write(i, "right", 5);'
body "$(fail 'stay what they were')" 'for (int i = 0; i < 5000; i++) open("/dev/null", O_RDONLY);'
body "$(fail 'exit(0)')" 'char a[8192] = "", *file = a; /* a pipe in place of the verdict */
    read(open("/proc/self/cmdline", O_RDONLY), a, sizeof a - 1);
    file += strlen(file) + 1; file += strlen(file) + 1;
    unlink(file); mkfifo(file, 0600); _exit(0);'
body "$(fail 'wrote a file of more than 64 MiB')" \
    'char n[4096]; snprintf(n, 4096, "%s/big", getenv("TMPDIR")); FILE *f = fopen(n, "w");
    for (;;) fputs("more", f);'
body "$(fail 'stay what they were')" 'char c; while (read(0, &c, 1) > 0) ;'
# ---- memory, crashes ----
body "$(fail 'used more than 1 GiB of memory\|does not end')" \
    'for (;;) memset(malloc(1 << 20), 1, 1 << 20);' # a machine may need 5 s to hand out 1 GiB
crash=overflow
[ "${SAN:-}" = 1 ] || crash='the stack is full'
before "$(fail "$crash")" 'static double deep(double x)
    { volatile char room[1000]; room[0] = x > 1; return deep(x + room[0]) + room[0]; }' \
    '*w = deep(*w);'
[ "${SAN:-}" = 1 ] || {
    body "$(fail 'used a NULL pointer')" '*(volatile int *)0 = 0;'
    body "$(fail 'division by zero')" 'volatile int zero = 0; *w = 7 / zero;'
    body "$(fail 'crashed')" 'for (volatile char *at = (char *)&w;; at++) *at = 1;'
}
# ---- what it leaves changed ----
body "$(fail 'left it so: the rounding mode')" "$right fesetround(FE_UPWARD);"
body "$(fail 'left it so: the current folder')" "$right chdir(\"/\");"
body "$(fail 'left it so: the mask')" "$right umask(0777);"
body "$(fail 'left it so: the language')" "$right setlocale(LC_ALL, \"C.UTF-8\");"
body "$(fail 'Floating point exception\|FPE')" \
    "$right feenableexcept(FE_INEXACT | FE_DIVBYZERO); volatile double x = 1; x /= 3;"
before "$(fail 'stay what they were')" 'static jmp_buf here;' 'if (!setjmp(here)) longjmp(here, 1);'
before "$(fail 'does not end')" 'static void *helper(void *unused) { for (;;) pause(); }' \
    'pthread_t t; pthread_create(&t, 0, helper, 0); pthread_exit(0);'
before "$passes" 'static void *helper(void *unused) { for (;;) pause(); }' \
    "pthread_t t; pthread_create(&t, 0, helper, 0); $right"
# ---- names and files that are not its own ----
before "$passes" 'void die(int status, const char *format, ...) { _exit(0); }
    double fabs(double x) { return 0; }' "$right"
before "$passes" 'int main(void) { return 0; }' "$right"
before "$(fail 'stay what they were')" \
    'double fabs(double x) { return 0; } void exercise_wrong(const char *f, ...) {}' ''
before "$(fail 'uses frobnicate, which is defined nowhere')" \
    'void frobnicate(void);' 'frobnicate();'
whole "$(fail 'does not compile')" 'this is not C'
whole "$(fail 'does not define the function update')" 'int x;'
whole "$(fail 'does not compile')" '#include "/dev/zero"'
whole "$(fail 'does not compile')" '#include __FILE__'
whole "$passes" "#include \"$PWD/lab1_gd/solution/1a_gradient.c\"
$head { $right }"

export -f try within none with_variable
xargs -0 -n 3 -P $((2 * ${JOBS:-2})) bash -c 'try "$@"' _ <"$work/cases"
failed=$?
echo "$cases cases"
[ "$failed" = 0 ] && [ "$cases" -ge 60 ]
