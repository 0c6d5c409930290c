/* evidence_images.c: which images each rank trained on, and in which epoch, by the loader's own
 * words; replay_update holds some of them against the batches. */
#include "check.h"
#include "inspection.h"
#include <math.h>
#include <stdlib.h>

struct Usage {
    int np, images, epoch_now, epochs; /* epochs begun, in rank 0's words */
    int64_t trained, unknown, shared, again, own[EVIDENCE_RANKS];
    int32_t *epoch;  /* [images]: in which one it was last used, from 1 … */
    int32_t *update; /* … in which update, from 1 … */
    int8_t *rank;    /* … and by whom */
};

Usage *usage_new(int np, int images)
{
    Usage *u = alloc(1, sizeof *u);
    *u = (Usage){.np = np,
                 .images = images,
                 .epoch = alloc((size_t)images, sizeof *u->epoch),
                 .update = alloc((size_t)images, sizeof *u->update),
                 .rank = alloc((size_t)images, sizeof *u->rank)};
    return u;
}

void usage_free(Usage *u)
{
    free(u->epoch), free(u->update), free(u->rank);
    free(u);
}

/* One rank's word for the epoch counts for all. */
static void add_pass(Usage *u, const Pass *p, int update)
{
    int r = p->head.rank, epoch = u->epoch_now;
    u->trained += p->head.n;
    u->own[r] += p->head.n;
    for (int i = 0; i < p->head.n; i++) {
        int image = p->picks ? p->picks[i].image : -1;
        if (image < 0 || image >= u->images) {
            u->unknown++;
            continue;
        }
        bool twice = u->epoch[image] == epoch || u->update[image] == update;
        u->shared += twice && u->rank[image] != r;
        u->again += twice && u->rank[image] == r;
        u->epoch[image] = epoch;
        u->update[image] = update;
        u->rank[image] = (int8_t)r;
    }
}

void usage_add(Usage *u, const Update *update)
{
    int epoch = 1 + update->work[0].pass[0]->head.epoch;
    u->epochs += epoch != u->epoch_now;
    u->epoch_now = epoch;
    for (int r = 0; r < update->np; r++)
        for (int i = 0; i < update->work[r].passes; i++)
            add_pass(u, update->work[r].pass[i], update->index + 1);
}

UsageEnd usage_end(const Usage *u)
{
    int64_t least = u->own[0], known = u->trained - u->unknown;
    for (int r = 1; r < u->np; r++)
        least = u->own[r] < least ? u->own[r] : least;
    return (UsageEnd){.trained = (double)u->trained,
                      .unknown = (double)u->unknown,
                      .shared = known ? (double)u->shared / (double)known : 0,
                      .again = known ? (double)u->again / (double)known : 0,
                      .epoch = known && u->epochs > 1
                                 ? (double)known / (double)u->epochs / u->images
                                 : 1,
                      .least = u->trained ? (double)least * u->np / (double)u->trained : 0};
}

/* ---- batches that no loader made ---- */

enum { SHIFT = 4, GRID = 8, STRIDE = 3 }; /* compared: GRID x GRID points of the middle */

/* The points' values, with mean 0 and length 1, so that brightness and contrast are gone. */
static void normalise(double *v, int n)
{
    double mean = 0, size = 0;
    for (int i = 0; i < n; i++)
        mean += v[i] / n;
    for (int i = 0; i < n; i++)
        size += (v[i] - mean) * (v[i] - mean);
    size = sqrt(size > 0 ? size : 1);
    for (int i = 0; i < n; i++)
        v[i] = (v[i] - mean) / size;
}

static int point(int k, int side) { return (side - (GRID - 1) * STRIDE) / 2 + k * STRIDE; }

bool is_known_image(const Dataset *given, const Pass *p, int i)
{
    const Images *set = &given->train;
    int h = set->h, w = set->w, c = set->c, n = GRID * GRID * c;
    if (p->head.h != h || p->head.w != w || p->head.c != c || h < 32 || w < 32)
        return false;
    const float *x = p->x + (size_t)i * (size_t)h * (size_t)w * (size_t)c;
    double best = -1, wanted[GRID * GRID * 4], other[GRID * GRID * 4];
    for (int k = 0; k < n; k++)
        wanted[k] = x[(point(k / c / GRID, h) * w + point(k / c % GRID, w)) * c + k % c] /
                    given->istd[k % c];
    normalise(wanted, n);
    for (int j = 0; j < set->count && best < 0.999; j++) {
        const uint8_t *pixels = set->pixels + (size_t)j * (size_t)h * (size_t)w * (size_t)c;
        if (set->labels[j] != p->labels[i])
            continue;
        for (int move = 0; move < 2 * (2 * SHIFT + 1) * (2 * SHIFT + 1); move++) {
            int dy = move / 2 / (2 * SHIFT + 1) - SHIFT, dx = move / 2 % (2 * SHIFT + 1) - SHIFT;
            for (int k = 0; k < n; k++) {
                int row = point(k / c / GRID, h) + dy, col = point(k / c % GRID, w) + dx;
                col = move & 1 ? w - 1 - col : col;
                other[k] = pixels[(row * w + col) * c + k % c];
            }
            normalise(other, n);
            double product = 0;
            for (int k = 0; k < n; k++)
                product += wanted[k] * other[k];
            best = product > best ? product : best;
        }
    }
    return best >= 0.99;
}
