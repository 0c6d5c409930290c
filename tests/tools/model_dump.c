/* model_dump.c: one training step of a network, saved as a safetensors file for torch/agree.py.
 *
 *     model_dump --model resnet8 --batch 16 --out step.safetensors
 *
 * Seeded weights and a seeded batch; forward with the batch's statistics, loss, backward. The file
 * contains
 *     "x" [N,H,W,C] and "label" [N]     the batch; of text, [N,1,T,1] and [N,T]
 *     NAME                              parameters before the step; running statistics AFTER the
 *                                       forward pass
 *     "grad.NAME"                       the gradient of the mean loss
 *     "logits" [N,classes] ([N,T,classes]), "loss" [1]
 *     "eval.logits"                     of the same batch with those running statistics
 */
#include "args.h"
#include "check.h"
#include "model.h"
#include "rng.h"
#include "safetensors.h"
#include <stdlib.h>

typedef struct Dump {
    Model *m;
    int N, T; /* images, or samples of text; labels of each */
    Tensor x, label, totals;
    SafeTensors file;
} Dump;

/* `prefix` NAME, shape, and t's elements, downloaded now. */
static void add(Dump *d, const char *prefix, const char *name, int dims, const int *shape, Tensor t)
{
    float *data = alloc(tensor_count(t), sizeof *data);
    d->m->be->op->download(d->m->s, data, t);
    SafeTensor *s = &d->file.tensors[d->file.count++];
    *s = (SafeTensor){.name = format_new("%s%s", prefix, name), .dims = dims, .data = data};
    for (int i = 0; i < dims; i++)
        s->shape[i] = shape[i];
}

static void add_views(Dump *d, const char *prefix, Tensor flat, const View *views, int count)
{
    for (int i = 0; i < count; i++)
        add(d, prefix, views[i].name, views[i].dims, views[i].shape, model_view(flat, &views[i]));
}

/* Every batch norm's beta, which model_init leaves at 0. */
static void set_beta(Model *m, float beta)
{
    for (int i = 0; i < m->nlayers; i++) {
        if (m->layers[i].kind != LAYER_BATCHNORM)
            continue;
        Tensor t = model_view(m->params,
                              &m->views[m->layers[i].fixed ? m->layers[i].w : m->layers[i].b]);
        float *v = alloc(tensor_count(t), sizeof *v);
        for (int c = 0; c < t.n; c++)
            v[c] = beta;
        m->be->op->upload(m->s, t, v);
        free(v);
    }
}

/* Normal pixels, or tokens, and random labels. */
static void make_batch(Dump *d, uint64_t seed)
{
    Model *m = d->m;
    const ModelSpec *s = &m->spec;
    Tensor dense = tensor_new(m->be, F32, d->N, s->h, s->w, s->c, 0);
    float *x = alloc(tensor_count(dense), sizeof *x);
    int labels = d->N * d->T;
    int32_t *label = alloc(labels, sizeof *label);
    Rng r = rng_at(seed, RNG_TEST, 0, 0);
    for (size_t i = 0; i < tensor_count(dense); i++)
        x[i] = d->T > 1 ? (float)rng_below(&r, s->classes) : rng_normal(&r);
    for (int n = 0; n < labels; n++)
        label[n] = (int32_t)rng_below(&r, s->classes);
    d->x = tensor_new(m->be, F32, d->N, s->h, s->w, s->c, model_halo(m));
    d->label = tensor_new(m->be, I32, d->N, 1, 1, d->T, 0);
    d->totals = tensor_new(m->be, F64, 2, 1, 1, 1, 0);
    m->be->op->upload(m->s, dense, x);
    m->be->op->copy(m->s, d->x, dense);
    m->be->op->upload(m->s, d->label, label);
    add(d, "", "x", 4, (int[]){d->N, s->h, s->w, s->c}, dense);
    /* labels as float32: the only dtype of these files */
    Tensor wide = tensor_new(m->be, F32, d->N, 1, 1, d->T, 0);
    for (int n = 0; n < labels; n++)
        x[n] = (float)label[n];
    m->be->op->upload(m->s, wide, x);
    add(d, "", "label", d->T > 1 ? 2 : 1, (int[]){d->N, d->T}, wide);
    tensor_free(m->be, dense), tensor_free(m->be, wide), free(x), free(label);
}

