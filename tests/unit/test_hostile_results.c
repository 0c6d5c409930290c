/* test_hostile_results.c: files of results that an earlier run left, made wrong in every way: the
 * run that would resume from them names the line instead of trusting it. */
#include "check.h"
#include "harness.h"
#include "json_text.h"
#include "landscape.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- sweeps ---- */

#define HEAD "# {\"model\":\"mlp\"}\nbatch,seed,rate,steps\n"
static const SweepRange ranges[] = {{1, 1024, .whole = true},
                                    {.high = 1e6},
                                    {1, 1e9, .whole = true, .missing = true}};

typedef struct File {
    const char *text, *words; /* words NULL: accepted */
    int rows;                 /* then */
    size_t size;
} File;
#define REFUSED(content, why) \
    { \
        .text = (content), .words = (why), .size = sizeof(content) - 1 \
    }
#define READ(content, count) \
    { \
        .text = (content), .rows = (count), .size = sizeof(content) - 1 \
    }

#define LINE3 "line 3: not a run's results: repair or remove that line"
static const File files[] = {
    READ(HEAD "8,1,1000.25,12\n16,1,2000.5,nan\n", 2),
    READ(HEAD "8,1,1.5e-05,-nan\n", 1),
    REFUSED(HEAD "8,1,1e+04,12\n", LINE3),       /* written as 10000 */
    READ(HEAD "8,1,1000.25,12\n8,2,1000.25", 1), /* cut: that run is repeated */
    READ(HEAD "8,1,1000.25,12\n8,2,1000.25,12", 1),
    READ(HEAD "8,1,1000.25,12\n\0\0\0\0\0\0", 1), /* a power cut's */
    REFUSED(HEAD "8,1,10o0.25,12\n", LINE3),
    REFUSED(HEAD "8,1,1O00,12\n", LINE3),
    REFUSED(HEAD "8,1,1000x,12\n", LINE3),
    REFUSED(HEAD "8,1,0x10,12\n", LINE3),
    REFUSED(HEAD "8,1,NaN,12\n", LINE3),
    REFUSED(HEAD "8,1,nan(12),12\n", LINE3),
    REFUSED(HEAD "8,1,infinity,12\n", LINE3),
    REFUSED(HEAD "8,1,,12\n", LINE3),
    REFUSED(HEAD "8,1,12\n", LINE3),
    REFUSED(HEAD "8,1,1000,12,\n", LINE3),
    REFUSED(HEAD "8,1,1000,12,5\n", LINE3),
    REFUSED(HEAD "8,1, 1000,12\n", LINE3),
    REFUSED(HEAD "8,1,1000,12 \n", LINE3),
    REFUSED(HEAD "8,1,+1000,12\n", LINE3),
    REFUSED(HEAD "08,1,1000,12\n", LINE3),
    REFUSED(HEAD "8,1.0,1000,12\n", LINE3),
    REFUSED(HEAD "8,-1,1000,12\n", LINE3),
    REFUSED(HEAD "8,99999999999999999999,1000,12\n", LINE3),
    REFUSED(HEAD "nan,1,1000,12\n", LINE3),
    REFUSED(HEAD "inf,1,1000,12\n", LINE3),
    REFUSED(HEAD "8,1,1000,12\r\n", LINE3),
    REFUSED(HEAD "8,1,1000,12\0\n", LINE3),
    REFUSED(HEAD "8,1\0,1000,12\n", LINE3),
    REFUSED(HEAD "\n", LINE3),
    REFUSED(HEAD "\n8,1,1000,12\n", LINE3),
    REFUSED(HEAD "# a note\n", LINE3),
    REFUSED(HEAD HEAD, LINE3),
    REFUSED(HEAD "8,1,10008,1,1000,12\n", LINE3), /* two writers */
    REFUSED(HEAD "8,1,1000,12\n8,1,1000,12\n", "lines 3 and 4: the same run twice"),
    REFUSED(HEAD "8,1,1000,12\n8,2,1,1\n8,1,7,7\n", "lines 3 and 5: the same run twice"),
    REFUSED(HEAD "0,1,1000,12\n", "line 3: 0: not a result of this sweep"),
    REFUSED(HEAD "8,1,1000,12\n2048,1,1000,12\n", "line 4: 2048: not a result of this sweep"),
    REFUSED(HEAD "8.5,1,1000,12\n", "line 3: 8.5: not a result"),
    REFUSED(HEAD "8,1,-1000,12\n", "line 3: -1000: not a result"),
    REFUSED(HEAD "8,1,nan,12\n", "line 3: nan: not a result"),
    REFUSED(HEAD "8,1,inf,12\n", "line 3: inf: not a result"),
    REFUSED(HEAD "8,1,1000,12.5\n", "line 3: 12.5: not a result"),
    REFUSED(HEAD "8,1,1000,0\n", "line 3: 0: not a result"),
    REFUSED("8,1,1000,12\n", "not a sweep's results"),
    REFUSED("\0# {}\n", "not a sweep's results"),
    READ("# {\"model\":\"mlp\"}\r\nbatch,seed,rate,steps\r\n8,1,1000,12\r\n", 0), /* .old */
    READ("# {\"model\":\"mlp\"} \nbatch,seed,rate,steps\n8,1,1000,12\n", 0),
    READ("# {\"model\":\"mlp\"}\nbatch,seed,rate,step\n8,1,1000,12\n", 0),
    READ("# (null)\nbatch,seed,rate,steps\n8,1,1000,12\n", 0)};

