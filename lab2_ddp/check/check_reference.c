/* check_reference.c: the reference of the self-check: the same training on one rank, done here.
 *
 * P ranks with batches of B and averaged gradients make the same updates as one rank with batches
 * of PB, except for rounding: the sums are added up in another order. (This does not hold for batch
 * norm, whose statistics are over B images on P ranks and over PB on one: hence a network without
 * it.)
 */
#include "check.h"
#include "check_steps.h"
#include "checkpoint.h"
#include "child.h"
#include "digest.h"
#include "lab2.h"
#include "number.h"
#include "safetensors.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_IMAGES = 1 << 16 };

/* A network and its data. */
typedef struct Setting {
    Backend *be;
    Dataset *data;
    Model *model;
} Setting;

static Setting setting_new(const char *model, int batch, int images, int tested)
{
    Setting s = {backend_open("cpu", 0, 1, 1),
                 dataset_open_first("synthetic", NULL, NULL, images, tested), NULL};
    ModelSpec spec = model_spec_for(model, s.data);
    spec.hidden[0] = 16;
    s.model = model_new(s.be, &spec, batch);
    return s;
}

static void setting_free(Setting *s)
{
    model_free(s->model);
    dataset_free(s->data);
    backend_close(s->be);
}

static float *params_new(Model *m)
{
    float *params = alloc(tensor_count(m->params), sizeof *params);
    m->be->op->download(m->s, params, m->params);
    return params;
}

/* ---- what a child process works out ---- */

typedef struct Answer {
    const Facts *facts;
    int tested;
    char start[RANKS][17];
    Reference reference;
    Metrics test;
} Answer;

/* Run work(answer) in a child; *answer stays as it was if the child does not come back. */
static void in_child(void (*work)(void *), Answer *answer)
{
    Answer *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                          -1, 0);
    REQUIRE(shared != MAP_FAILED, "out of memory: no room for the check's reference");
    *shared = *answer;
    ChildEnd end = child_run(
        &(Child){.work = work, .context = shared, .streams = CHILD_ERR, .seconds = run_seconds()});
    if (end.came_back)
        *answer = *shared;
    free(end.text);
    munmap(shared, sizeof *shared);
}

static void work_out_starts(void *answer)
{
    Answer *a = answer;
    Setting s = setting_new("mlp", BATCH, IMAGES, TESTED);
    for (int r = 0; r < RANKS; r++) {
        model_init(s.model, (uint64_t)r + 1);
        float *params = params_new(s.model);
        sha256_hex(a->start[r], sizeof a->start[r], params,
                   tensor_count(s.model->params) * sizeof *params);
        free(params);
    }
    setting_free(&s);
}

void reference_starts(char digest[RANKS][17])
{
    Answer answer = {0};
    in_child(work_out_starts, &answer);
    REQUIRE(*answer.start[RANKS - 1],
            "the check's own network cannot be built: is the data set complete?");
    memcpy(digest, answer.start, sizeof answer.start);
}

/* ---- the same training on one rank ---- */

/* All ranks' images of all updates, update after update. */
static int32_t *all_images(const Facts *f, int *count)
{
    int32_t *images = alloc(MOST_IMAGES, sizeof *images);
    *count = 0;
    for (int u = 0; u < f->rank[0].updates; u++)
        for (int r = 0; r < f->ranks; r++) {
            const AuditImages *more = facts_images(f, r, u);
            for (int i = 0; i < more->count && *count < MOST_IMAGES; i++)
                images[(*count)++] = more->at[i];
        }
    return images;
}

/* Make f's updates, with its images and rates, the gradient times `factor`. Returns the mean loss
 * over the first epoch. */
static double train_alone(Setting *s, const Facts *f, float factor)
{
    Model *m = s->model;
    int count, first_epoch = f->rank[0].updates / EPOCHS;
    int32_t *images = all_images(f, &count);
    Loader *l = loader_new(s->be, &s->data->train, s->data->mean, s->data->istd, m->batch,
                           model_halo(m), (AugmentSpec){0}, SEED);
    Sgd *o = sgd_new(m, 0.9, 5e-4, false);
    Tensor totals = tensor_new(s->be, F64, 2, 1, 1, 1, 0);
    double sums[2] = {0};
    Batch b;
    loader_start(l, images, count, 0);
    for (int u = 0; loader_next(l, m->s, &b); u++) {
        model_gradient(m, totals, b.x, b.label);
        s->be->op->scale(m->s, m->grads, factor);
        sgd_step(m, o, facts_update(f, 0, u)->rate);
        if (u + 1 == first_epoch)
            s->be->op->download(m->s, sums, totals);
    }
    tensor_free(s->be, totals);
    sgd_free(m, o);
    loader_free(l);
    free(images);
    return sums[0] / (first_epoch * m->batch);
}

