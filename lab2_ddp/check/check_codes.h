/* check_codes.h: what the checks of part 7 share: vectors of random elements, and their places with
 * marks around them, which show what is written outside.
 */
#ifndef CHECK_CODES_H
#define CHECK_CODES_H
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { DRAWS = 10000, MARK = 0xA5 };

/* v [n] normal, of about this size. */
void draw_normal(float *v, int n, float size, uint32_t number);
void draw_uniform(float *u, int n, uint32_t number);
/* `bytes` bytes behind v must still be MARK. */
void expect_marks(const void *v, int bytes, const char *what);
/* |found - expected| <= tolerance, and no NaN. */
static inline bool near(double found, double expected, double tolerance)
{
    return fabs(found - expected) <= tolerance;
}
#endif
