/* judge.h: how a check reports what is wrong. It runs in the process that tries the exercise
 * (exercise.h), which this ends.
 */
#ifndef JUDGE_H
#define JUDGE_H
#include "exercise.h"

#define WRONG_UNLESS(condition, ...) \
    do { \
        if (!(condition)) \
            exercise_wrong(__VA_ARGS__); \
    } while (0)
#endif
