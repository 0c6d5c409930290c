/* grade_data.c: the images that a submission may read, as CIFAR-10 files in its run's folder, and
 * those that it never sees.
 *
 *   CIFAR-10    nine tenths of the training images to train on, the rest to validate on; the test
 *               file is held back
 *   synthetic   split alike; drawn for this run. Each image is overlaid with a faint second
 *               one, so that a good network is not at once a perfect one
 *
 * The secret decides which images are which, their order, and which number stands for which class:
 * nothing that was prepared for one run fits another.
 */
#include "check.h"
#include "epoch_order.h"
#include "file.h"
#include "grade.h"
#include "rng.h"
#include <stdlib.h>
#include <string.h>

/* one image is held back per HELD of the training set */
enum { FILES = 5, TENTH = 10, HELD = 5, SYNTHETIC = 20000 };

const char *grade_data_kind(const GradeOptions *o)
{
    if (strcmp(o->data, "auto"))
        return o->data;
    Dataset *d = dataset_open("auto", "cifar10,synthetic", o->data_dir);
    bool real = !strcmp(d->name, "cifar10");
    dataset_free(d);
    return real ? "cifar10" : "synthetic";
}

static void images_free(Images *images)
{
    free(images->pixels);
    free(images->labels);
}

/* One record: the label, then red, green, blue. */
static void put_image(NewFile *f, const Images *images, int i)
{
    enum { PLANE = 32 * 32 };
    uint8_t record[1 + 3 * PLANE];
    const uint8_t *pixels = images->pixels + (size_t)i * PLANE * 3;
    record[0] = images->labels[i];
    for (int p = 0; p < PLANE; p++)
        for (int c = 0; c < 3; c++)
            record[1 + c * PLANE + p] = pixels[p * 3 + c];
    file_put(f, record, sizeof record);
}

static void commit(NewFile *f)
{
    char *error = file_commit(f);
    REQUIRE(!error, "%s", error);
}

/* ---- chance ---- */

enum { CLASSES = 10 };
static const float OVERLAY = 0.38f; /* opacity of the second image */
static const uint64_t SECOND = 1ULL << 40;

static void draw_synthetic(Images *set, int count, uint64_t secret, uint64_t first)
{
    Images second;
    synthetic_draw(set, count, secret, first);
    synthetic_draw(&second, count, secret, first + SECOND);
    size_t bytes = (size_t)count * (size_t)(set->h * set->w * set->c);
    for (size_t i = 0; i < bytes; i++)
        set->pixels[i] = (uint8_t)(set->pixels[i] + OVERLAY * (second.pixels[i] - set->pixels[i]) +
                                   0.5f);
    images_free(&second);
}

static void permute_labels(Images *set, uint64_t secret)
{
    int32_t number[CLASSES];
    epoch_order(number, CLASSES, secret, 1);
    for (int i = 0; i < set->count; i++)
        set->labels[i] = (uint8_t)number[set->labels[i]];
}

/* ---- files ---- */

/* Of each fifth of the set, in an order drawn by lot, `used` images are taken: nine tenths to train
 * on, the rest to validate on. */
static void write_given(const Images *set, int used, uint64_t secret, const char *folder)
{
    int32_t *order = alloc((size_t)set->count, sizeof *order);
    epoch_order(order, set->count, secret, 0);
    char *path = format_new("%s/cifar-10-batches-bin", folder), *error = file_make_folder(path);
    REQUIRE(!error, "%s", error);
    char *test_path = format_new("%s/test_batch.bin", path);
    NewFile *validation = file_begin(test_path);
    for (int k = 0; k < FILES; k++) {
        char *train_path = format_new("%s/data_batch_%d.bin", path, k + 1);
        NewFile *train = file_begin(train_path);
        int first = set->count / FILES * k;
        for (int i = 0; i < used; i++)
            put_image(i < used - used / TENTH ? train : validation, set, order[first + i]);
        commit(train);
        free(train_path);
    }
    commit(validation);
    free(order);
    free(test_path);
    free(path);
}

GradeData grade_data_make(const GradeOptions *o, const char *data, const char *folder)
{
    GradeData g;
    Images set;
    uint64_t secret = (uint64_t)o->secret;
    if (!strcmp(data, "cifar10")) {
        Dataset *d = dataset_open(data, data, o->data_dir);
        set = d->train;
        g.held = d->test;
        d->train = d->test = (Images){0};
        dataset_free(d);
    } else {
        int count = o->images && o->images < SYNTHETIC ? o->images / FILES * FILES : SYNTHETIC;
        draw_synthetic(&set, count, secret, 0);
        draw_synthetic(&g.held, count / HELD, secret, (uint64_t)count);
    }
    int used = (o->images ? o->images : set.count) / FILES;
    REQUIRE(used <= set.count / FILES, "--images %d: the training set has %d", o->images,
            set.count);
    if (o->images && used * FILES / HELD < g.held.count)
        g.held.count = used * FILES / HELD;
    permute_labels(&set, secret);
    permute_labels(&g.held, secret);
    write_given(&set, used, secret, folder);
    images_free(&set);
    g.given = dataset_open("cifar10", "cifar10", folder);
    return g;
}

void grade_data_free(GradeData *d)
{
    images_free(&d->held);
    dataset_free(d->given);
}
