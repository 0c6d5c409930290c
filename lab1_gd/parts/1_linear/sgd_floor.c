/* sgd_floor.c: the theory of the noise floor: see sgd_floor.h. A symmetric 2 × 2 matrix
 * [[p, q], [q, r]] is stored as p, q, r.
 */
#include "sgd_floor.h"
#include <math.h>
#include <string.h>

const char *const sgd_sampling_name[] = {"shuffled every epoch", "drawn without replacement",
                                         "drawn with replacement"};
const char *const sgd_sampling_word[] = {"shuffled", "without", "with"};

typedef struct Sym {
    double p, q, r;
} Sym;

SgdNoise sgd_noise_of(const Points *p)
{
    SgdNoise s = {.n = p->n, .all = parabola_of(p, 0, p->n)};
    double w, b;
    parabola_minimum(&s.all, &w, &b);
    s.lowest = parabola_loss(&s.all, w, b);
    for (int i = 0; i < p->n; i++) {
        double x = p->x[i], r = w * x + b - p->y[i], power = 1;
        for (int k = 0; k < 5; k++, power *= x)
            s.moment[k] += power / p->n;
        for (int k = 0; k < 4; k++)
            s.skew[k] += r * pow(x, k) / p->n;
        for (int k = 0; k < 3; k++)
            s.c[k] += 4 * r * r * (k == 0 ? x * x : k == 1 ? x : 1) / p->n;
    }
    if (s.lowest <= 1e-14 * s.all.f) /* a perfect fit: only rounding is left */
        s.c[0] = s.c[1] = s.c[2] = 0;
    return s;
}

static Sym hessian(const SgdNoise *s) { return (Sym){2 * s->all.a, 2 * s->all.c, 2}; }

/* The product of two that commute, as powers of one matrix do: symmetric again. */
static Sym times(Sym a, Sym b)
{
    return (Sym){a.p * b.p + a.q * b.q, a.p * b.q + a.q * b.r, a.q * b.q + a.r * b.r};
}

/* M S M, both symmetric. */
static Sym around(Sym m, Sym s)
{
    double a = m.p * s.p + m.q * s.q, b = m.p * s.q + m.q * s.r, c = m.q * s.p + m.r * s.q,
           d = m.q * s.q + m.r * s.r;
    return (Sym){a * m.p + b * m.q, a * m.q + b * m.r, c * m.q + d * m.r};
}

/* A B + B A */
static Sym both_sides(Sym a, Sym b)
{
    return (Sym){2 * (a.p * b.p + a.q * b.q), a.p * b.q + a.q * b.r + b.p * a.q + b.q * a.r,
                 2 * (a.q * b.q + a.r * b.r)};
}

static Sym plus(Sym a, double f, Sym b)
{
    return (Sym){a.p + f * b.p, a.q + f * b.q, a.r + f * b.r};
}

/* mean Hᵢ S Hᵢ = mean 4 (xᵢᵀ S xᵢ) xᵢxᵢᵀ */
static Sym mean_around(const double m[5], Sym s)
{
    return (Sym){4 * (s.p * m[4] + 2 * s.q * m[3] + s.r * m[2]),
                 4 * (s.p * m[3] + 2 * s.q * m[2] + s.r * m[1]),
                 4 * (s.p * m[2] + 2 * s.q * m[1] + s.r * m[0])};
}

static double excess(const SgdNoise *s, Sym moment)
{
    Sym h = hessian(s);
    return 0.5 * (h.p * moment.p + 2 * h.q * moment.q + h.r * moment.r);
}

/* The variance of the mean over b of the n examples, relative to one example's. */
static double relative_variance(const SgdNoise *s, SgdSampling sampling, int b)
{
    return sampling == SGD_WITH ? 1.0 / b : s->n > 1 ? (double)(s->n - b) / (b * (s->n - 1.0)) : 0;
}

/* S after a period (the updates of an epoch, or one) that began with `moment`; *mean, unless NULL:
 * the mean excess over its updates. noise: 1, or 0 to leave out the additive noise, so that the map
 * is linear. */
static Sym period(const SgdNoise *s, SgdSampling sampling, double rate, int batch, Sym moment,
                  double noise, double *mean)
{
    Sym h = hessian(s), c = {s->c[0], s->c[1], s->c[2]}, m = plus((Sym){1, 0, 1}, -rate, h),
        reach = {0, 0, 0}, power = {1, 0, 1};
    int length = sampling == SGD_SHUFFLED ? (s->n + batch - 1) / batch : 1;
    double sum = 0;
    for (int k = 0; k < length; k++) {
        int size = k == length - 1 && sampling == SGD_SHUFFLED ? s->n - k * batch : batch;
        double part = rate * rate * relative_variance(s, sampling, size);
        Sym next = around(m, moment);
        next = plus(next, part, plus(mean_around(s->moment, moment), -1, around(h, moment)));
        next = plus(next, part * noise, c);
        if (length > 1) {
            next = plus(next, -rate * rate * noise / (s->n - 1), both_sides(c, times(reach, m)));
            reach = plus(reach, 1, power);
            power = times(power, m);
        }
        moment = next;
        sum += excess(s, moment);
    }
    if (mean)
        *mean = sum / length;
    return moment;
}