/* f's checkpoint; false: missing or broken. */
static bool read_checkpoint(const Facts *f, SafeTensors *file)
{
    char *path = facts_path(f, 0, "checkpoint.safetensors"), *error = safetensors_read(path, file);
    bool read = !error;
    free(error);
    free(path);
    return read;
}

static int64_t elements(const SafeTensor *t)
{
    int64_t count = 1;
    for (int i = 0; i < t->dims; i++)
        count *= t->shape[i];
    return count;
}

/* How far are the saved weights from `end`? NaN: they are another network's. */
static double distance(const SafeTensors *file, const Model *m, const float *end)
{
    double apart = 0;
    for (int v = 0; v < m->nviews; v++) {
        const View *view = &m->views[v];
        const SafeTensor *saved = safetensors_find(file, view->name);
        bool fits = saved && elements(saved) == view->count;
        for (int i = 0; i < view->count; i++)
            apart += fits ? pow((double)saved->data[i] - end[view->at + (size_t)i], 2) : NAN;
    }
    return sqrt(apart);
}

static double length(const float *start, const float *end, int count)
{
    double squares = 0;
    for (int i = 0; i < count; i++)
        squares += pow((double)end[i] - start[i], 2);
    return sqrt(squares);
}

static void work_out_reference(void *answer)
{
    static const float factors[COMBINATIONS] = {
        [MEAN] = 1, [SUM] = RANKS, [NOTHING] = 0, [MEAN_TWICE] = 1.0f / RANKS};
    Answer *a = answer;
    Reference *reference = &a->reference;
    Setting s = setting_new("mlp", RANKS * ACCUMULATE * BATCH, IMAGES, TESTED);
    reference->elements = s.model->params.n;
    SafeTensors file;
    if (!read_checkpoint(a->facts, &file)) {
        setting_free(&s);
        return;
    }
    double moved = 0;
    for (int c = 0; c < COMBINATIONS; c++) {
        model_init(s.model, 1);
        float *start = params_new(s.model);
        double loss = train_alone(&s, a->facts, factors[c]);
        float *end = params_new(s.model);
        if (c == MEAN) {
            reference->loss = loss;
            moved = length(start, end, reference->elements);
        }
        reference->distance[c] = distance(&file, s.model, end) / moved;
        free(start);
        free(end);
    }
    setting_free(&s);
    safetensors_free(&file);
}

Reference reference_train(const Facts *f)
{
    Answer answer = {.facts = f, .reference = {.loss = NAN}};
    for (int c = 0; c < COMBINATIONS; c++)
        answer.reference.distance[c] = NAN;
    in_child(work_out_reference, &answer);
    return answer.reference;
}

static void work_out_test(void *answer)
{
    Answer *a = answer;
    Setting s = setting_new("resnet8", DEEP_BATCH, DEEP_IMAGES, a->tested);
    Progress progress;
    char *path = facts_path(a->facts, 0, "checkpoint.safetensors");
    checkpoint_load(path, s.model, NULL, &progress);
    free(path);
    Loader *l = loader_new(s.be, &s.data->test, s.data->mean, s.data->istd, DEEP_BATCH,
                           model_halo(s.model), (AugmentSpec){0}, SEED);
    a->test = evaluate(s.model, l, NULL, a->tested);
    loader_free(l);
    setting_free(&s);
}

Metrics reference_test(const Facts *f, int tested)
{
    Answer answer = {.facts = f, .tested = tested};
    in_child(work_out_test, &answer);
    return answer.test;
}

int reference_metadata(const Facts *f, const char *key)
{
    SafeTensors file;
    if (!read_checkpoint(f, &file))
        return -1;
    const char *value = safetensors_value(&file, key);
    int64_t number = -1;
    number_whole(&number, value, 0, INT_MAX); /* else -1 */
    safetensors_free(&file);
    return (int)number;
}
