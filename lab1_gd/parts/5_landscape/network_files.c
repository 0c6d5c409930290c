/* network_files.c: see network.h for the three files of a trained network. */
#include "check.h"
#include "checkpoint.h"
#include "file.h"
#include "json_text.h"
#include "network.h"
#include "number.h"
#include "safetensors.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UPDATES = 1000000000 };

void network_keep(Network *n)
{
    const BackendOps *op = n->m->be->op;
    op->download(n->m->s, n->w, n->m->params);
    if (n->state)
        op->download(n->m->s, n->state, n->m->state);
}

void network_read(Network *n, const char *path)
{
    checkpoint_load(path, n->m, NULL, NULL);
    network_keep(n);
}

void network_add(Network *n, const float *w, int at, double loss)
{
    int count = n->m->params.n;
    if ((n->snapshots & (n->snapshots - 1)) == 0) { /* capacity doubles at 0, 1, 2, 4, … */
        int room = n->snapshots ? 2 * n->snapshots : 1;
        n->path = realloc(n->path, room * sizeof *n->path);
        n->at = realloc(n->at, room * sizeof *n->at);
        n->loss = realloc(n->loss, room * sizeof *n->loss);
        REQUIRE(n->path && n->at && n->loss, "out of memory for a path of %d snapshots", room);
    }
    float *copy = alloc(count, sizeof *copy);
    memcpy(copy, w, count * sizeof *copy);
    n->path[n->snapshots] = copy;
    n->at[n->snapshots] = at;
    n->loss[n->snapshots++] = loss;
}

char *network_path(const Run *run, const Network *n, const char *ending)
{
    char *file = format_new("%s%s", n->name, ending), *path;
    for (char *c = file; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    path = run_path(run, file);
    free(file);
    return path;
}

/* Everything that the trained weights depend on. */
static json_t *recipe_json(const Recipe *r, const TrainingContext *t)
{
    char data[17];
    dataset_digest(data, t->data);
    json_t *json = json_pack("{s:o, s:b, s:b, s:s, s:s}", "model", json_text(r->spec.name),
                             "no skip", r->spec.no_skip, "no batch norm", r->spec.no_batchnorm,
                             "data", t->data->name, "data digest", data);
    json_t *training = json_pack("{s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:i, s:i, s:I, s:i}",
                                 "images", r->images, "batch", r->batch, "updates", r->updates,
                                 "rate", r->rate, "momentum", r->momentum, "weight_decay",
                                 r->weight_decay, "target", r->target, "snapshots", r->snapshots,
                                 "mode", (int)t->mode, "seed", (json_int_t)r->seed, "subset",
                                 t->subset->count);
    json_object_update(json, training);
    json_decref(training);
    return json;
}

bool network_kept(const Run *run, const Network *n, const Recipe *r, const TrainingContext *t)
{
    char *path = network_path(run, n, ".json");
    json_t *there = json_load_file(path, 0, NULL), *wanted = recipe_json(r, t);
    bool kept = there && json_equal(there, wanted);
    json_decref(there);
    json_decref(wanted);
    free(path);
    return kept;
}

static void must(char *error) { REQUIRE(!error, "network not saved: %s", error); }

static void save_path(const char *path, const Network *n)
{
    SafeTensors file = {.tensors = alloc(n->snapshots, sizeof *file.tensors),
                        .count = n->snapshots};
    for (int k = 0; k < n->snapshots; k++)
        file.tensors[k] = (SafeTensor){.name = format_new("update %d", n->at[k]),
                                       .dims = 1,
                                       .shape = {n->m->params.n},
                                       .data = n->path[k]};
    char **keys = alloc(n->snapshots, sizeof *keys), **values = alloc(n->snapshots, sizeof *values);
    for (int k = 0; k < n->snapshots; k++) {
        keys[k] = format_new("loss after update %d", n->at[k]);
        values[k] = format_new("%.9g", n->loss[k]);
    }
    file.keys = keys;
    file.values = values;
    file.pairs = n->snapshots;
    must(safetensors_write(path, &file));
    for (int k = 0; k < n->snapshots; k++) {
        free(file.tensors[k].name);
        free(keys[k]);
        free(values[k]);
    }
    free(file.tensors);
    free(keys);
    free(values);
}

void network_save(const Run *run, Network *n, const Recipe *r, const TrainingContext *t)
{
    char *checkpoint = network_path(run, n, ".safetensors"),
         *path = network_path(run, n, ".path.safetensors"), *recipe = network_path(run, n, ".json");
    json_t *json = recipe_json(r, t);
    char *text = json_dumps(json, JSON_INDENT(2) | JSON_SORT_KEYS);
    remove(recipe); /* a crash now must not leave new files with the old recipe */
    save_path(path, n);
    checkpoint_save(checkpoint, n->m, NULL,
                    &(Progress){.step = n->updates,
                                .seed = (uint64_t)r->seed,
                                .world_size = 1,
                                .batch = r->batch});
    NewFile *f = file_begin(recipe);
    file_print(f, "%s\n", text);
    must(file_commit(f));
    free(text);
    json_decref(json);
    free(checkpoint);
    free(path);
    free(recipe);
}

/* "update 20" of the path file: after how many updates, more than in the snapshot before, and with
 * which loss. */
static void load_snapshot(const char *path, Network *n, const SafeTensors *file,
                          const SafeTensor *t)
{
    const char *word = "update ";
    char key[64];
    int64_t at = 0, last = n->snapshots ? n->at[n->snapshots - 1] : -1;
    double loss;
    bool good = !strncmp(t->name, word, strlen(word)) &&
                number_whole(&at, t->name + strlen(word), last + 1, MOST_UPDATES) && t->dims == 1 &&
                t->shape[0] == n->m->params.n;
    snprintf(key, sizeof key, "loss after %s", t->name);
    REQUIRE(good && number_real(&loss, safetensors_value(file, key), 0, 1e30),
            "%s: tensor '%.60s': not a snapshot of this network: remove the file", path, t->name);
    for (int i = 0; i < n->m->params.n; i++)
        REQUIRE(isfinite(t->data[i]), "%s: tensor '%s': element %d is not finite: remove the file",
                path, t->name, i);
    network_add(n, t->data, (int)at, loss);
}

/* Its last snapshot is the network, n->w. */
static void load_path(const char *path, Network *n)
{
    SafeTensors file;
    char *error = safetensors_read(path, &file);
    REQUIRE(!error, "%s", error);
    for (int k = 0; k < file.count; k++)
        load_snapshot(path, n, &file, &file.tensors[k]);
    REQUIRE(n->snapshots > 0, "%s: no snapshots: remove the file", path);
    REQUIRE(!memcmp(n->path[n->snapshots - 1], n->w, sizeof *n->w * (size_t)n->m->params.n),
            "%s: does not end at the weights of the network beside it: remove the file", path);
    n->updates = n->at[n->snapshots - 1];
    safetensors_free(&file);
}

void network_load(const Run *run, Network *n)
{
    char *checkpoint = network_path(run, n, ".safetensors"),
         *path = network_path(run, n, ".path.safetensors");
    network_read(n, checkpoint);
    load_path(path, n);
    free(checkpoint);
    free(path);
}
