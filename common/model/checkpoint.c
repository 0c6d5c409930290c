/* checkpoint.c: see checkpoint.h. Loading has two parts, so that a bad file changes nothing: all of
 * it is checked on the host, then all of it is copied to the device. */
#include "checkpoint.h"
#include "check.h"
#include "number.h"
#include "observer.h"
#include "safetensors.h"
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the flat vectors as one list of named tensors ---- */

/* One vector; of a vector of several ranks, one rank's. */
typedef struct Part {
    Tensor flat;
    float *host; /* a copy of flat */
    const View *views;
    int count;
    View whole;            /* the only view of a vector without views */
    char *prefix;          /* of the names in the file */
    const NamedVector *of; /* NULL: of the model itself */
} Part;

typedef struct Parts {
    Part *part;
    int count, tensors; /* tensors: of all parts */
} Parts;

static Part *add_part(Parts *p, Tensor flat, const View *views, int nviews)
{
    Part *part = &p->part[p->count++];
    *part = (Part){.flat = flat, .views = views, .count = nviews};
    part->host = alloc(tensor_count(flat), sizeof(float));
    if (!views) {
        part->whole = (View){.count = flat.n, .dims = 1, .shape = {flat.n}};
        part->views = &part->whole;
        part->count = 1;
    }
    p->tensors += part->count;
    return part;
}

/* "residual." or, of one rank, "residual.rank3."; without views "residual" or "residual.rank3" */
static char *prefix_new(const NamedVector *v, int rank)
{
    const char *dot = v->views ? "." : "";
    return v->ranks ? format_new("%s.rank%d%s", v->name, rank, dot)
                    : format_new("%s%s", v->name, dot);
}

static int parts_of(const NamedVector *v) { return v->ranks ? v->ranks : 1; }

static void add_named(Parts *p, const NamedVector *v)
{
    int n = v->flat.n / parts_of(v);
    for (int i = 0; i < parts_of(v); i++) {
        Part *part = add_part(p, tensor_slice(v->flat, (size_t)i * (size_t)n, n), v->views,
                              v->nviews);
        part->prefix = prefix_new(v, i);
        part->of = v;
    }
}

/* The model's vectors (without batch norm it has no state), then those of the list. */
static Parts parts_new(Model *m, const NamedVector *more)
{
    int count = 2;
    for (const NamedVector *v = more; v && v->name; v++)
        count += parts_of(v);
    Parts p = {.part = alloc((unsigned long)count, sizeof *p.part)};
    add_part(&p, m->params, m->views, m->nviews);
    if (m->nstate)
        add_part(&p, m->state, m->state_views, m->nstate);
    for (const NamedVector *v = more; v && v->name; v++)
        add_named(&p, v);
    return p;
}

static void parts_free(Parts *p)
{
    for (int i = 0; i < p->count; i++) {
        free(p->part[i].host);
        free(p->part[i].prefix);
    }
    free(p->part);
}

static char *name_new(const Part *part, const View *view)
{
    return format_new("%s%s", part->prefix ? part->prefix : "", view->name);
}

/* The index of the first element that is NaN or infinite, -1: none. */
static int first_bad(const float *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return i;
    return -1;
}

/* ---- metadata ---- */

/* "resnet8 28x28x1 classes=10 no-skip": an mlp's sizes are in the shapes; ghost batch norm belongs
 * to the training, not to the network. */
char *checkpoint_model_text(const ModelSpec *spec)
{
    return format_new("%s %dx%dx%d classes=%d%s%s", spec->name, spec->h, spec->w, spec->c,
                      spec->classes, spec->no_skip ? " no-skip" : "",
                      spec->no_batchnorm ? " no-batchnorm" : "");
}

/* Shapes alone are not enough: a net without skips has the same tensors as one with them. */
static void check_model(const char *path, const SafeTensors *file, const Model *m)
{
    const char *saved = safetensors_value(file, "model");
    char *built = checkpoint_model_text(&m->spec);
    REQUIRE(!saved || !strcmp(saved, built),
            "%s: saved from the model %.100s, expected %s: use the same options", path, saved,
            built);
    free(built);
}

