/* evidence_explain.c: how much of the weights' moves do the gradients explain?
 *
 * Layer by layer, each move is fitted by least squares on what an optimiser knows: every rank's
 * gradient, the ranks' mean gradient before, the last move, the weights. SGD, momentum, Nesterov,
 * weight decay, clipping, LARS and LARC are linear in them. Adam and its relatives are not: where
 * SGD explains little, Adam's direction (arXiv 1412.6980) of the mean gradient is formed by its own
 * recursion, with usual decay rates, in place of the gradients.
 *
 * What is left over is added up as a vector: rounding cancels, a pull towards weights from
 * elsewhere does not. Its greatest length counts, and against the way to the file's weights, so
 * that nothing that happens later, however far it leads, makes it small.
 */
#include "check.h"
#include "inspection.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TERMS = EVIDENCE_RANKS + 3, TRIAL = 12, ADAMS = 6 };
/* Adam's decay rates: of the mean, of the square. */
static const double BETA[ADAMS][2] = {{0.9, 0.999},  {0.9, 0.99},  {0.9, 0.95},
                                      {0.95, 0.999}, {0.8, 0.999}, {0.9, 0.98}};

/* One family of explanations. */
typedef struct Fit {
    double left, whole; /* squares of what is left over, and of the moves */
    double share[EVIDENCE_RANKS];
    double apart, alike; /* lengths of moves by gradients that differ from rank to rank; do not */
    double uneven;       /* of apart: where the ranks have unequal coefficients */
    float *rest;         /* [params]: what is left over, added up */
    double most_left;    /* its greatest length so far */
} Fit;

typedef struct Adam {
    Fit fit;
    float *mean, *square, *direction; /* [params] */
} Adam;

struct Explainer {
    int np, moves, nviews;
    int64_t params;
    View *views;
    bool begun, adam_on;
    double size[EVIDENCE_RANKS]; /* of each rank's gradient, as a part of all, summed over moves */
    double farthest;             /* of w(t) from w(0) */
    float *first, *last;         /* [params]: w(0), the last w */
    float *before, *earlier;     /* [params]: the last move, the last mean gradient */
    float *mean;                 /* [params]: the ranks' mean gradient */
    Fit sgd;
    Adam adam[ADAMS];
    double *columns; /* [MOST_TERMS + 1][largest layer] */
};

static float *vector(const Explainer *e) { return alloc((size_t)e->params, sizeof(float)); }

Explainer *explainer_new(int np, int64_t params, const View *views, int nviews)
{
    Explainer *e = alloc(1, sizeof *e);
    *e = (Explainer){.np = np, .params = params, .nviews = nviews, .adam_on = true};
    e->views = alloc((size_t)nviews, sizeof *views);
    memcpy(e->views, views, (size_t)nviews * sizeof *views);
    int largest = 1;
    for (int v = 0; v < nviews; v++)
        largest = views[v].count > largest ? views[v].count : largest;
    e->columns = alloc((size_t)(np + 4) * (size_t)largest, sizeof *e->columns);
    e->first = vector(e), e->last = vector(e), e->before = vector(e);
    e->earlier = vector(e), e->mean = vector(e), e->sgd.rest = vector(e);
    for (int k = 0; k < ADAMS; k++) {
        Adam *a = &e->adam[k];
        a->mean = vector(e), a->square = vector(e), a->direction = vector(e);
        a->fit.rest = vector(e);
    }
    return e;
}

void explainer_free(Explainer *e)
{
    for (int k = 0; k < ADAMS; k++) {
        Adam *a = &e->adam[k];
        free(a->mean), free(a->square), free(a->direction), free(a->fit.rest);
    }
    free(e->first), free(e->last), free(e->before), free(e->earlier), free(e->mean);
    free(e->sgd.rest), free(e->columns), free(e->views);
    free(e);
}

static double length(const float *v, const float *from, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = (double)v[i] - (from ? from[i] : 0);
        sum += d * d;
    }
    return sqrt(sum);
}

/* ---- least squares ---- */

/* Solves the k x k system gram c = right by Cholesky's method; a term that the others give already
 * gets the coefficient 0. gram is overwritten. */