static void add_logits(Dump *d, const char *prefix)
{
    int K = d->m->spec.classes;
    if (d->T > 1)
        add(d, prefix, "logits", 3, (int[]){d->N, d->T, K}, d->m->logits);
    else
        add(d, prefix, "logits", 2, (int[]){d->N, K}, d->m->logits);
}

static void step(Dump *d)
{
    Model *m = d->m;
    double totals[2];
    add_views(d, "", m->params, m->views, m->nviews);
    model_forward(m, d->x, MODEL_TRAIN);
    add_logits(d, "");
    model_loss(m, d->totals, d->label, NO_TENSOR, true);
    model_zero_grads(m);
    model_backward(m);
    add_views(d, "grad.", m->grads, m->views, m->nviews);
    add_views(d, "", m->state, m->state_views, m->nstate);
    m->be->op->download(m->s, totals, d->totals);
    float loss = (float)(totals[0] / (d->N * d->T));
    Tensor one = tensor_new(m->be, F32, 1, 1, 1, 1, 0);
    m->be->op->upload(m->s, one, &loss);
    add(d, "", "loss", 1, (int[]){1}, one);
    tensor_free(m->be, one);
    model_forward(m, d->x, MODEL_EVAL);
    add_logits(d, "eval.");
}

int main(int argc, char **argv)
{
    const char *model = "resnet8", *device = "cpu", *out = "step.safetensors";
    int batch = 16, side = 32, channels = 3, context = 0;
    bool skip = true, batchnorm = true;
    int64_t seed = 1;
    double beta = 0;
    Option options[] = {
        {"model", ARG_STRING, &model, .help = "network"},
        {"skip", ARG_FLAG, &skip, .help = "with residual connections"},
        {"batchnorm", ARG_FLAG, &batchnorm, .help = "with batch norm"},
        {"batch", ARG_INT, &batch, .min = 1, .max = 4096, .help = "images per batch"},
        {"side", ARG_INT, &side, .min = 1, .max = 512,
         .help = "height and width of a image, pixels"},
        {"channels", ARG_INT, &channels, .min = 1, .max = 64, .help = "channels of a image"},
        {"context", ARG_INT, &context, .min = 0, .max = 1024,
         .help = "text of so many tokens in place of images; 0: images"},
        {"beta", ARG_REAL, &beta, .min = -10, .max = 10, .help = "batch norm's initial beta"},
        {"seed", ARG_LONG, &seed, .min = 0, .max = 1e15, .help = "of weights and images"},
        {"device", ARG_CHOICE, &device, .choices = "auto|cpu|cuda", .help = "where to compute"},
        {"out", ARG_STRING, &out, .help = "file to write"},
        {0}};
    args_parse("model_dump", "Write what one training step computes, for PyTorch to compare.",
               options, argc, argv);
    Backend *be = backend_open(device, 0, 1, 0);
    ModelSpec spec = {.name = model,
                      .h = side,
                      .w = side,
                      .c = channels,
                      .classes = 10,
                      .no_skip = !skip,
                      .no_batchnorm = !batchnorm};
    if (context)
        spec = (ModelSpec){.name = model, .h = 1, .w = context, .c = 1, .classes = 256};
    Dump d = {.m = model_new(be, &spec, batch), .N = batch};
    d.T = model_positions(d.m);
    d.file.tensors = alloc(2 * d.m->nviews + d.m->nstate + 5, sizeof *d.file.tensors);
    model_init(d.m, (uint64_t)seed);
    set_beta(d.m, (float)beta);
    make_batch(&d, (uint64_t)seed);
    step(&d);
    char *error = safetensors_write(out, &d.file);
    REQUIRE(!error, "%s: %s", out, error);
    for (int i = 0; i < d.file.count; i++)
        free(d.file.tensors[i].name), free((float *)d.file.tensors[i].data);
    free(d.file.tensors);
    tensor_free(be, d.x), tensor_free(be, d.label), tensor_free(be, d.totals);
    model_free(d.m);
    backend_close(be);
    return 0;
}
