/* grade_data.c: the images that a submission may read, as CIFAR-10 files in its run's folder, and
 * those that it never sees.
 *
 *   CIFAR-10    the first nine tenths of each training file to train on, the rest to validate on;
 *               the test file is held back
 *   synthetic   split alike; drawn for this run with a seed that the submission does not know
 */
#include "check.h"
#include "file.h"
#include "grade.h"
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

/* Of each file's part of the set, `used` images are taken: nine tenths to train on, the rest to
 * validate on. */
static void write_given(const Images *set, int used, const char *folder)
{
    char *path = format_new("%s/cifar-10-batches-bin", folder), *error = file_make_folder(path);
    REQUIRE(!error, "%s", error);
    char *test_path = format_new("%s/test_batch.bin", path);
    NewFile *validation = file_begin(test_path);
    for (int k = 0; k < FILES; k++) {
        char *train_path = format_new("%s/data_batch_%d.bin", path, k + 1);
        NewFile *train = file_begin(train_path);
        int first = set->count / FILES * k;
        for (int i = 0; i < used; i++)
            put_image(i < used - used / TENTH ? train : validation, set, first + i);
        commit(train);
        free(train_path);
    }
    commit(validation);
    free(test_path);
    free(path);
}

static void images_free(Images *images)
{
    free(images->pixels);
    free(images->labels);
}

GradeData grade_data_make(const GradeOptions *o, const char *data, const char *folder)
{
    GradeData g;
    Images set;
    if (!strcmp(data, "cifar10")) {
        Dataset *d = dataset_open(data, data, o->data_dir);
        set = d->train;
        g.held = d->test;
        d->train = d->test = (Images){0};
        dataset_free(d);
    } else {
        int count = o->images && o->images < SYNTHETIC ? o->images / FILES * FILES : SYNTHETIC;
        synthetic_draw(&set, count, (uint64_t)o->secret, 0);
        synthetic_draw(&g.held, count / HELD, (uint64_t)o->secret, (uint64_t)count);
    }
    int used = (o->images ? o->images : set.count) / FILES;
    REQUIRE(used <= set.count / FILES, "--images %d: the training set has %d", o->images,
            set.count);
    if (o->images)
        g.held.count = used * FILES / HELD;
    write_given(&set, used, folder);
    images_free(&set);
    g.given = dataset_open("cifar10", "cifar10", folder);
    return g;
}

void grade_data_free(GradeData *d)
{
    images_free(&d->held);
    dataset_free(d->given);
}
