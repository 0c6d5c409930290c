/* data.c: choose a data set, find its folder, check that it is complete.
 *
 * Files are looked for in $DATA_DIR, which must hold a data set, in the cache of `make datasets`,
 * in the system's package; the first folder that holds any file of the set must hold them all.
 * Their structure is checked by the readers; their SHA-256 tells the official files from an
 * unofficial copy.
 */
#include "data.h"
#include "check.h"
#include "data_file.h"
#include "printable.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 6, CLASSES = 10 };

/* A data set that is read from files. */
typedef struct FileSet {
    const char *name, *title;
    const char *folders[4]; /* subfolders that may hold its files */
    const char *ending;     /* a second name that each file may have: NAME + ending */
    const char *files[MOST_FILES];
    const char *sha256[MOST_FILES]; /* of the unpacked files */
    const char *class_names[CLASSES];
} FileSet;

static const FileSet fashion = {
    .name = "fashion",
    .title = "Fashion-MNIST",
    .folders = {"fashion-mnist", "FashionMNIST/raw", "."},
    .ending = ".gz",
    .files = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
              "t10k-labels-idx1-ubyte"},
    .sha256 = {"c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
               "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
               "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
               "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"},
    .class_names = {"T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker",
                    "bag", "ankle boot"}};

static const FileSet cifar10 = {
    .name = "cifar10",
    .title = "CIFAR-10",
    .folders = {"cifar-10-batches-bin", "."},
    .ending = "",
    .files = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
              "data_batch_5.bin", "test_batch.bin"},
    .sha256 = {"cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
               "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
               "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
               "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
               "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
               "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"},
    .class_names = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship",
                    "truck"}};

static const char *const synthetic_names[CLASSES] = {"disc",   "square", "triangle", "cross",
                                                     "star",   "ring",   "frame",    "stripes",
                                                     "checks", "dots"};

/* ---- looking for files ---- */

/* Does the path exist, valid or not? A folder without access ends the run. */
static bool exists(const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0)
        return true;
    REQUIRE(errno == ENOENT || errno == ENOTDIR,
            "%s: cannot be accessed: %s: check the folder's permissions", path, strerror(errno));
    return false;
}

/* FOLDER/FILE, or FOLDER/FILE.gz where only that exists; of train-images-idx3-ubyte also under its
 * other name, train-images.idx3-ubyte. NULL: none. A new string. */
static char *find_file(const FileSet *set, const char *folder, const char *file)
{
    const char *endings[] = {"", set->ending};
    for (int i = 0; i < 4; i++) {
        char *path = format_new("%s/%s%s", folder, file, endings[i % 2]), *idx;
        if (i >= 2 && (idx = strstr(path + strlen(folder), "-idx")))
            *idx = '.';
        if (exists(path))
            return path;
        free(path);
    }
    return NULL;
}

static bool holds_any(const FileSet *set, const char *folder)
{
    for (int i = 0; i < MOST_FILES && set->files[i]; i++) {
        char *path = find_file(set, folder, set->files[i]);
        free(path);
        if (path)
            return true;
    }
    return false;
}

/* The folder under root that holds the set, a new string; NULL: not found. */
static char *find_under(const FileSet *set, const char *root)
{
    for (int f = 0; set->folders[f]; f++) {
        bool itself = !strcmp(set->folders[f], ".");
        char *folder = itself ? format_new("%s", root) : format_new("%s/%s", root, set->folders[f]);
        if (holds_any(set, folder))
            return folder;
        free(folder);
    }
    return NULL;
}

/* The same in data_dir, or, if NULL, in the usual folders. */
static char *find_folder(const FileSet *set, const char *data_dir)
{
    const char *roots[] = {data_dir, "data", "/usr/share/datasets"};
    char *folder = NULL;
    for (int i = 0; !folder && i < 3; i++)
        folder = roots[i] ? find_under(set, roots[i]) : NULL;
    return folder;
}

/* Does the folder hold this set; with "auto" any? */
static bool holds(const char *data_dir, const char *name)
{
    const FileSet *sets[] = {&fashion, &cifar10};
    for (int i = 0; i < 2; i++) {
        bool wanted = !strcmp(name, "auto") || !strcmp(name, sets[i]->name);
        char *folder = wanted ? find_under(sets[i], data_dir) : NULL;
        free(folder);
        if (folder)
            return true;
    }
    return false;
}

