/* lab1.h: the functions that you write in lab 1: one per file in exercises/, with its contract
 * above it. It also gives them C's printf, fabs, abs and the like.
 */
#ifndef LAB1_H
#define LAB1_H
#include "rng.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* exercises/1a_gradient.c */
void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b);

/* exercises/1b_update.c */
void update(double *w, double *b, double dw, double db, double rate);

/* exercises/1c_converged.c */
bool converged(const double *loss, int count, int window, double tolerance);

/* exercises/2_shuffle.c */
void shuffle(int *order, int n, Rng *r);

/* Called after every update: its batch was order[first … first + size), and it ended at (w, b). */
typedef void UpdateReport(void *context, int first, int size, double w, double b);

/* exercises/3_minibatch_epoch.c */
void minibatch_epoch(double *w, double *b, const double *x, const double *y, const int *order,
                     int n, int batch, double rate, double *room, UpdateReport *report,
                     void *context);

/* exercises/4_time_per_update.c */
void time_per_update(double *t0, double *c, const double *batch, const double *seconds, int n);

/* exercises/5_filter_normalize.c */
void filter_normalize(float *d, const float *w, int filters, int size);

/* exercises/6_plane_coordinates.c */
double plane_coordinates(double *a, double *b, const float *v, const float *x, const float *y,
                         int n);

/* exercises/7a_needed_examples.c */
double needed_examples(double alpha, double beta, double gamma, double target);

/* exercises/7b_training_days.c */
double training_days(double examples, double epochs, double flop_per_example,
                     double flop_per_second, double devices);

/* exercises/8_busy.c */
double busy(const double *start, const double *end, int n, double from, double to);

/* exercises/9a_pipeline_turn.c */
typedef struct Turn {
    int micro;     /* 0 … micro_batches-1; -1: idle */
    bool backward; /* false: forward; false where idle */
} Turn;
Turn pipeline_turn(int stage, int stages, int micro_batches, int tick);

/* exercises/9b_column_shard.c */
void column_shard(int *first, int *count, int columns, int rank, int ranks);

/* exercises/10a_attention.c */
void attention(float *y, float *p, const float *q, const float *k, const float *v, int T, int d);

/* exercises/10b_softmax_backward.c */
void softmax_backward(float *ds, const float *p, const float *dp, int n);

/* exercises/10c_layernorm_backward.c */
void layernorm_backward(float *dx, float *dgamma, float *dbeta, const float *dy, const float *x,
                        const float *gamma, float mean, float istd, int n);

/* exercises/11a_fit_law.c */
void fit_law(double *A, double *B, const double *x, const double *y, const double *z, int n);

/* exercises/11b_optimal_size.c */
double optimal_size(double A, double alpha, double B, double beta, double compute);
#endif
