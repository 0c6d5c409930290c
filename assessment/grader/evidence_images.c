/* evidence_images.c: which images each rank trained on, and in which epoch, as the loader
 * reports; replay_update holds some of them against the batches. Epochs are rank 0's, for all
 * ranks, and no new one begins before half of the images were used: by any other count they are on
 * two ranks. */
#include "check.h"
#include "inspection.h"
#include <math.h>
#include <stdlib.h>

enum { MARKED = 20, ENOUGH = 10 };

struct Usage {
    int np, images;
    int64_t trained, unknown, shared, at_once;
    int64_t known[EVIDENCE_RANKS], again[EVIDENCE_RANKS];
    double own[EVIDENCE_RANKS];    /* as many of equal weight make as good a mean */
    double weight[EVIDENCE_RANKS]; /* the sum of the samples' weights */
    /* In batches that no loader made: images, and those of them that are marked. */
    int64_t unmade[EVIDENCE_RANKS], found[EVIDENCE_RANKS];
    int64_t since; /* images used since this epoch began */
    const Dataset *given;
    int32_t marked[MARKED]; /* images that are looked for in batches that no loader made */
    int32_t said, now;
    int32_t *epoch;  /* [images]: in which one it was last used, from 1 … */
    int32_t *update; /* … in which update, from 1 … */
    int8_t *rank;    /* … and by whom */
    bool *repeated;  /* … and in the update before, too */
};

Usage *usage_new(int np, const Dataset *given)
{
    int images = given->train.count;
    Usage *u = alloc(1, sizeof *u);
    *u = (Usage){.np = np,
                 .images = images,
                 .given = given,
                 .epoch = alloc((size_t)images, sizeof *u->epoch),
                 .update = alloc((size_t)images, sizeof *u->update),
                 .rank = alloc((size_t)images, sizeof *u->rank),
                 .repeated = alloc((size_t)images, sizeof *u->repeated)};
    for (int i = 0; i < MARKED; i++)
        u->marked[i] = (int32_t)(sample_draw() * images);
    return u;
}

void usage_free(Usage *u)
{
    free(u->epoch), free(u->update), free(u->rank), free(u->repeated);
    free(u);
}

static void begin_epoch(Usage *u, const Pass *p)
{
    bool over = p->picks ? p->head.epoch != u->said && u->since >= u->images / 2
                         : u->since >= u->images;
    if (over) {
        u->now++;
        u->since = 0;
    }
    u->said = p->head.epoch;
}

void usage_begin_again(Usage *u)
{
    u->now++;
    u->since = u->images; /* the loader's next epoch may begin at once */
}

static void use(Usage *u, int image, int rank, int epoch, int update)
{
    bool now = u->update[image] == update, twice = u->epoch[image] == epoch || now;
    bool own = u->rank[image] == rank;
    u->at_once += now && !own;
    u->shared += twice && !own;
    bool repeated = own && u->update[image] == update - 1 && !u->repeated[image];
    u->known[rank]++;
    u->again[rank] += twice && own && !repeated;
    u->repeated[image] = repeated;
    u->epoch[image] = epoch;
    u->update[image] = update;
    u->rank[image] = (int8_t)rank;
}

static void add_pass(Usage *u, const Pass *p, int update)
{
    int r = p->head.rank, n = p->head.n;
    double sum = 0, squares = 0;
    u->since += n;
    u->trained += n;
    for (int i = 0; i < n; i++) {
        double weight = p->weights ? fabs(p->weights[i]) : 1;
        sum += weight, squares += weight * weight;
        int image = p->picks ? p->picks[i].image : p->marked ? p->marked[i] : -1;
        if (image < 0 || image >= u->images)
            u->unknown++;
        else
            use(u, image, r, 1 + u->now, update);
    }
    u->own[r] += squares > 0 ? sum * sum / squares : 0;
    u->weight[r] += sum;
    u->unmade[r] += p->marked ? n : 0;
    for (int i = 0; i < n && p->marked; i++)
        u->found[r] += p->marked[i] >= 0;
}

void usage_add(Usage *u, const Update *update)
{
    for (int i = 0, some = 1; some; i++) {
        some = 0;
        for (int r = 0; r < update->np; r++)
            if (i < update->work[r].passes) {
                if (r == 0)
                    begin_epoch(u, update->work[0].pass[i]);
                add_pass(u, update->work[r].pass[i], update->index + 1);
                some++;
            }
    }
}

/* The rank with least: its part of an equal share. */
static double least_of(const double *v, int n)
{
    double least = v[0], all = 0;
    for (int r = 0; r < n; r++)
        least = fmin(least, v[r]), all += v[r];
    return all > 0 ? least * n / all : 0;
}

UsageEnd usage_end(const Usage *u)
{
    double all = 0, known = (double)(u->trained - u->unknown), again = 0, found = 1;
    for (int r = 0; r < u->np; r++) {
        double expected = (double)u->unmade[r] * MARKED / u->images;
        all += u->own[r];
        again = fmax(again, u->known[r] ? (double)u->again[r] / (double)u->known[r] : 0);
        found = expected >= ENOUGH ? fmin(found, (double)u->found[r] / expected) : found;
    }
    return (UsageEnd){.trained = (double)u->trained,
                      .unknown = (double)u->unknown,
                      .shared = known > 0 ? (double)u->shared / known : 0,
                      .at_once = known > 0 ? (double)u->at_once / known : 0,
                      .again = again,
                      .found = found,
                      .least = fmin(least_of(u->own, u->np), least_of(u->weight, u->np)),
                      .counting = u->trained ? all / (double)u->trained : 0};
}

