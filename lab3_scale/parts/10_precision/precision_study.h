/* precision_study.h: part 10's experiment: the same training in float32, in float16 with and
 * without its two remedies, and in bfloat16, each from several seeds.
 */
#ifndef PRECISION_STUDY_H
#define PRECISION_STUDY_H
#include "rounded.h"
#include "study.h"
#include "training.h"

/* The weights are kept in float32, but for the second. */
typedef enum {
    KIND_FLOAT32,
    KIND_WEIGHTS, /* float16, its weights, too */
    KIND_FLOAT16,
    KIND_SCALED, /* the same with the loss scaled */
    KIND_BFLOAT16,
    KINDS
} Kind;

/* The first two are trained for one device, the others for one, for `devices`, and for that
 * squared. */
enum { PRECISION_SEEDS = 50, DEVICES = 3, PRECISION_ROWS = 2 + 3 * DEVICES };
static inline int row_of(Kind kind, int d) /* d: 0 … DEVICES - 1 */
{
    return kind < KIND_FLOAT16 ? (int)kind : 2 + 3 * d + (int)kind - (int)KIND_FLOAT16;
}
static inline Kind kind_of(int row)
{
    return (Kind)(row < 2 ? row : (int)KIND_FLOAT16 + (row - 2) % 3);
}

/* Of one training. */
typedef struct PrecisionResult {
    double test, train;     /* errors; NaN: not trained yet */
    double zeroed, unmoved; /* shares, in the last eighth of the training */
    double left_out, scale; /* updates; at the end */
    double size[SIZES];     /* in the last eighth */
} PrecisionResult;

typedef struct PrecisionStudy {
    Study study; /* first: study.h */
    const char *model;
    int batch, images, test, seeds, interval, devices;
    double epochs, rate, momentum, scale;
    uint64_t seed;
    int done;
    PrecisionResult result[PRECISION_ROWS][PRECISION_SEEDS];
} PrecisionStudy;

extern const char *const kind_names[KINDS];
int precision_devices(const PrecisionStudy *s, int row);

void precision_open(void *study, const Lab *lab, uint64_t seed); /* checks the choices */
void precision_work(void *study);

/* precision_view.c */
void precision_draw(const void *study, Plot *plot);
void precision_report(const void *study);
#endif
