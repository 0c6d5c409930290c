/* 7a_verdict_check.c: the check of verdict. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static const struct {
    const char *what;
    int n, m;
    double remedy[4], baseline[4];
} asked[] = {
    {"one above one", 1, 1, {0.9}, {0.8}},
    {"one below one", 1, 1, {0.7}, {0.8}},
    {"one as good as one", 1, 1, {0.8}, {0.8}},
    {"all three above all three", 3, 3, {0.83, 0.81, 0.82}, {0.8, 0.7, 0.79}},
    {"all three below all three", 3, 3, {0.7, 0.6, 0.65}, {0.8, 0.75, 0.9}},
    {"all but the remedy's last are above", 3, 3, {0.9, 0.91, 0.7}, {0.8, 0.79, 0.78}},
    {"all but the remedy's first are above", 3, 3, {0.79, 0.95, 0.96}, {0.8, 0.78, 0.79}},
    {"each above the same seed, ranges overlap", 2, 2, {0.81, 0.9}, {0.8, 0.85}},
    {"the ranges touch, the remedy above", 2, 2, {0.8, 0.9}, {0.8, 0.7}},
    {"the ranges touch, the remedy below", 2, 2, {0.7, 0.6}, {0.8, 0.7}},
    {"one seed above three", 1, 3, {0.9}, {0.8, 0.85, 0.7}},
    {"four seeds below one", 4, 1, {0.1, 0.9, 0.2, 0.3}, {0.95}},
    {"four seeds around one", 4, 1, {0.99, 0.9, 0.98, 0.97}, {0.95}},
    {"the remedy's second diverged (NaN)", 3, 3, {0.9, NAN, 0.91}, {0.8, 0.79, 0.78}},
    {"the remedy's first diverged (NaN)", 3, 3, {NAN, 0.9, 0.91}, {0.8, 0.79, 0.78}},
    {"the baseline's first diverged (NaN)", 2, 2, {0.8, 0.9}, {NAN, 0.7}},
    {"the baseline's second diverged (NaN)", 2, 2, {0.6, 0.5}, {0.7, NAN}},
    {"all with the remedy diverged (NaN)", 2, 2, {NAN, NAN}, {0.1, 0.2}},
    {"all of the baseline diverged (NaN)", 2, 2, {0.1, 0.2}, {NAN, NAN}},
    {"all diverged (NaN)", 2, 2, {NAN, NAN}, {NAN, NAN}},
    {"accuracies of 0 beside one that diverged (NaN)", 2, 1, {0, 0}, {NAN}},
};

static void judge(void *unused)
{
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        exercise_case("%s", asked[i].what);
        exercise_value("the verdict (0 NONE, 1 HOLDS, 2 HARMS)",
                       verdict(asked[i].remedy, asked[i].n, asked[i].baseline, asked[i].m));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "verdict", 4,
                                      "holds or harms where the ranges do not touch, else none",
                                      judge};
