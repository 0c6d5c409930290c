/* 7c_one_bit_check.c: the check of one_bit. */
#include "check_codes.h"

static void judge(void *unused)
{
    static const struct {
        const char *what;
        int n;
        float g[8];
    } asked[] = {{"1, 2, -4", 3, {1, 2, -4}},
                 {"-3, 0.5, 1, -1, 0.25, -5, 4", 7, {-3, 0.5f, 1, -1, 0.25f, -5, 4}},
                 {"2 (one element)", 1, {2}},
                 {"1, 2, 3 (none is negative)", 3, {1, 2, 3}},
                 {"-1, -5 (all are negative)", 2, {-1, -5}},
                 {"0, 1, -1", 3, {0, 1, -1}},
                 {"-0.0, 1, -1", 3, {-0.0f, 1, -1}},
                 {"0, 0", 2, {0, 0}}};
    for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
        int n = asked[k].n;
        float value[] = {UNSET, UNSET, UNSET};
        uint8_t *code = codes_room();
        one_bit(code, value, asked[k].g, n);
        exercise_case("g = %s", asked[k].what);
        note_codes(code, n);
        exercise_tolerance(1e-5, 1e-5);
        exercise_values("value", value, 2);
        WRONG_UNLESS(value[2] == UNSET, "it writes outside of value [2], behind its end");
    }
}

const ExerciseCheck exercise_check = {__FILE__, "one_bit", 3,
                                      "the signs, and the mean of either class; the sum is kept",
                                      judge};
