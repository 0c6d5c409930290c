/* data.h: data sets: pictures and labels as bytes in host memory, read from standard files that are
 * never trusted.
 *
 *   fashion    Fashion-MNIST: IDX files, gzip or not, 28x28x1   (train-images-idx3-ubyte[.gz], …)
 *   cifar10    CIFAR-10: the binary version, 32x32x3   (cifar-10-batches-bin/data_batch_1.bin …
 *              test_batch.bin; smaller files are taken as a part of the set: the five of training
 *              equally long)
 *   synthetic  ten classes of 32x32x3 pictures drawn by a seeded generator; needs no file
 *
 * A file that is missing, truncated, too long, of the wrong kind or with a label out of range ends
 * the run with one line that names the file, what was found, what was expected and what to do (exit
 * 2).
 */
#ifndef DATA_H
#define DATA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Images {
    int count, h, w, c;
    uint8_t *pixels; /* [count,h,w,c] */
    uint8_t *labels; /* [count], < classes */
} Images;

typedef struct Dataset {
    char name[16];         /* "fashion", "cifar10", "synthetic" */
    char description[192]; /* for people: "Fashion-MNIST, 60,000 + 10,000 pictures 28x28x1, from
                            * /usr/share/…", and ", unofficial copy" where a file's SHA-256 is
                            * not the official one */
    int classes;
    Images train, test;
    float mean[4], istd[4]; /* per channel of train / 255: mean, and 1 / standard deviation */
    const char *class_names[10];
} Dataset;

/* Open a data set. name: one of the three, or "auto": the first of `accepts` ("fashion,synthetic";
 * read for "auto" only) that is found. Looked for in data_dir (NULL: nowhere), in data/ (where
 * `make datasets` puts it), in /usr/share/datasets (the system's package), in this order; the first
 * folder with any file of the set counts. Not found, or found and broken, ends the run (exit 2);
 * "auto" passes over a set of which there is no file, but not over a broken one: better than
 * silently training on something else. */
Dataset *dataset_open(const char *name, const char *accepts, const char *data_dir);
void dataset_free(Dataset *d); /* NULL is fine */

/* ---- the readers, one file each. They allocate out's pixels and labels: free() both. ---- */

/* data_idx.c: one IDX file of unsigned bytes (first two bytes 0, third 0x08, fourth the number of
 * dimensions, then big-endian sizes, then the bytes), gzip or not. Expects exactly `dims` sizes;
 * fills them in and returns the bytes (free()). Ends the run on any fault. digest: the unpacked
 * file's SHA-256 in hexadecimal, unless NULL. */
uint8_t *idx_read(const char *path, int dims, int size[/*dims*/], char digest[65]);

/* data_cifar.c: records of 1 label byte + 1024 R + 1024 G + 1024 B; turns them into NHWC. `files`
 * paths of `per_file` records each; their SHA-256 into digests[files] unless NULL. Ends the run on
 * any fault. */
void cifar_read(Images *out, const char *const *paths, int files, int per_file,
                char (*digests)[65]);

/* How many records such a file should have: 10,000 as the official ones, or as many as are whole in
 * a smaller file, which is a part of the set. A file of any other length is refused for not having
 * 10,000. */
int cifar_records(const char *path);

/* data_synthetic.c: pictures [first, first + count) of an endless series; picture i depends on
 * (seed, i) alone. Hard enough that a linear model stays below 50 %. */
void synthetic_draw(Images *out, int count, uint64_t seed, uint64_t first);
#endif
