/* test_hostile_checkpoint.c: files that are whole and well-formed, and lie: about how far a
 * training is, about their weights, about the network that these belong to. A good file is patched,
 * one lie at a time, and none of them gets into a model. Also saves that fail, which leave the old
 * file. (What is no safetensors file: test_safetensors.c. Writers that are killed: test_file.c.)
 */
#include "backend/backend_open.h"
#include "check.h"
#include "checkpoint.h"
#include "child.h"
#include "harness.h"
#include "optim.h"
#include "safetensors.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGES = 100, EPOCHS = 3, CLASSES = 5, SIDE = 8, BATCH = 2 };

static const Progress middle = {
    .epoch = 2, .position = 40, .step = 7, .seed = 12, .world_size = 2, .batch = 8};

/* What a child process saves, or tries to load. */
typedef struct Attempt {
    const char *path;
    ModelSpec spec;
    bool itself;  /* load: the network that the file says it is */
    bool weights; /* load the weights alone */
    int epochs;   /* load: of the resumed training */
    int ranks;    /* > 0: with a residual of this many ranks, and "scales" */
} Attempt;

static ModelSpec spec_of(const char *name)
{
    return (ModelSpec){.name = name, .h = SIDE, .w = SIDE, .c = 1, .classes = CLASSES};
}

static Attempt attempt(const char *path, const char *name)
{
    return (Attempt){.path = path, .spec = spec_of(name), .epochs = EPOCHS};
}

/* What the attempt keeps beside the weights. */
static void vectors_of(NamedVector more[4], const Attempt *a, Model *m)
{
    Sgd *o = sgd_new(m, 0.9, 0, false);
    int count = 0;
    if (!a->weights)
        more[count++] = o->state[0];
    if (a->ranks > 0) {
        Tensor all = tensor_new(m->be, F32, a->ranks * m->params.n, 1, 1, 1, 0),
               scales = tensor_new(m->be, F32, 3, 1, 1, 1, 0);
        more[count++] = (NamedVector){"residual", all, m->views, m->nviews, a->ranks};
        more[count++] = (NamedVector){"scales", scales, NULL, 0, 0};
    }
    more[count] = (NamedVector){0};
}

static void save(void *context)
{
    const Attempt *a = context;
    Backend *be = backend_cpu_open(0, 1, 1);
    Model *m = model_new(be, &a->spec, BATCH);
    model_init(m, 3);
    NamedVector more[4];
    vectors_of(more, a, m);
    checkpoint_save(a->path, m, more, &middle);
}

/* The vectors of a child that loads, and what they held before. */
static Model *victim;
static Tensor part[8];
static float *before[8];
static int parts;

static float *elements(Tensor t)
{
    float *host = alloc(tensor_count(t), sizeof *host);
    victim->be->op->download(victim->s, host, t);
    return host;
}

/* What die() calls in place of exit(): a second line fails expect_death. */
static void at_death(int status)
{
    for (int i = 0; i < parts; i++)
        if (memcmp(elements(part[i]), before[i], sizeof(float) * tensor_count(part[i])))
            fprintf(stderr, "and vector %d was changed\n", i);
    _exit(status);
}

static void watch(Tensor t)
{
    part[parts] = t;
    before[parts++] = elements(t);
}

static void load(void *context)
{
    Attempt a = *(const Attempt *)context;
    Progress p;
    die_register(0, 1, at_death);
    if (a.itself)
        checkpoint_model(a.path, &a.spec);
    Model *m = victim = model_new(backend_cpu_open(0, 1, 1), &a.spec, BATCH);
    NamedVector more[4];
    vectors_of(more, &a, m);
    watch(m->params);
    if (m->nstate)
        watch(m->state);
    for (NamedVector *v = more; v->name; v++)
        watch(v->flat);
    checkpoint_load(a.path, m, more, a.weights ? NULL : &p);
    parts = 0;
    if (!a.weights)
        progress_require(a.path, &p, IMAGES, a.epochs);
}

static void in_child(void (*body)(void *), Attempt a)
{
    assert_true(child_run(&(Child){.work = body, .context = &a}).came_back);
}

static void refuse(Attempt a, const char *words) { expect_death(2, load, &a, a.path, words, NULL); }

