/* test_dataset.c: which data set is opened, from where; what is refused; the statistics. */
#include "check.h"
#include "data_files.h"
#include "harness.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const package = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz";

/* Work in a scratch folder, so that data/ is not the real one. */
static const char *own_folder(void)
{
    const char *dir = scratch_dir();
    assert_int_equal(chdir(dir), 0);
    return dir;
}

static void expect_dataset(const char *name, const char *accepts, const char *data_dir, int train,
                           const char *words)
{
    Dataset *d = dataset_open(name, accepts, data_dir);
    assert_int_equal(d->train.count, train);
    if (!strstr(d->description, words))
        fail_msg("expected '%s' in: %s", words, d->description);
    dataset_free(d);
}

typedef struct Opening {
    const char *name, *accepts, *data_dir;
} Opening;

static void open_it(void *opening)
{
    const Opening *o = opening;
    dataset_free(dataset_open(o->name, o->accepts, o->data_dir));
}

/* ---- finding ---- */

TEST(every_layout)
{
    own_folder();
    write_fashion("flat", 3, false);
    write_fashion("packed/fashion-mnist", 4, true);
    write_fashion("torch/FashionMNIST/raw", 5, false);
    expect_dataset("fashion", NULL, "flat", 3,
                   "Fashion-MNIST, 3 + 2 images 28x28x1, from flat, unofficial copy");
    expect_dataset("fashion", NULL, "packed", 4, "from packed/fashion-mnist, unofficial copy");
    expect_dataset("fashion", NULL, "packed/fashion-mnist", 4,
                   "from packed/fashion-mnist, unofficial copy");
    expect_dataset("fashion", NULL, "torch/", 5, "FashionMNIST/raw, unofficial copy");
    expect_dataset("auto", "cifar10,fashion,synthetic", "flat", 3, "from flat");
}

/* data_dir goes before data/, data/ before the system's package; an empty data_dir is ignored. */
TEST(places_in_turn)
{
    own_folder();
    write_fashion("mine", 3, false);
    write_fashion("data/fashion-mnist", 4, true);
    expect_dataset("fashion", NULL, "mine", 3, "from mine");
    expect_dataset("fashion", NULL, "", 4, "from data/fashion-mnist");
    expect_dataset("fashion", NULL, NULL, 4, "from data/fashion-mnist");
    expect_dataset("auto", "fashion,synthetic", NULL, 4, "from data/fashion-mnist");
    expect_dataset("auto", "cifar10,synthetic", "mine", 20000,
                   "synthetic, 20,000 + 4,000 images 32x32x3");
}

TEST(long_path_keeps_its_end)
{
    char path[160] = "";
    for (int i = 0; i < 15; i++)
        strcat(path, "folder/x/");
    own_folder();
    write_fashion(path, 3, false);
    Dataset *d = dataset_open("fashion", NULL, path);
    assert_non_null(strstr(d->description, "from ..."));
    assert_non_null(strstr(d->description, "folder/x/, unofficial copy"));
    dataset_free(d);
}

/* Under the names that they have elsewhere. */
TEST(other_names)
{
    const char *dir = own_folder();
    write_fashion(dir, 3, false);
    assert_int_equal(rename("train-images-idx3-ubyte", "train-images.idx3-ubyte"), 0);
    assert_int_equal(rename("t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"), 0);
    dataset_free(dataset_open("auto", "fashion,synthetic", dir));
}

TEST(not_found)
{
    const char *dir = own_folder();
    write_file("file", (Bytes){(uint8_t *)"x", 1});
    /* a folder that was named is an error if it holds no data */
    expect_death(2, open_it, &(Opening){"cifar10", NULL, dir}, "no data set cifar10 in it: ", dir,
                 "data_batch_1.bin", "make datasets", NULL);
    expect_death(2, open_it, &(Opening){"auto", "fashion,synthetic", dir},
                 "no data set fashion,synthetic in it: ", "train-images-idx3-ubyte", NULL);
    assert_int_equal(mkdir("cifar-10-batches-py", 0777), 0);
    expect_death(2, open_it, &(Opening){"cifar10", NULL, dir}, "(it holds CIFAR-10 for Python",
                 NULL);
    expect_death(2, open_it, &(Opening){"auto", "cifar10", NULL},
                 "data set cifar10: not found in data, /usr", NULL);
    expect_death(2, open_it, &(Opening){"fashion", NULL, "/no/such"},
                 "data folder /no/such: No such file", NULL);
    expect_death(2, open_it, &(Opening){"synthetic", NULL, "/no/such"},
                 "data folder /no/such: No such file", NULL);
    expect_death(2, open_it, &(Opening){"fashion", NULL, "file"}, "data folder file: is a file",
                 NULL);
    expect_death(2, open_it, &(Opening){"mnist", NULL, NULL},
                 "data set 'mnist': expected fashion, cifar10", NULL);
}

