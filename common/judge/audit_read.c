/* audit_read.c: see audit.h.
 *
 * Training and test batches look alike: the next fact, an update or a test result, tells them
 * apart.
 */
#include "audit.h"
#include "check.h"
#include "file.h"
#include "number.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = (size_t)1 << 30; /* what a child may write: child.h */

/* The batches since the last update or test. */
typedef struct Handed {
    int epoch;
    AuditImages last, all;
} Handed;

/* Are they all indices? */
static bool are_images(const json_t *images)
{
    size_t i;
    const json_t *image;
    int64_t index;
    json_array_foreach (images, i, image)
        if (!number_json_whole(&index, image, 0, INT32_MAX))
            return false;
    return json_is_array(images);
}

static void add_images(AuditImages *to, const json_t *images)
{
    size_t i;
    const json_t *image;
    json_array_foreach (images, i, image) {
        to->at = grown(to->at, to->count, sizeof *to->at);
        to->at[to->count++] = (int32_t)json_integer_value(image);
    }
}

static void drop(AuditImages *images)
{
    free(images->at);
    *images = (AuditImages){0};
}

/* A member of a fact, from 0 on; false: it is missing, or is not such a number. */
static bool get_int(int *value, const json_t *fact, const char *key)
{
    int64_t whole;
    bool good = number_json_whole(&whole, json_object_get(fact, key), 0, INT_MAX);
    if (good)
        *value = (int)whole;
    return good;
}

static bool get_real(double *value, const json_t *fact, const char *key)
{
    return number_json_real(value, json_object_get(fact, key), 0, 1e15);
}

static void copy_digest(char to[17], const json_t *fact, const char *key)
{
    const char *text = json_string_value(json_object_get(fact, key));
    snprintf(to, 17, "%s", text ? text : "");
}

static void take_batch(Handed *h, const json_t *fact)
{
    const json_t *images = json_object_get(fact, "images");
    if (!are_images(images) || !get_int(&h->epoch, fact, "epoch"))
        return;
    drop(&h->last);
    add_images(&h->last, images);
    add_images(&h->all, images);
}

static void take_update(AuditRank *r, Handed *h, const json_t *fact)
{
    double rate;
    if (!get_real(&rate, fact, "rate"))
        return;
    r->update = grown(r->update, r->updates, sizeof *r->update);
    AuditUpdate *u = &r->update[r->updates++];
    *u = (AuditUpdate){.epoch = h->epoch, .images = h->last, .all = h->all, .rate = rate};
    copy_digest(u->before, fact, "before");
    copy_digest(u->after, fact, "after");
    *h = (Handed){0};
}

static void take_test(AuditRank *r, Handed *h, const json_t *fact)
{
    double correct;
    if (!get_real(&correct, fact, "correct"))
        return;
    r->test = grown(r->test, r->tests, sizeof *r->test);
    r->test[r->tests++] = (AuditTest){h->all, correct};
    drop(&h->last);
    *h = (Handed){0};
}

static void take_event(AuditRank *r, const char *name, const json_t *fact)
{
    static const struct {
        const char *name;
        AuditKind kind;
    } kinds[] = {{"batch", AUDIT_BATCH},
                 {"update", AUDIT_UPDATE},
                 {"evaluate", AUDIT_TEST},
                 {"checkpoint", AUDIT_CHECKPOINT},
                 {"resume", AUDIT_RESUME},
                 {"all_reduce", AUDIT_ALL_REDUCE},
                 {"all_reduce_host", AUDIT_ALL_REDUCE_HOST},
                 {"broadcast", AUDIT_BROADCAST},
                 {"reduce_scatter", AUDIT_COLLECTIVE},
                 {"all_gather", AUDIT_COLLECTIVE},
                 {"broadcast_host", AUDIT_COLLECTIVE},
                 {"gather_host", AUDIT_COLLECTIVE},
                 {"barrier", AUDIT_COLLECTIVE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i].name)) {
            r->event = grown(r->event, r->events, sizeof *r->event);
            r->event[r->events] = (AuditEvent){.kind = kinds[i].kind};
            get_real(&r->event[r->events++].count, fact, "count");
        }
}

static void take_fact(AuditRank *r, Handed *h, const json_t *fact)
{
    const char *text = json_string_value(json_object_get(fact, "fact")), *name = text ? text : "";
    double count = 0;
    int first, second;
    if (!strcmp(name, "comm") && get_int(&first, fact, "rank") && get_int(&second, fact, "size")) {
        r->rank = first;
        r->size = second;
    } else if (!strcmp(name, "backend") && get_int(&first, fact, "local_rank") &&
               get_int(&second, fact, "local_size")) {
        r->local_rank = first;
        r->local_size = second;
    } else if (!strcmp(name, "batch"))
        take_batch(h, fact);
    else if (!strcmp(name, "update"))
        take_update(r, h, fact);
    else if (!strcmp(name, "evaluate"))
        take_test(r, h, fact);
    else if (!strcmp(name, "all_reduce") && get_real(&count, fact, "count"))
        r->reduced += count;
    else if (!strcmp(name, "to_do") && get_int(&first, fact, "step") && first < 32)
        r->to_do |= 1u << first;
    take_event(r, name, fact);
    r->checkpoints += !strcmp(name, "checkpoint");
    r->resumes += !strcmp(name, "resume");
}

AuditRank audit_parse(const char *bytes, size_t size)
{
    AuditRank r = {.rank = -1, .size = -1, .local_rank = -1, .local_size = -1};
    Handed h = {0};
    for (const char *line = bytes, *end = bytes + size; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        json_t *fact = json_loadb(line, length, 0, NULL);
        take_fact(&r, &h, fact);
        json_decref(fact);
        line += length + 1;
    }
    drop(&h.last);
    r.handed = h.all;
    return r;
}

AuditRank audit_read(const char *folder, int rank)
{
    char *path = format_new("%s/rank-%d.jsonl", folder, rank), *bytes;
    size_t size;
    free(file_read(&bytes, &size, path, MOST_BYTES)); /* why not is not said */
    AuditRank r = audit_parse(bytes, size);
    free(bytes);
    free(path);
    return r;
}

void audit_read_free(AuditRank *r)
{
    for (int i = 0; i < r->updates; i++) {
        free(r->update[i].images.at);
        free(r->update[i].all.at);
    }
    for (int i = 0; i < r->tests; i++)
        free(r->test[i].images.at);
    free(r->update);
    free(r->test);
    free(r->event);
    free(r->handed.at);
    *r = (AuditRank){0};
}