/* A copy of the file with another metadata value; NULL: the key is missing. */
static void with_value(const char *good, const char *path, const char *key, const char *value)
{
    SafeTensors t;
    assert_null(safetensors_read(good, &t));
    for (int i = 0; i < t.pairs; i++)
        if (!strcmp(t.keys[i], key)) {
            free(t.values[i]);
            t.values[i] = format_new("%s", value ? value : "");
            if (!value)
                t.keys[i][0] = '_'; /* another key */
        }
    assert_null(safetensors_write(path, &t));
    safetensors_free(&t);
}

/* … in which one element is another. */
static void with_element(const char *good, const char *path, const char *name, float value)
{
    SafeTensors t;
    assert_null(safetensors_read(good, &t));
    const SafeTensor *tensor = safetensors_find(&t, name);
    assert_non_null(tensor);
    ((float *)tensor->data)[1] = value;
    assert_null(safetensors_write(path, &t));
    safetensors_free(&t);
}

typedef struct Lie {
    const char *key, *value, *words;
} Lie;

TEST(progress)
{
    static const Lie lies[] = {
        {"position", "101", "saved after 101 images of an epoch, and now there are 100 training"},
        {"position", "4294967296", "saved after 4294967296 images"},
        {"position", "4611686018427387904", "saved after 4611686018427387904 images"},
        {"position", "\x1b[2J", "position: '\\x1b[2J'"},
        {"epoch", "3", "the checkpoint is at epoch 4 of 3: already complete; give more --epochs"},
        {"epoch", "4", "at epoch 5 of 3: already complete"},
        {"epoch", "100000", "at epoch 100001 of 3"},
        {"epoch", "1073741824", "at epoch 1073741825 of 3"},
        {"model", "resnet8 8x8x1 classes=5 no-skip", "from the model resnet8 8x8x1 classes=5 no-"},
        {"model", "resnet20 8x8x1 classes=5", "from the model resnet20"},
        {"model", "resnet8 8x8x1 classes=5 ", "from the model"},
        {"model", "", "from the model"}};
    static const struct {
        const char *key, *values[15]; /* that it cannot have; NULL: it is missing */
    } none[] = {{"position",
                 {"4611686018427387905", "9223372036854775807", "9223372036854775808",
                  "18446744073709551616", "-1", "-4294967296", "+1", " 1", "1 ", "1.0", "1e1",
                  "0x10", "nan", ""}},
                {"epoch", {"2147483647", "4294967297", "-1", "2.5"}},
                {"step", {"9223372036854775807", "-7", "seven"}},
                {"seed", {"18446744073709551616", "-1"}},
                {"world_size", {"2147483648", "-2"}},
                {"batch", {"99999999999999999999999", "8.0"}}};
    const char *folder = scratch_dir();
    char *good = path_in(folder, "good"), *bad = path_in(folder, "bad");
    in_child(save, attempt(good, "resnet8"));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        with_value(good, bad, lies[i].key, lies[i].value);
        refuse(attempt(bad, "resnet8"), lies[i].words);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        for (int k = 0; k == 0 || none[i].values[k - 1]; k++) {
            const char *value = none[i].values[k];
            with_value(good, bad, none[i].key, value);
            refuse(attempt(bad, "resnet8"), keep(value ? format_new("%s: '%s'", none[i].key, value)
                                                       : format_new("no '%s'", none[i].key)));
        }
}

/* What must stay possible. */
TEST(honest_progress)
{
    static const Lie truths[] = {
        {"position", "0", NULL},     {"position", "100", NULL},
        {"epoch", "0", NULL},        {"step", "0", NULL},
        {"world_size", "1", NULL},   {"world_size", "64", NULL},
        {"batch", "1", NULL},        {"seed", "18446744073709551615", NULL},
        {"model", NULL, "Python's"}, {"seed", "0", NULL}};
    const char *folder = scratch_dir();
    char *good = path_in(folder, "good"), *other = path_in(folder, "other");
    in_child(save, attempt(good, "linear"));
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        with_value(good, other, truths[i].key, truths[i].value);
        in_child(load, attempt(other, "linear"));
    }
    Attempt test = attempt(good, "linear");
    test.epochs = 0; /* it is only tested */
    in_child(load, test);
    with_value(good, other, "position", "0");
    with_value(other, other, "epoch", "3"); /* complete: nothing is left to do */
    in_child(load, attempt(other, "linear"));
}

