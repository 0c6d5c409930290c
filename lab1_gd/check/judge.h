/* judge.h: how a check reports what is wrong. It runs in a child process (exercise.h), which this
 * ends.
 */
#ifndef JUDGE_H
#define JUDGE_H
#include "check.h"

#define WRONG_UNLESS(condition, ...) \
    do { \
        if (!(condition)) \
            die(EXIT_WRONG, __VA_ARGS__); \
    } while (0)
#endif
