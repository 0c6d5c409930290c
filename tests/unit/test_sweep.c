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

static char *scratch_path(void) { return format_new("%s/sweep.csv", scratch_dir()); }

static void resumes(void **state)
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
    free(path);
}

/* Cut anywhere inside the last line, only that run is lost. */
static void survives_a_cut(void **state)
{
    char *path = scratch_path();
    Sweep *s = open_as(path, "mlp");
    sweep_add(s, 8, 1, (double[]){1, 2});
    sweep_add(s, 8, 2, (double[]){3, 4});
    sweep_free(s);
    FILE *f = fopen(path, "r+");
    fseek(f, -3, SEEK_END);
    assert_int_equal(ftruncate(fileno(f), ftell(f)), 0);
    fclose(f);
    s = open_as(path, "mlp");
    assert_int_equal(s->rows, 1);
    assert_null(sweep_find(s, 8, 2));
    sweep_add(s, 8, 2, (double[]){3, 4});
    sweep_free(s);
    s = open_as(path, "mlp");
    assert_int_equal(s->rows, 2);
    sweep_free(s);
    free(path);
}

static void keeps_configurations_apart(void **state)
{
    char *path = scratch_path(), *old = format_new("%s.old", path);
    Sweep *s = open_as(path, "mlp");
    sweep_add(s, 8, 1, (double[]){1, 2});
    sweep_free(s);
    s = open_as(path, "cnn");
    assert_int_equal(s->rows, 0);
    sweep_free(s);
    s = open_as(old, "mlp");
    assert_int_equal(s->rows, 1);
    sweep_free(s);
    free(path);
    free(old);
}

static void tells_the_spread(void **state)
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
    free(path);
}

/* Rank 0 has the file; every rank learns the missing runs, in order. */
static void says_what_is_missing(void **state)
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
    free(path);
    comm_close(c);
}

static void write_all(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

/* A file that is empty, or was cut off inside its header, is started over: added runs are found
 * again. */
static void begins_in_an_empty_file(void **state)
{
    static const char *const texts[] = {"", "# {", "# {}\n", "# {}\nbatch,se"};
    for (int i = 0; i < 4; i++) {
        char *path = scratch_path();
        write_all(path, texts[i]);
        Sweep *s = open_as(path, "mlp");
        sweep_add(s, 8, 1, (double[]){1, 2});
        sweep_free(s);
        s = open_as(path, "mlp");
        assert_int_equal(s->rows, 1);
        sweep_free(s);
        free(path);
    }
}

static void open_path(void *path) { sweep_free(open_as(path, "mlp")); }

static void refuses_other_files(void **state)
{
    char *path = scratch_path(), *line = scratch_path();
    write_all(path, "precious,notes\n1,2\n");
    expect_death(EXIT_USAGE, open_path, path, "sweep.csv", "not a sweep", NULL);
    write_all(path, "one line\n");
    expect_death(EXIT_USAGE, open_path, path, "sweep.csv", "not a sweep", NULL);
    sweep_free(open_as(line, "mlp"));
    FILE *f = fopen(line, "a");
    fputs("8,1,fast,2\n", f);
    fclose(f);
    expect_death(EXIT_USAGE, open_path, line, "line 3", NULL);
    expect_death(EXIT_USAGE, open_path, "/nonexistent/folder/sweep.csv", "cannot be written", NULL);
    free(path);
    free(line);
}

static const Case cases[] = {{.name = "resumes", .run = resumes},
                             {.name = "survives_a_cut", .run = survives_a_cut},
                             {.name = "keeps_configurations_apart",
                              .run = keeps_configurations_apart},
                             {.name = "begins_in_an_empty_file", .run = begins_in_an_empty_file},
                             {.name = "tells_the_spread", .run = tells_the_spread},
                             {.name = "missing_alone", .run = says_what_is_missing},
                             {.name = "missing_on_ranks", .run = says_what_is_missing, .ranks = 3},
                             {.name = "refuses_other_files", .run = refuses_other_files}};
int main(int argc, char **argv)
{
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