TEST(elements)
{
    static const struct {
        const char *name;
        float value;
        const char *words; /* NULL: it is good */
    } cases[] = {{"conv1.weight", NAN, "'conv1.weight': element 1 is not finite"},
                 {"conv1.weight", INFINITY, "'conv1.weight': element 1 is not finite"},
                 {"conv1.weight", -INFINITY, "'conv1.weight': element 1 is not finite"},
                 {"layer3.0.downsample.0.weight", INFINITY, "downsample.0.weight': element 1"},
                 {"bn1.weight", NAN, "'bn1.weight': element 1"},
                 {"bn1.bias", -INFINITY, "'bn1.bias': element 1"},
                 {"fc.weight", INFINITY, "'fc.weight': element 1"},
                 {"fc.bias", NAN, "'fc.bias': element 1"},
                 {"bn1.running_mean", INFINITY, "'bn1.running_mean': element 1 is not finite"},
                 {"bn1.running_var", INFINITY, "'bn1.running_var': element 1 is not finite"},
                 {"bn1.running_var", NAN, "'bn1.running_var': element 1 is not finite"},
                 {"bn1.running_var", -1, "'bn1.running_var': element 1 is -1: a variance"},
                 {"bn1.running_var", -FLT_MIN, "a variance is not negative"},
                 {"bn1.running_var", -FLT_MAX, "a variance is not negative"},
                 {"layer2.0.bn2.running_var", -0.5f, "a variance is not negative"},
                 {"layer3.0.downsample.1.running_var", -2, "a variance is not negative"},
                 {"optimizer.fc.weight", INFINITY, "'optimizer.fc.weight': element 1"},
                 {"optimizer.layer1.0.conv1.weight", NAN, "element 1 is not finite"},
                 {"bn1.running_var", 0, NULL},
                 {"bn1.running_mean", -3, NULL},
                 {"conv1.weight", FLT_MAX, NULL},
                 {"optimizer.bn1.weight", -1, NULL}};
    const char *folder = scratch_dir();
    char *good = path_in(folder, "good"), *bad = path_in(folder, "bad");
    in_child(save, attempt(good, "resnet8"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int weights = 0; weights < 2; weights++) { /* the velocities unread, too */
            Attempt a = attempt(bad, "resnet8");
            a.weights = weights;
            with_element(good, bad, cases[i].name, cases[i].value);
            if (cases[i].words)
                refuse(a, cases[i].words);
            else
                in_child(load, a);
        }
}

/* A copy of the file in which one tensor has another name. */
static void with_name(const char *good, const char *path, const char *name, const char *other)
{
    SafeTensors t;
    assert_null(safetensors_read(good, &t));
    SafeTensor *tensor = (SafeTensor *)safetensors_find(&t, name);
    assert_non_null(tensor);
    free(tensor->name);
    tensor->name = format_new("%s", other);
    assert_null(safetensors_write(path, &t));
    safetensors_free(&t);
}

/* Vectors of several ranks: incomplete, of ranks that are not there, not finite, of another
 * size. */
TEST(vectors)
{
    static const struct {
        const char *name, *other, *words;
    } cases[] = {
        {"residual.rank1.fc.bias", "_", "5 tensors 'residual.rank…', of 3 ranks there should be 6"},
        {"residual.rank1.fc.weight", "_", "5 tensors 'residual.rank…', of 1 ranks there"},
        {"residual.rank2.fc.weight", "residual.rank3.fc.weight",
         "6 tensors 'residual.rank…', of "
         "2 ranks there should be 4"},
        {"residual.rank2.fc.bias", "residual.rank-1.fc.bias", "no tensor 'residual.rank2.fc.bias'"},
        {"residual.rank0.fc.weight", "residual.fc.weight", "5 tensors 'residual.rank…', of 0"},
        {"scales", "scale", "no tensor 'scales', which is needed here"},
        {"scales", "scales.rank0", "no tensor 'scales', which is needed here"},
        {"optimizer.fc.bias", "scales.fc.bias", "no tensor 'optimizer.fc.bias'"}};
    const char *folder = scratch_dir();
    char *good = path_in(folder, "good"), *bad = path_in(folder, "bad");
    Attempt a = attempt(good, "linear");
    a.ranks = 3;
    in_child(save, a);
    for (a.ranks = 0; a.ranks < 5; a.ranks++) /* on any number of ranks, or without them */
        in_child(load, a);
    a.path = bad;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (a.ranks = 2; a.ranks <= 3; a.ranks++) {
            with_name(good, bad, cases[i].name, cases[i].other);
            refuse(a, cases[i].words);
        }
    with_element(good, bad, "residual.rank2.fc.bias", NAN);
    refuse(a, "'residual.rank2.fc.bias': element 1 is not finite");
    with_element(good, bad, "scales", INFINITY);
    refuse(a, "'scales': element 1 is not finite");
    a.ranks = 0; /* what the model does not have is skipped */
    in_child(load, a);
    a.ranks = 3;
    in_child(save, attempt(good, "linear"));
    a.path = good;
    refuse(a, "no tensor 'residual.rank0.fc.weight', which is needed here");
    a.ranks = 0, a.weights = true;
    in_child(save, a);
    a.weights = false;
    refuse(a, "no tensor 'optimizer.fc.weight', which is needed here");
}

/* ---- weights of another network ---- */

static ModelSpec variant(const char *name, bool no_skip, bool no_batchnorm)
{
    ModelSpec spec = spec_of(name);
    spec.no_skip = no_skip;
    spec.no_batchnorm = no_batchnorm;
    return spec;
}

/* Saved as one network, said (or not) to be another, loaded as that one. */
TEST(kinds)
{
    const ModelSpec resnet8 = spec_of("resnet8"), resnet14 = spec_of("resnet14"),
                    plain8 = variant("resnet8", true, false),
                    bare8 = variant("resnet8", false, true), cnn = spec_of("cnn"),
                    bare_cnn = variant("cnn", false, true), wide = spec_of("wrn16-1"),
                    plain_wide = variant("wrn16-1", true, false), linear = spec_of("linear"),
                    mlp = spec_of("mlp");
    ModelSpec deep = mlp, same = mlp;
    deep.hidden[0] = 256, deep.hidden[1] = 128, deep.hidden[2] = CLASSES;
    same.hidden[0] = 256, same.hidden[1] = 128;
    const struct {
        const ModelSpec *saved, *loaded;
        const char *words; /* NULL: it is good */
    } cases[] = {{&resnet8, &plain8, "downsample"},
                 {&plain8, &resnet8, "no tensor"},
                 {&resnet14, &resnet8, "'layer1.1.conv1.weight': the network resnet8 has no such"},
                 {&resnet8, &resnet14, "no tensor"},
                 {&resnet8, &bare8, "has no such layer"},
                 {&bare8, &resnet8, "no tensor"},
                 {&cnn, &bare_cnn, "'bn1.weight': the network cnn without batch norm has no such"},
                 {&bare_cnn, &cnn, "no tensor"},
                 {&wide, &plain_wide, "downsample"},
                 {&plain_wide, &wide, "no tensor"},
                 {&wide, &resnet8, "no tensor"},
                 {&resnet8, &wide, "no tensor"},
                 {&mlp, &linear, "no tensor"},
                 {&linear, &mlp, "no tensor"},
                 {&deep, &same, "'fc4.weight': the network mlp has no such layer"},
                 {&resnet8, &resnet8, NULL},
                 {&plain8, &plain8, NULL},
                 {&same, &mlp, NULL}};
    const char *folder = scratch_dir();
    char *good = path_in(folder, "good"), *bad = path_in(folder, "bad");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Attempt a = {.path = good, .spec = *cases[i].saved, .weights = true};
        in_child(save, a);
        char *text = checkpoint_model_text(cases[i].loaded);
        const char *const said[] = {NULL, text};
        for (int k = 0; k < 2; k++) {
            with_value(good, bad, "model", said[k]);
            a.path = bad;
            a.spec = *cases[i].loaded;
            if (cases[i].words)
                refuse(a, cases[i].words);
            else
                in_child(load, a);
        }
        free(text);
    }
}

