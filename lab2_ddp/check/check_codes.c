/* check_codes.c: see check_codes.h. */
#include "check_codes.h"
#include "rng.h"

static uint8_t room[CODES + 16];

uint8_t *codes_room(void)
{
    memset(room, UNSET_CODE, sizeof room);
    return room + 8;
}

void note_codes(const uint8_t *code, int n)
{
    for (int i = -8; i < CODES + 8; i++)
        WRONG_UNLESS((i >= 0 && i < n) || code[i] == UNSET_CODE,
                     "it writes to code[%d], outside of code [%d]", i, n);
    for (int i = 0; i < n; i++)
        exercise_value("code", code[i] == UNSET_CODE ? EXERCISE_UNSET : code[i]);
}

void draw_normal(float *v, int n, float size, uint32_t number)
{
    Rng r = rng_at(7, RNG_TEST, number, 1);
    for (int i = 0; i < n; i++)
        v[i] = size * rng_normal(&r);
}

void draw_uniform(float *u, int n, uint32_t number)
{
    Rng r = rng_at(7, RNG_TEST, number, 2);
    for (int i = 0; i < n; i++)
        u[i] = rng_uniform(&r);
}
