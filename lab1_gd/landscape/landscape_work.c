/* landscape_work.c: see landscape_work.h. Every step is collective. Each returns false if it was
 * stopped. */
#include "landscape_work.h"
#include "check.h"
#include "checkpoint.h"
#include "digest.h"
#include "directions.h"
#include "json_text.h"
#include "recorded.h"
#include "timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ModelMode mode_of(const Choices *c)
{
    return !strcmp(c->norm, "batch") ? MODEL_FROZEN_STATS : MODEL_EVAL;
}

static void set_phase(Session *s, const char *phase, const char *name)
{
    if (s->work)
        background_lock(s->work);
    snprintf(s->view.phase, sizeof s->view.phase, "%s%s%s", phase, *name ? " of " : "", name);
    s->view.phases++;
    if (s->work)
        background_unlock(s->work);
}

/* ---- the steps of the work ---- */

static EvalSet *subset_of(const Session *s, const Images *images, const Model *m)
{
    int count = s->c->images < images->count ? s->c->images : images->count;
    int32_t *order = alloc(count, sizeof *order);
    for (int i = 0; i < count; i++)
        order[i] = i;
    EvalSet *subset = eval_set_new(s->lab->be, images, s->lab->data->mean, s->lab->data->istd,
                                   order, count, s->c->batch, model_halo(m));
    free(order);
    return subset;
}

/* A network read from a file is named after it; a second one of the same name gets a number. */
static Network *network_of_file(const Session *s, const char *file, int batch)
{
    const Images *images = &s->lab->data->train;
    ModelSpec spec;
    checkpoint_model(file, &spec);
    REQUIRE(spec.h == images->h && spec.w == images->w && spec.c == images->c &&
                spec.classes == s->lab->data->classes,
            "%s: a network for images %dx%dx%d of %d classes; %s has %dx%dx%d of %d: give "
            "another --data",
            file, spec.h, spec.w, spec.c, spec.classes, s->lab->data->name, images->h, images->w,
            images->c, s->lab->data->classes);
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
               *end = strstr(base, ".safetensors");
    char *name = format_new("%.*s", end && end > base ? (int)(end - base) : (int)strlen(base),
                            base);
    const Network *first = s->view.look[0].net;
    char *second = first && !strcmp(first->name, name) ? format_new("%s 2", name) : NULL;
    bool other = s->c->named && strcmp(s->c->named, spec.name);
    REQUIRE(file != s->c->checkpoint || (!other && (!s->c->no_skip || spec.no_skip)),
            "%s: a network %s%s: --model and --no-skip say otherwise: leave them out", file,
            spec.name, spec.no_skip ? " without skips" : "");
    Network *net = network_new(s->lab->be, &spec, batch, second ? second : name);
    network_read(net, file);
    char *text = checkpoint_model_text(&spec);
    run_say(s->lab->run, "%s: %s, %d parameters", file, text, net->m->params.n);
    free(text);
    free(name);
    free(second);
    free((char *)spec.name);
    return net;
}

/* Network k by its recipe: read from its file, or still untrained. */
static void get_network(Session *s, int k)
{
    const Choices *c = s->c;
    const Recipe *recipe = &s->recipe[k];
    const char *file = k ? c->against : c->checkpoint;
    int batch = c->batch > recipe->batch ? c->batch : recipe->batch;
    Network *net = file ? network_of_file(s, file, batch)
                        : network_new(s->lab->be, &recipe->spec, batch, NULL);
    s->view.look[k].net = net;
    if (!s->train) {
        s->train = subset_of(s, &s->lab->data->train, net->m);
        s->test = subset_of(s, &s->lab->data->test, net->m);
    }
    if (!file)
        return;
    /* finite weights may still be too large */
    double loss = metrics_loss(eval_set_metrics(net->m, s->train, mode_of(c)));
    REQUIRE(isfinite(loss), "%s: its loss is %g: it diverged; use an earlier checkpoint", file,
            loss);
}

void landscape_open(Session *s)
{
    const Images *images = &s->lab->data->train;
    for (int k = 0; k < s->view.looks; k++) {
        Recipe *r = &s->recipe[k];
        *r = s->c->recipe;
        r->spec = (ModelSpec){.name = r->spec.name,
                              .h = images->h,
                              .w = images->w,
                              .c = images->c,
                              .classes = s->lab->data->classes,
                              .no_skip = r->spec.no_skip || k};
        get_network(s, k);
    }
}

/* Those without a file. */
static bool train_networks(Session *s)
{
    const Choices *c = s->c;
    Network *fresh[2];
    Recipe recipe[2];
    int n = 0;
    for (int k = 0; k < s->view.looks; k++)
        if (!(k ? c->against : c->checkpoint)) {
            fresh[n] = s->view.look[k].net;
            recipe[n++] = s->recipe[k];
        }
    if (n == 0)
        return true;
    set_phase(s, "training", n == 1 ? fresh[0]->name : "both networks");
    TrainingContext t = {
        s->lab->run, s->lab->comm, s->lab->be, s->lab->data, c->test ? s->test : s->train,
        mode_of(c),  s->work};
    return networks_train(fresh, &t, recipe, n);
}

