/* gap_between.c: the loss on the line between the small-batch and the large-batch solution, and on
 * a plane that holds both: along b a random direction, filter by filter as long as the weights (Li
 * et al., arXiv 1712.09913), the same draw with and without weight decay. */
#include "check.h"
#include "gap_study.h"
#include "lab3.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>

static void look_on_line(GapStudy *s)
{
    int n = s->m->params.n;
    float *w = alloc(n, sizeof *w);
    for (int i = 0; i < GAP_LINE && study_goes_on(&s->study); i++) {
        interpolate(w, s->solution[0][0], s->solution[0][1], n, s->t[i]);
        s->m->be->op->upload(s->m->s, s->m->params, w);
        double train = metrics_loss(eval_set_metrics(s->m, s->train_set, MODEL_FROZEN_STATS)),
               test = metrics_loss(eval_set_metrics(s->m, s->test_set, MODEL_FROZEN_STATS));
        study_lock(&s->study, true);
        s->line_train[i] = train;
        s->line_test[i] = test;
        study_lock(&s->study, false);
    }
    free(w);
}

/* y: random, each filter as long as that of w, which it moves; biases stay. */
static void draw_direction(float *y, const Model *m, const float *w, uint64_t seed)
{
    for (int k = 0; k < m->nviews; k++) {
        const View *v = &m->views[k];
        Rng r = rng_at(seed, RNG_DIRECTION, 0, (uint64_t)k);
        int size = v->count / v->shape[0];
        for (int f = 0; v->decay && f < v->shape[0]; f++) {
            float *d = y + v->at + (size_t)f * size;
            const float *from = w + v->at + (size_t)f * size;
            double drawn = 0, there = 0;
            for (int i = 0; i < size; i++) {
                d[i] = rng_normal(&r);
                drawn += (double)d[i] * d[i];
                there += (double)from[i] * from[i];
            }
            for (int i = 0; i < size; i++)
                d[i] = (float)(d[i] * sqrt(there / drawn));
        }
    }
}

static bool look_on_plane(GapStudy *s, int decay)
{
    int n = s->m->params.n;
    const float *small = s->solution[decay][0], *large = s->solution[decay][1];
    float *x = alloc(n, sizeof *x), *y = alloc(n, sizeof *y);
    for (int i = 0; i < n; i++)
        x[i] = large[i] - small[i];
    draw_direction(y, s->m, small, s->seed);
    Landscape l = {.m = s->m,
                   .subset = s->train_set,
                   .mode = MODEL_FROZEN_STATS,
                   .plane = {n, small, x, y, s->side, s->side, -0.5, 1.5, -1, 1},
                   .surface = s->plane[decay],
                   .watch = s->study.own};
    bool complete = landscape_run(&l, s->study.lab->comm);
    free(x);
    free(y);
    return complete;
}

void gap_look_between(GapStudy *s)
{
    if (s->study.lab->comm->rank == 0)
        look_on_line(s);
    if (look_on_plane(s, 0))
        look_on_plane(s, 1);
}
