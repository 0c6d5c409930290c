/* evidence_explain.c: how much of the weights' moves do the gradients explain?
 *
 * Layer by layer, the move of update t is fitted by least squares (evidence_fit.c) on what an
 * optimiser knows:
 *
 *     move(t) = own(t) + earlier(t) + sum over j of h(j) move(t-j) + d w(t) + rest(t)
 *
 * own: the ranks' gradients, or for an optimiser that is not linear in them its direction
 * (evidence_rules.c); earlier: the mean gradient of the update before; d w: weight decay. Momentum,
 * Nesterov, clipping, LARS, LAMB, Lookahead and SAM are of this form; the best rule for each layer
 * counts.
 *
 * A pull towards weights from elsewhere could hide in the moves before, which carry it on. So what
 * is left over takes the same way as the weights, R(t) = rest(t) + sum h(j) R(t-j) + d U(t), and
 * U, the sum of R, is what did not come from gradients. Rounding cancels in it. Its greatest length
 * counts, against the way to the file's weights, so that nothing that happens later makes it
 * small. The ranks' parts in the moves are followed in the same way.
 */
#include "check.h"
#include "inspection.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORT_TRIAL = 5,
    TRIAL = 12,
    FEW = 3,
    SOME = 3,
    REMEMBERED = 12,
    STEADY = 100 /* in fewer moves a schedule's rates, and with them h, change too fast to tell */
};
static const double ALMOST = 1e-4;     /* of a move's length: left over */
static const double LESS_NOISE = 0.25; /* of the variance that is left over: more terms pay */
static const double UNLIKE = 0.2;      /* of a move's length: made by another momentum */

/* What a column is. */
typedef enum { RANK, OWN, EARLIER, MOVE, DECAY } Term;

/* A rule's explanation of a layer. Ranks' parts are known of SGD alone: the others form a direction
 * of their mean. */
typedef struct Fit {
    bool on;
    int steps;            /* of the rule's recursion */
    bool has_mean;        /* its direction is of a running mean of gradients */
    double own;           /* how much of that is the last gradient's */
    double left, whole;   /* squares of what is left over, and of the moves */
    double most_left;     /* the greatest length of U so far */
    double apart, uneven; /* lengths of moves by the ranks' gradients; with unequal coefficients */
    double *share;        /* [MOVES_KNOWN + 1][np]: the ranks' parts in the moves, newest first; the
                          * last row is the sum of all */
    double made[PARTS];   /* of the last move: note_parts() */
    double momentum[REMEMBERED][MOVES_KNOWN]; /* h of the last moves */
    double erratic;                           /* squares of moves whose h is unlike all of these */
} Fit;

typedef struct RuleState {
    int on;                            /* layers */
    float *mean, *square;              /* [params] */
    float *carried[MOVES_KNOWN], *sum; /* [params]: R, newest first, NULL: 0; U */
} RuleState;

struct Explainer {
    int np, moves, nviews;
    int64_t params;
    View *views;
    double size[EVIDENCE_RANKS]; /* of each rank's gradient, as a part of all, summed over moves */
    double farthest;             /* of w(t) from w(0) */
    float *first, *last;         /* [params]: w(0), the last w */
    float *move[MOVES_KNOWN];    /* [params]: newest first */
    float *earlier, *mean;       /* [params]: the mean gradient before; of this update */
    RuleState state[RULES];
    Fit *fit; /* [RULES][nviews] */
    double size_of_mean;
    double same;     /* moves in which two ranks' gradients were the same, but for a factor */
    double *columns; /* [MOST_TERMS + 1][largest layer] */
    double *own;     /* [2][largest layer]: a rule's directions */
    Term term[MOST_TERMS];
    int which[MOST_TERMS]; /* rank, or place of the move */
};

static float *vector(const Explainer *e) { return alloc((size_t)e->params, sizeof(float)); }
static Fit *fit_of(const Explainer *e, int rule, int view)
{
    return &e->fit[rule * e->nviews + view];
}

static void state_free(RuleState *s)
{
    free(s->mean), free(s->square), free(s->sum);
    for (int j = 0; j < MOVES_KNOWN; j++)
        free(s->carried[j]);
    *s = (RuleState){0};
}