static Sweep *open_sweep(const char *path)
{
    json_t *config = json_pack("{s:s}", "model", "mlp");
    Sweep *s = sweep_open(path, "batch,rate,steps", config);
    sweep_require(s, ranges);
    json_decref(config);
    return s;
}

static void try_sweep(void *path) { sweep_free(open_sweep(path)); }

TEST(sweeps)
{
    char *path = path_in(scratch_dir(), "sweep.csv");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const File *f = &files[i];
        write_bytes(path, f->text, f->size);
        if (f->words) {
            expect_death(EXIT_USAGE, try_sweep, path, path, f->words, NULL);
            continue;
        }
        Sweep *s = open_sweep(path);
        if (s->rows != f->rows)
            fail_msg("file %zu: %d rows, expected %d", i, s->rows, f->rows);
        sweep_add(s, 512, 7, (double[]){1, 2}); /* it resumes */
        sweep_free(s);
        s = open_sweep(path);
        assert_int_equal(s->rows, f->rows + 1);
        sweep_free(s);
    }
}

/* Lines and headers of any length are read whole: no piece of one passes for a line. */
TEST(long_lines)
{
    char *path = path_in(scratch_dir(), "sweep.csv");
    for (int length = 4080; length < 4110; length++) {
        char *text = format_new(HEAD "%0*d8,1,1000,12\n", length, 0);
        write_bytes(path, text, strlen(text));
        expect_death(EXIT_USAGE, try_sweep, path, LINE3, NULL);
        free(text);
    }
    char *name = alloc(10001, 1);
    memset(name, 'x', 10000);
    json_t *config = json_pack("{s:s}", "model", name);
    for (int again = 0; again < 2; again++) {
        Sweep *s = sweep_open(path, "batch,rate,steps", config);
        assert_int_equal(s->rows, again);
        if (!again)
            sweep_add(s, 8, 1, (double[]){1, 2});
        sweep_free(s);
    }
    json_decref(config);
    free(name);
}

TEST(not_files)
{
    const char *folder = scratch_dir();
    char *path = path_in(folder, "sweep.csv"), *link = path_in(folder, "link.csv");
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_death(EXIT_USAGE, try_sweep, path, path, "is not a regular file", NULL);
    expect_death(EXIT_USAGE, try_sweep, (void *)folder, folder, "is a folder", NULL);
    expect_death(EXIT_USAGE, try_sweep, "/dev/full", "/dev/full: is not a regular file", NULL);
    expect_death(EXIT_USAGE, try_sweep, "/dev/zero", "/dev/zero: is not a regular file", NULL);
    assert_int_equal(symlink(path, link), 0);
    expect_death(EXIT_USAGE, try_sweep, link, link, "is not a regular file", NULL);
    unlink(path);
    write_bytes(path, HEAD "8,1,1000,12\n", strlen(HEAD) + 12);
    Sweep *s = open_sweep(link); /* results on another disk */
    assert_int_equal(s->rows, 1);
    sweep_free(s);
}

/* ---- landscapes ---- */

#define POINTS "# {}\npoint,seed,a,b,loss,accuracy\n"
static const Plane plane = {.nx = 4, .ny = 3, .a_low = -1, .a_high = 1, .b_low = 0, .b_high = 5};

