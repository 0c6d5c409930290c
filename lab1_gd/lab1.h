/* lab1.h: what the programs and exercises of lab 1 share: the exercises' contracts, and the linear model.
 *
 * The model: a line y = w x + b through n noisy points. Its loss is the mean squared error,
 *
 *     L(w, b) = 1/n sum (w x + b - y)^2
 *
 * a parabola over the plane (w, b): one valley, and everything about it is known exactly. Here you see what is hidden
 * in a real network.
 */
#ifndef LAB1_H
#define LAB1_H
#include <stdbool.h>
#include <stdint.h>
#include "rng.h"

/* ---- exercises: each a function in a file of its own ---- */

/* Part 1 */

/* gradient.c: the slope of the loss at (w, b), over n points:
 *     *dw = dL/dw = 2/n sum (w x + b - y) x        *db = dL/db = 2/n sum (w x + b - y)
 * n >= 1. Double precision: the check compares with finite differences of L, to 1e-6. */
void gradient(double *dw, double *db, const double *x, const double *y, int n, double w, double b);

/* update.c: one step of gradient descent, against the slope: w <- w - rate dw, b <- b - rate db. */
void update(double *w, double *b, double dw, double db, double rate);

/* converged.c: has the descent arrived? loss[0 … count) are the losses so far, the newest last. True when there are
 * more than `window` of them and over the last `window` updates the loss fell, relative to what it was before them, by
 * less than `tolerance`:
 *     (loss[count-1-window] - loss[count-1]) < tolerance * loss[count-1-window]
 * A loss that rose (diverging!) has not converged, and neither has one that is not a number; a loss of exactly 0 that
 * stays 0 has. */
bool converged(const double *loss, int count, int window, double tolerance);

/* Part 2. shuffle.c: put order[0 … n) into a random order: of the n! orders that its numbers can stand in, each is equally
 * likely, whatever the order was before. All chance comes from r (rng_below), and r moves on with each number drawn:
 * the same r gives the same order, the next call another one. n >= 1; no memory beside the array is needed. */
void shuffle(int *order, int n, Rng *r);

/* Told of every update: its batch was order[first … first + size), and it arrived at (w, b). */
typedef void UpdateReport(void *state, int first, int size, double w, double b);

/* Part 3. minibatch_epoch.c: one epoch of minibatch SGD. The examples order[0 … n) are taken in this order, `batch` at a time:
 * the first update is on order[0 … batch), the next one on the `batch` after those, and so on. Where batch does not
 * divide n, the last update is on the fewer that remain, and its slope is the mean over these. Each update starts where
 * the one before arrived: gradient() over the batch's points, update(), then report(state, …).
 *     w, b     in: where the epoch starts; out: where it ends
 *     x, y     all points; order[i] is a place in them (with replacement one may come twice)
 *     room     [2 * batch] room to bring a batch's x, and behind them its y, together: gradient() wants them side by side
 * 1 <= batch <= n. */
void minibatch_epoch(double *w, double *b, const double *x, const double *y, const int *order, int n, int batch,
                     double rate, double *room, UpdateReport *report, void *state);

/* Part 5. filter_normalize.c: d and w are [filters,size], a direction and the weights that it moves. Scale every filter
 * d[f] so that its length (the square root of the sum of squares) becomes that of w[f]:
 *     d[f] <- d[f] / |d[f]| * |w[f]|
 * A filter of d that is all 0 stays 0. Sum in double. Why: batch norm makes the loss blind to a filter's length, so a step
 * of fixed length would be large for a network with small weights and small for one with large ones, and two
 * landscapes could not be compared (Li et al., arXiv 1712.09913). */
void filter_normalize(float *d, const float *w, int filters, int size);

/* Part 6. plane_coordinates.c: the place (a, b) in the plane spanned by x and y, all [n], of the point nearest to v, and
 * (returned) v's distance from the plane, |v - a x - b y|. x and y are not parallel, but of any length and at any angle:
 * solve the normal equations
 *     (x.x) a + (x.y) b = x.v
 *     (x.y) a + (y.y) b = y.v
 * in double. Take the distance from the difference, number by number; |v|² minus squares would lose it in rounding. */
double plane_coordinates(double *a, double *b, const float *v, const float *x, const float *y, int n);

