/* 6h_muon.c: the check of muon. */
#include "exercise.h"
#include "judge_optimiser.h"
#include <math.h>

/* The polynomial a x + b x^3 + c x^5 acts on singular values alone, on any side: here without a
 * transpose, X (a + b X^T X + c (X^T X)^2). */
static void step_of(double *x, int rows, int columns, const double k[3])
{
    double q[JUDGED_ROOM], p[JUDGED_ROOM], y[JUDGED_ROOM];
    for (int i = 0; i < columns * columns; i++) {
        q[i] = 0;
        for (int r = 0; r < rows; r++)
            q[i] += x[r * columns + i / columns] * x[r * columns + i % columns];
    }
    for (int i = 0; i < columns * columns; i++) {
        p[i] = k[1] * q[i] + (i / columns == i % columns ? k[0] : 0);
        for (int r = 0; r < columns; r++)
            p[i] += k[2] * q[i / columns * columns + r] * q[r * columns + i % columns];
    }
    for (int i = 0; i < rows * columns; i++) {
        y[i] = 0;
        for (int r = 0; r < columns; r++)
            y[i] += x[i / columns * columns + r] * p[r * columns + i % columns];
    }
    for (int i = 0; i < rows * columns; i++)
        x[i] = y[i];
}

static void run(const OptimiserCase *c, float *w, float *a, float *b, const float *g, int t,
                double rate)
{
    muon(w, a, g, c->rows, c->columns, rate, c->mu, c->decay);
}

static void twin(Twin *t, int mistake)
{
    const OptimiserCase *c = t->c;
    int T = t->t;
    double x[JUDGED_ROOM], k[3] = {3.4445, -4.7750, 2.0315}, largest = 0;
    for (int i = 0; i < t->n; i++) {
        double v = 0, mu = c->mu;
        for (int r = 0; r <= T; r++)
            v += pow(mu, r) * t->g[T - r][i] * (mistake == 2 ? 1 : 1 - mu);
        t->d[T][i] = v;
        x[i] = mistake == 1  ? v
             : mistake == 3  ? t->g[T][i]
             : mistake == 2  ? (1 - mu) * t->g[T][i] + mu * v
             : mistake == 12 ? v + mu * (T ? t->d[T - 1][i] : 0)
                             : (1 - mu) * t->g[T][i] + mu * v;
        largest = fmax(largest, fabs(x[i]));
    }
    double length = twin_norm(x, t->n);
    length = mistake == 4 ? 1 : mistake == 5 ? length * length : mistake == 6 ? largest : length;
    if (mistake == 7)
        k[0] = 2, k[1] = -1.5, k[2] = 0.5;
    if (mistake == 8) /* the classical cubic */
        k[0] = 1.5, k[1] = -0.5, k[2] = 0;
    if (mistake == 9)
        k[1] = -k[1];
    for (int i = 0; i < t->n; i++)
        x[i] /= fmax(length, 1e-7);
    for (int s = 0; s < (mistake == 10 ? 4 : mistake == 11 ? 6 : mistake == 13 ? 0 : 5); s++)
        step_of(x, c->rows, c->columns, k);
    double ratio = (double)c->rows / c->columns, decay = mistake == 14 ? 0 : c->decay;
    double scale = mistake == 15 ? 1
                 : mistake == 16 ? sqrt(ratio)
                 : mistake == 17 ? sqrt(fmax(1, 1 / ratio))
                 : mistake == 18 ? fmax(1, ratio)
                                 : sqrt(fmax(1, ratio));
    for (int i = 0; i < t->n; i++)
        t->w[i] = (1 - (mistake == 19 ? 1 : t->rate) * decay) * t->w[i] -
                  t->rate * scale * x[i] * (mistake == 20 ? -1 : 1);
}

static const char *const words[] = {
    NULL,
    "Nesterov's step ahead is missing: X = (1 - mu) g + mu v",
    "v is not damped: v = mu v + (1 - mu) g",
    "no momentum: the gradient itself is made orthogonal",
    "X is not divided by its norm before the five steps",
    "X is divided by its squared norm: take the root",
    "X is divided by its largest element: divide by the root of the sum of all squares",
    "other coefficients (2, -1.5, 0.5): a = 3.4445, b = -4.7750, c = 2.0315",
    "the classical cubic step (1.5, -0.5): a = 3.4445, b = -4.7750, c = 2.0315",
    "the sign of b: -4.7750",
    "four Newton-Schulz steps: five",
    "six Newton-Schulz steps: five",
    "the old v: update v first",
    "no Newton-Schulz steps: X is only normalised",
    "the decay is missing",
    "the factor sqrt(max(1, rows / columns)) is missing",
    "max(1, …) is missing in the factor",
    "rows and columns are exchanged in the factor",
    "the root is missing in the factor",
    "the decay lacks the rate: w - rate decay w",
    "the weights move along the gradient, uphill: the sign",
    NULL,
};
static const OptimiserCase cases[] = {
    {.what = "2 x 5", .rows = 2, .columns = 5},
    {.what = "2 x 5, mu = 0.8", .rows = 2, .columns = 5, .mu = 0.8},
    {.what = "2 x 5, mu = 0.8, decay = 0.2", .rows = 2, .columns = 5, .mu = 0.8, .decay = 0.2},
    {.what = "6 x 3", .rows = 6, .columns = 3, .mu = 0.8, .decay = 0.2},
    {.what = "4 x 4", .rows = 4, .columns = 4, .mu = 0.8},
    {.what = "gradients of 1e-3", .rows = 2, .columns = 5, .mu = 0.8, .scale = 1e-3},
    {.what = "all gradients 0", .rows = 2, .columns = 5, .mu = 0.8, .zero_gradients = true},
};

static void judge(void *unused)
{
    judge_optimiser(&(OptimiserJudge){cases, sizeof cases / sizeof *cases, run, twin, words, 2e-3});
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "muon", 10,
                          "the momentum with singular values near 1, any shape; to 2e-3 of a step",
                          judge);
}