static void solve(double *gram, double *c, const double *right, int k)
{
    bool used[MOST_TERMS];
    for (int j = 0; j < k; j++) {
        double pivot = gram[j * k + j], size = pivot;
        for (int i = 0; i < j; i++)
            if (used[i])
                pivot -= gram[j * k + i] * gram[j * k + i];
        used[j] = pivot > 1e-10 * size && size > 0;
        gram[j * k + j] = used[j] ? sqrt(pivot) : 1;
        for (int row = j + 1; row < k && used[j]; row++) {
            double sum = gram[row * k + j];
            for (int i = 0; i < j; i++)
                if (used[i])
                    sum -= gram[row * k + i] * gram[j * k + i];
            gram[row * k + j] = sum / gram[j * k + j];
        }
    }
    for (int j = 0; j < k; j++) {
        c[j] = right[j];
        for (int i = 0; i < j; i++)
            if (used[i])
                c[j] -= gram[j * k + i] * c[i];
        c[j] = used[j] ? c[j] / gram[j * k + j] : 0;
    }
    for (int j = k - 1; j >= 0; j--) {
        for (int i = j + 1; i < k; i++)
            if (used[i])
                c[j] -= used[j] ? gram[i * k + j] * c[i] : 0;
        c[j] = used[j] ? c[j] / gram[j * k + j] : 0;
    }
}

void fit_columns(double *columns, int n, int k, double *c)
{
    double gram[MOST_TERMS * MOST_TERMS], right[MOST_TERMS];
    double *move = columns + (size_t)k * n;
    for (int j = 0; j < k; j++) { /* they differ by factors of 10^6 */
        double size = cblas_dnrm2(n, columns + (size_t)j * n, 1);
        if (size > 0)
            cblas_dscal(n, 1 / size, columns + (size_t)j * n, 1);
    }
    for (int j = 0; j < k; j++) {
        for (int i = 0; i <= j; i++)
            gram[j * k + i] = gram[i * k + j] = cblas_ddot(n, columns + (size_t)j * n, 1,
                                                           columns + (size_t)i * n, 1);
        right[j] = cblas_ddot(n, columns + (size_t)j * n, 1, move, 1);
    }
    solve(gram, c, right, k);
    for (int j = 0; j < k; j++)
        cblas_daxpy(n, -c[j], columns + (size_t)j * n, 1, move, 1);
}

/* What weight decay can take from the weights in one update, at most, and what rounding can add. */
static const double MOST_DECAY = 0.2, MOST_GROWTH = 1e-3;

/* The ranks' parts in the move of a layer, c by gradients of these lengths: equal where equal
 * multiples of the gradients were added, for any lengths. earlier: of the last mean
 * gradient, of which all have an equal part. */
static void add_shares(Fit *f, const double *c, const double *lengths, int ranks, double earlier)
{
    int alive = 0, used = 0;
    double sum = 0, mean = 0, typical = 0;
    for (int r = 0; r < ranks; r++) {
        alive += lengths[r] > 0;
        used += c[r] != 0;
        sum += fabs(c[r]);
        mean += lengths[r] > 0 ? c[r] / lengths[r] / ranks : 0;
        typical += lengths[r] / ranks;
    }
    if (used < alive) { /* one is a combination of others: whose part it was cannot be told */
        f->alike += sum;
        return;
    }
    double late = fmax(-earlier, 0);
    f->apart += sum + late;
    for (int r = 0; r < ranks; r++) {
        f->share[r] += late / ranks; /* downhill */
        f->share[r] -= lengths[r] > 0 ? c[r] / lengths[r] * typical : 0;
        f->uneven += fabs(c[r] - mean * lengths[r]);
    }
}

/* Fits the move of one layer (column k) by the terms, of which the ranks' come first, then the last
 * mean gradient, and the weights, if they are one, last; adds to the fit. False: the weights' part
 * is no decay. */
static bool fit_layer(Fit *f, double *columns, int n, int k, int ranks, bool decays, float *rest)
{
    double c[MOST_TERMS], *move = columns + (size_t)k * n, whole = cblas_dnrm2(n, move, 1);
    double weights = cblas_dnrm2(n, columns + (size_t)(k - 1) * n, 1), lengths[EVIDENCE_RANKS];
    for (int r = 0; r < ranks; r++)
        lengths[r] = cblas_dnrm2(n, columns + (size_t)r * n, 1);
    fit_columns(columns, n, k, c);
    if (decays && weights > 0 &&
        (c[k - 1] > MOST_GROWTH * weights || c[k - 1] < -MOST_DECAY * weights))
        return false;
    f->whole += whole * whole;
    if (ranks && n > k)
        add_shares(f, c, lengths, ranks, c[ranks]);
    double left = cblas_dnrm2(n, move, 1);
    f->left += left * left;
    for (int i = 0; i < n; i++)
        rest[i] += (float)move[i];
    return true;
}