/* ---- batches that no loader made ---- */

/* Compared: GRID x GRID points of the middle, moved by up to SHIFT, then all pixels. */
enum { SHIFT = 4, SIDE = 2 * SHIFT + 1, GRID = 8, STRIDE = 3 };
static const double ALIKE = 0.99, MOST_CONTRAST = 4;

/* The points' values, with mean 0 and length 1, so that brightness and contrast are gone. Returns
 * the length before. */
static double normalise(double *v, int n)
{
    double mean = 0, size = 0;
    for (int i = 0; i < n; i++)
        mean += v[i] / n;
    for (int i = 0; i < n; i++)
        size += (v[i] - mean) * (v[i] - mean);
    size = sqrt(size > 0 ? size : 1);
    for (int i = 0; i < n; i++)
        v[i] = (v[i] - mean) / size;
    return size;
}

static int point(int k, int side) { return (side - (GRID - 1) * STRIDE) / 2 + k * STRIDE; }

/* The most that n points of the batch's image and of the data set's, so moved, have in common. */
static double product(const double *wanted, double *other, int n)
{
    double sum = 0;
    normalise(other, n);
    for (int k = 0; k < n; k++)
        sum += wanted[k] * other[k];
    return sum;
}

static bool is_batch_of(const Images *set, const Pass *p)
{
    return p->head.h == set->h && p->head.w == set->w && p->head.c == set->c && set->h >= 32 &&
           set->w >= 32 && set->c <= 4;
}

/* All pixels that both have: image j moved by dy, dx, mirrored or not. */
static double whole_product(const Dataset *given, int j, const float *x, int dy, int dx, bool flip)
{
    const Images *set = &given->train;
    int h = set->h, w = set->w, c = set->c, n = 0;
    const uint8_t *pixels = set->pixels + (size_t)j * (size_t)h * (size_t)w * (size_t)c;
    double *wanted = alloc((size_t)(h * w * c), sizeof *wanted);
    double *other = alloc((size_t)(h * w * c), sizeof *other);
    for (int row = 0; row < h; row++)
        for (int col = 0; col < w; col++) {
            int y = row + dy, from = flip ? w - 1 - (col + dx) : col + dx;
            if (y < 0 || y >= h || from < 0 || from >= w)
                continue;
            for (int ch = 0; ch < c; ch++, n++) {
                wanted[n] = x[(row * w + col) * c + ch] / given->istd[ch];
                other[n] = pixels[(y * w + from) * c + ch];
            }
        }
    double contrast = normalise(wanted, n) / (normalise(other, n) / 255);
    double result = product(wanted, other, n);
    free(wanted), free(other);
    return contrast > 1 / MOST_CONTRAST && contrast < MOST_CONTRAST ? result : -1;
}

/* How much are they alike, at best, 1: the same? */
static double likeness(const Dataset *given, int j, const Pass *p, int i)
{
    const Images *set = &given->train;
    int h = set->h, w = set->w, c = set->c, n = GRID * GRID * c, found = 0;
    const float *x = p->x + (size_t)i * (size_t)h * (size_t)w * (size_t)c;
    const uint8_t *pixels = set->pixels + (size_t)j * (size_t)h * (size_t)w * (size_t)c;
    double best = -1, wanted[GRID * GRID * 4], other[GRID * GRID * 4];
    for (int k = 0; k < n; k++)
        wanted[k] = x[(point(k / c / GRID, h) * w + point(k / c % GRID, w)) * c + k % c] /
                    given->istd[k % c];
    normalise(wanted, n);
    for (int move = 0; move < 2 * SIDE * SIDE; move++) {
        int dy = move / 2 / SIDE - SHIFT, dx = move / 2 % SIDE - SHIFT;
        for (int k = 0; k < n; k++) {
            int row = point(k / c / GRID, h) + dy, col = point(k / c % GRID, w) + dx;
            col = move & 1 ? w - 1 - col : col;
            other[k] = pixels[(row * w + col) * c + k % c];
        }
        double now = product(wanted, other, n);
        if (now > best)
            best = now, found = move;
    }
    if (best < ALIKE) /* the points do not fit: nor do all pixels */
        return best;
    return whole_product(given, j, x, found / 2 / SIDE - SHIFT, found / 2 % SIDE - SHIFT,
                         found & 1);
}

bool is_image(const Dataset *given, int image, const Pass *p, int i)
{
    return is_batch_of(&given->train, p) && given->train.labels[image] == p->labels[i] &&
           likeness(given, image, p, i) >= ALIKE;
}

int known_image(const Dataset *given, const Pass *p, int i)
{
    for (int j = 0; j < given->train.count; j++)
        if (is_image(given, j, p, i))
            return j;
    return -1;
}

void usage_mark(const Usage *u, Pass *p)
{
    p->marked = alloc((size_t)p->head.n, sizeof *p->marked);
    for (int i = 0; i < p->head.n; i++) {
        p->marked[i] = -1;
        for (int k = 0; k < MARKED && p->marked[i] < 0; k++)
            if (is_image(u->given, u->marked[k], p, i))
                p->marked[i] = u->marked[k];
    }
}
