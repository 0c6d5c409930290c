/* test_audit.c: facts in the audit's files, read back as JSON. */
#include "audit.h"
#include "harness.h"
#include "check.h"
#include "child.h"
#include <signal.h>

/* Line `index` of folder/file as a JSON object; fails the case if it is not there. */
static json_t *line_new(const char *folder, const char *file, int index)
{
    char path[4200];
    static char line[1 << 16];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int i = 0; i <= index; i++)
        assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    json_error_t error;
    json_t *fact = json_loads(line, 0, &error);
    if (!fact)
        fail_msg("%s: %s", line, error.text);
    return fact;
}

static void facts_are_lines(void **state)
{
    (void)state;
    const char *folder = scratch_dir();
    setenv("LABS_AUDIT", folder, true);
    setenv("OMPI_COMM_WORLD_RANK", "3", true);
    assert_true(audit_on());
    json_t *images = json_array();
    for (int i = 0; i < 5000; i++) /* longer than a stdio buffer */
        json_array_append_new(images, json_integer(i));
    audit_fact("batch", "s:i, s:o", "epoch", 2, "images", images);
    audit_fact("barrier", "");
    audit_fact("checkpoint", "s:s, s:I", "path", "a \"b\"\n", "step", (json_int_t)5000000000);

    json_t *batch = line_new(folder, "rank-3.jsonl", 0), *barrier = line_new(folder, "rank-3.jsonl", 1);
    json_t *checkpoint = line_new(folder, "rank-3.jsonl", 2);
    assert_string_equal(json_string_value(json_object_get(batch, "fact")), "batch");
    assert_int_equal(json_integer_value(json_object_get(batch, "epoch")), 2);
    assert_int_equal(json_array_size(json_object_get(batch, "images")), 5000);
    assert_string_equal(json_string_value(json_object_get(barrier, "fact")), "barrier");
    assert_int_equal(json_object_size(barrier), 1);
    assert_string_equal(json_string_value(json_object_get(checkpoint, "path")), "a \"b\"\n");
    assert_true(json_integer_value(json_object_get(checkpoint, "step")) == 5000000000);
    json_decref(batch);
    json_decref(barrier);
    json_decref(checkpoint);
}

static void off_without_a_folder(void **state)
{
    (void)state;
    unsetenv("LABS_AUDIT");
    assert_false(audit_on());
    audit_fact("comm", "s:i", "rank", 0);
    setenv("LABS_AUDIT", "", true);
    assert_false(audit_on());
}

static void tell_one(void *folder)
{
    setenv("LABS_AUDIT", folder, true);
    audit_fact("comm", "s:i", "rank", 0);
}

static void tell_badly(void *folder)
{
    setenv("LABS_AUDIT", folder, true);
    audit_fact("comm", "s:?", "rank", 0);
}

static void faults(void **state)
{
    (void)state;
    char *folder = format_new("%s", scratch_dir()), *missing = format_new("%s/none", folder);
    expect_death(EXIT_USAGE, tell_one, missing, missing, "rank-0.jsonl: No such file or directory", "LABS_AUDIT", NULL);
    expect_death(EXIT_WRONG, tell_badly, folder, "audit_fact(\"comm\", \"s:?\")", NULL);
    free(folder);
    free(missing);
}

static void tell_and_die(void *run)
{
    audit_fact("update", "s:i", "step", *(int *)run);
    raise(SIGKILL);
}

/* The line is in the file however the process ends; a second run adds to it. */
static void survives_a_sudden_end(void **state)
{
    (void)state;
    const char *folder = scratch_dir();
    setenv("LABS_AUDIT", folder, true);
    for (int run = 0; run < 2; run++)
        assert_int_equal(child_run(&(Child){.work = tell_and_die, .context = &run}).signal,
                         SIGKILL);
    for (int run = 0; run < 2; run++) {
        json_t *fact = line_new(folder, "rank-0.jsonl", run);
        assert_int_equal(json_integer_value(json_object_get(fact, "step")), run);
        json_decref(fact);
    }
}

int main(int argc, char **argv)
{
    static const Case cases[] = {
        {.name = "facts_are_lines", .run = facts_are_lines},
        {.name = "off_without_a_folder", .run = off_without_a_folder},
        {.name = "faults", .run = faults},
        {.name = "survives_a_sudden_end", .run = survives_a_sudden_end},
    };
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
