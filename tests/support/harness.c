/* harness.c: see harness.h. */
#include "harness.h"
#include "child.h"
#include <math.h>
#include <string.h>

int harness_main(int argc, char **argv, const Case *cases, int count)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s --list | CASE\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        if (!strcmp(argv[1], "--list"))
            printf("%s %d %d\n", cases[i].name, cases[i].ranks,
                   cases[i].seconds ? cases[i].seconds : 300);
        else if (!strcmp(argv[1], cases[i].name)) {
            const struct CMUnitTest test[] = {{cases[i].name, cases[i].run, NULL, NULL, NULL}};
            return cmocka_run_group_tests_name(argv[0], test, NULL, NULL);
        }
    }
    if (!strcmp(argv[1], "--list"))
        return 0;
    fprintf(stderr, "%s: no case '%s'\n", argv[0], argv[1]);
    return 2;
}

void expect_death(int status, void (*body)(void *), void *argument, ...)
{
    ChildEnd end = child_run(&(Child){.work = body, .context = argument, .streams = CHILD_ERR});
    char *newline = strchr(end.text, '\n');
    if (end.status != status || !newline || newline[1])
        fail_msg("expected exit %d and one line, got %d and:\n%s", status, end.status, end.text);
    va_list words;
    va_start(words, argument);
    for (const char *word; (word = va_arg(words, const char *));)
        if (!strstr(end.text, word))
            fail_msg("expected '%s' in: %s", word, end.text);
    va_end(words);
    printf("    message: %s", end.text);
    free(end.text);
}

void expect_close(double a, double b, double atol, double rtol, const char *what)
{
    if (!(fabs(a - b) <= atol + rtol * fabs(b)))
        fail_msg("%s: %.9g, expected %.9g (atol %g, rtol %g)", what, a, b, atol, rtol);
}

double expect_near(const float *a, const double *b, size_t n, double tolerance, const char *what)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    double ratio = sqrt(difference) / (norm > 0 ? sqrt(norm) : 1);
    if (!(ratio <= tolerance))
        fail_msg("%s: relative error %.3g, expected <= %g", what, ratio, tolerance);
    return ratio;
}

const char *scratch_dir(void)
{
    static char path[4096];
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/labs-test-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}
