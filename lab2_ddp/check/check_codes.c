/* check_codes.c: see check_codes.h. */
#include "check_codes.h"
#include <string.h>

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

static Played *played(Remedy *r) { return (Played *)r; }

static void compress(Remedy *r, const float *a)
{
    Played *p = played(r);
    WRONG_UNLESS(!p->compressed++, "compress is called twice in an update");
    r->kept = 0;
    for (int i = 0; i < PLAYED; i++) {
        p->a[i] = a[i];
        p->sent[i] = fabsf(a[i]) < 1 ? 0 : p->whole ? truncf(a[i]) : a[i];
        if (p->sent[i] != 0)
            p->at[r->kept++] = i;
    }
}

static void residual(Remedy *r, float *e, const float *a)
{
    const Played *p = played(r);
    WRONG_UNLESS(p->compressed,
                 "residual comes before compress: there is no packet of this update");
    WRONG_UNLESS(!p->exchanged, "residual comes after exchange: g is the mean over the ranks by "
                                "then, not what was compressed");
    for (int i = 0; i < PLAYED; i++)
        e[i] = a[i] - p->sent[i];
}

static void exchange(Remedy *r, float *g)
{
    Played *p = played(r);
    WRONG_UNLESS(p->compressed,
                 "exchange comes before compress: there is no packet of this update");
    WRONG_UNLESS(!p->exchanged++, "exchange is called twice in an update");
    for (int i = 0; i < PLAYED; i++) /* the other rank sends 1 or -3 */
        g[i] = (p->sent[i] + (i % 2 ? 1 : -3)) / 2;
}

void played_begin(Played *p)
{
    *p = (Played){{compress, residual, exchange, .n = PLAYED, .at = p->at}, .whole = p->whole};
}

void played_end(const Played *p)
{
    WRONG_UNLESS(p->compressed, "compress is not called");
    WRONG_UNLESS(p->exchanged, "exchange is not called: no rank gets another's part");
}
