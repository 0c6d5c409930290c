/* audit_read.c: see audit_read.h.
 *
 * Training and test batches look alike: the next fact, an update or a test result, tells them
 * apart.
 */
#include "audit_read.h"
#include "check.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The batches since the last update or test. */
typedef struct Handed {
    int epoch;
    AuditImages last, all;
} Handed;

/* Room for one more element: the array doubles when it is full. */
static void *grown(void *array, int count, size_t size)
{
    if (count & (count - 1))
        return array;
    void *more = realloc(array, (size_t)(count ? 2 * count : 1) * size);
    REQUIRE(more, "out of memory: no room for a run's audit");
    return more;
}

static void add_images(AuditImages *to, const json_t *images)
{
    for (size_t i = 0; i < json_array_size(images); i++) {
        to->at = grown(to->at, to->count, sizeof *to->at);
        to->at[to->count++] = (int32_t)json_integer_value(json_array_get(images, i));
    }
}

static void drop(AuditImages *images)
{
    free(images->at);
    *images = (AuditImages){0};
}

static int integer(const json_t *fact, const char *key)
{
    return (int)json_integer_value(json_object_get(fact, key));
}

static double number(const json_t *fact, const char *key)
{
    return json_number_value(json_object_get(fact, key));
}

static void copy_digest(char to[17], const json_t *fact, const char *key)
{
    const char *text = json_string_value(json_object_get(fact, key));
    snprintf(to, 17, "%s", text ? text : "");
}

static void take_batch(Handed *h, const json_t *fact)
{
    h->epoch = integer(fact, "epoch");
    drop(&h->last);
    add_images(&h->last, json_object_get(fact, "images"));
    add_images(&h->all, json_object_get(fact, "images"));
}

static void take_update(AuditRank *r, Handed *h, const json_t *fact)
{
    r->update = grown(r->update, r->updates, sizeof *r->update);
    AuditUpdate *u = &r->update[r->updates++];
    *u = (AuditUpdate){.epoch = h->epoch, .images = h->last, .rate = number(fact, "rate")};
    copy_digest(u->before, fact, "before");
    copy_digest(u->after, fact, "after");
    drop(&h->all);
    *h = (Handed){0};
}

static void take_test(AuditRank *r, Handed *h, const json_t *fact)
{
    r->test = grown(r->test, r->tests, sizeof *r->test);
    r->test[r->tests++] = (AuditTest){h->all, number(fact, "correct")};
    drop(&h->last);
    *h = (Handed){0};
}

static void take_fact(AuditRank *r, Handed *h, const json_t *fact)
{
    const char *text = json_string_value(json_object_get(fact, "fact")), *name = text ? text : "";
    if (!strcmp(name, "comm")) {
        r->rank = integer(fact, "rank");
        r->size = integer(fact, "size");
    } else if (!strcmp(name, "backend")) {
        r->local_rank = integer(fact, "local_rank");
        r->local_size = integer(fact, "local_size");
    } else if (!strcmp(name, "batch"))
        take_batch(h, fact);
    else if (!strcmp(name, "update"))
        take_update(r, h, fact);
    else if (!strcmp(name, "evaluate"))
        take_test(r, h, fact);
    else if (!strcmp(name, "all_reduce"))
        r->reduced += number(fact, "count");
    else if (!strcmp(name, "to_do"))
        r->to_do |= 1u << (integer(fact, "step") & 31);
    r->checkpoints += !strcmp(name, "checkpoint");
    r->resumes += !strcmp(name, "resume");
}

AuditRank audit_read(const char *folder, int rank)
{
    AuditRank r = {.rank = -1, .size = -1, .local_rank = -1, .local_size = -1};
    Handed h = {0};
    char *path = format_new("%s/rank-%d.jsonl", folder, rank), *line = NULL;
    FILE *file = fopen(path, "r");
    for (size_t room = 0; file && getline(&line, &room, file) > 0;) {
        json_t *fact = json_loads(line, 0, NULL);
        take_fact(&r, &h, fact);
        json_decref(fact);
    }
    if (file)
        fclose(file);
    drop(&h.last);
    drop(&h.all);
    free(line);
    free(path);
    return r;
}

void audit_read_free(AuditRank *r)
{
    for (int i = 0; i < r->updates; i++)
        free(r->update[i].images.at);
    for (int i = 0; i < r->tests; i++)
        free(r->test[i].images.at);
    free(r->update);
    free(r->test);
    *r = (AuditRank){0};
}
