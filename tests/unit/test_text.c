/* test_text.c: text as a data set: how it is cut, which files are read and refused; the made-up
 * language, whose entropy rate is known. */
#include "check.h"
#include "data/data_language.h"
#include "data_files.h"
#include "harness.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *own_folder(void)
{
    const char *dir = scratch_dir();
    assert_int_equal(chdir(dir), 0);
    return dir;
}

/* `count` bytes, of which byte i is (7 i + first) % 251. */
static void write_text(const char *path, int count, int first)
{
    Bytes b = {keep(alloc((size_t)count + 1, 1)), (size_t)count};
    for (int i = 0; i < count; i++)
        b.at[i] = (uint8_t)((7 * i + first) % 251);
    write_file(path, b);
}

/* ---- reading ---- */

/* Window i begins at byte i T of all files together; its labels are the bytes that follow. */
TEST(windows)
{
    own_folder();
    make_folder("d");
    write_text("d/b.txt", 1000, 0);
    write_text("d/a.txt", 700, 3);
    write_text("d/.hidden.txt", 700, 3);
    write_text("d/notes", 700, 3);
    Dataset *d = dataset_open("text", NULL, "d");
    int T = TEXT_WINDOW, n = d->train.count + d->test.count;
    assert_true(n == 1699 / T && d->test.count == n / 10 && d->classes == 256);
    assert_true(d->train.h == 1 && d->train.w == T && d->train.c == 1 && d->train.positions == T);
    assert_true(d->mean[0] == 0 && d->istd[0] == 255 && d->test.positions == T);
    for (int i = 0; i < n * T; i++) {
        int split = d->train.count * T, j = i + 1;
        const Images *set = i < split ? &d->train : &d->test;
        int at = i < split ? i : i - split;
        assert_int_equal(set->pixels[at], (i < 700 ? 7 * i + 3 : 7 * (i - 700)) % 251);
        assert_int_equal(set->labels[at], (j < 700 ? 7 * j + 3 : 7 * (j - 700)) % 251);
    }
    assert_string_equal(d->description, "text, 24 + 2 windows of 64 bytes, from 2 files in d");
    Dataset *few = dataset_open_first("text", NULL, "d", 5, 1);
    assert_true(few->train.count == 5 && few->test.count == 1);
    assert_memory_equal(few->test.labels, d->test.labels, (size_t)T);
    char all[17], some[17], other[17];
    dataset_digest(all, d);
    dataset_digest(some, few);
    few->train.labels[5 * T - 1] ^= 1; /* the last label of all that count */
    dataset_digest(other, few);
    assert_true(strcmp(all, some) && strcmp(some, other));
    dataset_free(few);
    dataset_free(d);
}

/* What licences are read with: without an ending, regular files only. */
TEST(regular_files)
{
    own_folder();
    make_folder("d/folder");
    write_text("d/GPL-3", 1300, 0);
    assert_int_equal(symlink("GPL-3", "d/GPL"), 0);
    Dataset d = {0};
    text_read(&d, "d", "");
    assert_true(d.train.count + d.test.count == 1299 / TEXT_WINDOW);
    free(d.train.pixels), free(d.train.labels), free(d.test.pixels), free(d.test.labels);
}

typedef struct Opening {
    const char *name, *data_dir;
} Opening;

static void open_it(void *opening)
{
    const Opening *o = opening;
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    dataset_free(dataset_open(o->name, NULL, o->data_dir));
}

