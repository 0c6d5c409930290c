/* harness.h: a unit-test program is a table of cases; cmocka provides the assertions.
 *
 *     static void adds_up(void **state) { assert_int_equal(1 + 1, 2); }
 *     static const Case cases[] = {{"adds_up", adds_up},
 *                                  {"ring", ring, .ranks = 3}};
 *     int main(int argc, char **argv)
 *     {
 *         return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
 *     }
 *
 * `PROGRAM --list` prints "name ranks seconds" per case; `PROGRAM name` runs that one; run.sh
 * starts one process (or `ranks` processes) per case with its time limit. A case that cannot run
 * here calls SKIP("why"): exit 77.
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
    void (*run)(void **state);
    int ranks;   /* 0: one process without mpirun; P: under mpirun -np P */
    int seconds; /* time limit, which only ends hangs; 0: 300 */
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

int harness_main(int argc, char **argv, const Case *cases, int count);

#define SKIP(why) \
    do { \
        printf("skipped: %s\n", why); \
        fflush(stdout); \
        exit(77); \
    } while (0)

/* Run body(argument) in a child process that must end with `status` and exactly one line on stderr
 * that contains every one of the words (NULL ends them). */
void expect_death(int status, void (*body)(void *), void *argument, ...);

/* |a - b| <= atol + rtol |b|, written so that NaN fails. Prints and fails the case otherwise. */
void expect_close(double a, double b, double atol, double rtol, const char *what);
/* ||a - b|| / ||b|| <= tolerance over n elements; returns the ratio. */
double expect_near(const float *a, const double *b, size_t n, double tolerance, const char *what);

/* A new folder under $TMPDIR (or /tmp) for this case; removed by tests/tools/run.sh with everything
 * in it. */
const char *scratch_dir(void);
#endif
