/* split_study.c: see split_study.h. */
#include "split_study.h"
#include "check.h"
#include "rng.h"
#include "split_mpi.h"
#include <math.h>
#include <string.h>

const char *const split_layers[SPLIT_LAYERS] = {"MLP by weights: both passes",
                                                "MLP by positions: forward",
                                                "ring attention: forward"};
enum { HEAD = 64 }; /* numbers of a head's query, key and value */

void split_open(SplitStudy *s, MPI_Comm world)
{
    int rank, size;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    for (int i = 0; i < SPLIT_SIZES; i++) {
        int P = 1 << i;
        MPI_Comm_split(world, rank < P && P <= size ? 0 : MPI_UNDEFINED, rank, &s->group[i]);
    }
    for (int k = 0; k < SPLIT_LAYERS; k++)
        for (int i = 0; i < SPLIT_SIZES; i++)
            s->found[k][i].seconds = NAN;
}

void split_close(SplitStudy *s)
{
    for (int i = 0; i < SPLIT_SIZES; i++)
        if (s->group[i] != MPI_COMM_NULL)
            MPI_Comm_free(&s->group[i]);
}

/* ---- what is predicted ---- */

double split_sent(const SplitStudy *s, SplitLayer layer, int P)
{
    double whole = 4.0 * s->positions * s->width, share = (P - 1.0) / P;
    switch (layer) {
    case LAYER_TENSOR: return 4 * share * whole; /* two all-reduces */
    case LAYER_SEQUENCE: return 2 * share * whole;
    default: return (P - 1.0) * 2 * 4 * s->positions / P * HEAD;
    }
}

double split_predicted(const SplitStudy *s, SplitLayer layer, int P)
{
    double whole = 4.0 * s->positions * s->width, computing = s->compute[layer] / P;
    switch (layer) {
    case LAYER_TENSOR: return computing + 2 * link_seconds(LINK_ALL_REDUCE, P, whole, s->link);
    case LAYER_SEQUENCE:
        return computing + 2 * link_seconds(LINK_REDUCE_SCATTER, P, whole, s->link);
    default:
        return computing + (P - 1) * s->link.latency + split_sent(s, layer, P) / s->link.bandwidth;
    }
}

/* Multiply-adds per position: 12 C² by weights, and T C by causal attention (half of T, twice); a
 * backward pass has twice a forward pass's. At the MLP's rate, which makes 3 · 8 C². */
BlockWork split_block(const SplitStudy *s, double samples, double positions)
{
    double C = s->width, per_position = 3 * (12 * C * C + positions * C);
    double rate = s->positions * 24 * C * C / s->compute[LAYER_TENSOR];
    return (BlockWork){.compute = samples * positions * per_position / rate,
                       .weights = 4 * 12 * C * C,
                       .activation = 4 * samples * positions * C};
}

/* ---- the layers ---- */

/* What goes in and what comes out on one rank: of all positions, or of the rank's. */
typedef struct Numbers {
    MlpShard m;
    int n;                  /* positions here */
    float *x, *dy, *y, *dx; /* [n, C]; of the head x is q and y is out, [n, HEAD] */
    float *kv;              /* [2, n, HEAD] */
} Numbers;

/* [rows, columns] of a random matrix with rows of `width` numbers, from (row, column) on. */
static float *drawn(int matrix, int width, int row, int column, int rows, int columns, double scale)
{
    float *v = alloc((unsigned long)rows * (unsigned long)columns, sizeof *v);
    for (int i = 0; i < rows; i++) {
        Rng r = rng_at(1, RNG_TEST, (uint64_t)matrix, (uint64_t)(row + i));
        for (int k = -column; k < width - column; k++) {
            float number = (float)scale * rng_normal(&r);
            if (k >= 0 && k < columns)
                v[i * columns + k] = number;
        }
    }
    return v;
}
static float *room(int rows, int columns)
{
    return alloc((unsigned long)rows * (unsigned long)columns, sizeof(float));
}

static Numbers numbers_new(const SplitStudy *s, SplitLayer layer, int rank, int P)
{
    int T = s->positions, C = s->width, F = 4 * C / P, n = layer == LAYER_TENSOR ? T : T / P;
    int first = layer == LAYER_TENSOR ? 0 : rank * n;
    if (layer == LAYER_RING) {
        Numbers head = {.n = n, .x = drawn(0, HEAD, first, 0, n, HEAD, 1), .y = room(n, HEAD)};
        float *k = drawn(1, HEAD, first, 0, n, HEAD, 1), *v = drawn(2, HEAD, first, 0, n, HEAD, 1);
        head.kv = room(2 * n, HEAD);
        memcpy(head.kv, k, sizeof *k * (size_t)(n * HEAD));
        memcpy(head.kv + n * HEAD, v, sizeof *v * (size_t)(n * HEAD));
        free(k), free(v);
        return head;
    }
    return (Numbers){.m = {.T = T,
                           .C = C,
                           .F = F,
                           .w1 = drawn(3, C, rank * F, 0, F, C, 1 / sqrt(C)),
                           .w2 = drawn(4, 4 * C, 0, rank * F, C, F, 0.5 / sqrt(C)),
                           .inner = room(T, F),
                           .active = room(T, F),
                           .dw1 = room(F, C),
                           .dw2 = room(C, F)},
                     .n = n,
                     .x = drawn(5, C, first, 0, n, C, 1),
                     .dy = drawn(6, C, first, 0, n, C, 1),
                     .y = room(n, C),
                     .dx = room(n, C)};
}