/* A metadata value, a whole number from 0 to max; ends the run where it is missing or invalid. */
static uint64_t metadata_number(const char *path, const SafeTensors *file, const char *key,
                                uint64_t max)
{
    const char *text = safetensors_value(file, key);
    REQUIRE(text,
            "%s: no '%s' in its metadata: weights without a training state; it cannot be resumed",
            path, key);
    uint64_t value;
    REQUIRE(number_natural(&value, text, max),
            "%s: metadata %s: '%.40s', expected a whole number from 0 to %" PRIu64, path, key, text,
            max);
    return value;
}

enum { MOST_EPOCHS = 1 << 30 };
static const uint64_t MOST_STEPS = 1ull << 62; /* there is always a next one */

static Progress read_progress(const char *path, const SafeTensors *file)
{
    bool more = safetensors_value(file, "images"); /* both or none */
    Progress p;
    memset(&p, 0, sizeof p); /* padding too: callers compare bytes */
    p.epoch = (int)metadata_number(path, file, "epoch", MOST_EPOCHS);
    p.position = (int64_t)metadata_number(path, file, "position", MOST_STEPS);
    p.step = (int64_t)metadata_number(path, file, "step", MOST_STEPS);
    p.seed = metadata_number(path, file, "seed", UINT64_MAX);
    p.world_size = (int)metadata_number(path, file, "world_size", INT_MAX);
    p.batch = (int)metadata_number(path, file, "batch", INT_MAX);
    p.images = more ? (int)metadata_number(path, file, "images", INT_MAX) : 0;
    p.epochs = more ? (int)metadata_number(path, file, "epochs", MOST_EPOCHS) : 0;
    return p;
}

/* ---- saving ---- */

static void add_tensors(SafeTensors *file, const char *path, const Part *part)
{
    for (int i = 0; i < part->count; i++) {
        const View *v = &part->views[i];
        SafeTensor *t = &file->tensors[file->count++];
        *t = (SafeTensor){.name = name_new(part, v), .dims = v->dims, .data = part->host + v->at};
        for (int d = 0; d < v->dims; d++)
            t->shape[d] = v->shape[d];
        if (first_bad(t->data, v->count) >= 0)
            die(EXIT_WRONG,
                "%s: not saved: '%s' has an element that is not finite: it diverged; lower the "
                "rate",
                path, t->name);
    }
}

void checkpoint_save(const char *path, Model *m, const NamedVector *more, const Progress *p)
{
    Parts parts = parts_new(m, more);
    SafeTensors file = {.tensors = alloc((unsigned long)parts.tensors, sizeof *file.tensors)};
    for (int i = 0; i < parts.count; i++) {
        m->be->op->download(m->s, parts.part[i].host, parts.part[i].flat);
        add_tensors(&file, path, &parts.part[i]);
    }
    char *keys[] = {"format", "model",      "epoch", "position", "step",
                    "seed",   "world_size", "batch", "images",   "epochs"};
    char *values[] = {format_new("pt"),
                      checkpoint_model_text(&m->spec),
                      format_new("%d", p->epoch),
                      format_new("%" PRId64, p->position),
                      format_new("%" PRId64, p->step),
                      format_new("%" PRIu64, p->seed),
                      format_new("%d", p->world_size),
                      format_new("%d", p->batch),
                      format_new("%d", p->images),
                      format_new("%d", p->epochs)};
    int all = sizeof keys / sizeof *keys;
    file.keys = keys;
    file.values = values;
    file.pairs = p->images > 0 ? all : all - 2;
    char *error = safetensors_write(path, &file);
    REQUIRE(!error, "checkpoint not saved: %s", error);
    OBSERVE(checkpoint, path, p->step, false);
    for (int i = 0; i < all; i++)
        free(values[i]);
    for (int i = 0; i < file.count; i++)
        free(file.tensors[i].name);
    free(file.tensors);
    parts_free(&parts);
}

/* ---- loading ---- */

/* "[16,3,3,3]" */
static char *shape_text(int dims, const int64_t *shape)
{
    char text[256] = "[";
    for (int i = 0, used = 1; i < dims; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64, i ? "," : "",
                         shape[i]);
    return format_new("%s]", text);
}

static void check_finite(const char *path, const char *name, const float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        REQUIRE(isfinite(values[i]),
                "%s: tensor '%s': element %lld is not finite; use an earlier checkpoint", path,
                name, (long long)i);
}