/* Parts 8 and 9. busy.c: for how long somebody was busy. start[i], end[i], i < n, are spans in seconds (start <= end), in any order; they may
 * overlap, nest or be empty. Returns how much of [from, to] (from <= to) they cover together: what is covered twice counts
 * once, what lies outside does not count. n = 0: 0. Does not change the arrays. The check asks for 1e-12. */
double busy(const double *start, const double *end, int n, double from, double to);

/* Part 9. pipeline_turn.c: what stage `stage` of `stages` does at clock tick `tick` when the batch comes in `micro_batches` pieces
 * (GPipe, Huang et al., arXiv 1811.06965). All of it takes 2 (micro_batches + stages - 1) ticks:
 *   first half   forward: stage 0 takes micro-batch 0 at tick 0, 1 at tick 1 …; each goes to the next stage at the next tick;
 *   second half  backward: the last stage begins, with the last micro-batch; then the one before it, down to 0; each goes to
 *                the stage before at the next tick.
 * At any other tick, before 0 and after the end too, the stage is idle: the bubble. */
typedef struct Turn {
    int micro;     /* which micro-batch, 0 … micro_batches-1; -1: none, idle */
    bool backward; /* false: forward; false where idle */
} Turn;
Turn pipeline_turn(int stage, int stages, int micro_batches, int tick);

/* Part 9. column_shard.c: which columns [*first, *first + *count) of `columns` rank `rank` of `ranks` owns in tensor parallelism.
 * In the ranks' order, without gaps; the counts differ by at most one, and the first ranks have the larger ones. There may be
 * more ranks than columns: then the last ones have none. */
void column_shard(int *first, int *count, int columns, int rank, int ranks);
/* Part 4. time_per_update.c: an update of B pictures takes t0 + c B seconds: a fixed cost, and a cost per picture. Fit
 * both to n measured pairs (batch[i] pictures, seconds[i]) so that the sum of squared RELATIVE errors is least,
 *     sum ((t0 + c batch[i] - seconds[i]) / seconds[i])^2
 * because a time is measured to some percent, and plain least squares would see nothing but the largest batches. That is
 * linear least squares with the weights 1/seconds[i]^2. n >= 2, batch sizes not all alike, seconds > 0. *t0 in seconds per
 * update, *c in seconds per picture; noise can make *t0 negative: leave it so. */
void time_per_update(double *t0, double *c, const double *batch, const double *seconds, int n);

/* Part 7. needed_examples.c: how many training examples until the error is `target`, if it is alpha D^beta + gamma with D
 * examples (alpha > 0, beta < 0, gamma >= 0)? D need not be a whole number. INFINITY where no D is enough: at the
 * irreducible error gamma or below it. */
double needed_examples(double alpha, double beta, double gamma, double target);

/* Part 7. training_days.c: days of training: examples × epochs × FLOP per example, shared without loss by `devices` devices that
 * each do flop_per_second. A day has 86,400 seconds. */
double training_days(double examples, double epochs, double flop_per_example, double flop_per_second, double devices);

/* ---- the linear model: linear.c ---- */

typedef struct Points {
    int n;
    double *x, *y;     /* [n]; x in [-1, 3), y = true_w x + true_b + noise N(0, 1) */
    double true_w, true_b, noise;
} Points;

Points points_new(int n, double w, double b, double noise, uint64_t seed);
void points_free(Points *p);

/* The loss in closed form: over points [first, first + n) it is a w^2 + 2 c w b + b^2 - 2 d w - 2 e b + f, so that a
 * whole surface costs little. */
typedef struct Parabola {
    double a, c, d, e, f; /* means of x^2, x, x y, y, y^2 */
} Parabola;

Parabola parabola_of(const Points *p, int first, int n);
double parabola_loss(const Parabola *l, double w, double b);
/* Its lowest point: the least-squares answer. With noise it is not the line that made the points. All x equal: *w = 0,
 * *b = the mean of y. */
void parabola_minimum(const Parabola *l, double *w, double *b);
/* Eigenvalues of the Hessian [[2a, 2c], [2c, 2]], low <= high. Descent with 0 < rate < 2/high converges, above it
 * diverges. */
void parabola_curvature(const Parabola *l, double *low, double *high);
/* The unit eigenvector (u, v) of the smaller eigenvalue, u >= 0: along the valley. (-v, u) is the other's: across it. */
void parabola_valley(const Parabola *l, double *u, double *v);
#endif
