/* data_cifar.c: CIFAR-10's binary version: records of 1 label byte, then 32 x 32 red, green, and
 * blue bytes.
 *
 * There is no header: only the file's length shows whether it is complete. The planes are
 * interleaved here, once: the network reads NHWC, the three colours of a pixel side by side.
 */
#include "check.h"
#include "data_file.h"
#include "digest.h"
#include <stdlib.h>
#include <sys/stat.h>

enum {
    OFFICIAL = 10000,
    SIDE = 32,
    PLANE = SIDE * SIDE,
    COLOURS = 3,
    RECORD = 1 + COLOURS * PLANE,
    CLASSES = 10
};

static char *check_size(Bytes head, uint64_t size, int count)
{
    char have[27], want[27];
    uint64_t expected = (uint64_t)count * RECORD;
    if (size == expected)
        return NULL;
    return format_new("%s bytes, expected %s: %s?", commas(have, size), commas(want, expected),
                      size < expected ? "truncated" : "the wrong file");
}

char *cifar_parse(Images *out, int first, int count, Bytes stored)
{
    char at[27], *fault = check_size(stored, stored.size, count);
    if (fault)
        return fault;
    for (int i = 0; i < count; i++) {
        const uint8_t *record = stored.at + (size_t)i * RECORD;
        uint8_t *pixels = out->pixels + ((size_t)first + i) * PLANE * COLOURS;
        if (record[0] >= CLASSES)
            return format_new("label %d in record %s, expected 0 to %d: damaged?", record[0],
                              commas(at, i), CLASSES - 1);
        out->labels[first + i] = record[0];
        for (int p = 0; p < PLANE; p++)
            for (int c = 0; c < COLOURS; c++)
                pixels[p * COLOURS + c] = record[1 + c * PLANE + p];
    }
    return NULL;
}

int cifar_records(const char *path)
{
    struct stat info;
    bool whole = stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
                 info.st_size % RECORD == 0;
    return whole && info.st_size / RECORD < OFFICIAL ? (int)(info.st_size / RECORD) : OFFICIAL;
}

void cifar_read(Images *out, const char *const *paths, int files, int per_file, char (*digests)[65])
{
    *out = (Images){.count = files * per_file, .h = SIDE, .w = SIDE, .c = COLOURS};
    out->pixels = alloc((size_t)out->count * PLANE, COLOURS);
    out->labels = alloc(out->count, 1);
    for (int i = 0; i < files; i++) {
        Bytes stored;
        char *fault = file_load(&stored, paths[i], check_size, per_file);
        if (!fault)
            fault = cifar_parse(out, i * per_file, per_file, stored);
        REQUIRE(!fault, "%s: %s run 'make datasets'", paths[i], fault);
        if (digests)
            sha256_hex(digests[i], 65, stored.at, stored.size);
        free(stored.at);
    }
}