/* What data_dir holds instead of a set, if recognised; else "" */
static const char *found_instead(const char *data_dir)
{
    static const struct {
        const char *name, *words;
    } known[] = {{"cifar-10-batches-py", "CIFAR-10 for Python: the labs read the binary version"},
                 {"data_batch_1", "CIFAR-10 for Python: the labs read the binary version"},
                 {"cifar-10-python.tar.gz",
                  "CIFAR-10 for Python: the labs read the binary version"},
                 {"cifar-10-binary.tar.gz", "CIFAR-10, still to be unpacked (tar xzf)"},
                 {"cifar-100-binary", "CIFAR-100"},
                 {"MNIST/raw", "MNIST: the labs read Fashion-MNIST"}};
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        char *path = format_new("%s/%s", data_dir, known[i].name);
        bool there = exists(path);
        free(path);
        if (there)
            return known[i].words;
    }
    return "";
}

/* A given folder without the set ends the run. */
static _Noreturn void nothing_in(const char *data_dir, const char *names)
{
    const char *instead = found_instead(data_dir);
    die(EXIT_USAGE,
        "data folder %s (DATA_DIR): no data set %s in it%s%s%s: looked there for "
        "train-images-idx3-ubyte (or .gz), also in fashion-mnist/ and FashionMNIST/raw/, and for "
        "data_batch_1.bin, also in cifar-10-batches-bin/; 'make datasets' fetches them",
        data_dir, names, *instead ? " (it holds " : "", instead, *instead ? ")" : "");
}

/* The paths of all its files, new strings. */
static void find_files(char *paths[MOST_FILES], const FileSet *set, const char *folder)
{
    for (int i = 0; i < MOST_FILES && set->files[i]; i++) {
        paths[i] = find_file(set, folder, set->files[i]);
        REQUIRE(paths[i], "%s: %s is missing beside the other files of %s: run 'make datasets'",
                folder, set->files[i], set->title);
    }
}

/* ---- reading a set ---- */

static void read_fashion_part(Images *out, char *const paths[2], char (*digests)[65])
{
    int size[3], labels;
    out->pixels = idx_read(paths[0], 3, size, digests[0]);
    out->labels = idx_read(paths[1], 1, &labels, digests[1]);
    REQUIRE(size[1] == 28 && size[2] == 28,
            "%s: images of %d x %d pixels, expected 28 x 28: the wrong file? run 'make datasets'",
            paths[0], size[1], size[2]);
    REQUIRE(labels == size[0],
            "%s: %d labels for %d images in %s: files of different sets? run 'make datasets'",
            paths[1], labels, size[0], paths[0]);
    for (int i = 0; i < labels; i++)
        REQUIRE(out->labels[i] < CLASSES,
                "%s: label %d of image %d, expected 0 to %d: damaged? run 'make datasets'",
                paths[1], out->labels[i], i, CLASSES - 1);
    out->count = size[0], out->h = size[1], out->w = size[2], out->c = 1;
}

static void read_files(Dataset *d, const FileSet *set, const char *folder)
{
    char *paths[MOST_FILES] = {0}, digests[MOST_FILES][65], some[27], others[27];
    find_files(paths, set, folder);
    if (set == &fashion) {
        read_fashion_part(&d->train, paths, digests);
        read_fashion_part(&d->test, paths + 2, digests + 2);
    } else {
        cifar_read(&d->train, (const char *const *)paths, 5, cifar_records(paths[0]), digests);
        cifar_read(&d->test, (const char *const *)paths + 5, 1, cifar_records(paths[5]),
                   digests + 5);
    }
    bool official = true;
    for (int i = 0; i < MOST_FILES && set->files[i]; i++) {
        official = official && !strcmp(digests[i], set->sha256[i]);
        free(paths[i]);
    }
    memcpy(d->class_names, set->class_names, sizeof d->class_names);
    size_t length = strlen(folder), most = 90; /* a long path keeps its end */
    snprintf(d->description, sizeof d->description, "%s, %s + %s images %dx%dx%d, from %s%s%s",
             set->title, commas(some, d->train.count), commas(others, d->test.count), d->train.h,
             d->train.w, d->train.c, length > most ? "..." : "",
             folder + (length > most ? length - most : 0), official ? "" : ", unofficial copy");
}

enum { TRAIN = 20000, TEST = 4000 };

static int at_most(int most, int count) { return most > 0 && most < count ? most : count; }

static void read_synthetic(Dataset *d, int train, int test)
{
    enum { SEED = 1 };
    synthetic_draw(&d->train, at_most(train, TRAIN), SEED, 0);
    synthetic_draw(&d->test, at_most(test, TEST), SEED, TRAIN);
    memcpy(d->class_names, synthetic_names, sizeof d->class_names);
    snprintf(d->description, sizeof d->description,
             "synthetic, 20,000 + 4,000 images 32x32x3, drawn with seed %d", SEED);
}

