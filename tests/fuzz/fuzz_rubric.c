/* fuzz_rubric.c: libFuzzer on the grader's rubric: for any bytes it returns a message, or criteria
 * whose points can be given. */
#include "../../assessment/grader/grade.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_rubric(const Rubric *r)
{
    Finding findings[CRITERIA] = {0};
    if (!(r->budget >= 1 && r->budget <= 1e6) || json_array_size(r->models) == 0)
        abort();
    for (int k = 0; k < CRITERIA; k++) {
        const Criterion *c = &r->criteria[k];
        findings[k] = (Finding){.accuracy = 0.5, .found = "", .passed = k % 2};
        double points = rubric_points(r, findings, k);
        if (!c->name || !c->asks || c->needs >> k || !(points >= 0 && points <= c->points) ||
            !(c->points <= 1000) || (k >= TRAINING && !(c->from >= 0 && c->from < c->at_least)))
            abort();
    }
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
