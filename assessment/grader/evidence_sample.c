/* evidence_sample.c: which updates' gradients are computed again.
 *
 * What counts is an update's part in the way from w(0) to the file's weights, which is known at the
 * end alone; a long training's updates do not all fit into memory until then. So two draws: while
 * it trains, some hundred moves stay, with probabilities in proportion to their lengths (Efraimidis
 * and Spirakis, 2006); at the end those are drawn from them that are recomputed, by their parts
 * c = move * way / way * way. So many that weights from elsewhere, which came in by gradients that
 * are no gradients, are missed in one of ten thousand trainings: the more, the longer the path is
 * along the way.
 *
 * A move is not made of its own gradient alone: momentum carries on the moves before, however old
 * their gradients are. So whose gradient stands for a move is drawn, too, by the parts that the fit
 * found (explainer_made): its own, or one that was drawn before for an earlier move or for the
 * optimiser's running mean. Several independent draws are carried along.
 */
#include "check.h"
#include "inspection.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SAMPLE_LEAST = 64, LONGEST = 8, LEAST = 32, DRAWS = 8 };
static const double MOST_BYTES = 1 << 29;         /* of what is kept, about */
static const double MISSED = 1e-4, FOREIGN = 0.5; /* trainings; of the way */
static const double ANYWHERE = 0.25;              /* of the draws: of any moves */
/* By lengths, what momentum carried on is traced back less far than it came. */
static const double DRAWS_FOR_ONE = 4;

typedef struct Kept {
    Update *source; /* whose gradients stand for it */
    float *move;    /* [params] */
    double length, key;
} Kept;

/* Whose gradients stand for something, drawn DRAWS times. NULL: nobody's yet. */
typedef struct Sources {
    Update *of[DRAWS];
} Sources;

struct Sample {
    int64_t params;
    Kept kept[SAMPLE_MOST];
    int count, room;
    double path;                      /* the sum of all moves' lengths */
    Update *before;                   /* the last update */
    Sources moves[MOVES_KNOWN], mean; /* of the last moves, newest first; of the running mean */
};

