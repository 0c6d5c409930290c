/* check_codes.h: what the checks of part 7 share: codes with marks around them, which show what is
 * written outside, and random numbers.
 */
#ifndef CHECK_CODES_H
#define CHECK_CODES_H
#include "exercise.h"
#include "lab2.h"
#include <math.h>
#include <string.h>

#define UNSET ((float)EXERCISE_UNSET)
enum { CODES = 64, UNSET_CODE = 0xA5 };

/* Room for CODES codes, which are not set. */
uint8_t *codes_room(void);
/* Note the n codes written there, and look at the marks before and behind them. */
void note_codes(const uint8_t *code, int n);
/* v [n] normal, of about this size; u [n] uniform in [0, 1). */
void draw_normal(float *v, int n, float size, uint32_t number);
void draw_uniform(float *u, int n, uint32_t number);
#endif
