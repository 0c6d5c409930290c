/* check_codes.c: see check_codes.h. */
#include "check_codes.h"

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

void expect_marks(const void *v, int bytes, const char *what)
{
    const uint8_t *at = v;
    for (int i = 0; i < bytes; i++)
        WRONG_UNLESS(at[i] == MARK, "it writes outside of %s, behind its end", what);
}
