/* evidence_average.c: is the file what the training ended with? Some write an average of the
 * weights along the way (Polyak; arXiv 1803.05407) in their place: running averages with usual
 * decay rates, and at the last epochs' beginnings the weights and their sum so far, are kept here;
 * a combination of those is an average, too. */
#include "check.h"
#include "digest.h"
#include "inspection.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { DECAYS = 8, EPOCHS = 10, TERMS = DECAYS + 2 + 2 * EPOCHS, KEY = 16, DIGEST = 65 };
static const double DECAY[DECAYS] = {0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995};
static const double MOST_LEFT = 0.01; /* of the way from w(0) to w(T) */

struct Averages {
    int n, count;
    float *first, *last, *running[DECAYS];
    double *sum;
    int epochs;                                  /* so far */
    float *epoch_w[EPOCHS], *epoch_mean[EPOCHS]; /* epoch e at e % EPOCHS; NULL: none yet */
    char (*seen)[DIGEST]; /* [count], room for `room`: the weights so far, by their digests */
    int room;
    char *keyed; /* 16 bytes that nobody knows, then room for weights: what is digested */
};

static void digest(const Averages *a, char to[DIGEST], const float *w)
{
    size_t bytes = (size_t)a->n * sizeof *w;
    memcpy(a->keyed + KEY, w, bytes);
    sha256_hex(to, DIGEST, a->keyed, KEY + bytes);
}

Averages *averages_new(int64_t params)
{
    size_t n = (size_t)params;
    Averages *a = alloc(1, sizeof *a);
    *a = (Averages){.n = (int)params,
                    .first = alloc(n, sizeof(float)),
                    .last = alloc(n, sizeof(float)),
                    .sum = alloc(n, sizeof(double)),
                    .keyed = alloc(KEY + n * sizeof(float), 1)};
    ASSERT(getrandom(a->keyed, KEY, 0) == KEY);
    for (int k = 0; k < DECAYS; k++)
        a->running[k] = alloc(n, sizeof(float));
    return a;
}

void averages_free(Averages *a)
{
    if (!a)
        return;
    for (int k = 0; k < DECAYS; k++)
        free(a->running[k]);
    for (int k = 0; k < EPOCHS; k++)
        free(a->epoch_w[k]), free(a->epoch_mean[k]);
    free(a->first), free(a->last), free(a->sum), free(a->seen), free(a->keyed);
    free(a);
}

static void begin_epoch(Averages *a, const float *w)
{
    int k = a->epochs++ % EPOCHS;
    if (!a->epoch_w[k]) {
        a->epoch_w[k] = alloc((size_t)a->n, sizeof *w);
        a->epoch_mean[k] = alloc((size_t)a->n, sizeof *w);
    }
    memcpy(a->epoch_w[k], w, (size_t)a->n * sizeof *w);
    for (int i = 0; i < a->n; i++)
        a->epoch_mean[k][i] = (float)(a->sum[i] / a->count);
}

void averages_add(Averages *a, const float *w, bool new_epoch)
{
    size_t bytes = (size_t)a->n * sizeof *w;
    if (!a->count++) {
        memcpy(a->first, w, bytes);
        for (int k = 0; k < DECAYS; k++)
            memcpy(a->running[k], w, bytes);
    }
    if (a->count > a->room) {
        a->room = 2 * a->count;
        char(*more)[DIGEST] = alloc((size_t)a->room, sizeof *more);
        if (a->seen)
            memcpy(more, a->seen, (size_t)(a->count - 1) * sizeof *more);
        free(a->seen);
        a->seen = more;
    }
    digest(a, a->seen[a->count - 1], w);
    memcpy(a->last, w, bytes);
    for (int i = 0; i < a->n; i++)
        a->sum[i] += w[i];
    if (new_epoch)
        begin_epoch(a, w);
    for (int k = 0; k < DECAYS; k++)
        for (int i = 0; i < a->n; i++)
            a->running[k][i] += (float)((1 - DECAY[k]) * (w[i] - a->running[k][i]));
}

bool averages_reach(const Averages *a, const float *file)
{
    size_t n = (size_t)a->n;
    char wanted[DIGEST];
    digest(a, wanted, file);
    for (int i = 0; i < a->count; i++) /* of earlier on: saved now and then */
        if (!strcmp(a->seen[i], wanted))
            return true;
    double *columns = alloc((TERMS + 1) * n, sizeof *columns), c[TERMS], lengths[TERMS], left = 0,
           way = 0;
    for (size_t i = 0; i < n; i++) { /* all from w(0) on */
        for (int k = 0; k < DECAYS; k++)
            columns[k * n + i] = (double)a->running[k][i] - a->first[i];
        columns[DECAYS * n + i] = a->sum[i] / a->count - a->first[i];
        columns[(DECAYS + 1) * n + i] = (double)a->last[i] - a->first[i];
        for (int k = 0; k < EPOCHS && a->epoch_w[k]; k++) {
            columns[(DECAYS + 2 + 2 * k) * n + i] = (double)a->epoch_w[k][i] - a->first[i];
            columns[(DECAYS + 3 + 2 * k) * n + i] = (double)a->epoch_mean[k][i] - a->first[i];
        }
        columns[TERMS * n + i] = (double)file[i] - a->first[i];
        way += columns[(DECAYS + 1) * n + i] * columns[(DECAYS + 1) * n + i];
    }
    fit_columns(columns, a->n, TERMS, c, lengths, NULL);
    for (size_t i = 0; i < n; i++)
        left += columns[TERMS * n + i] * columns[TERMS * n + i];
    free(columns);
    return sqrt(left) <= MOST_LEFT * sqrt(way);
}
