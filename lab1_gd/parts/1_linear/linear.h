/* linear.h: a line y = w x + b through n noisy points. Its loss is the mean squared error,
 *
 *     L(w, b) = 1/n sum (w x + b - y)^2
 *
 * a parabola over the plane (w, b): one valley, of which everything is known exactly. Here you see
 * what stays hidden in a real network.
 */
#ifndef LINEAR_H
#define LINEAR_H
#include <stdint.h>

typedef struct Points {
    int n;
    double *x, *y; /* [n]; x in [-1, 3), y = true_w x + true_b + noise N(0, 1) */
    double true_w, true_b, noise;
} Points;

Points points_new(int n, double w, double b, double noise, uint64_t seed);
void points_free(Points *p);

/* The loss in closed form: over points [first, first + n) it is a w^2 + 2 c w b + b^2 - 2 d w - 2 e
 * b + f, so that even a whole surface is cheap. */
typedef struct Parabola {
    double a, c, d, e, f; /* means of x^2, x, x y, y, y^2 */
} Parabola;

Parabola parabola_of(const Points *p, int first, int n);
double parabola_loss(const Parabola *l, double w, double b);
/* Its minimum: the least-squares solution. With noise it is not the line that generated the points.
 * All x equal: *w = 0, *b = the mean of y. */
void parabola_minimum(const Parabola *l, double *w, double *b);
/* Eigenvalues of the Hessian [[2a, 2c], [2c, 2]], low <= high. Descent with 0 < rate < 2/high
 * converges, above it diverges. */
void parabola_curvature(const Parabola *l, double *low, double *high);
/* The unit eigenvector (u, v) of the smaller eigenvalue, u >= 0: along the valley. (-v, u) is the
 * other one: across it. */
void parabola_valley(const Parabola *l, double *u, double *v);
#endif
