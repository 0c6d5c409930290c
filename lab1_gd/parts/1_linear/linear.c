/* linear.c: the points, and the loss over them as the parabola that it is. */
#include "linear.h"
#include "check.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

Points points_new(int n, double w, double b, double noise, uint64_t seed)
{
    Points p = {n, alloc(n, sizeof(double)), alloc(n, sizeof(double)), w, b, noise};
    for (int i = 0; i < n; i++) {
        Rng r = rng_at(seed, RNG_SYNTHETIC, 0, i);
        p.x[i] = -1 + 4 * rng_uniform(&r);
        p.y[i] = w * p.x[i] + b + noise * rng_normal(&r);
    }
    return p;
}

void points_free(Points *p)
{
    free(p->x);
    free(p->y);
}

Parabola parabola_of(const Points *p, int first, int n)
{
    Parabola l = {0};
    for (int i = first; i < first + n; i++) {
        l.a += p->x[i] * p->x[i] / n;
        l.c += p->x[i] / n;
        l.d += p->x[i] * p->y[i] / n;
        l.e += p->y[i] / n;
        l.f += p->y[i] * p->y[i] / n;
    }
    return l;
}

double parabola_loss(const Parabola *l, double w, double b)
{
    double loss = l->a * w * w + 2 * l->c * w * b + b * b - 2 * l->d * w - 2 * l->e * b + l->f;
    return loss < 0 ? 0 : loss; /* rounding, at a perfect fit; NaN stays NaN */
}

void parabola_minimum(const Parabola *l, double *w, double *b)
{
    double spread = l->a - l->c * l->c; /* the variance of x */
    *w = spread > 1e-12 * l->a ? (l->d - l->c * l->e) / spread : 0;
    *b = l->e - *w * l->c;
}

void parabola_curvature(const Parabola *l, double *low, double *high)
{
    double half = hypot(l->a - 1, 2 * l->c); /* half the distance of the eigenvalues */
    *low = l->a + 1 - half;
    *high = l->a + 1 + half;
}

void parabola_valley(const Parabola *l, double *u, double *v)
{
    double angle = 0.5 * atan2(2 * l->c, l->a - 1); /* of the larger eigenvalue's vector, in
                                                     * (-π/2, π/2] */
    double sign = angle < 0 ? -1 : 1;
    *u = sign * sin(angle);
    *v = -sign * cos(angle);
}