TEST(refused)
{
    const char *dir = own_folder();
    assert_int_equal(chmod(dir, 0755), 0);
    Opening o = {"text", "d"};
    expect_death(2, open_it, &o, "data folder d: No such file", NULL);
    make_folder("d");
    expect_death(2, open_it, &o, "data folder d: no text file *.txt in it", "DATA_DIR", NULL);
    write_text("d/a.txt", 0, 0);
    expect_death(2, open_it, &o,
                 "data folder d: 0 bytes of text in 1 file, expected at least "
                 "1,281",
                 NULL);
    write_text("d/b.txt", 1280, 0);
    expect_death(2, open_it, &o, "d: 1,280 bytes of text in 2 files, expected", NULL);
    make_folder("d/c.txt");
    expect_death(2, open_it, &o, "d/c.txt: is a folder", NULL);
    assert_int_equal(rmdir("d/c.txt"), 0);
    assert_int_equal(truncate("d/b.txt", (1 << 27) - 10), 0); /* holes */
    write_text("d/c.txt", 11, 0);
    expect_death(2, open_it, &o, "d/c.txt: 11 bytes, and at most 134,217,728 of text", NULL);
    assert_int_equal(truncate("d/b.txt", 3000), 0);
    dataset_free(dataset_open("text", NULL, "d"));
    assert_int_equal(chmod("d/c.txt", 0), 0);
    expect_death(2, open_it, &o, "d/c.txt: cannot be opened: Permission denied", NULL);
    assert_int_equal(chmod("d", 0100), 0);
    expect_death(2, open_it, &o, "data folder d: Permission denied", NULL);
    assert_int_equal(chmod("d", 0700), 0);
}

/* ---- the language ---- */

/* -ln p of the text, if it is one that the grammar makes: read as it was drawn. Counts each slot's
 * words. */
static double surprise(const uint8_t *text, size_t count, int seen[SLOTS][16], int *sentences)
{
    double nats = 0;
    int slot = SUBJECT, subject = 0;
    *sentences = 0;
    for (size_t at = 0; at + LONGEST_WORD < count;) {
        int found = -1, length = 0, n = language_choices(slot);
        for (int i = 0; i < n; i++) {
            char word[LONGEST_WORD];
            int long_as = language_word(word, slot, slot == SUBJECT ? i : subject, i);
            if (!memcmp(text + at, word, (size_t)long_as)) {
                assert_int_equal(found, -1); /* no word begins with another one */
                found = i, length = long_as;
            }
        }
        assert_true(found >= 0);
        nats += log(n);
        seen[slot][found]++;
        subject = slot == SUBJECT ? found : subject;
        *sentences += slot == SUBJECT;
        slot = language_next(slot, found);
        at += (size_t)length;
    }
    return nats;
}

TEST(entropy_rate)
{
    enum { COUNT = 4000000 };
    uint8_t *text = keep(alloc(COUNT, 1));
    int seen[SLOTS][16] = {{0}}, sentences;
    language_draw(text, COUNT, 3);
    double rate = surprise(text, COUNT, seen, &sentences) / COUNT;
    printf("%.5f nats per character drawn, %.5f expected\n", rate, language_rate());
    expect_close(rate, language_rate(), 5e-4, 0, "entropy rate");
    for (int slot = 0; slot < SLOTS; slot++)
        for (int i = 0, n = language_choices(slot); i < n; i++)
            expect_close(seen[slot][i], (double)sentences / n, 6 * sqrt(2.0 * sentences / n), 0,
                         "a word's frequency");
}

/* ---- the same, for one who sees the text through a window ---- */

enum { HE_SHE_THEY = 3, WORDS = 16 };
/* How likely the text stands at this character of this word, of a sentence of that kind. */
typedef double Places[SLOTS][HE_SHE_THEY][WORDS][LONGEST_WORD];
static char words[SLOTS][HE_SHE_THEY][WORDS][LONGEST_WORD];
#define EACH_WORD(s, k, i) \
    for (int s = 0; s < SLOTS; s++) \
        for (int k = 0; k < HE_SHE_THEY; k++) \
            for (int i = 0; i < language_choices(s); i++)

/* Before anything is known. */
static void anywhere(Places at)
{
    EACH_WORD(s, k, i)
    {
        language_word(words[s][k][i], s, 4 * k, i);
        for (int p = 0; words[s][k][i][p]; p++)
            at[s][k][i][p] = (s != SUBJECT || i / 4 == k) / (double)language_choices(s);
    }
}

/* The probability of character c at each place, where it is; returns the sum. */
static double matching(Places at, char c)
{
    double sum = 0;
    EACH_WORD(s, k, i)
    for (int p = 0; words[s][k][i][p]; p++)
        sum += at[s][k][i][p] *= words[s][k][i][p] == c;
    return sum;
}