/* ---- broken sets: each ends the run, also under "auto" ---- */

TEST(fashion_faults)
{
    own_folder();
    write_fashion("d", 3, false);
    Opening o = {"fashion", NULL, "d"}, any = {"auto", "fashion,synthetic", "d"};
    Bytes b = idx_bytes(1, (uint32_t[]){4}, 10);
    write_file("d/train-labels-idx1-ubyte", b);
    expect_death(2, open_it, &any,
                 "d/train-labels-idx1-ubyte: 4 labels for 3 images in d/train-images", NULL);
    b.at[7] = 3, b.size -= 1, b.at[9] = 10;
    write_file("d/train-labels-idx1-ubyte", b);
    expect_death(2, open_it, &any,
                 "d/train-labels-idx1-ubyte: label 10 of image 1, expected 0 to 9", NULL);
    remove_file("d/train-labels-idx1-ubyte");
    expect_death(2, open_it, &any, "d: train-labels-idx1-ubyte is missing beside the other files",
                 "make datasets", NULL);
    assert_int_equal(symlink("gone", "d/train-labels-idx1-ubyte"), 0);
    expect_death(2, open_it, &any, "d/train-labels-idx1-ubyte: cannot be opened", NULL);
    write_fashion("e", 3, false);
    o.data_dir = "e";
    b = idx_bytes(3, (uint32_t[]){2, 28, 27}, 256);
    write_file("e/t10k-images-idx3-ubyte", b);
    expect_death(2, open_it, &o,
                 "e/t10k-images-idx3-ubyte: images of 28 x 27 pixels, expected 28 x 28", NULL);
    assert_int_equal(truncate("e/train-images-idx3-ubyte", 1000), 0);
    expect_death(2, open_it, &o,
                 "e/train-images-idx3-ubyte: 1,000 bytes, expected 2,368: truncated?", NULL);
}

static void not_to_be_entered(void *opening)
{
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    open_it(opening);
}

TEST(folders_that_cannot_be_searched)
{
    own_folder();
    make_folder("loop");
    make_folder("locked");
    assert_int_equal(symlink("fashion-mnist", "loop/fashion-mnist"), 0);
    expect_death(2, open_it, &(Opening){"fashion", NULL, "loop"},
                 "cannot be accessed: Too many levels", NULL);
    write_fashion("locked/fashion-mnist", 3, false);
    assert_int_equal(chmod("locked", 0600), 0);
    expect_death(2, not_to_be_entered, &(Opening){"fashion", NULL, "locked"}, "locked",
                 "Permission denied", NULL);
    assert_int_equal(chmod("locked", 0700), 0);
}

/* ---- CIFAR-10: 180 MB of zeros cost nothing as files with holes ---- */

static void cifar_files(const char *folder, int files)
{
    make_folder(folder);
    for (int i = 0; i < files; i++) {
        char path[256];
        snprintf(path, sizeof path, i < 5 ? "%s/data_batch_%d.bin" : "%s/test_batch.bin", folder,
                 i + 1);
        write_file(path, (Bytes){(uint8_t *)"\1\377", 2}); /* label 1, first red pixel 255 */
        assert_int_equal(truncate(path, 30730000), 0);
    }
}

TEST(cifar_set)
{
    own_folder();
    cifar_files("cifar-10-batches-bin", 6);
    Opening o = {"cifar10", NULL, "."};
    expect_death(2, open_it, &o, "every pixel of channel 1 is 0", NULL);
    FILE *f = fopen("cifar-10-batches-bin/data_batch_5.bin", "r+b");
    for (int c = 1; c < 3; c++) { /* the last green and blue pixel of the last image */
        fseek(f, 30730000 - 1 - (2 - c) * 1024, SEEK_SET);
        fputc(255, f);
    }
    fclose(f);
    Dataset *d = dataset_open("cifar10", NULL, ".");
    assert_string_equal(d->description,
                        "CIFAR-10, 50,000 + 10,000 images 32x32x3, from ./cifar-10-batches-bin, "
                        "unofficial copy");
    double mean[3] = {5.0 / 51200000, 1.0 / 51200000, 1.0 / 51200000};
    for (int c = 0; c < 3; c++) {
        expect_close(d->mean[c], mean[c], 0, 1e-6, "mean");
        expect_close(d->istd[c], 1 / sqrt(mean[c] - mean[c] * mean[c]), 0, 1e-6,
                     "1 / standard deviation");
    }
    assert_true(d->train.labels[0] == 1 && d->train.labels[1] == 0 && d->test.labels[0] == 1 &&
                d->classes == 10);
    assert_string_equal(d->class_names[0], "airplane");
    dataset_free(d);
    assert_int_equal(truncate("cifar-10-batches-bin/data_batch_3.bin", 12345678), 0);
    expect_death(2, open_it, &o,
                 "data_batch_3.bin: 12,345,678 bytes, expected 30,730,000: truncated?", NULL);
    remove_file("cifar-10-batches-bin/data_batch_3.bin");
    expect_death(2, open_it, &o, "data_batch_3.bin is missing beside the other files of CIFAR-10",
                 NULL);
}