/* Copy one tensor of the file into its part's host copy; ends the run unless it exists, with this
 * shape, and is finite. */
static void read_view(const char *path, const SafeTensors *file, Part *part, const View *v)
{
    char *name = name_new(part, v);
    const SafeTensor *t = safetensors_find(file, name);
    REQUIRE(t, "%s: no tensor '%s', which is needed here: other weights, or saved without it?",
            path, name);
    int64_t shape[4];
    for (int d = 0; d < v->dims; d++)
        shape[d] = v->shape[d];
    if (t->dims != v->dims || memcmp(t->shape, shape, sizeof *shape * (size_t)v->dims)) {
        char *found = shape_text(t->dims, t->shape), *expected = shape_text(v->dims, shape);
        die(EXIT_USAGE, "%s: tensor '%s' is %s, this model's is %s: another model's file", path,
            name, found, expected);
    }
    check_finite(path, name, t->data, v->count);
    memcpy(part->host + v->at, t->data, sizeof(float) * (size_t)v->count);
    free(name);
}

static void read_views(const char *path, const SafeTensors *file, Part *part)
{
    for (int i = 0; i < part->count; i++)
        read_view(path, file, part, &part->views[i]);
}

/* Of how many ranks the file has the vector v; ends the run if not all of it is there. */
static int ranks_saved(const char *path, const SafeTensors *file, const NamedVector *v)
{
    int ranks = 0, tensors = 0, views = v->views ? v->nviews : 1;
    char *any = format_new("%s.rank", v->name);
    for (int i = 0; i < file->count; i++)
        tensors += !strncmp(file->tensors[i].name, any, strlen(any));
    for (bool found = true; found; ranks += found) {
        char *prefix = prefix_new(v, ranks);
        char *name = format_new("%s%s", prefix, v->views ? v->views->name : "");
        found = safetensors_find(file, name);
        free(name);
        free(prefix);
    }
    REQUIRE(tensors == ranks * views,
            "%s: %d tensors '%s…', of %d ranks there should be %d: damaged, or another model's?",
            path, tensors, any, ranks, ranks * views);
    free(any);
    return ranks;
}

/* The mean of all ranks' vectors. */
static void read_mean(const char *path, const SafeTensors *file, Part *part, int ranks)
{
    int n = part->flat.n;
    double *sum = alloc((unsigned long)n, sizeof *sum);
    for (int rank = 0; rank < ranks; rank++) {
        free(part->prefix);
        part->prefix = prefix_new(part->of, rank);
        read_views(path, file, part);
        for (int i = 0; i < n; i++)
            sum[i] += part->host[i];
    }
    for (int i = 0; i < n; i++)
        part->host[i] = (float)(sum[i] / ranks);
    free(sum);
}

static void read_part(const char *path, const SafeTensors *file, Part *part)
{
    int wanted = part->of ? part->of->ranks : 0;
    int saved = wanted ? ranks_saved(path, file, part->of) : 0;
    if (saved == wanted || saved == 0) /* 0: read_views says which tensor is missing */
        read_views(path, file, part);
    else
        read_mean(path, file, part, saved);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && !strcmp(name + length - end, ending);
}

/* Does `name` belong to a layer of these networks, or to one of PyTorch's with the same names? */
static bool is_layer(const char *name)
{
    static const char *const modules[] = {"conv", "bn", "layer", "fc"};
    for (int i = 0; i < 4; i++) {
        size_t length = strlen(modules[i]);
        if (!strncmp(name, modules[i], length))
            return name[length + strspn(name + length, "0123456789")] == '.' &&
                   !ends_with(name, ".num_batches_tracked"); /* PyTorch's, not used here */
    }
    return false;
}

/* Ends the run unless a layer's weights, statistics or velocities can be those of m. */
static void check_tensor(const char *path, const SafeTensor *t, const Model *m)
{
    const char *optimizer = "optimizer.", *name = t->name;
    if (!strncmp(name, optimizer, strlen(optimizer)))
        name += strlen(optimizer);
    if (!is_layer(name))
        return;
    REQUIRE(model_find(m, name),
            "%s: tensor '%s': the network %s%s%s has no such layer: another network's file", path,
            t->name, m->spec.name, m->spec.no_skip ? " without skips" : "",
            m->spec.no_batchnorm ? " without batch norm" : "");
    int64_t count = 1;
    for (int d = 0; d < t->dims; d++)
        count *= t->shape[d];
    check_finite(path, t->name, t->data, count);
    bool variance = ends_with(name, ".running_var");
    for (int64_t i = 0; i < count && variance; i++)
        REQUIRE(t->data[i] >= 0,
                "%s: tensor '%s': element %lld is %g: a variance is not negative: damaged?", path,
                t->name, (long long)i, t->data[i]);
}