static void column(double *to, const float *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

/* The layer's terms and, behind them, its move, as columns. Returns how many terms. adam NULL: the
 * ranks' gradients. */
static int fill(Explainer *e, const Update *u, const float *after, const float *adam,
                const View *view, bool decays)
{
    size_t at = view->at;
    int n = view->count, k = 0;
    for (int r = 0; r < e->np && !adam; r++)
        column(e->columns + (size_t)k++ * n, u->work[r].g + at, n);
    column(e->columns + (size_t)k++ * n, (adam ? adam : e->earlier) + at, n);
    if (!adam) /* which does not look at its last move */
        column(e->columns + (size_t)k++ * n, e->before + at, n);
    if (decays)
        column(e->columns + (size_t)k++ * n, u->w + at, n);
    double *move = e->columns + (size_t)k * n;
    for (int i = 0; i < n; i++)
        move[i] = (double)after[at + i] - u->w[at + i];
    return k;
}

static void fit(Explainer *e, Fit *f, const Update *u, const float *after, const float *adam)
{
    for (int v = 0; v < e->nviews; v++)
        for (int decays = 1; decays >= 0; decays--) {
            const View *view = &e->views[v];
            int k = fill(e, u, after, adam, view, decays);
            if (fit_layer(f, e->columns, view->count, k, adam ? 0 : e->np, decays,
                          f->rest + view->at))
                break;
        }
    f->most_left = fmax(f->most_left, length(f->rest, NULL, e->params));
}

/* ---- move after move ---- */

static void advance(Adam *a, const double beta[2], const float *g, int64_t n, int step)
{
    double one = 1 / (1 - pow(beta[0], step)), two = 1 / (1 - pow(beta[1], step));
    for (int64_t i = 0; i < n; i++) {
        a->mean[i] = (float)(beta[0] * a->mean[i] + (1 - beta[0]) * g[i]);
        a->square[i] = (float)(beta[1] * a->square[i] + (1 - beta[1]) * g[i] * g[i]);
        a->direction[i] = (float)(one * a->mean[i] / (sqrt(two * a->square[i]) + 1e-8));
    }
}

static double explained(const Fit *f) { return f->whole > 0 ? 1 - f->left / f->whole : 1; }

void explainer_move(Explainer *e, const Update *u, const float *after)
{
    if (!e->begun)
        memcpy(e->first, u->w, (size_t)e->params * sizeof(float));
    e->begun = true;
    e->moves++;
    for (int64_t i = 0; i < e->params; i++) {
        double sum = 0;
        for (int r = 0; r < e->np; r++)
            sum += u->work[r].g[i];
        e->mean[i] = (float)(sum / e->np);
    }
    double sizes[EVIDENCE_RANKS], all = 0;
    for (int r = 0; r < e->np; r++)
        all += sizes[r] = length(u->work[r].g, NULL, e->params);
    for (int r = 0; r < e->np; r++)
        e->size[r] += all > 0 ? sizes[r] / all : 1.0 / e->np;
    e->farthest = fmax(e->farthest, length(after, e->first, e->params));
    fit(e, &e->sgd, u, after, NULL);
    for (int k = 0; k < ADAMS && e->adam_on; k++) {
        advance(&e->adam[k], BETA[k], e->mean, e->params, e->moves);
        fit(e, &e->adam[k].fit, u, after, e->adam[k].direction);
    }
    if (e->moves == TRIAL && explained(&e->sgd) > 0.99)
        e->adam_on = false;
    for (int64_t i = 0; i < e->params; i++) {
        e->before[i] = after[i] - u->w[i];
        e->last[i] = after[i];
    }
    memcpy(e->earlier, e->mean, (size_t)e->params * sizeof(float));
}

Explanation explainer_end(const Explainer *e, const float *file)
{
    const Fit *best = &e->sgd;
    Explanation x = {.moves = e->moves, .family = "SGD's"};
    for (int k = 0; k < ADAMS && e->adam_on; k++)
        if (explained(&e->adam[k].fit) > fmax(explained(best), 0.99)) {
            best = &e->adam[k].fit;
            x.family = "Adam's";
        }
    double way = length(file ? file : e->last, e->first, e->params), sum = 0;
    x.unexplained = way > 0 ? best->most_left / way : 0;
    x.farthest = way > 0 ? e->farthest / way : 1;
    x.still = e->sgd.whole == 0;
    x.typical = explained(best);
    x.alike = e->sgd.alike > 0 ? e->sgd.alike / (e->sgd.alike + e->sgd.apart) : 0;
    x.uneven = best == &e->sgd && best->apart > 0 ? best->uneven / best->apart : 0;
    for (int r = 0; r < e->np; r++)
        sum += fmax(best->share[r], 0);
    for (int r = 0; r < e->np; r++) { /* Adam's direction is the mean's */
        x.share[r] = best == &e->sgd && sum > 0 ? fmax(best->share[r], 0) / sum : 1.0 / e->np;
        x.size[r] = e->moves ? e->size[r] / e->moves : 1.0 / e->np;
    }
    return x;
}
