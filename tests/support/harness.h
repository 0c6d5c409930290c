/* harness.h: a unit-test program is a file of cases; cmocka provides the assertions.
 *
 *     TEST(adds_up) { assert_int_equal(1 + 1, 2); }
 *     TEST(ring, .ranks = 3) { … }
 *
 * `PROGRAM --list` prints "name ranks seconds" per case (300 s, which only ends hangs); `PROGRAM
 * name` runs that one; run.sh starts one process (or `ranks` processes) per case with its time
 * limit. A case that cannot run here calls SKIP("why"): exit 77.
 */
#ifndef HARNESS_H
#define HARNESS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct Case {
    const char *name;
    void (*run)(void);
    int line;                           /* of the file; the cases are listed in this order */
    int ranks;                          /* 0: one process without mpirun; P: under mpirun -np P */
    int (*main)(int argc, char **argv); /* of the program; NULL: harness_main */
    /* device.h: on the CPU emulation of CUDA this case runs in this many orders more; and over
     * cuDNN's double, too */
    int seeds;
    bool cudnn;
} Case;

/* Under a sanitizer, which makes all of it some twenty times slower, long cases do less: a mistake
 * of memory or of arithmetic shows in the first rounds. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 };
#elif defined __has_feature
enum { SANITIZED = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) };
#else
enum { SANITIZED = 0 };
#endif

/* Defines a case and adds it to those of the program, before main begins; then come members of
 * Case, if any. */
#define TEST(title, ...) \
    static void test_##title(void); \
    __attribute__((constructor)) static void add_##title(void) \
    { \
        harness_add((Case){.name = #title, .run = test_##title, .line = __LINE__, ##__VA_ARGS__}); \
    } \
    static void test_##title(void)

void harness_add(Case c);
const Case *harness_cases(int *count);
/* Does what the command line says with these cases; returns the exit status. */
int harness_run(int argc, char **argv, const Case *cases, int count);
/* The same with the program's cases: what main does in a program that has none itself. */
int harness_main(int argc, char **argv);

#define SKIP(why) \
    do { \
        printf("skipped: %s\n", why); \
        fflush(stdout); \
        exit(77); \
    } while (0)

/* f(p) when the case has passed, the last given first, or by end_now(key). */
void at_end(const void *key, void (*f)(void *), void *p);
bool end_now(const void *key); /* returns false if there is no such key */
void *keep(void *p);           /* p, which is freed at the end */
/* In loops over large cases: what was given since endings() returned `before` ends now. */
int endings(void);
void end_since(int before);

/* Run body(argument) in a child process that must end with `status` and exactly one line on stderr
 * that contains every one of the words (NULL ends them). */
void expect_death(int status, void (*body)(void *), void *argument, ...);

/* |a - b| <= atol + rtol |b|, written so that NaN fails. Prints and fails the case otherwise. */
void expect_close(double a, double b, double atol, double rtol, const char *what);
/* ||a - b|| / ||b|| over n elements; where b is 0, ||a||. */
double relative_error(const double *a, const double *b, size_t n);
/* Is that <= tolerance? Returns the ratio. */
double expect_near(const float *a, const double *b, size_t n, double tolerance, const char *what);

/* A new folder under $TMPDIR (or /tmp) for this case; removed by tests/tools/run.sh with everything
 * in it. */
const char *scratch_dir(void);
char *path_in(const char *folder, const char *name); /* "FOLDER/NAME", to the end of the case */
/* All of a file and a zero byte, to the end of the case; size may be NULL. */
char *slurp(const char *path, size_t *size);
void write_bytes(const char *path, const void *bytes, size_t size);
#endif