/* The mean of ½ mᵀHm over the updates of a shuffled epoch; m is periodic. */
static double offset(const SgdNoise *s, double rate, int batch)
{
    int length = (s->n + batch - 1) / batch;
    Sym h = hessian(s), m = plus((Sym){1, 0, 1}, -rate, h), end = {0, 0, 0};
    double w = 0, b = 0, sum = 0;
    /* the first pass gives the shift of one period from 0, the second starts where m is periodic */
    for (int pass = 0; pass < 2; pass++) {
        Sym reach = {0, 0, 0}, power = {1, 0, 1};
        for (int k = 0; k < length; k++) {
            double f = 4 * rate * rate / (s->n - 1.0);
            double w_new = m.p * w + m.q * b -
                           f * (reach.p * s->skew[3] + 2 * reach.q * s->skew[2] +
                                reach.r * s->skew[1]);
            b = m.q * w + m.r * b -
                f * (reach.p * s->skew[2] + 2 * reach.q * s->skew[1] + reach.r * s->skew[0]);
            w = w_new;
            sum += pass * 0.5 * (h.p * w * w + 2 * h.q * w * b + h.r * b * b);
            reach = plus(reach, 1, power);
            power = times(power, m);
        }
        end = plus((Sym){1, 0, 1}, -1, power);
        double det = end.p * end.r - end.q * end.q, start = (end.r * w - end.q * b) / det;
        b = (end.p * b - end.q * w) / det;
        w = start;
    }
    return sum / length;
}

/* x with A x = y, A [3,3] by columns: Cramer's rule. */
static Sym solve(const Sym a[3], Sym y)
{
    Sym column[3] = {a[0], a[1], a[2]};
    double det[4];
    for (int k = 0; k < 4; k++) {
        memcpy(column, a, sizeof column);
        if (k < 3)
            column[k] = y;
        const Sym *u = &column[0], *v = &column[1], *t = &column[2];
        det[k] = u->p * (v->q * t->r - v->r * t->q) - v->p * (u->q * t->r - u->r * t->q) +
                 t->p * (u->q * v->r - u->r * v->q);
    }
    return (Sym){det[0] / det[3], det[1] / det[3], det[2] / det[3]};
}

double sgd_floor(const SgdNoise *s, SgdSampling sampling, double rate, int batch)
{
    static const Sym unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double low, high, mean;
    /* no noise: would some noise stay bounded? */
    if (s->c[0] + s->c[2] == 0) {
        SgdNoise some = *s;
        some.c[0] = some.c[2] = 1;
        return isnan(sgd_floor(&some, sampling, rate, batch)) ? NAN : 0;
    }
    parabola_curvature(&s->all, &low, &high);
    if (!(rate > 0 && rate * high < 2))
        return NAN;
    if (batch >= s->n && sampling != SGD_WITH)
        return 0;
    Sym a[3], noise = period(s, sampling, rate, batch, (Sym){0, 0, 0}, 1, NULL);
    for (int k = 0; k < 3; k++) /* I - the linear part */
        a[k] = plus(unit[k], -1, period(s, sampling, rate, batch, unit[k], 0, NULL));
    Sym moment = solve(a, noise);
    /* Beyond its radius of convergence a positive map has no positive fixed point. */
    if (!(moment.p >= 0 && moment.r >= 0 &&
          moment.p * moment.r - moment.q * moment.q >= -1e-9 * moment.p * moment.r))
        return NAN;
    period(s, sampling, rate, batch, moment, 1, &mean);
    return sampling == SGD_SHUFFLED ? mean + offset(s, rate, batch) : mean;
}

double sgd_floor_small(const SgdNoise *s, double rate, int batch)
{
    return rate * (s->c[0] + s->c[2]) / (4 * batch);
}

double sgd_rate_limit(const SgdNoise *s, SgdSampling sampling, int batch)
{
    double low, high, curvature_low;
    parabola_curvature(&s->all, &curvature_low, &high);
    low = 0;
    high = 2 / high;
    SgdSampling drawn = sampling == SGD_SHUFFLED ? SGD_WITHOUT : sampling;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *(isnan(sgd_floor(s, drawn, middle, batch)) ? &high : &low) = middle;
    }
    return low;
}