/* ---- opening ---- */

/* Of a channel. Sums of integers are exact; float64 begins at the division. */
typedef struct Sums {
    uint64_t sum, squares;
} Sums;

/* Of all 20,000, so that they need not be drawn. */
static const Sums synthetic_sums[] = {{2684494448, 378456683356},
                                      {2682672250, 378064334674},
                                      {2677874308, 376844120114}};

static Sums sums_of(const Images *t, int c)
{
    Sums s = {0, 0};
    for (size_t p = 0; p < (size_t)t->count * t->h * t->w; p++) {
        uint32_t x = t->pixels[p * t->c + c];
        s.sum += x;
        s.squares += x * x;
    }
    return s;
}

static void measure(Dataset *d, bool synthetic)
{
    const Images *t = &d->train;
    size_t pixels = (size_t)(synthetic ? TRAIN : t->count) * t->h * t->w;
    for (int c = 0; c < t->c; c++) {
        Sums s = synthetic ? synthetic_sums[c] : sums_of(t, c);
        double mean = (double)s.sum / pixels, variance = (double)s.squares / pixels - mean * mean;
        REQUIRE(variance > 0,
                "%s: every pixel of channel %d is %.0f: empty files? run 'make datasets'",
                d->description, c, mean);
        d->mean[c] = (float)(mean / 255);
        d->istd[c] = (float)(255 / sqrt(variance));
    }
}

/* At most so many images of it, and a description to print. */
static Dataset *finished(Dataset *d, int train, int test)
{
    char safe[sizeof d->description]; /* a folder's name, or its truncated end, may not be UTF-8 */
    d->train.count = at_most(train, d->train.count);
    d->test.count = at_most(test, d->test.count);
    strcpy(d->description, printable(safe, sizeof safe, d->description));
    return d;
}

/* Open `name`; NULL: not found. */
static Dataset *open_found(const char *name, const char *data_dir, int train, int test)
{
    const FileSet *set = !strcmp(name, fashion.name) ? &fashion
                       : !strcmp(name, cifar10.name) ? &cifar10
                                                     : NULL;
    REQUIRE(set || !strcmp(name, "synthetic"),
            "data set '%s': expected fashion, cifar10, synthetic, text, facts, licences or auto",
            name);
    char *folder = set ? find_folder(set, data_dir) : NULL;
    if (set && !folder)
        return NULL;
    Dataset *d = alloc(1, sizeof *d);
    snprintf(d->name, sizeof d->name, "%s", name);
    d->classes = CLASSES;
    if (set)
        read_files(d, set, folder);
    else
        read_synthetic(d, train, test);
    measure(d, !set);
    free(folder);
    return finished(d, train, test);
}

Dataset *dataset_open(const char *name, const char *accepts, const char *data_dir)
{
    return dataset_open_first(name, accepts, data_dir, 0, 0);
}

Dataset *dataset_open_first(const char *name, const char *accepts, const char *data_dir, int train,
                            int test)
{
    struct stat info;
    if (data_dir && !*data_dir)
        data_dir = NULL;
    if (data_dir) {
        REQUIRE(!stat(data_dir, &info), "data folder %s: %s: set DATA_DIR to an existing folder",
                data_dir, strerror(errno));
        REQUIRE(S_ISDIR(info.st_mode),
                "data folder %s: is a file: set DATA_DIR to the folder that holds it", data_dir);
    }
    if (text_named(name))
        return finished(text_open(name, data_dir), train, test);
    bool any = !strcmp(name, "auto");
    if (data_dir && strcmp(name, "synthetic") != 0 && !holds(data_dir, name))
        nothing_in(data_dir, any ? accepts : name);
    char *names = format_new("%s", any ? accepts : name), *rest = names;
    Dataset *d = NULL;
    for (char *one; !d && (one = strsep(&rest, ","));)
        d = open_found(one, data_dir, train, test);
    free(names);
    REQUIRE(d,
            "data set %s: not found in data, /usr/share/datasets: run 'make datasets' or set "
            "DATA_DIR to its folder",
            any ? accepts : name);
    return d;
}

const char *dataset_title(const Dataset *d)
{
    return !strcmp(d->name, fashion.name) ? fashion.title
         : !strcmp(d->name, cifar10.name) ? cifar10.title
                                          : d->name;
}

void dataset_free(Dataset *d)
{
    if (!d)
        return;
    free(d->train.pixels);
    free(d->train.labels);
    free(d->test.pixels);
    free(d->test.labels);
    free(d);
}
