/* harness.c: see harness.h. */
#include "harness.h"
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int harness_main(int argc, char **argv, const Case *cases, int count)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s --list | CASE\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        if (!strcmp(argv[1], "--list"))
            printf("%s %d %d\n", cases[i].name, cases[i].ranks, cases[i].seconds ? cases[i].seconds : 60);
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
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fd[1], STDERR_FILENO);
        close(fd[0]);
        close(fd[1]);
        body(argument);
        _exit(0);
    }
    close(fd[1]);
    char text[8192];
    size_t size = 0;
    for (ssize_t got; size < sizeof text - 1 && (got = read(fd[0], text + size, sizeof text - 1 - size)) > 0; size += got)
        ;
    text[size] = 0;
    close(fd[0]);
    int ended;
    waitpid(child, &ended, 0);
    char *newline = strchr(text, '\n');
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != status || !newline || newline[1])
        fail_msg("expected exit %d and one line, got wait status %x and:\n%s", status, ended, text);
    va_list words;
    va_start(words, argument);
    for (const char *word; (word = va_arg(words, const char *));)
        if (!strstr(text, word))
            fail_msg("expected '%s' in: %s", word, text);
    va_end(words);
    printf("    message: %s", text);
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