/* The network that the file says it is: sizes that make no sense, or that its weights are not. */
TEST(descriptions)
{
    static const Lie lies[] = {{"model", "resnet8 8x8x1 classes=5 no-skip", "downsample"},
                               {"model", "resnet8 8x8x1 classes=5 no-batchnorm", "no such layer"},
                               {"model", "resnet8 9x8x1 classes=5 skip", "understood as"},
                               {"model", "resnet8 -8x8x1 classes=5", "metadata model"},
                               {"model", "resnet8 8x0x1 classes=5", "metadata model"},
                               {"model", "resnet8 8x8x9 classes=5", "metadata model"},
                               {"model", "resnet8 8x8x1 classes=1", "metadata model"},
                               {"model", "resnet8 8x8x1 classes=99999", "understood as"},
                               {"model", "resnet8 4294967304x8x1 classes=5", "metadata model"},
                               {"model", "resnet08 8x8x1 classes=5", "model 'resnet08'"},
                               {"model", "resnet+8 8x8x1 classes=5", "model 'resnet+8'"},
                               {"model", "resnet9 8x8x1 classes=5", "model 'resnet9'"},
                               {"model", "resnet4294967304 8x8x1 classes=5", "model 'resnet42"},
                               {"model", "wrn16-99 8x8x1 classes=5", "model 'wrn16-99'"},
                               {"model", "%s%n 8x8x1 classes=5", "model '%s%n'"},
                               {"model", "mlp 8x8x1 classes=5", "no tensor 'fc1.weight'"},
                               {"model", "cnn 9999x9999x4 classes=9999", "model cnn"},
                               {"model", NULL, "no 'model'"}};
    const char *folder = scratch_dir();
    char *good = path_in(folder, "good"), *bad = path_in(folder, "bad");
    in_child(save, attempt(good, "resnet8"));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        Attempt a = {.path = bad, .itself = true, .weights = true};
        with_value(good, bad, lies[i].key, lies[i].value);
        expect_death(2, load, &a, lies[i].words, NULL);
    }
}

