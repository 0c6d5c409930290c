/* data_text.c: text as a data set: each byte is one of 256 tokens. The text is cut into windows of
 * T = TEXT_WINDOW bytes, one behind the other; the labels of a window are the bytes that follow
 * each of its bytes. So window i has the bytes [iT, iT + T), and the labels [iT + 1, iT + T + 1).
 */
#include "check.h"
#include "data_file.h"
#include "data_language.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    TOKENS = 256,
    LEAST_WINDOWS = 20,
    DRAWN = 1000000,
    FACTS_DRAWN = 18874368, /* 265,420 windows to train on */
    SEED = 1,
    MOST_TEXT = 1 << 27
};
static const char *const licences = "/usr/share/common-licenses";

/* Windows [first, first + count) of the text. */
static Images windows(const uint8_t *text, size_t first, size_t count)
{
    size_t bytes = count * TEXT_WINDOW;
    Images out = {.count = (int)count, .h = 1, .w = TEXT_WINDOW, .c = 1, .positions = TEXT_WINDOW};
    out.pixels = alloc(bytes, 1);
    out.labels = alloc(bytes, 1);
    memcpy(out.pixels, text + first * TEXT_WINDOW, bytes);
    memcpy(out.labels, text + first * TEXT_WINDOW + 1, bytes);
    return out;
}

void text_cut(Dataset *d, const uint8_t *text, size_t bytes)
{
    size_t count = (bytes - 1) / TEXT_WINDOW, test = count / 10;
    d->classes = TOKENS;
    d->train = windows(text, 0, count - test);
    d->test = windows(text, count - test, test);
    d->mean[0] = 0;
    d->istd[0] = 255; /* the loader's (byte / 255 - mean) istd is the byte again */
}

/* ---- files ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the files that end in `ending`, sorted as bytes; without an ending all regular
 * files, but no symbolic links. New strings, as is the list; their number. */
static int list_files(char ***names, const char *folder, const char *ending)
{
    DIR *dir = opendir(folder);
    REQUIRE(dir, "data folder %s: %s: try --data text, with DATA_DIR set to a folder of text files",
            folder, strerror(errno));
    int count = 0;
    *names = NULL;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t length = strlen(e->d_name), tail = strlen(ending);
        if (e->d_name[0] == '.' || length < tail || strcmp(e->d_name + length - tail, ending))
            continue;
        struct stat info;
        char *path = format_new("%s/%s", folder, e->d_name);
        bool regular = !lstat(path, &info) && S_ISREG(info.st_mode);
        free(path);
        if (!*ending && !regular)
            continue;
        *names = grown(*names, (size_t)count, sizeof **names);
        (*names)[count++] = format_new("%s", e->d_name);
    }
    closedir(dir);
    if (count)
        qsort(*names, (size_t)count, sizeof **names, by_name);
    return count;
}

static char *check_size(Bytes head, uint64_t size, int room)
{
    char have[27], most[27];
    (void)head;
    if (size <= (uint64_t)room)
        return NULL;
    return format_new("%s bytes, and at most %s of text are read, all files together: give less",
                      commas(have, size), commas(most, MOST_TEXT));
}

/* One file; at most `room` bytes. */
static Bytes read_one(const char *folder, const char *name, size_t room)
{
    Bytes file;
    char *path = format_new("%s/%s", folder, name);
    char *fault = file_load(&file, path, check_size, (int)room);
    REQUIRE(!fault, "%s: %s", path, fault);
    free(path);
    return file;
}

/* All of them, one behind the other. The names are freed. */
static Bytes read_all(const char *folder, char **names, int count)
{
    Bytes *files = alloc((size_t)count, sizeof *files), all = {0};
    for (int i = 0; i < count; i++) {
        files[i] = read_one(folder, names[i], MOST_TEXT - all.size);
        all.size += files[i].size;
        free(names[i]);
    }
    all.at = alloc(all.size + 1, 1);
    for (size_t i = 0, at = 0; i < (size_t)count; at += files[i++].size) {
        memcpy(all.at + at, files[i].at, files[i].size);
        free(files[i].at);
    }
    free(files);
    free(names);
    return all;
}

void text_read(Dataset *d, const char *folder, const char *ending)
{
    char **names, have[27], least[27], some[27], others[27];
    int files = list_files(&names, folder, ending);
    const char *s = files == 1 ? "" : "s";
    REQUIRE(files,
            "data folder %s: no text file *%s in it: set DATA_DIR to a folder with some, or to "
            "nothing for a made-up language",
            folder, ending);
    Bytes text = read_all(folder, names, files);
    REQUIRE(text.size > LEAST_WINDOWS * TEXT_WINDOW,
            "data folder %s: %s bytes of text in %d file%s, expected at least %s: add more text",
            folder, commas(have, text.size), files, s,
            commas(least, LEAST_WINDOWS * TEXT_WINDOW + 1));
    text_cut(d, text.at, text.size);
    free(text.at);
    size_t length = strlen(folder), most = 70; /* a long path keeps its end */
    snprintf(d->description, sizeof d->description,
             "text, %s + %s windows of %d bytes, from %d file%s in %s%s",
             commas(some, (uint64_t)d->train.count), commas(others, (uint64_t)d->test.count),
             TEXT_WINDOW, files, s, length > most ? "..." : "",
             folder + (length > most ? length - most : 0));
}

/* ---- opening ---- */

/* A text that is drawn, and whose entropy rate is known; what it is, and what else to say of it. */
static void draw_text(Dataset *d, size_t count, void (*draw)(uint8_t *, size_t, uint64_t),
                      double rate, const char *what, const char *more)
{
    char some[27], others[27];
    uint8_t *text = alloc(count, 1);
    draw(text, count, SEED);
    text_cut(d, text, count);
    free(text);
    d->least_loss = rate;
    snprintf(d->description, sizeof d->description,
             "%s, %s + %s windows of %d characters, drawn with seed %d; floor of the loss %.3f%s",
             what, commas(some, (uint64_t)d->train.count), commas(others, (uint64_t)d->test.count),
             TEXT_WINDOW, SEED, rate, more);
}

bool text_named(const char *name)
{
    return !strcmp(name, "text") || !strcmp(name, "facts") || !strcmp(name, "licences");
}

Dataset *text_open(const char *name, const char *data_dir)
{
    Dataset *d = alloc(1, sizeof *d);
    snprintf(d->name, sizeof d->name, "%s", name);
    if (!strcmp(name, "licences"))
        text_read(d, licences, "");
    else if (!strcmp(name, "facts"))
        draw_text(d, FACTS_DRAWN, facts_draw, facts_rate(), "facts", "");
    else if (data_dir)
        text_read(d, data_dir, ".txt");
    else
        draw_text(d, DRAWN, language_draw, language_rate(), "a made-up language",
                  ", 0.33 within a window");
    return d;
}
