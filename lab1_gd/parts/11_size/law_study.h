/* law_study.h: part 11's experiment: language models of several sizes, each trained on several
 * amounts of text; the law of both, fitted; and its prediction of the best model for a larger
 * computation, tested by training that one, a smaller and a larger one (Hoffmann et al., arXiv
 * 2203.15556).
 *
 *     L(N, D) = E + A N^-alpha + B D^-beta      N parameters, D characters of text, seen once
 *     C = 6 N D                                 operations: 2 N D forward, 4 N D backward
 *
 * E, which no model gets below, is known here: the entropy rate of the text.
 */
#ifndef LAW_STUDY_H
#define LAW_STUDY_H
#include "power_law.h"
#include "quantiles.h"
#include "study.h"

enum { LAW_WIDTHS = 5, LAW_SIZES = 4, LAW_SEEDS = 10, LAW_TESTS = 3, LAW_DRAWS = 200 };
extern const int law_width[LAW_WIDTHS];

typedef struct SizeLaw {
    double A, alpha, B, beta;
} SizeLaw;

/* One size of model and text, and the losses that it reached. */
typedef struct LawPoint {
    int width;
    double N, D; /* parameters; characters */
    double loss[LAW_SEEDS];
} LawPoint;

typedef struct LawStudy {
    Study study;                     /* first: study.h */
    int seeds, batch, windows, test; /* windows: of the largest text; test: windows */
    double rate, clip;               /* clip: a gradient's length at most */
    double budget; /* of the prediction, times the largest computation of the fit */
    uint64_t seed;
    LawPoint grid[LAW_WIDTHS][LAW_SIZES], tested[LAW_TESTS];
    int done;
    const char *no_fit, *no_optimum; /* an exercise that is to do; NULL: none */
    bool fitted;
    SizeLaw law, draw[LAW_DRAWS]; /* the fit, and fits to resampled points (bootstrap) */
    double ratio[LAW_DRAWS];      /* how a training lies to the law */
    double best;                  /* N of the best model for the budget */
} LawStudy;

void law_open(void *study, const Lab *lab, uint64_t seed);
void law_work(void *study);
double law_excess(SizeLaw law, double N, double D);    /* A N^-alpha + B D^-beta: above E */
double law_compute(const LawStudy *s);                 /* the budget, in operations */
Spread law_loss(const LawStudy *s, const LawPoint *p); /* above E */
/* Where 90 % of the trainings are expected to be, above E. */
Interval law_expect(const LawStudy *s, double N, double D);

/* law_view.c */
void law_draw(const void *study, Plot *plot);
void law_report(const void *study);
#endif
