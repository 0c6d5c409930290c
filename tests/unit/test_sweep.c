/* test_sweep.c: sweeps resume, never mix configurations, and compute the median. */
#include "check.h"
#include "harness.h"
#include "sweep.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

static json_t *config(const char *model)
{
    return json_pack("{s:s, s:i}", "model", model, "images", 1000);
}

static Sweep *open_as(const char *path, const char *model)
{
    json_t *c = config(model);
    Sweep *s = sweep_open(path, "batch,rate,steps", c);
    json_decref(c);
    return s;
}

static int rows_of(const char *path, const char *model)
{
    Sweep *s = open_as(path, model);
    int rows = s->rows;
    sweep_free(s);
    return rows;
}

static char *scratch_path(void) { return path_in(scratch_dir(), "sweep.csv"); }

TEST(resumes)
{
    char *path = scratch_path();
    Sweep *s = open_as(path, "mlp");
    assert_int_equal(s->rows, 0);
    sweep_add(s, 8, 1, (double[]){1000.25, 12});
    sweep_add(s, 16, 1, (double[]){2000.5, NAN});
    sweep_free(s);
    s = open_as(path, "mlp");
    assert_int_equal(s->rows, 2);
    assert_non_null(sweep_find(s, 8, 1));
    assert_null(sweep_find(s, 8, 2));
    assert_true(sweep_find(s, 8, 1)->value[0] == 1000.25 && isnan(sweep_find(s, 16, 1)->value[1]));
    sweep_free(s);
}

TEST(keeps_configurations_apart)
{
    char *path = scratch_path(), *old = keep(format_new("%s.old", path));
    Sweep *s = open_as(path, "mlp");
    sweep_add(s, 8, 1, (double[]){1, 2});
    sweep_free(s);
    assert_int_equal(rows_of(path, "cnn"), 0);
    assert_int_equal(rows_of(old, "mlp"), 1);
}

TEST(tells_the_spread)
{
    char *path = scratch_path();
    Sweep *s = open_as(path, "mlp");
    static const double found[] = {5, 1, NAN, 9, 2};
    for (int i = 0; i < 5; i++)
        sweep_add(s, 8, i, (double[]){found[i], i});
    Spread spread = sweep_spread(s, 8, 0);
    assert_int_equal(spread.count, 4);
    assert_int_equal(spread.missed, 1);
    assert_true(spread.median == 3.5 && spread.low == 1 && spread.high == 9);
    assert_true(sweep_spread(s, 8, 1).median == 2);
    assert_true(isnan(sweep_spread(s, 99, 0).median));
    sweep_free(s);
}

/* Rank 0 has the file; every rank learns the missing runs, in order. */
static void says_what_is_missing(void)
{
    Comm *c = comm_open("auto");
    char *path = scratch_path();
    Sweep *s = c->rank == 0 ? open_as(path, "mlp") : NULL;
    SweepItem item[] = {{16, 1}, {8, 1}, {8, 2}, {4, 1}};
    if (s) {
        sweep_add(s, 8, 1, (double[]){1, NAN});
        sweep_add(s, 4, 2, (double[]){1, 2});
    }
    assert_int_equal(sweep_missing(item, s, c, 4), 3);
    assert_true(item[0].setting == 16 && item[1].setting == 8 && item[1].seed == 2 &&
                item[2].setting == 4);
    for (int i = 0; i < 3 && s; i++)
        sweep_add(s, item[i].setting, item[i].seed, (double[]){0, 0});
    assert_int_equal(sweep_missing(item, s, c, 3), 0);
    if (s)
        sweep_free(s);
    comm_close(c);
}
TEST(missing_alone) { says_what_is_missing(); }
TEST(missing_on_ranks, .ranks = 3) { says_what_is_missing(); }

/* A file that is empty, or was cut off inside its header, is started over: added runs are found
 * again. */
TEST(begins_in_an_empty_file)
{
    static const char *const texts[] = {"", "# {", "# {}\n", "# {}\nbatch,se"};
    for (int i = 0; i < 4; i++) {
        char *path = scratch_path();
        write_bytes(path, texts[i], strlen(texts[i]));
        Sweep *s = open_as(path, "mlp");
        sweep_add(s, 8, 1, (double[]){1, 2});
        sweep_free(s);
        assert_int_equal(rows_of(path, "mlp"), 1);
    }
}

static void open_path(void *path) { sweep_free(open_as(path, "mlp")); }

TEST(refuses_other_files)
{
    char *path = scratch_path();
    write_bytes(path, "precious,notes\n1,2\n", 19);
    expect_death(EXIT_USAGE, open_path, path, "sweep.csv", "not a sweep", NULL);
    write_bytes(path, "one line\n", 9);
    expect_death(EXIT_USAGE, open_path, path, "sweep.csv", "not a sweep", NULL);
    expect_death(EXIT_USAGE, open_path, "/nonexistent/folder/sweep.csv", "cannot be written", NULL);
}
