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
    RunOptions o = run_options_default();
    Setting s = {backend_open("cpu", 0, 1, 1),
                 dataset_open(o.data, "fashion,synthetic", o.data_dir), NULL};
    s.data->train.count = images;
    s.data->test.count = tested;
    ModelSpec spec = {.name = model,
                      .h = s.data->train.h,
                      .w = s.data->train.w,
                      .c = s.data->train.c,
                      .classes = s.data->classes,
                      .hidden = {16}};
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
    char start[17];
    double distance, loss;
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

static void work_out_start(void *answer)
{
    Answer *a = answer;
    Setting s = setting_new("mlp", BATCH, IMAGES, TESTED);
    model_init(s.model, 1);
    float *params = params_new(s.model);
    sha256_hex(a->start, sizeof a->start, params, tensor_count(s.model->params) * sizeof *params);
    free(params);
    setting_free(&s);
}

void reference_start(char digest[17])
{
    Answer answer = {0};
    in_child(work_out_start, &answer);
    REQUIRE(*answer.start, "the check's own network cannot be built: is the data set complete?");
    memcpy(digest, answer.start, sizeof answer.start);
}

/* All ranks' images of all updates, update after update. */
static int32_t *all_images(const Facts *f, int *count)
{
    int32_t *images = alloc(MOST_IMAGES, sizeof *images);
    *count = 0;
    for (int u = 0; u < f->rank[0].updates; u++)
        for (int r = 0; r < f->ranks; r++) {
            const AuditImages *more = &facts_update(f, r, u)->images;
            for (int i = 0; i < more->count && *count < MOST_IMAGES; i++)
                images[(*count)++] = more->at[i];
        }
    return images;
}

/* Make f's updates, with its images and rates. Returns the mean loss over the first epoch. */
static double train_alone(Setting *s, const Facts *f)
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
        model_zero_grads(m);
        model_forward(m, b.x, MODEL_TRAIN);
        model_loss(m, totals, b.label, NO_TENSOR, true);
        model_backward(m);
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

static void work_out_distance(void *answer)
{
    Answer *a = answer;
    SafeTensors file;
    if (!read_checkpoint(a->facts, &file))
        return;
    Setting s = setting_new("mlp", RANKS * BATCH, IMAGES, TESTED);
    model_init(s.model, 1);
    float *start = params_new(s.model);
    a->loss = train_alone(&s, a->facts);
    float *end = params_new(s.model);
    double apart = 0, moved = 0;
    for (int v = 0; v < s.model->nviews; v++) {
        const View *view = &s.model->views[v];
        const SafeTensor *saved = safetensors_find(&file, view->name);
        bool fits = saved && elements(saved) == view->count;
        for (int i = 0; i < view->count; i++) {
            size_t at = view->at + (size_t)i;
            apart += fits ? pow((double)saved->data[i] - end[at], 2) : NAN;
            moved += pow((double)end[at] - start[at], 2);
        }
    }
    free(start);
    free(end);
    setting_free(&s);
    safetensors_free(&file);
    a->distance = sqrt(apart / moved);
}

double reference_distance(const Facts *f, double *loss)
{
    Answer answer = {.facts = f, .distance = NAN, .loss = NAN};
    if (!f->left_out)
        in_child(work_out_distance, &answer);
    *loss = answer.loss;
    return answer.distance;
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