/* A part of the set: five files of equally many records, and one. */
TEST(cifar_part)
{
    own_folder();
    cifar_files("cifar-10-batches-bin", 6);
    for (int i = 0; i < 6; i++) {
        char path[64];
        snprintf(path, sizeof path,
                 i < 5 ? "cifar-10-batches-bin/data_batch_%d.bin"
                       : "cifar-10-batches-bin/test_batch.bin",
                 i + 1);
        Bytes records = cifar_bytes(i < 5 ? 4 : 7);
        write_file(path, records);
    }
    Dataset *d = dataset_open("cifar10", NULL, ".");
    assert_string_equal(
        d->description,
        "CIFAR-10, 20 + 7 images 32x32x3, from ./cifar-10-batches-bin, unofficial copy");
    assert_true(d->train.count == 20 && d->test.count == 7);
    /* the second file's first image */
    assert_memory_equal(d->train.pixels + 4 * 3072, d->train.pixels, 3072);
    dataset_free(d);
    Opening o = {"cifar10", NULL, "."};
    assert_int_equal(truncate("cifar-10-batches-bin/data_batch_3.bin", 3 * 3073), 0);
    expect_death(2, open_it, &o, "data_batch_3.bin: 9,219 bytes, expected 12,292: truncated?",
                 NULL);
    assert_int_equal(truncate("cifar-10-batches-bin/data_batch_1.bin", 4 * 3073 + 1), 0);
    expect_death(2, open_it, &o, "data_batch_1.bin: 12,293 bytes, expected 30,730,000: truncated?",
                 NULL);
    assert_int_equal(truncate("cifar-10-batches-bin/data_batch_1.bin", 10001 * 3073), 0);
    expect_death(2, open_it, &o,
                 "data_batch_1.bin: 30,733,073 bytes, expected 30,730,000: the wrong file?", NULL);
}

/* ---- the real Fashion-MNIST ---- */

TEST(fashion_of_the_system)
{
    if (access(package, R_OK))
        SKIP("the package dataset-fashion-mnist is not installed");
    own_folder();
    Dataset *d = dataset_open("auto", "fashion,synthetic", NULL);
    assert_string_equal(d->name, "fashion");
    assert_string_equal(
        d->description,
        "Fashion-MNIST, 60,000 + 10,000 images 28x28x1, from /usr/share/datasets/fashion-mnist");
    expect_close(d->mean[0], 0.2860, 5e-5, 0, "mean, as is well known");
    expect_close(1 / d->istd[0], 0.3530, 5e-5, 0, "standard deviation");
    int count[2][10] = {0};
    for (int i = 0; i < 60000; i++)
        count[0][d->train.labels[i]]++;
    for (int i = 0; i < 10000; i++)
        count[1][d->test.labels[i]]++;
    for (int k = 0; k < 10; k++)
        assert_true(count[0][k] == 6000 && count[1][k] == 1000);
    assert_string_equal(d->class_names[d->train.labels[0]], "ankle boot");
    make_folder("copy"); /* three files of it and a fourth with one label changed */
    for (int i = 0; i < 3; i++) {
        const char *files[] = {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
                               "t10k-images-idx3-ubyte.gz"};
        assert_int_equal(symlink(path_in("/usr/share/datasets/fashion-mnist", files[i]),
                                 path_in("copy", files[i])),
                         0);
    }
    Bytes b = idx_bytes(1, (uint32_t[]){10000}, 10);
    memcpy(b.at + 8, d->test.labels, 10000);
    write_file("copy/t10k-labels-idx1-ubyte", b);
    dataset_free(d);
    Dataset *whole = dataset_open("fashion", NULL, "copy");
    assert_null(strstr(whole->description, "unofficial"));
    dataset_free(whole);
    b.at[8] = b.at[8] ? 0 : 1;
    write_file("copy/t10k-labels-idx1-ubyte", b);
    expect_dataset("fashion", NULL, "copy", 60000, "from copy, unofficial copy");
}
