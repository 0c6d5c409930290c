/* muon.c: see muon.h. */
#include "muon.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>

/* Matrices of one size and group, and memory for their directions: [count,rows,columns] twice,
 * [count,side,side] twice, side the smaller of the two. */
typedef struct Pack {
    int group, rows, columns, count, *view;
    Tensor direction, product, square, fourth;
} Pack;

struct GroupsPlan {
    Group group[MOST_GROUPS];
    Tensor rate[MOST_GROUPS]; /* [1] on the device, for SGD */
    int groups, *of, iterations;
    Pack *pack;
    int packs;
};

static Tensor stack(Backend *be, int count, int rows, int columns)
{
    return tensor_new(be, F32, count, rows, columns, 1, 0);
}
static Tensor as_vector(Tensor t) { return tensor_vector(t.buf, t.at, F32, (int)tensor_count(t)); }
/* Matrix i of the stack as a vector. */
static Tensor one_of(Tensor t, int i)
{
    return tensor_vector(t.buf, t.at + (size_t)i * t.h * t.w, F32, t.h * t.w);
}

static Pack *pack_of(struct GroupsPlan *p, const Model *m, int view)
{
    const View *v = &m->views[view];
    int rows = v->shape[0], columns = v->count / rows, k = 0;
    ASSERT(v->dims > 1);
    while (k < p->packs && !(p->pack[k].group == p->of[view] && p->pack[k].rows == rows &&
                             p->pack[k].columns == columns))
        k++;
    if (k == p->packs) {
        p->pack[p->packs++] = (Pack){.group = p->of[view], .rows = rows, .columns = columns};
        p->pack[k].view = alloc((size_t)m->nviews, sizeof(int));
    }
    return &p->pack[k];
}

Groups *groups_new(Model *m, const Group *group, int count, const int *of, int iterations)
{
    ASSERT(count >= 1 && count <= MOST_GROUPS && iterations >= 0);
    Groups *g = alloc(1, sizeof *g);
    struct GroupsPlan *p = g->plan = alloc(1, sizeof *p);
    g->velocity = tensor_new(m->be, F32, m->params.n, 1, 1, 1, 0);
    g->state[0] = (NamedVector){"optimizer", g->velocity, m->views, m->nviews, 0};
    *p = (struct GroupsPlan){.groups = count, .iterations = iterations};
    p->of = alloc((size_t)m->nviews, sizeof(int));
    p->pack = alloc((size_t)m->nviews, sizeof(Pack));
    for (int k = 0; k < count; k++) {
        p->group[k] = group[k];
        p->rate[k] = tensor_new(m->be, F32, 1, 1, 1, 1, 0);
    }
    for (int v = 0; v < m->nviews; v++) {
        ASSERT(of[v] >= 0 && of[v] < count);
        p->of[v] = of[v];
        if (group[of[v]].kind == GROUP_MUON) {
            Pack *pack = pack_of(p, m, v);
            pack->view[pack->count++] = v;
        }
    }
    for (int k = 0; k < p->packs; k++) {
        Pack *a = &p->pack[k];
        int side = a->rows < a->columns ? a->rows : a->columns;
        a->direction = stack(m->be, a->count, a->rows, a->columns);
        a->product = stack(m->be, a->count, a->rows, a->columns);
        a->square = stack(m->be, a->count, side, side);
        a->fourth = stack(m->be, a->count, side, side);
    }
    return g;
}

void groups_free(Model *m, Groups *g)
{
    if (!g)
        return;
    struct GroupsPlan *p = g->plan;
    for (int k = 0; k < p->packs; k++) {
        Pack *a = &p->pack[k];
        tensor_free(m->be, a->direction), tensor_free(m->be, a->product);
        tensor_free(m->be, a->square), tensor_free(m->be, a->fourth);
        free(a->view);
    }
    for (int k = 0; k < p->groups; k++)
        tensor_free(m->be, p->rate[k]);
    tensor_free(m->be, g->velocity);
    free(p->pack);
    free(p->of);
    free(p);
    free(g);
}

/* All directions of a pack at once: their singular values towards 1. With S = X X^T, or X^T X where
 * that is smaller, a step is X <- 3.4445 X + (2.0315 S S - 4.7750 S) X. */
static void newton_schulz(Stream *s, Pack *a, int iterations)
{
    const BackendOps *op = s->be->op;
    bool tall = a->rows > a->columns;
    op->to_length(s, a->direction, 1);
    for (int i = 0; i < iterations; i++) {
        Tensor swap = a->direction;
        op->matmul(s, a->square, a->direction, a->direction, tall, !tall);
        op->matmul(s, a->fourth, a->square, a->square, false, false);
        op->scale(s, as_vector(a->fourth), 2.0315f);
        op->axpy(s, as_vector(a->fourth), -4.7750f, as_vector(a->square));
        op->matmul(s, a->product, tall ? a->direction : a->fourth, tall ? a->fourth : a->direction,
                   false, false);
        op->axpy(s, as_vector(a->product), 3.4445f, as_vector(a->direction));
        a->direction = a->product;
        a->product = swap;
    }
}

static void muon_step(Model *m, Groups *g, Pack *a, double rate)
{
    const BackendOps *op = m->be->op;
    float mu = (float)g->plan->group[a->group].momentum;
    for (int i = 0; i < a->count; i++) {
        const View *v = &m->views[a->view[i]];
        Tensor velocity = model_view(g->velocity, v), grad = model_view(m->grads, v),
               ahead = one_of(a->direction, i);
        op->scale(m->s, velocity, mu);
        op->axpy(m->s, velocity, 1, grad);
        op->copy(m->s, ahead, grad);
        op->axpy(m->s, ahead, mu, velocity);
    }
    newton_schulz(m->s, a, g->plan->iterations);
    for (int i = 0; i < a->count; i++) {
        Tensor w = model_view(m->params, &m->views[a->view[i]]), matrix = w;
        matrix.n = 1;
        matrix.h = a->rows;
        matrix.w = a->columns;
        op->to_length(m->s, matrix, sqrtf((float)a->rows));
        op->axpy(m->s, w, -(float)rate, one_of(a->direction, i));
    }
}

void groups_step(Model *m, Groups *g, const double *rate)
{
    struct GroupsPlan *p = g->plan;
    const BackendOps *op = m->be->op;
    for (int k = 0; k < p->groups; k++)
        if (p->group[k].kind == GROUP_SGD)
            op->upload(m->s, p->rate[k], &(float){(float)rate[k]});
    for (int i = 0; i < m->nviews; i++) {
        const Group *group = &p->group[p->of[i]];
        const View *v = &m->views[i];
        if (group->kind == GROUP_SGD)
            op->sgd(m->s, model_view(m->params, v), model_view(g->velocity, v),
                    model_view(m->grads, v), p->rate[p->of[i]], (float)group->momentum,
                    (float)group->decay, true);
    }
    for (int k = 0; k < p->packs; k++)
        muon_step(m, g, &p->pack[k], rate[p->pack[k].group]);
}