Explainer *explainer_new(int np, int64_t params, const View *views, int nviews)
{
    Explainer *e = alloc(1, sizeof *e);
    *e = (Explainer){.np = np, .params = params, .nviews = nviews};
    e->views = alloc((size_t)nviews, sizeof *views);
    memcpy(e->views, views, (size_t)nviews * sizeof *views);
    int largest = 1;
    for (int v = 0; v < nviews; v++)
        largest = views[v].count > largest ? views[v].count : largest;
    e->columns = alloc((size_t)(np + MOVES_KNOWN + 5) * (size_t)largest, sizeof *e->columns);
    e->own = alloc(2 * (size_t)largest, sizeof *e->own);
    e->first = vector(e), e->last = vector(e), e->earlier = vector(e), e->mean = vector(e);
    e->fit = alloc((size_t)(RULES * nviews), sizeof *e->fit);
    for (int j = 0; j < MOVES_KNOWN; j++)
        e->move[j] = vector(e);
    for (int k = 0; k < RULES; k++) {
        RuleState *s = &e->state[k];
        s->mean = vector(e), s->square = vector(e), s->sum = vector(e);
        for (int v = 0; v < nviews; v++) {
            Fit *f = fit_of(e, k, v);
            f->on = rule_applies(&rules[k], &views[v]);
            f->share = alloc((size_t)(MOVES_KNOWN + 1) * (size_t)np, sizeof *f->share);
            s->on += f->on;
        }
    }
    return e;
}