/* One character on; divided by `sum`. */
static void advance(Places to, Places from, double sum)
{
    memset(to, 0, sizeof(Places));
    EACH_WORD(s, k, i)
    for (int p = 0; words[s][k][i][p]; p++) {
        double q = from[s][k][i][p] / sum;
        int next = language_next(s, i), n = language_choices(next);
        if (q > 0 && words[s][k][i][p + 1])
            to[s][k][i][p + 1] += q;
        for (int j = 0; q > 0 && !words[s][k][i][p + 1] && j < n; j++)
            to[next][next == SUBJECT ? j / 4 : k][j][0] += q / n;
    }
}

TEST(floor_in_windows)
{
    enum { T = TEXT_WINDOW, COUNT = 500 };
    static Places start, at[2];
    double nats = 0;
    Dataset *d = dataset_open("text", NULL, NULL);
    anywhere(start);
    for (int w = 0; w < COUNT; w++) {
        memcpy(at[0], start, sizeof start);
        double sum = matching(at[0], (char)d->test.pixels[w * T]);
        for (int t = 0; t < T; t++) {
            advance(at[(t + 1) % 2], at[t % 2], sum);
            sum = matching(at[(t + 1) % 2], (char)d->test.labels[w * T + t]);
            nats -= log(sum);
        }
    }
    printf("%.4f nats per character within windows\n", nats / (COUNT * T));
    expect_close(nats / (COUNT * T), 0.33, 0.01, 0, "floor of a model that sees a window");
    assert_non_null(strstr(d->description, "0.33 within a window"));
    dataset_free(d);
}

TEST(language_by_seed)
{
    uint8_t text[2][3000], other[3000];
    language_draw(text[0], 3000, 1);
    language_draw(text[1], 2000, 1);
    language_draw(other, 3000, 2);
    assert_memory_equal(text[0], text[1], 2000);
    assert_memory_not_equal(text[0], other, 3000);
    Dataset *d = dataset_open("text", NULL, NULL);
    assert_true(d->train.count + d->test.count == 15624);
    assert_memory_equal(d->train.pixels, text[0], 3000);
    assert_non_null(strstr(d->description, "floor of the loss 0.288"));
    dataset_free(d);
}

/* ---- the facts ---- */

/* A name has one value; the most frequent fact has its share by Zipf's law; the entropy is that of
 * the shares; and a text depends on the seed alone. */
TEST(facts)
{
    enum { COUNT = 4000000, NAMES = 32 * 32 * 32, BLOCK = 4 };
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint8_t *text = keep(alloc(COUNT, 1)), other[2][400], value[NAMES] = {0};
    static int times[NAMES];
    facts_draw(text, COUNT, 5);
    for (int i = 0; i < COUNT; i += BLOCK) {
        int name = 0;
        for (int j = 0; j < BLOCK - 1; j++) {
            const char *letter = strchr(letters, text[i + j]);
            assert_true(text[i + j] && letter);
            name = 32 * name + (int)(letter - letters);
        }
        uint8_t known = text[i + BLOCK - 1];
        assert_in_range(known, 'A', 'P');
        assert_true(!value[name] || value[name] == known);
        value[name] = known;
        times[name]++;
    }
    double sum = 0, nats = 0, most = 0;
    for (int k = 1; k <= NAMES; k++)
        sum += pow(k, -1.3);
    for (int k = 1; k <= NAMES; k++)
        nats -= pow(k, -1.3) / sum * log(pow(k, -1.3) / sum) / BLOCK;
    for (int i = 0; i < NAMES; i++)
        most = fmax(most, times[i]);
    printf("the most frequent: %.5f of all, %.5f expected; %.5f nats\n", BLOCK * most / COUNT,
           1 / sum, facts_rate());
    expect_close(BLOCK * most / COUNT, 1 / sum, 2e-3, 0, "the most frequent fact's share");
    expect_close(facts_rate(), nats, 1e-12, 0, "entropy rate");
    facts_draw(other[0], 400, 5);
    facts_draw(other[1], 400, 6);
    assert_memory_equal(text, other[0], 400);
    assert_memory_not_equal(text, other[1], 400);
}