static void numbers_free(Numbers *k)
{
    free((void *)k->m.w1), free((void *)k->m.w2), free(k->m.inner), free(k->m.active);
    free(k->m.dw1), free(k->m.dw2), free(k->x), free(k->dy), free(k->y), free(k->dx), free(k->kv);
}

static void pass(SplitLayer layer, Split *split, Numbers *k)
{
    switch (layer) {
    case LAYER_TENSOR:
        mlp_forward(split, &k->m, k->y, k->x);
        mlp_backward(split, &k->m, k->dx, k->dy, k->x);
        break;
    case LAYER_SEQUENCE: mlp_forward_sequence(split, &k->m, k->y, k->x); break;
    default: ring_attention(split, k->y, k->x, k->kv, k->n, HEAD);
    }
}

/* max |a - b| / max |b| over [rows, columns], which in b is a part of rows of `width`. */
static double apart(const float *a, const float *b, int width, int rows, int columns)
{
    double most = 0, largest = 1e-30;
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < columns; c++) {
            most = fmax(most, fabs(a[i * columns + c] - b[i * width + c]));
            largest = fmax(largest, fabs(b[i * width + c]));
        }
    return most / largest;
}

static double compare(const Numbers *k, const Numbers *one, SplitLayer layer, int rank)
{
    int C = layer == LAYER_RING ? HEAD : one->m.C, first = k->n == one->n ? 0 : rank * k->n;
    double d = apart(k->y, one->y + first * C, C, k->n, C);
    if (layer == LAYER_TENSOR) {
        int F = k->m.F, whole = one->m.F;
        d = fmax(d, apart(k->dx, one->dx, C, k->n, C));
        d = fmax(d, apart(k->m.dw1, one->m.dw1 + rank * F * C, C, F, C));
        d = fmax(d, apart(k->m.dw2, one->m.dw2 + rank * F, whole, C, F));
    }
    return d;
}

/* On this rank alone: the result, and the shortest of three times. */
static Numbers alone(const SplitStudy *s, SplitLayer layer, double *seconds)
{
    MpiSplit self = split_by(MPI_COMM_SELF);
    Numbers k = numbers_new(s, layer, 0, 1);
    *seconds = INFINITY;
    for (int i = 0; i < 3; i++) {
        double began = link_now();
        pass(layer, &self.split, &k);
        *seconds = fmin(*seconds, link_now() - began);
    }
    return k;
}

/* On the group's ranks, at the same moment. The clock counts messages, and the computing as its
 * share of one rank's. */
static SplitFound together(const SplitStudy *s, SplitLayer layer, MPI_Comm group,
                           const Numbers *one)
{
    MpiSplit m = {.split = {.P = 1}};
    SplitFound found = {0};
    Numbers k = {0};
    if (group != MPI_COMM_NULL) {
        m = split_by(group);
        k = numbers_new(s, layer, m.split.rank, m.split.P);
    }
    link_charge_only(true);
    link_set(s->link);
    if (group != MPI_COMM_NULL) {
        double began = link_now();
        link_charge(s->compute[layer] / m.split.P);
        pass(layer, &m.split, &k);
        found.seconds = link_now() - began;
        found.sent = m.split.sent;
        found.difference = compare(&k, one, layer, m.split.rank);
    }
    link_charge_only(false);
    link_set((Link){.bandwidth = INFINITY});
    double most[] = {found.seconds, found.difference};
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    numbers_free(&k);
    return (SplitFound){most[0], found.sent, most[1]};
}

void split_work(void *study)
{
    SplitStudy *s = study;
    int size = s->study.lab->comm->size, done = 0, all = 0;
    for (int i = 0; i < SPLIT_SIZES && 1 << i <= size; i++)
        all += SPLIT_LAYERS;
    for (int layer = 0; layer < SPLIT_LAYERS; layer++) {
        double seconds;
        Numbers one = alone(s, layer, &seconds);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        study_lock(&s->study, true);
        s->compute[layer] = seconds;
        study_lock(&s->study, false);
        for (int i = 0; i < SPLIT_SIZES && 1 << i <= size; i++) {
            if (!study_all_go_on(&s->study)) {
                numbers_free(&one);
                return;
            }
            SplitFound found = together(s, layer, s->group[i], &one);
            study_lock(&s->study, true);
            s->found[layer][i] = found;
            study_lock(&s->study, false);
            run_progress(s->study.lab->run, "measured", ++done, all, "layers", "");
        }
        numbers_free(&one);
    }
}