void explainer_free(Explainer *e)
{
    if (!e)
        return;
    for (int k = 0; k < RULES; k++) {
        state_free(&e->state[k]);
        for (int v = 0; v < e->nviews; v++)
            free(fit_of(e, k, v)->share);
    }
    for (int j = 0; j < MOVES_KNOWN; j++)
        free(e->move[j]);
    free(e->first), free(e->last), free(e->earlier), free(e->mean);
    free(e->fit), free(e->columns), free(e->own), free(e->views);
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

/* ---- one layer's move ---- */

/* What weight decay can take from the weights in one update, at most, and what rounding can add;
 * what keeping a matrix at its length (muon.h) can do. */
static const double DECAYS[] = {-0.2, 1e-3}, KEEPS_LENGTH[] = {-0.95, 20};

static double *add_column(Explainer *e, int *k, Term term, int which, const float *from, int n)
{
    double *to = e->columns + (size_t)*k * n;
    for (int i = 0; i < n && from; i++)
        to[i] = from[i];
    e->term[*k] = term;
    e->which[(*k)++] = which;
    return to;
}

/* Each filter's mean of the mean gradient: what centralisation takes away (arXiv 2004.01461). */
static void add_means(Explainer *e, int *k, const View *view)
{
    int n = view->count, rows = view->shape[0], length = n / rows;
    double *to = add_column(e, k, OWN, 0, NULL, n);
    for (int row = 0; row < rows; row++) {
        double sum = 0;
        for (int i = row * length; i < (row + 1) * length; i++)
            sum += e->mean[view->at + (size_t)i];
        for (int i = row * length; i < (row + 1) * length; i++)
            to[i] = sum / length;
    }
}

/* The layer's terms and, behind them, its move, as columns. own: how many directions the rule
 * formed; moves: how many of those before. Returns how many terms. */
static int fill(Explainer *e, int rule, const Update *u, const float *after, int v, int own,
                int moves)
{
    const View *view = &e->views[v];
    size_t at = view->at;
    int n = view->count, k = 0;
    bool linear = rules[rule].kind == RULE_LINEAR;
    for (int r = 0; r < e->np && linear; r++)
        add_column(e, &k, RANK, r, u->work[r].g + at, n);
    if (linear && view->dims > 1 && moves > FEW)
        add_means(e, &k, view);
    for (int j = 0; j < own; j++)
        memcpy(add_column(e, &k, OWN, 0, NULL, n), e->own + (size_t)j * n,
               (size_t)n * sizeof *e->own);
    add_column(e, &k, MOVE, 0, e->move[0] + at, n);
    if (linear)
        add_column(e, &k, EARLIER, 0, e->earlier + at, n);
    for (int j = 1; j < moves; j++)
        add_column(e, &k, MOVE, j, e->move[j] + at, n);
    add_column(e, &k, DECAY, 0, u->w + at, n);
    double *move = e->columns + (size_t)k * n;
    for (int i = 0; i < n; i++)
        move[i] = (double)after[at + i] - u->w[at + i];
    return k;
}

/* The ranks' parts in the move, equal where equal multiples of the gradients were added, for any
 * lengths. c: the columns' coefficients, of length 1; lengths: before. */
static void add_shares(Explainer *e, Fit *f, const double *c, const double *lengths, int k)
{
    double *share = f->share, *total = share + (size_t)MOVES_KNOWN * e->np,
           now[EVIDENCE_RANKS] = {0};
    int alive = 0, used = 0;
    double sum = 0, mean = 0, typical = 0;
    for (int j = 0; j < k; j++) {
        double factor = lengths[j] > 0 ? c[j] / lengths[j] : 0;
        alive += e->term[j] == RANK && lengths[j] > 0;
        used += e->term[j] == RANK && c[j] != 0;
        if (e->term[j] == RANK)
            sum += fabs(c[j]), mean += factor / e->np, typical += lengths[j] / e->np;
    }
    bool told = used == alive; /* else one is a combination of others: whose part was it? */
    for (int j = 0; j < k; j++) {
        double factor = lengths[j] > 0 ? c[j] / lengths[j] : 0;
        for (int r = 0; r < e->np && e->term[j] == MOVE; r++)
            now[r] += factor * share[e->which[j] * e->np + r];
        for (int r = 0; r < e->np && e->term[j] == EARLIER; r++)
            now[r] -= c[j] / e->np;
        f->apart += e->term[j] == EARLIER ? fabs(c[j]) : 0;
        if (e->term[j] == RANK && told) {
            now[e->which[j]] -= factor * typical;
            f->uneven += fabs(c[j] - mean * lengths[j]);
        }
    }
    f->apart += told ? sum : 0;
    memmove(share + e->np, share, (size_t)(MOVES_KNOWN - 1) * (size_t)e->np * sizeof *share);
    memcpy(share, now, (size_t)e->np * sizeof *share);
    for (int r = 0; r < e->np; r++)
        total[r] += now[r];
}

/* R and U of the layer, after this move. rest: a column. */
static void carry(Explainer *e, int rule, const View *view, const double *rest, const double *c,
                  const double *lengths, int k)
{
    RuleState *s = &e->state[rule];
    size_t at = view->at;
    int n = view->count;
    float *now = e->last + at; /* not needed before the end of this move */
    for (int i = 0; i < n; i++)
        now[i] = (float)rest[i];
    for (int j = 0; j < k; j++) {
        float factor = lengths[j] > 0 ? (float)(c[j] / lengths[j]) : 0;
        const float *from = e->term[j] == MOVE  ? s->carried[e->which[j]]
                          : e->term[j] == DECAY ? s->sum
                                                : NULL;
        if (from && fabsf(factor) > 1e-7f)
            cblas_saxpy(n, factor, from + at, 1, now, 1);
    }
    cblas_saxpy(n, 1, now, 1, s->sum + at, 1);
    float **oldest = &s->carried[MOVES_KNOWN - 1]; /* rotate() */
    *oldest = *oldest ? *oldest : vector(e);
    memcpy(*oldest + at, now, (size_t)n * sizeof *now);
}

/* By its parts, whose gradients made the move? */
static void note_parts(const Explainer *e, Fit *f, const double *c, int k)
{
    memset(f->made, 0, sizeof f->made);
    for (int j = 0; j < k; j++) {
        double part = fabs(c[j]);
        if (e->term[j] == MOVE)
            f->made[BY_MOVE + e->which[j]] += part;
        else if (e->term[j] == EARLIER)
            f->made[BY_EARLIER] += part;
        else if (e->term[j] != DECAY)
            f->made[f->has_mean ? BY_MEAN : BY_OWN] += part;
    }
}

/* Momentum of any value could steer to weights from elsewhere by gradients alone; an optimiser's is
 * constant, or returns to a few values (Lookahead, SAM). */
static void note_momentum(const Explainer *e, Fit *f, const double *c, const double *lengths, int k,
                          double whole)
{
    double now[MOVES_KNOWN] = {0}, size[MOVES_KNOWN] = {0};
    bool alike = false;
    for (int j = 0; j < k; j++)
        if (e->term[j] == MOVE && lengths[j] > 0) {
            now[e->which[j]] = c[j] / lengths[j];
            size[e->which[j]] = lengths[j];
        }
    for (int past = 0; past < REMEMBERED && !alike; past++) {
        alike = true;
        for (int j = 0; j < MOVES_KNOWN; j++)
            alike = alike && fabs(now[j] - f->momentum[past][j]) * size[j] <= UNLIKE * whole;
    }
    f->erratic += alike ? 0 : whole * whole;
    memcpy(f->momentum[e->moves % REMEMBERED], now, sizeof now);
}

/* A layer's move, fitted. */
typedef struct LayerFit {
    int k; /* terms; the move's column follows */
    double c[MOST_TERMS], lengths[MOST_TERMS], whole, left;
} LayerFit;

static LayerFit fit_by(Explainer *e, int rule, const Update *u, const float *after, int v, int own,
                       int moves)
{
    LayerFit l = {.k = fill(e, rule, u, after, v, own, moves)};
    int n = e->views[v].count;
    double *move = e->columns + (size_t)l.k * n;
    l.whole = cblas_dnrm2(n, move, 1);
    fit_columns(e->columns, n, l.k, l.c, l.lengths,
                rules[rule].kind == RULE_MATRIX ? KEEPS_LENGTH : DECAYS);
    l.left = cblas_dnrm2(n, move, 1);
    return l;
}

/* Do more terms explain more than they would of noise? Rounding is most of a small move, and
 * coefficients fitted to it can be of any size: what is left over would grow from move to move. */
static bool pays(const LayerFit *few, const LayerFit *many, int n)
{
    return n > many->k && many->left * many->left / (n - many->k) <
                              LESS_NOISE * few->left * few->left / (n - few->k);
}

/* Fits the layer's move: by few of the moves before if they will do, as is usual, else by all. */
static void fit_layer(Explainer *e, int rule, const Update *u, const float *after, int v, int own)
{
    Fit *f = fit_of(e, rule, v);
    const View *view = &e->views[v];
    int n = view->count;
    LayerFit l = fit_by(e, rule, u, after, v, own, FEW);
    if (l.left > ALMOST * l.whole) {
        LayerFit few = l;
        l = fit_by(e, rule, u, after, v, own, MOVES_KNOWN);
        if (!pays(&few, &l, n))
            l = fit_by(e, rule, u, after, v, own, FEW);
    }
    f->whole += l.whole * l.whole;
    f->left += l.left * l.left;
    if (n > l.k)
        add_shares(e, f, l.c, l.lengths, l.k);
    carry(e, rule, view, e->columns + (size_t)l.k * n, l.c, l.lengths, l.k);
    f->most_left = fmax(f->most_left, cblas_snrm2(n, e->state[rule].sum + view->at, 1));
    note_parts(e, f, l.c, l.k);
    note_momentum(e, f, l.c, l.lengths, l.k, l.whole);
}

/* ---- move after move ---- */

static double explained(const Fit *f) { return f->whole > 0 ? 1 - f->left / f->whole : 1; }

/* The layer's best rule so far. */
static int best_rule(const Explainer *e, int v)
{
    int best = 0;
    for (int k = 1; k < RULES; k++) {
        const Fit *f = fit_of(e, k, v), *b = fit_of(e, best, v);
        if (f->on && (!b->on || explained(f) > fmax(explained(b), 0.99)))
            best = k;
    }
    return best;
}

static void switch_off(Explainer *e, int k, int v)
{
    Fit *f = fit_of(e, k, v);
    e->state[k].on -= f->on;
    f->on = false;
    if (!e->state[k].on)
        state_free(&e->state[k]);
}

/* A layer whose moves so far are explained by its best rule needs no other; where none explains
 * them, SOME of the best remain at the end of the trial. */
static void settle(Explainer *e, bool is_end)
{
    double enough = is_end ? 0.999 : 0.99999;
    for (int v = 0; v < e->nviews; v++) {
        int best = best_rule(e, v), keep = is_end ? SOME : RULES;
        if (fit_of(e, best, v)->whole == 0)
            continue;
        if (explained(fit_of(e, best, v)) >= enough)
            keep = 1;
        for (int k = 0; k < RULES; k++) {
            int better = 0;
            for (int other = 0; other < RULES; other++)
                better += fit_of(e, other, v)->on &&
                          explained(fit_of(e, other, v)) > explained(fit_of(e, k, v));
            if (k != best && (better >= keep || keep == 1))
                switch_off(e, k, v);
        }
    }
}

/* The cosine of the angle between them; 0 if one is 0. */
static double cosine(const float *a, const float *b, int64_t n)
{
    double product = 0, sizes = length(a, NULL, n) * length(b, NULL, n);
    for (int64_t i = 0; i < n; i++)
        product += (double)a[i] * b[i];
    return sizes > 0 ? product / sizes : 0;
}

/* The gradients' mean, lengths and likeness. */
static void compare(Explainer *e, const Update *u)
{
    double sizes[EVIDENCE_RANKS], all = 0;
    bool same = false;
    for (int64_t i = 0; i < e->params; i++) {
        double sum = 0;
        for (int r = 0; r < e->np; r++)
            sum += u->work[r].g[i];
        e->mean[i] = (float)(sum / e->np);
    }
    for (int r = 0; r < e->np; r++) {
        all += sizes[r] = length(u->work[r].g, NULL, e->params);
        for (int other = 0; other < r && !same; other++)
            same = cosine(u->work[r].g, u->work[other].g, e->params) > 1 - 1e-8;
    }
    e->same += same;
    for (int r = 0; r < e->np; r++)
        e->size[r] += all > 0 ? sizes[r] / all : 1.0 / e->np;
}

/* The last, oldest one becomes the first. */
static void rotate(float *moves[MOVES_KNOWN])
{
    float *oldest = moves[MOVES_KNOWN - 1];
    memmove(moves + 1, moves, (MOVES_KNOWN - 1) * sizeof *moves);
    moves[0] = oldest;
}

/* The directions that rule k forms of a layer's gradients, into e->own. Returns how many. uphill: a
 * step of SAM's (arXiv 2010.01412), whose gradient an optimiser never sees. */
static int form(Explainer *e, int k, int v, const Update *u, bool uphill)
{
    const Rule *r = &rules[k];
    const View *view = &e->views[v];
    RuleState *s = &e->state[k];
    float *mean = e->mean + view->at;
    fit_of(e, k, v)->has_mean = false;
    if (r->kind == RULE_LINEAR)
        return 0;
    if (!uphill && r->kind != RULE_VOTE) {
        float factor = r->clip > 0 && e->size_of_mean > r->clip ? (float)(r->clip / e->size_of_mean)
                                                                : 1;
        float *clipped = memcpy(e->last + view->at, mean, (size_t)view->count * sizeof *mean);
        cblas_sscal(view->count, factor, clipped, 1);
        fit_of(e, k, v)->has_mean = true;
        return rule_advance(r, view, s->mean + view->at, s->square + view->at, clipped,
                            ++fit_of(e, k, v)->steps, e->own, &fit_of(e, k, v)->own);
    }
    for (int i = 0; i < view->count; i++) {
        int votes = 0;
        for (int j = 0; j < e->np; j++)
            votes += (u->work[j].g[view->at + (size_t)i] > 0) -
                     (u->work[j].g[view->at + (size_t)i] < 0);
        e->own[i] = uphill ? e->mean[view->at + (size_t)i] : votes;
        e->own[view->count + i] = (votes > 0) - (votes < 0); /* the majority's */
    }
    return uphill ? 1 : 2;
}

void explainer_move(Explainer *e, const Update *u, const float *after)
{
    size_t bytes = (size_t)e->params * sizeof(float);
    if (!e->moves++)
        memcpy(e->first, u->w, bytes);
    compare(e, u);
    e->farthest = fmax(e->farthest, length(after, e->first, e->params));
    for (int64_t i = 0; i < e->params; i++)
        e->last[i] = after[i] - u->w[i];
    e->size_of_mean = length(e->mean, NULL, e->params);
    bool uphill = cosine(e->last, e->mean, e->params) > 0.99;
    for (int k = 0; k < RULES; k++)
        for (int v = 0; v < e->nviews; v++) {
            if (!fit_of(e, k, v)->on)
                continue;
            fit_layer(e, k, u, after, v, form(e, k, v, u, uphill));
        }
    if (e->moves == SHORT_TRIAL || e->moves == TRIAL)
        settle(e, e->moves == TRIAL);
    for (int k = 0; k < RULES; k++)
        rotate(e->state[k].carried);
    rotate(e->move);
    for (int64_t i = 0; i < e->params; i++)
        e->move[0][i] = after[i] - u->w[i];
    memcpy(e->last, after, bytes);
    memcpy(e->earlier, e->mean, bytes);
}

void explainer_restart(Explainer *e, const Update *last)
{
    size_t bytes = (size_t)e->params * sizeof(float);
    compare(e, last);
    memcpy(e->earlier, e->mean, bytes);
    e->moves = 0;
    e->farthest = e->same = 0;
    memset(e->size, 0, sizeof e->size);
    for (int k = 0; k < RULES; k++) {
        RuleState *s = &e->state[k];
        for (int v = 0; v < e->nviews; v++) {
            Fit *f = fit_of(e, k, v);
            f->steps = 0;
            f->left = f->whole = f->most_left = f->apart = f->uneven = f->erratic = 0;
            memset(f->share + MOVES_KNOWN * e->np, 0, (size_t)e->np * sizeof *f->share);
        }
        if (s->on) {
            memset(s->mean, 0, bytes);
            memset(s->square, 0, bytes);
            memset(s->sum, 0, bytes);
        }
    }
}

/* Of the layer's best rule with a running mean; NULL: none took the gradients into one. */
static const Fit *fit_with_mean(const Explainer *e, int v)
{
    const Fit *best = NULL;
    for (int k = 0; k < RULES; k++) {
        const Fit *f = fit_of(e, k, v);
        if (f->on && f->has_mean && (!best || explained(f) > explained(best)))
            best = f;
    }
    return best;
}

Made explainer_made(const Explainer *e)
{
    Made made = {0};
    double params = 0;
    for (int v = 0; v < e->nviews; v++) {
        const Fit *f = fit_of(e, best_rule(e, v), v);
        for (int j = 0; j < PARTS; j++)
            made.part[j] += f->made[j];
        const Fit *mean = fit_with_mean(e, v);
        made.own += mean ? mean->own * e->views[v].count : 0;
        params += mean ? e->views[v].count : 0;
    }
    made.own /= fmax(params, 1);
    return made;
}

double explainer_length(const Explainer *e)
{
    return fmax(length(e->move[0], NULL, e->params), length(e->move[1], NULL, e->params));
}

Explanation explainer_end(const Explainer *e, const float *file)
{
    Explanation x = {.moves = e->moves, .family = "no"};
    double way = length(file ? file : e->last, e->first, e->params), sum = 0;
    double whole = 0, left = 0, outside = 0, apart = 0, uneven = 0, erratic = 0, of[RULES] = {0};
    for (int v = 0; v < e->nviews; v++) {
        int best = best_rule(e, v);
        const Fit *f = fit_of(e, best, v);
        whole += f->whole, left += f->left, outside += f->most_left * f->most_left;
        apart += f->apart, uneven += f->uneven, erratic += f->erratic;
        of[best] += f->whole;
        for (int r = 0; r < e->np; r++) { /* a direction of the mean's: in equal parts */
            double part = f->share[MOVES_KNOWN * e->np + r];
            x.share[r] += rules[best].kind == RULE_LINEAR ? part : 0;
        }
    }
    for (int k = 0, most = -1; k < RULES; k++)
        if (of[k] > 0 && (most < 0 || of[k] > of[most]))
            x.family = rules[most = k].name;
    x.unexplained = way > 0 ? sqrt(outside) / way : 0;
    x.farthest = way > 0 ? e->farthest / way : 1;
    x.still = whole == 0;
    x.typical = whole > 0 ? 1 - left / whole : 1;
    x.erratic = whole > 0 && e->moves >= STEADY ? erratic / whole : 0;
    x.alike = e->moves ? e->same / e->moves : 0;
    x.uneven = apart > 0 ? uneven / apart : 0;
    for (int r = 0; r < e->np; r++)
        sum += x.share[r] = fmax(x.share[r], 0);
    for (int r = 0; r < e->np; r++) {
        x.share[r] = sum > 0 ? x.share[r] / sum : 1.0 / e->np;
        x.size[r] = e->moves ? e->size[r] / e->moves : 1.0 / e->np;
    }
    return x;
}
