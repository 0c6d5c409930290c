/* fuzz_rubric.c: libFuzzer on the grader's rubric: for any bytes it returns a message, or criteria
 * whose points can be given, for any accuracy that the grader can find. */
#include "../../assessment/grader/grade.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Points of a finding f on criterion k: from `least` to all; all where it passed, none where what
 * it needs failed. */
static double check_points(const Rubric *r, int k, Finding f, double least)
{
    const Criterion *c = &r->criteria[k];
    Finding findings[CRITERIA] = {0};
    findings[k] = f;
    if (rubric_points(r, findings, k) != 0 && c->needs)
        abort();
    for (int i = 0; i < k; i++)
        findings[i].passed = true;
    double points = rubric_points(r, findings, k);
    if (!(points >= least && points <= c->points) || (f.passed && points != c->points))
        abort();
    return points;
}

static void check_criterion(const Rubric *r, int k)
{
    const Criterion *c = &r->criteria[k];
    if (!c->name || !c->asks || c->needs >> k || !(c->points >= 0 && c->points <= 1000))
        abort();
    if (k < TRAINING) {
        check_points(r, k, (Finding){.found = "", .passed = true}, 0);
        if (check_points(r, k, (Finding){.found = ""}, 0) != 0)
            abort();
        return;
    }
    if (!(c->from >= 0 && c->from < c->at_least && c->at_least <= 1))
        abort();
    double least = 0; /* more images right never give fewer points */
    for (int right = 0; right <= 20; right++) {
        Finding f = rubric_accuracy(c, "synthetic", right, 20);
        least = check_points(r, k, f, least);
        free(f.found);
        free(f.advice);
    }
}

static void check_rubric(const Rubric *r)
{
    if (!(r->budget >= 1 && r->budget <= 1e6) || json_array_size(r->models) == 0)
        abort();
    for (int k = 0; k < CRITERIA; k++)
        check_criterion(r, k);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    Rubric r;
    char *wrong = rubric_parse(&r, (const char *)bytes, count, "synthetic");
    if (wrong && !*wrong)
        abort();
    if (!wrong)
        check_rubric(&r);
    free(wrong);
    rubric_free(&r);
    return 0;
}
