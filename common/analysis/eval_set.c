/* eval_set.c: see eval_set.h. A loader builds the batches once; copies of them are kept. */
#include "eval_set.h"
#include "check.h"
#include <stdlib.h>

EvalSet *eval_set_new(Backend *be, const Images *images, const float *mean, const float *istd,
                      const int32_t *order, int count, int batch, int halo)
{
    ASSERT(count > 0 && batch > 0);
    batch = batch < count ? batch : count; /* the loader's room is for whole batches */
    double pixels = (double)(images->h + 2 * halo) * (images->w + 2 * halo) * images->c;
    char *what = format_new("%d images, ready for the network,", count);
    backend_require(be, sizeof(float) * count * pixels, what, "measure on fewer images");
    free(what);
    EvalSet *s = alloc(1, sizeof *s);
    *s = (EvalSet){.be = be, .count = count, .batches = (count + batch - 1) / batch};
    s->batch = alloc(s->batches, sizeof *s->batch);
    s->totals = tensor_new(be, F64, 2, 1, 1, 1, 0);
    Stream *stream = be->op->stream_new(be, 0);
    Loader *loader = loader_new(be, images, mean, istd, batch, halo, (AugmentSpec){0}, 0);
    int32_t *first = alloc(count, sizeof *first);
    for (int i = 0; i < count; i++)
        first[i] = i;
    loader_start(loader, order ? order : first, count, 0);
    free(first);
    for (int i = 0; i < s->batches; i++) {
        Batch b, *own = &s->batch[i];
        ASSERT(loader_next(loader, stream, &b));
        *own = b;
        own->x = tensor_new(be, F32, b.n, b.x.h, b.x.w, b.x.c, halo);
        own->label = tensor_new(be, I32, b.n, 1, 1, b.label.c, 0);
        be->op->copy(stream, own->x, b.x);
        be->op->copy(stream, own->label, b.label);
    }
    be->op->stream_sync(stream);
    loader_free(loader);
    be->op->stream_free(stream);
    return s;
}

void eval_set_free(EvalSet *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->batches; i++) {
        tensor_free(s->be, s->batch[i].x);
        tensor_free(s->be, s->batch[i].label);
    }
    tensor_free(s->be, s->totals);
    free(s->batch);
    free(s);
}

Metrics eval_set_metrics(Model *m, const EvalSet *s, ModelMode mode)
{
    double sum[2];
    m->be->op->zero(m->s, s->totals);
    for (int i = 0; i < s->batches; i++) {
        model_forward(m, s->batch[i].x, mode);
        model_loss(m, s->totals, s->batch[i].label, NO_TENSOR, false);
    }
    m->be->op->download(m->s, sum, s->totals);
    return (Metrics){sum[0], sum[1], s->count * model_positions(m)};
}
