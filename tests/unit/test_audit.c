/* test_audit.c: facts in the audit's files, read back as JSON. */
#include "audit.h"
#include "check.h"
#include "child.h"
#include "harness.h"
#include "observer.h"
#include <jansson.h>
#include <signal.h>
#include <string.h>

/* Line `index` of folder/file as a JSON object; fails the case if it is missing. */
static json_t *line_new(const char *folder, const char *file, int index)
{
    json_error_t error;
    const char *line = slurp(path_in(folder, file), NULL);
    for (; line && index > 0; index--)
        line = strchr(line, '\n') + 1;
    json_t *fact = json_loads(line, JSON_DISABLE_EOF_CHECK, &error);
    if (!fact)
        fail_msg("%s: %s", line, error.text);
    return fact;
}

TEST(facts_are_lines)
{
    const char *folder = scratch_dir();
    setenv("LABS_AUDIT", folder, true);
    setenv("OMPI_COMM_WORLD_RANK", "3", true);
    audit_begin();
    static Augment picks[5000]; /* longer than a stdio buffer */
    OBSERVE(batch, tensor_vector(NULL, 0, F32, 5000), picks, 0, 2);
    OBSERVE(communication, "barrier", -1, NULL);
    OBSERVE(checkpoint, "a \"b\"\n", 5000000000, false);

    json_t *batch = line_new(folder, "rank-3.jsonl", 0),
           *barrier = line_new(folder, "rank-3.jsonl", 1);
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

TEST(off_without_a_folder)
{
    unsetenv("LABS_AUDIT");
    audit_begin();
    assert_false(OBSERVED(ranks));
    setenv("LABS_AUDIT", "", true);
    audit_begin();
    assert_false(OBSERVED(ranks));
}

static void tell_one(void *folder)
{
    setenv("LABS_AUDIT", folder, true);
    audit_begin();
    OBSERVE(ranks, 0, 1);
}

TEST(faults)
{
    char *missing = path_in(scratch_dir(), "none");
    expect_death(EXIT_USAGE, tell_one, missing, missing, "rank-0.jsonl: No such file or directory",
                 "LABS_AUDIT", NULL);
}

/* ---- read back ---- */

static const char NOTES[] =
    "{'fact': 'comm', 'rank': 1, 'size': 3}\n"
    "{'fact': 'batch', 'epoch': 0, 'images': [7, 8]}\n"
    "{'fact': 'update', 'rate': 0.5, 'before': '0123456789abcdef and more'}\n"
    "{'fact': 'batch', 'epoch': 0, 'images': [1, 2]}\n"
    "{'fact': 'batch', 'epoch': 0, 'images': [3, 4]}\n"
    "{'fact': 'evaluate', 'correct': 3.0}\n"
    "{'fact': 'to_do', 'step': 4}\n"
    "{'fact': 'batch', 'epoch': 1, 'images': [5, 6]}\n" /* handed out, and not used */
    "{'fact': 'batch', 'epoch': 2, 'images': [9, 10]}\n"
    "{'fact': 'all_reduce', 'count': 100}\n"
    "{'fact': 'all_reduce', 'count': 11}\n"
    "{'fact': 'update', 'rate': 0.25}\n"
    "{'fact': 'checkpoint'}\n"
    "{'fact': 'batch', 'epoch': 2, 'images': [11, 12]}\n"
    "{'fact': 'broadcast_host', 'bytes': 8}\n"
    "[1, 2]\nno JSON\n{'fact': 5}\n{'fact': 'upd"; /* its writer was killed */

TEST(reads_back)
{
    const char *folder = scratch_dir();
    FILE *f = fopen(path_in(folder, "rank-1.jsonl"), "w");
    for (const char *c = NOTES; *c; c++)
        fputc(*c == '\'' ? '"' : *c, f);
    fclose(f);
    AuditRank r = audit_read(folder, 1);
    assert_true(r.rank == 1 && r.size == 3 && r.local_rank == -1 && r.updates == 2 && r.tests == 1);
    assert_true(r.checkpoints == 1 && r.resumes == 0 && r.reduced == 111 && r.to_do == 1 << 4);
    assert_true(r.update[0].epoch == 0 && r.update[0].rate == 0.5 && r.update[1].epoch == 2);
    assert_string_equal(r.update[0].before, "0123456789abcdef");
    assert_string_equal(r.update[0].after, "");
    assert_int_equal(r.update[0].images.count, 2);
    assert_memory_equal(r.update[0].images.at, ((int32_t[]){7, 8}), 8);
    assert_int_equal(r.update[1].images.count, 2);
    assert_memory_equal(r.update[1].images.at, ((int32_t[]){9, 10}), 8);
    assert_int_equal(r.update[1].all.count, 4);
    assert_memory_equal(r.update[1].all.at, ((int32_t[]){5, 6, 9, 10}), 16);
    assert_int_equal(r.handed.count, 2);
    assert_memory_equal(r.handed.at, ((int32_t[]){11, 12}), 8);
    static const AuditEvent events[] = {{AUDIT_BATCH, 0},       {AUDIT_UPDATE, 0},
                                        {AUDIT_BATCH, 0},       {AUDIT_BATCH, 0},
                                        {AUDIT_TEST, 0},        {AUDIT_BATCH, 0},
                                        {AUDIT_BATCH, 0},       {AUDIT_ALL_REDUCE, 100},
                                        {AUDIT_ALL_REDUCE, 11}, {AUDIT_UPDATE, 0},
                                        {AUDIT_CHECKPOINT, 0},  {AUDIT_BATCH, 0},
                                        {AUDIT_COLLECTIVE, 0}};
    assert_int_equal(r.events, sizeof events / sizeof *events);
    for (int e = 0; e < r.events; e++)
        assert_true(r.event[e].kind == events[e].kind && r.event[e].count == events[e].count);
    assert_int_equal(r.test[0].images.count, 4);
    assert_memory_equal(r.test[0].images.at, ((int32_t[]){1, 2, 3, 4}), 16);
    assert_true(r.test[0].correct == 3);
    audit_read_free(&r);
    r = audit_read(folder, 0);
    assert_true(r.rank == -1 && r.size == -1 && r.updates == 0);
    audit_read_free(&r);
}

/* ---- a killed process ---- */

static void tell_and_die(void *run)
{
    OBSERVE(ranks, *(int *)run, 2);
    raise(SIGKILL);
}

/* The line is in the file however the process ends; a second run adds to it. */
TEST(survives_a_sudden_end)
{
    const char *folder = scratch_dir();
    setenv("LABS_AUDIT", folder, true);
    audit_begin();
    for (int run = 0; run < 2; run++)
        assert_int_equal(child_run(&(Child){.work = tell_and_die, .context = &run}).signal,
                         SIGKILL);
    for (int run = 0; run < 2; run++) {
        json_t *fact = line_new(folder, "rank-0.jsonl", run);
        assert_int_equal(json_integer_value(json_object_get(fact, "rank")), run);
        json_decref(fact);
    }
}
