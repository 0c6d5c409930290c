/* data.h: data sets: images and labels, or text, as bytes in host memory, read from standard files
 * that are never trusted.
 *
 *   fashion    Fashion-MNIST: IDX files, gzip or not, 28x28x1 (train-images-idx3-ubyte[.gz], …)
 *   cifar10    CIFAR-10: the binary version, 32x32x3 (cifar-10-batches-bin/data_batch_1.bin …
 *              test_batch.bin; smaller files count as a subset: the five training files must be
 *              equally long)
 *   synthetic  ten classes of 32x32x3 images drawn by a seeded generator; needs no file
 *   text       the files *.txt of data_dir, sorted by name; without a data_dir a made-up language,
 *              which needs no file (data_language.c)
 *   facts      text: names and what is to be known about them; needs no file (data_facts.c)
 *   licences   text: the files of /usr/share/common-licenses, as Debian and Ubuntu have them
 *
 * Of text a *token*, what a language model reads and predicts, is one byte, and there are 256
 * classes. An "image" is a window of TEXT_WINDOW bytes, 1 x T pixels of one channel, with T labels:
 * for each byte the one that follows. Windows lie one behind the other; the last tenth of the text
 * is the test set.
 *
 * A file that is missing, truncated, too long, of the wrong kind or with a label out of range ends
 * the run (exit 2) with one line: the file, what was found, what was expected and what to do.
 */
#ifndef DATA_H
#define DATA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Images {
    int count, h, w, c;
    uint8_t *pixels; /* [count,h,w,c] */
    uint8_t *labels; /* [count], of text [count,T]; < classes */
    int positions;   /* labels per image: of text T; 0 counts as 1 */
} Images;
static inline int images_positions(const Images *i) { return i->positions ? i->positions : 1; }
static inline bool images_of_text(const Images *i) { return images_positions(i) > 1; }
static inline const char *images_unit(const Images *i)
{
    return images_of_text(i) ? "windows" : "images";
}

typedef struct Dataset {
    char name[16];         /* "fashion", "cifar10", "synthetic", "text", "facts", "licences" */
    char description[192]; /* for people: "Fashion-MNIST, 60,000 + 10,000 images 28x28x1, from
                            * /usr/share/…", and ", unofficial copy" where a file's SHA-256 is
                            * not the official one */
    int classes;
    Images train, test;
    double least_loss;      /* no network's mean loss is lower, in nats; 0: not known */
    float mean[4], istd[4]; /* per channel of train / 255: mean, and 1 / standard deviation */
    const char *class_names[10];
} Dataset;

/* Open a data set. name: one of these, or "auto": the first of `accepts` ("fashion,synthetic";
 * read for "auto" only) that is found. Searched, in this order: data_dir (unless NULL), data/
 * (filled by `make datasets`), /usr/share/datasets (the system's package); the first folder with
 * any file of the set counts. A missing or broken set ends the run (exit 2), as does a data_dir
 * without the set, or with "auto" without any; "auto" skips a missing set but not a broken one:
 * better than silently training on something else. */
Dataset *dataset_open(const char *name, const char *accepts, const char *data_dir);
/* At most the first `train` and `test` images of it; 0: all. mean and istd are those of all.
 * Drawing all synthetic images takes a second. */
Dataset *dataset_open_first(const char *name, const char *accepts, const char *data_dir, int train,
                            int test);
const char *dataset_title(const Dataset *d); /* for figures: "Fashion-MNIST" */
void dataset_free(Dataset *d);               /* NULL is fine */
/* The first 16 digits of a SHA-256 over all images and labels, which tells data sets of one name
 * apart in the header of results that a later run resumes. Takes about 0.2 s. */
void dataset_digest(char hex[17], const Dataset *d);

/* ---- the readers, one source file each; what they return or fill in is new: free() it ---- */

/* data_idx.c: one IDX file of unsigned bytes (first two bytes 0, third 0x08, fourth the number of
 * dimensions, then big-endian sizes, then the bytes), gzip or not. It must have exactly `dims`
 * dimensions: fills in `size` and returns the bytes; free() them. Any fault ends the run. digest:
 * the unpacked file's SHA-256 in hexadecimal, unless NULL. */
uint8_t *idx_read(const char *path, int dims, int size[/*dims*/], char digest[65]);

/* data_cifar.c: records of 1 label byte + 1024 R + 1024 G + 1024 B, converted to NHWC. `files`
 * paths of `per_file` records each; their SHA-256 into digests[files] unless NULL. Any fault ends
 * the run. */
void cifar_read(Images *out, const char *const *paths, int files, int per_file,
                char (*digests)[65]);

/* How many records the file should have: 10,000 as in the official ones, or those of a smaller file
 * of whole records (a subset). For any other length 10,000, so that cifar_read refuses the file. */
int cifar_records(const char *path);

/* data_text.c: the files of a folder whose names end in `ending` (".txt"; "": all regular files,
 * but no symbolic links), sorted by name, as one text; at most 128 MiB. Fills in d, but for its
 * name. Any fault ends the run. */
enum { TEXT_WINDOW = 64 }; /* T */
void text_read(Dataset *d, const char *folder, const char *ending);
void text_cut(Dataset *d, const uint8_t *text, size_t bytes); /* this text, 10 windows or more */
bool text_named(const char *name);                            /* "text", "facts", "licences" */
Dataset *text_open(const char *name, const char *data_dir);   /* one of these, whole */

/* data_language.c: the first `count` characters of an endless text; those of its i-th sentence
 * depend on (seed, i) alone. */
void language_draw(uint8_t *text, size_t count, uint64_t seed);
double language_rate(void); /* its entropy rate, in nats per character: no model's loss is lower */

/* data_facts.c: the same of an endless row of facts, of four characters each. */
void facts_draw(uint8_t *text, size_t count, uint64_t seed);
double facts_rate(void);

/* data_synthetic.c: images [first, first + count) of an endless series; image i depends on
 * (seed, i) alone. Hard enough that a linear model stays below 50 %. */
void synthetic_draw(Images *out, int count, uint64_t seed, uint64_t first);
#endif
