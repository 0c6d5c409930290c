/* harness.c: see harness.h. */
#include "harness.h"
#include "check.h"
#include "child.h"
#include "file.h"
#include <math.h>
#include <string.h>

static Case all[64];
static int added;

void harness_add(Case c)
{
    ASSERT(added < (int)(sizeof all / sizeof *all));
    int at = added++;
    for (; at > 0 && all[at - 1].line > c.line; at--)
        all[at] = all[at - 1];
    all[at] = c;
}

const Case *harness_cases(int *count)
{
    *count = added;
    return all;
}

/* ---- what ends with a case ---- */

static struct Ending {
    const void *key;
    void (*f)(void *);
    void *p;
} * list;
static int ends, room;

void at_end(const void *key, void (*f)(void *), void *p)
{
    if (ends == room) {
        room = 2 * room + 16;
        list = realloc(list, (size_t)room * sizeof *list);
        ASSERT(list);
    }
    list[ends++] = (struct Ending){key, f, p};
}

bool end_now(const void *key)
{
    for (int i = ends - 1; i >= 0; i--)
        if (list[i].key == key) {
            struct Ending e = list[i];
            memmove(list + i, list + i + 1, (size_t)(--ends - i) * sizeof *list);
            e.f(e.p);
            return true;
        }
    return false;
}

void *keep(void *p)
{
    at_end(p, free, p);
    return p;
}

int endings(void) { return ends; }

void end_since(int before)
{
    while (ends > before) {
        struct Ending e = list[--ends];
        e.f(e.p);
    }
}

static void (*chosen)(void);
static void run(void **state)
{
    chosen();
    end_since(0);
    free(list);
}

int harness_run(int argc, char **argv, const Case *cases, int count)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s --list | CASE\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        if (!strcmp(argv[1], "--list"))
            printf("%s %d 300\n", cases[i].name, cases[i].ranks);
        else if (!strcmp(argv[1], cases[i].name)) {
            const struct CMUnitTest test[] = {{cases[i].name, run, NULL, NULL, NULL}};
            chosen = cases[i].run;
            return cmocka_run_group_tests_name(argv[0], test, NULL, NULL);
        }
    }
    if (!strcmp(argv[1], "--list"))
        return 0;
    fprintf(stderr, "%s: no case '%s'\n", argv[0], argv[1]);
    return 2;
}

int harness_main(int argc, char **argv) { return harness_run(argc, argv, all, added); }
__attribute__((weak)) int main(int argc, char **argv)
{
    return (all[0].main ? all[0].main : harness_main)(argc, argv);
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

double relative_error(const double *a, const double *b, size_t n)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return sqrt(difference) / (norm > 0 ? sqrt(norm) : 1);
}

double expect_near(const float *a, const double *b, size_t n, double tolerance, const char *what)
{
    double *wide = alloc(n, sizeof *wide);
    for (size_t i = 0; i < n; i++)
        wide[i] = a[i];
    double ratio = relative_error(wide, b, n);
    free(wide);
    if (!(ratio <= tolerance))
        fail_msg("%s: relative error %.3g, expected <= %g", what, ratio, tolerance);
    return ratio;
}

const char *scratch_dir(void)
{
    const char *base = getenv("TMPDIR");
    char *path = keep(format_new("%s/labs-test-XXXXXX", base ? base : "/tmp"));
    assert_non_null(mkdtemp(path));
    return path;
}

char *path_in(const char *folder, const char *name)
{
    return keep(format_new("%s/%s", folder, name));
}

char *slurp(const char *path, size_t *size)
{
    size_t length;
    char *bytes, *wrong = file_read(&bytes, &length, path, 1 << 24);
    if (wrong)
        fail_msg("%s", wrong);
    if (size)
        *size = length;
    return keep(bytes);
}

void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}