/* An mlp's layers are as large as the file's shapes say, even of tensors without elements. */
TEST(hidden_sizes)
{
    const char *folder = scratch_dir();
    char *path = path_in(folder, "x");
    const float none = 0; /* an address */
    static const int64_t rows[] = {INT64_MAX, 4294967296, 2147483647, 100000000, 50000};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SafeTensor t[] = {{"fc1.weight", 2, {rows[i], 0}, &none},
                          {"fc2.weight", 2, {rows[i], 0}, &none},
                          {"fc3.weight", 2, {CLASSES, 0}, &none}};
        char *key = "model", *value = "mlp 8x8x1 classes=5";
        assert_null(safetensors_write(path, &(SafeTensors){t, 3, &key, &value, 1, NULL}));
        Attempt a = {.path = path, .itself = true, .weights = true};
        expect_death(2, load, &a, i < 2 ? "another model's file" : "parameters", NULL);
    }
}

/* ---- shapes, and what is no such file ---- */

TEST(headers)
{
    static const struct {
        const char *old, *new, *words; /* texts of the header, of the same length */
    } edits[] = {{"\"conv1.weight\"", "\"conv1.weighs\"", "no tensor 'conv1.weight'"},
                 {"[16,1,3,3]", "[1,16,3,3]",
                  "'conv1.weight' is [1,16,3,3], this model's is [16,1,3,3]"},
                 {"[16,1,3,3]", "[16,1,9]  ",
                  "'conv1.weight' is [16,1,9], this model's is [16,1,3,3]"},
                 {"\"F32\"", "\"F16\"", "is F16, expected F32"}};
    char *path = path_in(scratch_dir(), "x");
    size_t size;
    in_child(save, attempt(path, "resnet8"));
    char *bytes = slurp(path, &size);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *edited = keep(memcpy(alloc(size, 1), bytes, size));
        char *at = memmem(edited, size, edits[i].old, strlen(edits[i].old));
        assert_true(at && strlen(edits[i].old) == strlen(edits[i].new));
        memcpy(at, edits[i].new, strlen(edits[i].new));
        write_bytes(path, edited, size);
        refuse(attempt(path, "resnet8"), edits[i].words);
    }
    write_bytes(path, bytes, size - 1);
    refuse(attempt(path, "resnet8"), "truncated");
    unlink(path);
    refuse(attempt(path, "resnet8"), "No such file");
    refuse((Attempt){.path = path, .itself = true}, "No such file");
}

/* ---- saves that fail (at other places, and without room: test_file.c) ---- */

static void save_diverged(void *attempt)
{
    const Attempt *a = attempt;
    Model *m = model_new(backend_cpu_open(0, 1, 1), &a->spec, BATCH);
    m->be->op->upload(m->s, tensor_slice(m->params, 1000, 1), &(float){NAN});
    checkpoint_save(a->path, m, NULL, &middle);
}

TEST(failed_saves)
{
    const char *folder = scratch_dir(), *path = path_in(folder, "x");
    Attempt nowhere = attempt(path_in(folder, "missing/x"), "resnet8"),
            good = attempt(path, "resnet8");
    expect_death(2, save, &nowhere, "checkpoint not saved", "missing/x: No such file", NULL);
    size_t size, size_now;
    in_child(save, good);
    char *bytes = slurp(path, &size);
    expect_death(1, save_diverged, &good, path, "diverged", NULL);
    char *now = slurp(path, &size_now);
    assert_int_equal(size_now, size);
    assert_memory_equal(now, bytes, size); /* the old content */
}
