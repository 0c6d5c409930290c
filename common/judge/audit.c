/* audit.c: see audit.h. One file per process, static: facts come from everywhere. */
#include "audit.h"
#include "check.h"
#include "digest.h"
#include "file.h"
#include "json_text.h"
#include "model.h"
#include "observer.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *folder(void) { return getenv("LABS_AUDIT"); }

/* Opened by the first fact; a resumed run appends to the first one's facts. */
static FILE *file;

static void open_file(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    char *path = format_new("%s/rank-%d.jsonl", folder(), rank ? atoi(rank) : 0);
    char *error;
    file = file_log(path, false, &error);
    REQUIRE(file, "%s: LABS_AUDIT must name a writable folder", error);
    free(path);
}

/* Write {"fact": fact, members…}, these as for jansson's json_pack, without the braces. */
static void tell(const char *fact, const char *format, ...)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_file);
    char *braced = format_new("{%s}", format);
    va_list arguments;
    va_start(arguments, format);
    json_t *line = json_pack("{s:s}", "fact", fact),
           *members = json_vpack_ex(NULL, 0, braced, arguments);
    va_end(arguments);
    ASSERT(line && members && json_object_update(line, members) == 0);
    char *packed = json_dumps(line, JSON_COMPACT), *text = format_new("%s\n", packed);
    char *error = file_log_put(file, text); /* at once: facts survive a crash */
    REQUIRE(!error, "%s/rank-*.jsonl: %s: cannot write the audit", folder(), error);
    json_decref(members);
    json_decref(line);
    free(packed);
    free(text);
    free(braced);
}

static void device(const char *name, int local_rank, int local_size, const char *cores, int gpu)
{
    tell("backend", "s:s, s:i, s:i, s:s*, s:o*", "device", name, "local_rank", local_rank,
         "local_size", local_size, "cores", cores, "gpu", cores ? NULL : json_integer(gpu));
}

static void ranks(int rank, int size) { tell("comm", "s:i, s:i", "rank", rank, "size", size); }

static void communication(const char *call, int64_t count, const char *dtype)
{
    json_t *number = count < 0 ? NULL : json_integer(count);
    tell(call, "s:o*, s:s*", dtype ? "count" : "bytes", number, "dtype", dtype);
}

static void batch(Tensor x, const Augment *picks, int first, int epoch)
{
    if (!picks)
        return;
    json_t *images = json_array();
    for (int i = 0; i < x.n; i++)
        json_array_append_new(images, json_integer(picks[i].image));
    tell("batch", "s:i, s:i, s:o", "epoch", epoch, "first", first, "images", images);
}

static void update(const Model *m, int64_t step, double rate, bool is_done)
{
    static char digest[2][17]; /* of the parameters: before, after */
    size_t bytes = tensor_count(m->params) * sizeof(float);
    float *params = alloc(1, bytes);
    m->be->op->download(m->s, params, m->params);
    sha256_hex(digest[is_done], 17, params, bytes);
    free(params);
    if (is_done)
        tell("update", "s:I, s:f, s:s, s:s", "step", (json_int_t)step, "rate", rate, "before",
             digest[0], "after", digest[1]);
}

static void evaluation(int first, int count, double correct)
{
    tell("evaluate", "s:i, s:i, s:f", "first", first, "count", count, "correct", correct);
}

static void checkpoint(const char *path, int64_t step, bool is_read)
{
    tell(is_read ? "resume" : "checkpoint", "s:o, s:I", "path", json_text(path), "step",
         (json_int_t)step);
}

static void to_do(int step) { tell("to_do", "s:i", "step", step); }

void audit_begin(void)
{
    static Observer audit = {.device = device,
                             .ranks = ranks,
                             .communication = communication,
                             .batch = batch,
                             .update = update,
                             .evaluation = evaluation,
                             .checkpoint = checkpoint,
                             .to_do = to_do};
    if (folder() && *folder())
        observer_add(&audit);
}
