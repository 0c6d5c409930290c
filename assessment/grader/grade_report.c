/* grade_report.c: the verdicts and points of one submission, and the table for people. */
#include "check.h"
#include "grade.h"
#include "printable.h"
#include <stdio.h>
#include <stdlib.h>

double report_points(const Report *r, int k) { return rubric_points(r->rubric, r->findings, k); }

double report_total(const Report *r, double *most)
{
    double sum = 0;
    *most = 0;
    for (int k = 0; k < CRITERIA; k++) {
        sum += report_points(r, k);
        *most += r->rubric->criteria[k].points;
    }
    return sum;
}

bool report_met(const Report *r, int k)
{
    return r->findings[k].passed && rubric_missing(r->rubric, r->findings, k) < 0;
}

bool report_passed(const Report *r)
{
    bool all = true;
    for (int k = 0; k < CRITERIA; k++)
        all = all && report_met(r, k);
    return all;
}

const char *report_verdict(const Report *r, int k)
{
    if (!r->complete && !r->findings[k].found)
        return "-";
    return report_met(r, k) ? "PASS" : rubric_pending(r->rubric, r->findings, k) ? "PEND" : "FAIL";
}

const char *report_advice(const Report *r, int k)
{
    bool first = rubric_missing(r->rubric, r->findings, k) < 0;
    return first && !r->findings[k].passed ? r->findings[k].advice : NULL;
}

char *report_found(const Report *r, int k)
{
    int missing = rubric_missing(r->rubric, r->findings, k), first = missing, next;
    while (first >= 0 && (next = rubric_missing(r->rubric, r->findings, first)) >= 0)
        first = next;
    const char *found = r->findings[k].found,
               *name = first >= 0 ? r->rubric->criteria[first].name : "";
    if (!found && !r->complete)
        return format_new("not judged yet");
    /* Where the ranks train no one network, what the evidence says of the rest is of its start. */
    if (!found || (missing == EQUAL && (k == GRADIENTS || k == IMAGES)))
        return format_new("not judged: '%s' comes first", name);
    if (missing < 0)
        return format_new("%s", found);
    bool pending = rubric_pending(r->rubric, r->findings, missing);
    return format_new("%s; no points %s '%s'%s", found, pending ? "until" : "without", name,
                      pending ? " is decided" : "");
}

void report_print(const Report *r)
{
    double most, sum = report_total(r, &most);
    char safe[2048];
    printf("%s on %d ranks, %s\n", printable(safe, sizeof safe, r->o->name), r->o->np, r->images);
    printf("%s\n", printable(safe, sizeof safe, r->sandbox));
    for (int k = 0; k < CRITERIA; k++) {
        char *found = report_found(r, k);
        printf("%s  %-10s  %4.4g/%-3.3g  %s\n", report_verdict(r, k), r->rubric->criteria[k].name,
               report_points(r, k), r->rubric->criteria[k].points,
               printable(safe, sizeof safe, found));
        if (report_advice(r, k))
            printf("                            %s\n",
                   printable(safe, sizeof safe, report_advice(r, k)));
        free(found);
    }
    printf("%.4g of %.4g points (attempt %d)\n", sum, most, r->attempt);
}
