/* check_codes.h: what the checks of part 7 share: codes with marks around them, which show what is
 * written outside; and a remedy that is played, with another rank.
 */
#ifndef CHECK_CODES_H
#define CHECK_CODES_H
#include "exercise.h"
#include "lab2.h"
#include <math.h>

#define UNSET ((float)EXERCISE_UNSET)
enum { CODES = 64, UNSET_CODE = 0xA5 };

/* Room for CODES codes, which are not set. */
uint8_t *codes_room(void);
/* Note the n codes written there, and look at the marks before and behind them. */
void note_codes(const uint8_t *code, int n);

/* A remedy that sends the elements of magnitude 1 or more. In each update it must be called in the
 * right order. */
enum { PLAYED = 4 };
typedef struct Played {
    Remedy remedy; /* first, so that a Remedy * is one */
    bool whole;    /* sends the whole part of an element, not the element */
    int compressed, exchanged;
    int32_t at[PLAYED];
    float a[PLAYED + 1], sent[PLAYED]; /* what was compressed */
} Played;
/* Before an update, and after it. */
void played_begin(Played *p);
void played_end(const Played *p);
#endif