/* The network: its layers, and a digest of its weights and running statistics, wherever they came
 * from. */
static json_t *network_json(const Look *l)
{
    const Model *m = l->net->m;
    char weights[17], statistics[17] = "none";
    sha256_hex(weights, sizeof weights, l->net->w, m->params.n * sizeof(float));
    if (l->net->state)
        sha256_hex(statistics, sizeof statistics, l->net->state, m->state.n * sizeof(float));
    return json_pack("{s:o, s:o, s:b, s:b, s:s, s:s}", "name", json_text(l->net->name), "kind",
                     json_text(l->net->kind), "no skip", m->spec.no_skip, "no batch norm",
                     m->spec.no_batchnorm, "weights", weights, "statistics", statistics);
}

/* The header of a file of points: everything that its values depend on. */
static json_t *identity(const Session *s, const Look *l, const Plane *p, const char *slice,
                        const char *subset, ModelMode mode)
{
    const Choices *c = s->c;
    char data[17], x[17], y[17] = "none";
    dataset_digest(data, s->lab->data);
    sha256_hex(x, sizeof x, p->x, p->count * sizeof(float));
    if (p->y)
        sha256_hex(y, sizeof y, p->y, p->count * sizeof(float));
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:i, s:s, s:i, s:s, s:s, s:s, s:[i,i], s:[f,f,f,f], s:I}",
        "slice", slice, "network", network_json(l), "data", s->lab->data->name, "data digest", data,
        "subset", subset, "images", c->images, "batch norm",
        mode == MODEL_EVAL ? "running" : "batch", "measure batch", c->batch, "precision",
        c->run.precision, "x", x, "y", y, "points", p->nx, p->ny, "range", p->a_low, p->a_high,
        p->b_low, p->b_high, "direction seed", (json_int_t)c->directions);
}

/* Measure one slice of look l; its points in OUT/NAME-SLICE.points.csv, and all of them in
 * OUT/NAME-SLICE.csv. */
static bool measure(Session *s, Look *l, Slice *slice, Plane plane, const char *name,
                    const EvalSet *subset, ModelMode mode)
{
    json_t *what = identity(s, l, &plane, name, subset == s->train ? "training" : "test", mode);
    char *points_ending = format_new("-%s.points.csv", name),
         *surface_ending = format_new("-%s.csv", name);
    char *points = network_path(s->lab->run, l->net, points_ending),
         *path = network_path(s->lab->run, l->net, surface_ending);
    Sweep *log = s->lab->comm->rank == 0 ? sweep_open(points, LANDSCAPE_COLUMNS, what) : NULL;
    set_phase(s, name, l->net->name);
    if (s->work)
        background_lock(s->work);
    *slice = (Slice){plane, surface_new(plane.nx, plane.ny)};
    if (s->work)
        background_unlock(s->work);
    network_restore(l->net);
    double began = timer_now();
    int before = log ? log->rows : 0;
    bool complete = landscape_run(&(Landscape){l->net->m, subset, mode, plane, slice->surface, log,
                                               s->work},
                                  s->lab->comm);
    double seconds = timer_now() - began;
    if (complete && log) {
        surface_write(slice->surface, &plane, what, path);
        run_say(s->lab->run, "%s of %s: %d points (%d measured now), %.1f s: %s", name,
                l->net->name, plane.nx * plane.ny, log->rows - before, seconds, path);
    }
    if (log)
        sweep_free(log);
    json_decref(what);
    free(points_ending);
    free(surface_ending);
    free(points);
    free(path);
    return complete;
}

static bool measure_plane(Session *s, Look *l)
{
    const Choices *c = s->c;
    int D = l->net->m->params.n, n = c->points;
    network_restore(l->net);
    l->x = alloc(D, sizeof(float));
    l->y = alloc(D, sizeof(float));
    directions_draw(l->net->m, l->x, l->y, (uint64_t)c->directions);
    if (s->lab->comm->rank == 0) {
        char *path = network_path(s->lab->run, l->net, ".directions.safetensors");
        directions_save(l->net->m, l->x, l->y, (uint64_t)c->directions, path);
        free(path);
    }
    Plane plane = {D, l->net->w, l->x, l->y, n, n, -c->extent, c->extent, -c->extent, c->extent};
    return measure(s, l, &l->plane, plane, "plane", c->test ? s->test : s->train, mode_of(c));
}

static bool measure_lines(Session *s, Look *l)
{
    int n = 2 * s->c->points - 1;
    Plane line = {l->net->m->params.n, l->net->w,    l->x, NULL, n, 1,
                  -s->c->extent,       s->c->extent, 0,    0};
    ModelMode mode = mode_of(s->c);
    return measure(s, l, &l->train, line, "line-training", s->train, mode) &&
           measure(s, l, &l->test, line, "line-test", s->test, mode);
}