static const File landscapes[] = {
    READ("0,0,-1,0,2.5,0.25\n11,0,1,5,2.5,1\n", 0),
    READ("1,0,-0.333333333,0,0,0\n6,0,0.333333333,2.5,nan,0.1\n7,0,1,2.5,inf,0\n", 0),
    REFUSED("0,0,1,0,2.5,0.25\n", "point 0 is at (-1, 0), not at (1, 0)"),
    REFUSED("1,0,-0.333333334,0,2.5,0.25\n", "point 1 is at"),
    REFUSED("1,0,-0.33333333,0,2.5,0.25\n", "point 1 is at"),
    REFUSED("0,0,-1,0,2.5,0.25\n5,0,-0.333333333,5,1,1\n", "point 5 is at"),
    REFUSED("0,0,nan,0,2.5,0.25\n", "point 0 is at"),
    REFUSED("12,0,-1,0,2.5,0.25\n", "point 12 of seed 0 is not on the grid"),
    REFUSED("-1,0,-1,0,2.5,0.25\n", "is not on the grid"),
    REFUSED("1e+300,0,-1,0,2.5,0.25\n", "line 3"),
    REFUSED("1.0000000000000001e+300,0,-1,0,2.5,0.25\n", "is not on the grid"),
    REFUSED("4294967296,0,-1,0,2.5,0.25\n", "is not on the grid"),
    REFUSED("0.5,0,-1,0,2.5,0.25\n", "is not on the grid"),
    REFUSED("0,1,-1,0,2.5,0.25\n", "point 0 of seed 1 is not on the grid"),
    REFUSED("0,0,-1,0,-2.5,0.25\n", "cannot have loss -2.5"),
    REFUSED("0,0,-1,0,-inf,0.25\n", "cannot have loss -inf"),
    REFUSED("0,0,-1,0,2.5,1.25\n", "cannot have loss 2.5 and accuracy 1.25"),
    REFUSED("0,0,-1,0,2.5,-0.25\n", "accuracy -0.25"),
    REFUSED("0,0,-1,0,2.5,nan\n", "accuracy nan"),
    REFUSED("0,0,-1,0,2.5,inf\n", "accuracy inf"),
    REFUSED("0,0,-1,0,2.l5,0.25\n", "line 3"),
    REFUSED("0,0,-1,0,2.5\n", "line 3"),
    REFUSED("0,0,-1,0,2.5,0.25\n0,0,-1,0,2.6,0.25\n", "lines 3 and 4: the same run twice")};

static void try_landscape(void *path)
{
    json_t *config = json_object();
    Sweep *s = sweep_open(path, LANDSCAPE_COLUMNS, config);
    char *wrong = landscape_check(&plane, s);
    REQUIRE(!wrong, "%s", wrong);
    sweep_free(s);
    json_decref(config);
}

TEST(points)
{
    char *path = path_in(scratch_dir(), "points.csv");
    for (size_t i = 0; i < sizeof landscapes / sizeof *landscapes; i++) {
        char *text = format_new(POINTS "%s", landscapes[i].text);
        write_bytes(path, text, strlen(text));
        if (landscapes[i].words)
            expect_death(EXIT_USAGE, try_landscape, path, landscapes[i].words, NULL);
        else
            try_landscape(path);
        free(text);
    }
}

/* ---- identities ---- */

/* No two texts become the same in JSON, and none is lost. */
TEST(texts)
{
    static const char *const all[] = {
        "plain", "",      "a\xff",     "a\\xff",       "a\\\\xff",
        "a\xfe", "\\",    "\\\\",      "\xc3\xa9",     "\xc3",
        "\\xc3", "\xa9",  "e\xcc\x81", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "a\nb",  "a\\nb", "(null)",    "\xc0\x80"};
    enum { COUNT = sizeof all / sizeof *all };
    char *json[COUNT];
    for (int i = 0; i < COUNT; i++) {
        json_t *text = json_text(all[i]);
        json[i] = json_dumps(text, JSON_ENCODE_ANY);
        assert_non_null(json[i]);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(json[i], json[k]);
        json_decref(text);
    }
    assert_string_equal(json[0], "\"plain\"");
    assert_string_equal(json[2], "\"a\\\\xff\"");
    assert_true(json_is_null(json_text(NULL)));
    for (int i = 0; i < COUNT; i++)
        free(json[i]);
}
