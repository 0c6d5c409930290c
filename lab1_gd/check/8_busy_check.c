/* 8_busy_check.c: the check of busy. */
#include "exercise.h"
#include "lab1.h"
#include <string.h>

enum { MOST = 6 };
static const struct {
    const char *what;
    double start[MOST], end[MOST];
    int n;
    double from, to;
} asked[] = {
    {"one span", {2}, {5}, 1, 0, 10},
    {"no spans", {0}, {0}, 0, 0, 10},
    {"an empty span", {5}, {5}, 1, 0, 10},
    {"two spans, one after the other", {1, 4}, {2, 6}, 2, 0, 10},
    {"spans that touch", {1, 2}, {2, 3}, 2, 0, 10},
    {"two spans that overlap", {1, 2}, {3, 4}, 2, 0, 10},
    {"a span inside another", {1, 2}, {6, 3}, 2, 0, 10},
    {"three spans that overlap", {1, 2, 3}, {5, 6, 4}, 3, 0, 10},
    {"the same span twice", {1, 1}, {6, 6}, 2, 0, 10},
    {"a span inside another, and one that overlaps it", {1, 2, 4}, {6, 3, 8}, 3, 0, 10},
    {"spans that are not sorted", {4, 1}, {6, 2}, 2, 0, 10},
    {"spans that are not sorted and overlap", {4, 1}, {6, 5}, 2, 0, 10},
    {"a span inside a later one", {2, 1}, {3, 6}, 2, 0, 10},
    {"a span that reaches beyond `to`", {8}, {20}, 1, 0, 10},
    {"a span that begins before `from`", {-3}, {2}, 1, 0, 10},
    {"a span that covers all", {-3}, {20}, 1, 0, 10},
    {"spans outside of [from, to]", {-3, 12}, {-1, 20}, 2, 0, 10},
    {"spans around `from` and `to`", {1, 5, 2}, {4, 9, 3}, 3, 3.5, 8.25},
    {"to = from", {1}, {6}, 1, 3, 3},
    {"spans of tenths of a second", {0.1234567, 0.7, 0.6}, {0.3, 0.9, 0.7654321}, 3, 0.2, 1},
    {"many spans", {9, 0.5, 3, 3.25, 12, 6}, {11, 2, 3.75, 5, 14, 6}, 6, 1, 13},
    {"many spans in another order", {6, 12, 1, 2, 3, 7}, {7, 13, 4, 3, 5, 9}, 6, 2.5, 12.5},
};

static void judge(void *unused)
{
    exercise_tolerance(1e-12, 0);
    for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
        double start[MOST], end[MOST];
        memcpy(start, asked[k].start, sizeof start);
        memcpy(end, asked[k].end, sizeof end);
        exercise_case("%s, [%g, %g]", asked[k].what, asked[k].from, asked[k].to);
        exercise_value("the result", busy(start, end, asked[k].n, asked[k].from, asked[k].to));
        WRONG_UNLESS(!memcmp(start, asked[k].start, sizeof start) &&
                         !memcmp(end, asked[k].end, sizeof end),
                     "the arrays were changed: copy them first");
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "busy", 5, "seconds of [from, to] that the spans cover together, to 1e-12", judge};
