/* test_checkpoint_bad.c: no bad file gets into a model, and no failed or killed save spoils a good
 * file. */
#include "check.h"
#include "checkpoint.h"
#include "child.h"
#include "device.h"
#include "optim.h"
#include "safetensors.h"
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 4, CLASSES = 5, SIDE = 8 };

typedef struct Training {
    Device *d;
    Model *m;
    Sgd *o;
} Training;

static Training training_new(Device *d, const char *name, uint64_t seed)
{
    ModelSpec spec = {.name = name, .h = SIDE, .w = SIDE, .c = 1, .classes = CLASSES};
    Training t = {d, model_new(d->be, &spec, BATCH), NULL};
    model_init(t.m, seed);
    t.o = sgd_new(t.m, 0.9, 5e-4, false);
    return t;
}

static float *elements(const Training *t, Tensor flat)
{
    float *host = malloc(sizeof(float) * tensor_count(flat));
    t->m->be->op->download(t->m->s, host, flat);
    return host;
}

/* One of the last four paths asked for. */
static char *in(const char *folder, const char *name)
{
    static char paths[4][4400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *bytes = malloc(1 << 22);
    *size = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    return bytes;
}

static void expect_same_file(const char *a, const char *b)
{
    size_t m, n;
    char *p = slurp(a, &m), *q = slurp(b, &n);
    assert_int_equal(m, n);
    assert_memory_equal(p, q, m);
    free(p);
    free(q);
}

static const Progress middle = {.epoch = 2,
                                .position = 12345678901,
                                .step = 3,
                                .seed = UINT64_MAX,
                                .world_size = 4,
                                .batch = 32};

static Training victim; /* of the child process that must die: seen by at_death */
static float *before_load[3];

static Tensor part_of(const Training *t, int i)
{
    return i == 0 ? t->m->params : i == 1 ? t->m->state : t->o->velocity;
}

/* What die() calls in place of exit(): a second line fails expect_death. */
static void at_death(int status)
{
    for (int i = 0; i < 3; i++) {
        float *now = elements(&victim, part_of(&victim, i));
        if (memcmp(now, before_load[i], sizeof(float) * tensor_count(part_of(&victim, i))))
            fprintf(stderr, "and vector %d was changed\n", i);
    }
    _exit(status);
}

static void load_all(void *path)
{
    Device *d = device_open();
    victim = training_new(d, "resnet8", 9);
    for (int i = 0; i < 3; i++)
        before_load[i] = elements(&victim, part_of(&victim, i));
    die_register(0, 1, at_death);
    Progress p;
    checkpoint_load(path, victim.m, victim.o->state, &p);
}

static void refuse(const char *path, const char *word)
{
    expect_death(2, load_all, (void *)path, path, word, NULL);
}

/* A good file, made by a child process: this one must not have a device's threads when it
 * forks. */
static void make_good(void *path)
{
    Device *d = device_open();
    Training t = training_new(d, "resnet8", 7);
    checkpoint_save(path, t.m, t.o->state, &middle);
}

static void in_child(void (*body)(void *), void *argument)
{
    assert_true(child_run(&(Child){.work = body, .context = argument}).came_back);
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void bad_bytes(void **state)
{
    const char *folder = scratch_dir();
    char *path = in(folder, "x");
    in_child(make_good, path);
    in_child(load_all, path); /* the file is good */
    size_t size;
    char *bytes = slurp(path, &size);
    size_t header = 8 + *(uint64_t *)(void *)bytes;
    const size_t cuts[] = {
        0,        1,       7, 8, 9, 100, header - 1, header, header + 1, header + 4, header + 1000,
        size - 4, size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        write_bytes(path, bytes, cuts[i]);
        refuse(path, "truncated");
    }
    bytes[size] = 1;
    write_bytes(path, bytes, size + 1);
    refuse(path, "1 bytes at the end belong to no tensor");
    memset(bytes, 0xff, 8);
    write_bytes(path, bytes, size);
    refuse(path, "a header of 18446744073709551615 bytes");
    free(bytes);
}

static void not_files(void **state)
{
    const char *folder = scratch_dir();
    refuse(in(folder, "missing"), "No such file");
    refuse(folder, "not a regular file");
    refuse("/dev/full", "not a regular file");
    refuse("tests/unit/test_checkpoint.c", "not a safetensors file");
}

/* Replace a text in the header by another of the same length. */
static void edited(const char *path, const char *old, const char *new, const char *word)
{
    in_child(make_good, (void *)path);
    size_t size;
    char *bytes = slurp(path, &size);
    char *at = memmem(bytes, size, old, strlen(old));
    assert_true(at && strlen(old) == strlen(new));
    memcpy(at, new, strlen(new));
    write_bytes(path, bytes, size);
    free(bytes);
    refuse(path, word);
}

static void ask_model(void *path)
{
    ModelSpec spec;
    checkpoint_model(path, &spec);
}

/* A file with wrong or missing metadata about its network. */
static void bad_models(void **state)
{
    static const char *const metadata[][2] = {{"\"model\":", "no 'model'"},
                                              {"resnet8 8x8x1", "metadata model"}};
    static const char *const instead[][4] = {{"\"modem\":"},
                                             {"resnet8 8x8x0", "resnet8 8x8x9", "resnet8  8x8 ",
                                              "8x8x1 resnet8"}};
    char *path = in(scratch_dir(), "x");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4 && instead[i][k]; k++) {
            in_child(make_good, path);
            size_t size;
            char *bytes = slurp(path, &size),
                 *at = memmem(bytes, size, metadata[i][0], strlen(metadata[i][0]));
            assert_true(at && strlen(metadata[i][0]) == strlen(instead[i][k]));
            memcpy(at, instead[i][k], strlen(instead[i][k]));
            write_bytes(path, bytes, size);
            free(bytes);
            expect_death(2, ask_model, path, path, metadata[i][1], NULL);
        }
    expect_death(2, ask_model, "/nowhere/x", "/nowhere/x", NULL);
}

static void bad_headers(void **state)
{
    char *path = in(scratch_dir(), "x");
    edited(path, "\"conv1.weight\"", "\"conv1.weighs\"", "no tensor 'conv1.weight'");
    edited(path, "\"optimizer.fc.bias\"", "\"optimizer.fc.bios\"", "no tensor 'optimizer.fc.bias'");
    edited(path, "\"bn1.weight\"", "\"bn1.bias\"  ", "duplicate");
    edited(path, "\"F32\"", "\"F16\"", "is F16, expected F32");
    edited(path, "[16,1,3,3]", "[1,16,3,3]",
           "'conv1.weight' is [1,16,3,3], this model's is [16,1,3,3]");
    edited(path, "[16,1,3,3]", "[16,1,9]  ",
           "'conv1.weight' is [16,1,9], this model's is [16,1,3,3]");
    edited(path, "[16,1,3,3]", "[16,1,3,4]", "its shape needs");
    edited(path, "[0,576]", "[1,577]", "'conv1.weight'");
    edited(path, "[576,640]", "[575,639]", "overlap");
    edited(path, "classes=5", "classes=6",
           "from the model resnet8 8x8x1 classes=6, expected resnet8 8x8x1 classes=5:");
    edited(path, "\"shape\"", "\"shapX\"", "shape");
    edited(path, "{\"__meta", "[\"__meta", "not JSON");
    edited(path, "\"epoch\":\"2\"", "\"epoch\":\"x\"", "metadata epoch: 'x'");
    edited(path, "\"epoch\":\"2\"", "\"epoch\":222", "'epoch' is not a string");
    edited(path, "\"epoch\":\"2\"", "\"epodh\":\"2\"", "no 'epoch' in its metadata");
    edited(path, "\"position\":\"12345678901\"", "\"position\":\"-2345678901\"",
           "position: '-2345678901'");
    edited(path, "\"step\":\"3\"", "\"step\":\" \"", "step: ' '");
    edited(path, "\"18446744073709551615\"", "\"18446744073709551616\"", "seed");
    edited(path, "\"world_size\":\"4\"", "\"world_size\":\"\" ", "world_size");
    edited(path, "\"batch\":\"32\"", "\"batch\":\"3x\"", "batch: '3x'");
}

static void bad_elements(void **state)
{
    const char *const names[] = {"conv1.weight", "fc.bias", "bn1.running_var",
                                 "optimizer.layer1.0.conv1.weight"};
    const float bad[] = {NAN, INFINITY, -INFINITY, NAN};
    char *path = in(scratch_dir(), "x");
    for (int i = 0; i < 4; i++) {
        in_child(make_good, path);
        SafeTensors t;
        assert_null(safetensors_read(path, &t));
        ((float *)safetensors_find(&t, names[i])->data)[3] = bad[i];
        assert_null(safetensors_write(path, &t));
        safetensors_free(&t);
        char word[128];
        snprintf(word, sizeof word, "'%s': element 3 is not finite", names[i]);
        refuse(path, word);
    }
}

static void make_other(void *path)
{
    Device *d = device_open();
    Training t = training_new(d, "resnet20", 7);
    checkpoint_save(path, t.m, t.o->state, &middle);
}

static void make_weights(void *path)
{
    Device *d = device_open();
    Training t = training_new(d, "resnet8", 7);
    checkpoint_save(path, t.m, NULL, &middle);
}

static void load_linear(void *path)
{
    Device *d = device_open();
    Training t = training_new(d, "linear", 7);
    checkpoint_load(path, t.m, NULL, NULL);
}

static void other_models(void **state)
{
    const char *folder = scratch_dir();
    char *other = in(folder, "resnet20"), *weights = in(folder, "weights");
    in_child(make_other, other);
    expect_death(2, load_linear, other, other,
                 "from the model resnet20 8x8x1 classes=5, expected linear 8x8x1", NULL);
    refuse(other, "saved from the model resnet20");
    in_child(make_weights, weights);
    refuse(weights, "no tensor 'optimizer.conv1.weight'");
}

/* A tensor that the model does not have is skipped. */
static void more_than_needed(void **state)
{
    char *path = in(scratch_dir(), "x");
    in_child(make_good, path);
    SafeTensors t;
    assert_null(safetensors_read(path, &t));
    float one = NAN;
    SafeTensor *more = malloc(sizeof *more * (size_t)(t.count + 1));
    memcpy(more, t.tensors, sizeof *more * (size_t)t.count);
    more[t.count] = (SafeTensor){"unknown", 1, {1}, &one};
    SafeTensors all = t;
    all.tensors = more;
    all.count++;
    assert_null(safetensors_write(path, &all));
    in_child(load_all, path);
    free(more);
    safetensors_free(&t);
}

/* ---- bad paths ---- */

static void save_there(void *path) { make_good(path); }

static void save_little(void *path)
{
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit little = {50000, 50000};
    setrlimit(RLIMIT_FSIZE, &little);
    make_other(path);
}

static void save_diverged(void *path)
{
    Device *d = device_open();
    Training t = training_new(d, "resnet8", 8);
    float bad = NAN;
    d->op->upload(t.m->s, tensor_slice(t.m->params, 1000, 1), &bad);
    checkpoint_save(path, t.m, t.o->state, &middle);
}

static void failed_saves(void **state)
{
    const char *folder = scratch_dir();
    char *path = in(folder, "x"), *copy = in(folder, "copy");
    in_child(make_good, path);
    in_child(make_good, copy);
    expect_death(2, save_there, in(folder, "missing/x"), "checkpoint not saved",
                 "missing/x: No such file", NULL);
    expect_death(2, save_there, (void *)folder, folder, "is a folder", NULL);
    expect_death(2, save_there, "/dev/full", "/dev/full: is not a regular file", NULL);
    expect_death(2, save_there, "/proc/x", "/proc/x", NULL);
    expect_death(2, save_little, path, path, "File too large", NULL);
    expect_death(1, save_diverged, path, path, "diverged", NULL);
    expect_same_file(path, copy); /* the old content */
}

typedef struct Saving {
    const char *path;
    _Atomic int *half; /* shared: 1 while a file is being written */
} Saving;

static void save_forever(const Saving *s)
{
    Device *d = device_open();
    Training t = training_new(d, "resnet8", 7);
    Progress p = middle;
    for (;; p.step++) {
        *s->half = 1;
        checkpoint_save(s->path, t.m, t.o->state, &p);
        *s->half = 0;
    }
}

/* A training that saves without end, killed at different moments: the file loads every time, and
 * nothing else is left. */
static void killed(void **state)
{
    const char *folder = scratch_dir();
    char *path = in(folder, "x");
    int halves = 0, files = 0;
    Saving s = {path, mmap(NULL, sizeof *s.half, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                           -1, 0)};
    assert_true(s.half != MAP_FAILED);
    int round = 0;
    for (; round < 15 || (!halves && round < 500); round++) {
        unlink(path);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            save_forever(&s);
        while (access(path, F_OK)) /* the first file is complete */
            usleep(100);
        usleep((useconds_t)(97 * round % 5000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        halves += *s.half;
        in_child(load_all, path);
    }
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        files += e->d_name[0] != '.';
    closedir(d);
    printf("    %d of %d were killed in the middle of a file\n", halves, round);
    assert_true(halves > 0); /* else the test proves nothing */
    assert_true(files <= 2); /* killed between linking and renaming, at most */
}

/* On a GPU each child starts CUDA again: about a second. */
static const Case cases[] = {{"bad_bytes", .run = bad_bytes},
                             {"not_files", .run = not_files},
                             {"bad_headers", .run = bad_headers},
                             {"bad_models", .run = bad_models},
                             {"bad_elements", .run = bad_elements},
                             {"other_models", .run = other_models},
                             {"more_than_needed", .run = more_than_needed},
                             {"failed_saves", .run = failed_saves},
                             {"killed", .run = killed}};
int main(int argc, char **argv)
{
    return device_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
