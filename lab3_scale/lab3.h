/* lab3.h: the functions that you write in lab 3; their contracts are in exercises/. */
#ifndef LAB3_H
#define LAB3_H
#include "comm.h"
#include "method.h"
#include "model.h"
#include "optim.h"
#include "rng.h"
#include "run.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- part 1: exercises/1a, 1b ---- */

double noise_scale(const double *small, const double *large, int pairs, int b, int B);
double critical_batch(const double *batch, const double *loss, int n, double tolerance);

/* ---- part 2: exercises/2a, 2b ---- */

void interpolate(float *w, const float *from, const float *to, int n, double t);
double kendall_tau(const double *x, const double *y, int n);

/* ---- part 3: exercises/3a to 3c ---- */

typedef enum { SCALE_NONE, SCALE_ROOT, SCALE_LINEAR, SCALE_RULES } ScaleRule;
double scaled_rate(ScaleRule rule, double rate, double k);
double warm_up(double from, double to, int64_t update, int64_t updates);
double update_spread(const float *grads, int samples, int n, double rate);

/* ---- part 4: exercises/4a, 4b ---- */

void ghost_norm(float *y, const float *x, const float *gamma, const float *beta, int rows,
                int channels, int group);
void synchronise(Model *m, Comm *comm);

/* ---- part 5: exercises/5a to 5c ---- */

void noise_weights(float *z, int n, int small, Rng *r);
void grow_batch(int *batch, double *rate, int most, double factor);
int batch_warm_up(int small, int large, double share);

/* ---- part 6: exercises/6a to 6j: an update of one layer's weights, over host arrays ---- */

void momentum(float *w, float *v, const float *g, int n, double rate, double mu, double decay);
void nesterov(float *w, float *v, const float *g, int n, double rate, double mu, double decay);
void lars(float *w, float *v, const float *g, int n, double rate, double mu, double decay,
          double trust);
void larc(float *w, float *v, const float *g, int n, double rate, double mu, double decay,
          double trust);
typedef struct AdamOptions {
    double beta1, beta2, epsilon, decay;
    bool decoupled; /* AdamW (6e) */
} AdamOptions;
/* step: 1 in the first update */
void adam(float *w, float *m, float *s, const float *g, int n, int step, double rate,
          const AdamOptions *o);
void lamb(float *w, float *m, float *s, const float *g, int n, int step, double rate,
          const AdamOptions *o);
void novograd(float *w, float *m, float *s, const float *g, int n, int step, double rate,
              const AdamOptions *o);
void muon(float *w, float *v, const float *g, int rows, int columns, double rate, double mu,
          double decay);
void smooth_labels(float *dlogits, const int32_t *label, int N, int K, double smoothing);
void average_weights(float *average, const float *w, int n, int step, double keep);

/* Given (parts/6_optimisers/matrix.c): √(sum of x_i²). */
double vector_norm(const float *x, int n);
/* Given there, too: c [m,n] = a [m,k] b, where b is [k,n], or [n,k] if transposed. */
void matrix_product(float *c, const float *a, const float *b, int m, int k, int n,
                    bool b_transposed);
/* to [columns,rows] = from [rows,columns] with rows for columns */
void matrix_transpose(float *to, const float *from, int rows, int columns);

/* ---- part 7: exercises/7a ---- */

typedef enum { VERDICT_NONE, VERDICT_HOLDS, VERDICT_HARMS } Verdict;
Verdict verdict(const double *remedy, int n, const double *baseline, int m);

/* ---- part 8: exercises/8a_step_seconds.c ---- */

/* A training on `devices` devices, `per_node` of them in one machine. */
typedef struct Cluster {
    int devices, per_node;
    double compute;     /* seconds of an update on one device, forward, backward and the step */
    double bytes;       /* of the gradient */
    double alpha, beta; /* between machines: seconds per message, seconds per byte */
    double alpha_in, beta_in; /* inside a machine */
    double overlap;           /* share of `compute` beside which the exchange may run, 0 … 1 */
    bool hierarchical;        /* rings inside the machines, then one between them */
} Cluster;
double step_seconds(const Cluster *c);

/* ---- part 10: exercises/10a, 10b ---- */

float float16_of(float x);
/* What the loss is multiplied by in float16. */
typedef struct Scaling {
    double scale;
    int good;     /* passes in a row with finite gradients, since the scale last changed */
    int interval; /* of how many it then doubles */
} Scaling;
bool next_scale(Scaling *s, bool finite);

#endif