void checkpoint_load(const char *path, Model *m, const NamedVector *more, Progress *p)
{
    SafeTensors file;
    char *error = safetensors_read(path, &file);
    REQUIRE(!error, "%s", error);
    check_model(path, &file, m);
    Parts parts = parts_new(m, more);
    for (int i = 0; i < parts.count; i++)
        read_part(path, &file, &parts.part[i]);
    for (int i = 0; i < file.count; i++)
        check_tensor(path, &file.tensors[i], m);
    Progress progress = p ? read_progress(path, &file) : (Progress){0};
    /* From here on nothing can fail. */
    for (int i = 0; i < parts.count; i++)
        m->be->op->upload(m->s, parts.part[i].flat, parts.part[i].host);
    if (p)
        *p = progress;
    OBSERVE(checkpoint, path, progress.step, true);
    parts_free(&parts);
    safetensors_free(&file);
}

char *checkpoint_progress(const char *path, Progress *p)
{
    SafeTensors file;
    char *error = safetensors_read(path, &file);
    REQUIRE(!error, "%s", error);
    const char *model = safetensors_value(&file, "model");
    char *text = model ? format_new("%s", model) : NULL;
    *p = read_progress(path, &file);
    safetensors_free(&file);
    return text;
}

void progress_require(const char *path, const Progress *p, int images, int epochs)
{
    REQUIRE(p->position <= images,
            "%s: saved after %lld images of an epoch, and now there are %d training images: give "
            "the same number",
            path, (long long)p->position, images);
    bool beyond = p->epoch > epochs || (p->epoch == epochs && p->position > 0);
    REQUIRE(epochs == 0 || !beyond,
            "%s: the checkpoint is at epoch %d of %d: already complete; give more --epochs", path,
            p->epoch + (p->position > 0), epochs);
}

/* ---- which network it is ---- */

/* The sizes of an mlp's hidden layers: the rows of fc1, fc2, … except the last, which are the
 * classes. */
static void read_hidden(const SafeTensors *file, ModelSpec *spec)
{
    for (int layer = 1; layer < 8; layer++) {
        char name[32], next[32];
        snprintf(name, sizeof name, "fc%d.weight", layer);
        snprintf(next, sizeof next, "fc%d.weight", layer + 1);
        const SafeTensor *t = safetensors_find(file, name);
        if (t && t->dims == 2 && t->shape[0] <= INT_MAX && safetensors_find(file, next))
            spec->hidden[layer - 1] = (int)t->shape[0];
    }
}

void checkpoint_model(const char *path, ModelSpec *spec)
{
    SafeTensors file;
    char *error = safetensors_read(path, &file), name[32];
    REQUIRE(!error, "%s", error);
    const char *text = safetensors_value(&file, "model");
    REQUIRE(text, "%s: no 'model' in its metadata: not a checkpoint of these labs", path);
    *spec = (ModelSpec){0};
    int used = 0, found = sscanf(text, "%31s %4dx%4dx%1d classes=%4d%n", name, &spec->h, &spec->w,
                                 &spec->c, &spec->classes, &used);
    REQUIRE(found == 5 && spec->h > 0 && spec->w > 0 && spec->c > 0 && spec->c <= 4 &&
                spec->classes > 1,
            "%s: metadata model: '%.100s', expected as in 'resnet8 28x28x1 classes=10 no-skip'",
            path, text);
    spec->name = format_new("%s", name);
    spec->no_skip = strstr(text + used, " no-skip") != NULL;
    spec->no_batchnorm = strstr(text + used, " no-batchnorm") != NULL;
    if (!strcmp(name, "mlp"))
        read_hidden(&file, spec);
    char *built = checkpoint_model_text(spec);
    REQUIRE(!strcmp(built, text), "%s: metadata model: '%.100s', understood as '%s'", path, text,
            built);
    free(built);
    safetensors_free(&file);
}