/* The plane of the path, with a margin around it. With batch statistics, because the running ones
 * fit only its end. */
static bool measure_valley(Session *s, Look *l)
{
    Network *net = l->net;
    Pca *pca = pca_new((const float *const *)net->path, net->snapshots, net->m->params.n, 2);
    if (s->work)
        background_lock(s->work);
    l->pca = pca;
    if (s->work)
        background_unlock(s->work);
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (int i = 0; i < pca->n; i++)
        for (int k = 0; k < pca->k; k++) {
            low[k] = fmin(low[k], pca->coordinates[i * pca->k + k]);
            high[k] = fmax(high[k], pca->coordinates[i * pca->k + k]);
        }
    double margin = 0.2 * fmax(high[0] - low[0], high[1] - low[1]);
    int n = s->c->points;
    bool flat = pca->k > 1;
    Plane plane = {net->m->params.n,
                   net->w,
                   pca->directions,
                   flat ? pca->directions + pca->dimension : NULL,
                   n,
                   flat ? n : 1,
                   low[0] - margin,
                   high[0] + margin,
                   low[1] - margin,
                   high[1] + margin};
    run_say(s->lab->run,
            "path of %s: %d snapshots; its first two principal directions explain %.1f + %.1f %% "
            "of their variance",
            net->name, net->snapshots, 100 * pca->explained[0], flat ? 100 * pca->explained[1] : 0);
    return measure(s, l, &l->valley, plane, "path", s->c->test ? s->test : s->train,
                   MODEL_FROZEN_STATS);
}

/* Asked on every rank: any of them may have been told to stop. */
static bool lanczos_may_continue(void *context, const HessianEdges *so_far)
{
    Session *s = context;
    return !stop_requested() && (!s->work || background_goes_on(s->work));
}

/* The choices of max pooling cannot be held while the weights move: see hessian.h. */
static bool has_edges(const Model *m)
{
    for (int i = 0; i < m->nlayers; i++)
        if (m->layers[i].kind == LAYER_MAXPOOL)
            return false;
    return true;
}

static bool measure_edges(Session *s, Look *l)
{
    if (!has_edges(l->net->m)) {
        run_say(s->lab->run, "Hessian of %s: not measured: max pooling has no second derivative",
                l->net->name);
        return true;
    }
    set_phase(s, "Hessian's eigenvalues", l->net->name);
    network_restore(l->net);
    HessianData data = {s->lab->comm, s->c->test ? s->test : s->train, MODEL_FROZEN_STATS};
    HessianEdges e = hessian_edges(l->net->m, &data, s->c->steps, 1e-3, (uint64_t)s->c->directions,
                                   lanczos_may_continue, s);
    if (s->work)
        background_lock(s->work);
    l->edges = e;
    if (s->work)
        background_unlock(s->work);
    run_say(s->lab->run,
            "Hessian of %s (batch statistics): largest eigenvalue %.4g (± %.2g), smallest %.4g (± "
            "%.2g) after %d Lanczos steps",
            l->net->name, e.top, e.top_error, e.bottom, e.bottom_error, e.steps);
    double stopped = !lanczos_may_continue(s, NULL);
    comm_all_reduce_host(s->lab->comm, &stopped, 1, COMM_MAX);
    return !stopped;
}

static bool work_on(Session *s)
{
    LandscapeView *v = &s->view;
    const Choices *c = s->c;
    if (!train_networks(s))
        return false;
    for (int k = 0; k < v->looks; k++)
        if (!measure_plane(s, &v->look[k]))
            return false;
    for (int k = 0; k < v->looks; k++)
        if (c->lines && !measure_lines(s, &v->look[k]))
            return false;
    for (int k = 0; k < v->looks; k++)
        if (c->path && v->look[k].net->snapshots > 2 && !measure_valley(s, &v->look[k]))
            return false;
    for (int k = 0; k < v->looks; k++)
        if (c->eigenvalues && !measure_edges(s, &v->look[k]))
            return false;
    return true;
}

bool landscape_work(Session *s)
{
    s->complete = work_on(s);
    if (s->complete && s->lab->comm->rank == 0)
        landscape_record(s);
    set_phase(s, s->complete ? "done" : "stopped", "");
    return s->complete;
}

static void slice_free(Slice *s) { surface_free(s->surface); }

void landscape_work_free(Session *s)
{
    for (int k = 0; k < s->view.looks; k++) {
        Look *l = &s->view.look[k];
        slice_free(&l->plane);
        slice_free(&l->train);
        slice_free(&l->test);
        slice_free(&l->valley);
        pca_free(l->pca);
        hessian_edges_free(&l->edges);
        free(l->x);
        free(l->y);
        free(l->name);
        network_free(l->net);
    }
    eval_set_free(s->train);
    eval_set_free(s->test);
    free(s->view.title);
}
