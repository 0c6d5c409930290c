/* 10f_activation_bytes_check.c: the check of activation_bytes. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    /* Any sum of these shows which ones are in it. */
    static const double falling[] = {1 << 9, 256, 128, 64, 32, 16, 8, 4, 2, 1},
                        rising[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 1 << 9},
                        mixed[] = {50, 3000000001, 17, 5000000003, 40, 900, 3, 7000000001, 60, 8};
    static const struct {
        const char *cut;
        int parts, at[10];
    } asked[] = {{"0, 1", 1, {0, 1}},
                 {"0, 3", 1, {0, 3}},
                 {"0, 1, 2", 2, {0, 1, 2}},
                 {"0, 2, 4", 2, {0, 2, 4}},
                 {"0, 3, 4", 2, {0, 3, 4}},
                 {"0, 1, 5", 2, {0, 1, 5}},
                 {"0, 1, 2, 3", 3, {0, 1, 2, 3}},
                 {"0, 3, 5, 8", 3, {0, 3, 5, 8}},
                 {"0, 2, 4, 6, 9", 4, {0, 2, 4, 6, 9}}};
    for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++) {
        exercise_group(asked[k].parts == 1 ? "one part" : "several parts");
        exercise_case("bytes = {512, 256, 128, 64, 32 …}, cut = {%s}", asked[k].cut);
        exercise_value("the number of bytes",
                       activation_bytes(falling, asked[k].at, asked[k].parts));
        exercise_case("bytes = {1, 2, 4, 8, 16, 32 …}, cut = {%s}", asked[k].cut);
        exercise_value("the number of bytes",
                       activation_bytes(rising, asked[k].at, asked[k].parts));
        exercise_case(
            "bytes = {50, 3000000001, 17, 5000000003, 40, 900, 3, 7000000001 …}, cut = {%s}",
            asked[k].cut);
        exercise_value("the number of bytes", activation_bytes(mixed, asked[k].at, asked[k].parts));
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "activation_bytes", 4,
    "of all parts the most: what it writes, and what the cuts before it keep", judge};