double sample_draw(void)
{
    uint64_t bits;
    ASSERT(getrandom(&bits, sizeof bits, 0) == sizeof bits);
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

Sample *sample_new(int64_t params, double bytes)
{
    Sample *s = alloc(1, sizeof *s);
    s->params = params;
    s->room = (int)fmin(fmax(MOST_BYTES / bytes, SAMPLE_LEAST), SAMPLE_MOST);
    return s;
}

static Update *share(Update *u)
{
    u->holders++;
    return u;
}

static void sources_free(Sources *s)
{
    for (int i = 0; i < DRAWS; i++)
        update_free(s->of[i]);
    *s = (Sources){0};
}

static void forget_kept(Sample *s)
{
    for (int i = 0; i < s->count; i++) {
        update_free(s->kept[i].source);
        free(s->kept[i].move);
    }
    s->count = 0;
    s->path = 0;
}

void sample_free(Sample *s)
{
    if (!s)
        return;
    forget_kept(s);
    for (int j = 0; j < MOVES_KNOWN; j++)
        sources_free(&s->moves[j]);
    sources_free(&s->mean);
    update_free(s->before);
    free(s);
}

void sample_restart(Sample *s, Update *last)
{
    forget_kept(s);
    update_free(s->before);
    s->before = share(last);
}

/* Index k with a probability in proportion to weight[k]. */
static int draw_one(const double *weight, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += weight[k];
    double at = sample_draw() * sum;
    int last = 0;
    for (int k = 0; k < n; k++) {
        if (weight[k] > 0)
            last = k;
        if ((at -= weight[k]) < 0)
            break;
    }
    return last;
}

static Update *one_of(const Sources *s) { return s->of[(int)(sample_draw() * DRAWS)]; }

/* Whose gradients stand for the last move, and for the running mean now. */
static void draw_sources(Sample *s, Update *u, Made made)
{
    Sources mean, move;
    for (int i = 0; i < DRAWS; i++) {
        Update *of = sample_draw() < made.own ? u : s->mean.of[i];
        mean.of[i] = of ? share(of) : NULL;
    }
    sources_free(&s->mean);
    s->mean = mean;
    for (int i = 0; i < DRAWS; i++) {
        int k = draw_one(made.part, PARTS);
        Update *of = k == BY_OWN     ? u
                   : k == BY_EARLIER ? s->before
                   : k == BY_MEAN    ? one_of(&s->mean)
                                     : one_of(&s->moves[k - BY_MOVE]);
        move.of[i] = share(of ? of : u);
    }
    sources_free(&s->moves[MOVES_KNOWN - 1]);
    memmove(s->moves + 1, s->moves, (MOVES_KNOWN - 1) * sizeof *s->moves);
    s->moves[0] = move;
    update_free(s->before);
    s->before = share(u);
}

void sample_add(Sample *s, Update *u, const float *after, Made made)
{
    int least = 0;
    draw_sources(s, u, made);
    Kept new = {.move = alloc((size_t)s->params, sizeof(float))};
    for (int64_t i = 0; i < s->params; i++)
        new.move[i] = after[i] - u->w[i];
    new.length = cblas_snrm2((int)s->params, new.move, 1);
    s->path += new.length;
    new.key = new.length > 0 ? log(sample_draw()) / new.length : -INFINITY;
    for (int i = 0; i < s->count; i++)
        least = s->kept[i].key < s->kept[least].key ? i : least;
    bool full = s->count == s->room;
    if (full && new.key <= s->kept[least].key) {
        free(new.move);
        return;
    }
    if (full) {
        update_free(s->kept[least].source);
        free(s->kept[least].move);
    } else
        least = s->count++;
    new.source = share(one_of(&s->moves[0]));
    s->kept[least] = new;
}

/* How likely was it that this move stayed? */
static double chance(const Sample *s, const Kept *k)
{
    return s->path > 0 ? fmin(1, s->room * k->length / s->path) : 1;
}

/* The one with the largest weight, whose weight becomes 0. */
static int take_largest(double *weight, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = weight[i] > weight[best] ? i : best;
    weight[best] = 0;
    return best;
}

int sample_choose(Sample *s, const float *first, const float *file, Update *chosen[SAMPLE_MOST],
                  int *needed)
{
    int n = (int)s->params, count = 0, drawn = 0;
    double whole = 0, *weight = alloc((size_t)s->room, sizeof *weight);
    double *part = alloc((size_t)s->room, sizeof *part);
    float *way = memcpy(alloc((size_t)n, sizeof *way), file, (size_t)n * sizeof *way);
    cblas_saxpy(n, -1, first, 1, way, 1);
    double squared = cblas_dsdot(n, way, 1, way, 1);
    for (int k = 0; k < s->count; k++) {
        part[k] = squared > 0 ? fabs(cblas_dsdot(n, s->kept[k].move, 1, way, 1)) / squared : 0;
        whole += weight[k] = part[k] / chance(s, &s->kept[k]);
    }
    double draws = -log(MISSED) * whole / FOREIGN / (1 - ANYWHERE) * DRAWS_FOR_ONE;
    *needed = (int)fmax(LEAST, fmin(ceil(draws), 1e6));
    for (int k = 0; k < s->count; k++)
        weight[k] += whole * ANYWHERE / (1 - ANYWHERE) / s->count;
    while (drawn < s->count && drawn < *needed) {
        int k = drawn < LONGEST ? take_largest(part, s->count) : draw_one(weight, s->count);
        weight[k] = 0;
        Update *u = s->kept[k].source;
        bool twice = false;
        for (int i = 0; i < count; i++)
            twice = twice || chosen[i] == u;
        if (!twice)
            chosen[count++] = u;
        drawn++;
    }
    if (s->count < s->room) /* there were no other moves */
        *needed = drawn;
    *needed -= drawn - count;
    free(weight), free(part), free(way);
    return count;
}
