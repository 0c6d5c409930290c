/* slices.c: see slices.h. */
#include "slices.h"
#include "check.h"
#include "digest.h"
#include "directions.h"
#include "file.h"
#include "json_text.h"
#include "timer.h"
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

ModelMode slices_mode(const Choices *c)
{
    return !strcmp(c->norm, "batch") ? MODEL_FROZEN_STATS : MODEL_EVAL;
}

void session_phase(Session *s, const char *phase, const char *name)
{
    study_lock(&s->study, true);
    snprintf(s->view.phase, sizeof s->view.phase, "%s%s%s", phase, *name ? " of " : "", name);
    s->view.phases++;
    study_lock(&s->study, false);
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
    dataset_digest(data, s->study.lab->data);
    sha256_hex(x, sizeof x, p->x, p->count * sizeof(float));
    if (p->y)
        sha256_hex(y, sizeof y, p->y, p->count * sizeof(float));
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:i, s:s, s:i, s:s, s:s, s:s, s:[i,i], s:[f,f,f,f], s:I}",
        "slice", slice, "network", network_json(l), "data", s->study.lab->data->name, "data digest",
        data, "subset", subset, "images", c->images, "batch norm",
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
    char *points = network_path(s->study.lab->run, l->net, points_ending),
         *path = network_path(s->study.lab->run, l->net, surface_ending);
    Sweep *log = s->study.lab->comm->rank == 0 ? sweep_open(points, LANDSCAPE_COLUMNS, what) : NULL;
    session_phase(s, name, l->net->name);
    study_lock(&s->study, true);
    *slice = (Slice){plane, surface_new(plane.nx, plane.ny)};
    study_lock(&s->study, false);
    network_restore(l->net);
    double began = timer_now();
    int before = log ? log->rows : 0;
    bool complete = landscape_run(&(Landscape){l->net->m, subset, mode, plane, slice->surface, log,
                                               s->study.own},
                                  s->study.lab->comm);
    double seconds = timer_now() - began;
    if (complete && log) {
        surface_write(slice->surface, &plane, what, path);
        run_say(s->study.lab->run, "%s of %s: %d points (%d measured now), %.1f s: %s", name,
                l->net->name, plane.nx * plane.ny, log->rows - before, seconds, path);
    }
    sweep_free(log);
    json_decref(what);
    free(points_ending);
    free(surface_ending);
    free(points);
    free(path);
    return complete;
}

bool slices_plane(Session *s, Look *l)
{
    const Choices *c = s->c;
    int D = l->net->m->params.n, n = c->points;
    network_restore(l->net);
    l->x = alloc(D, sizeof(float));
    l->y = alloc(D, sizeof(float));
    directions_draw(l->net->m, l->x, l->y, (uint64_t)c->directions, !s->view.missing);
    l->length = cblas_snrm2(D, l->x, 1);
    if (s->study.lab->comm->rank == 0) {
        char *path = network_path(s->study.lab->run, l->net, ".directions.safetensors");
        directions_save(l->net->m, l->x, l->y, (uint64_t)c->directions, path);
        free(path);
    }
    Plane plane = {D, l->net->w, l->x, l->y, n, n, -c->extent, c->extent, -c->extent, c->extent};
    return measure(s, l, &l->plane, plane, "plane", c->test ? s->test : s->train, slices_mode(c));
}

bool slices_lines(Session *s, Look *l)
{
    int n = 2 * s->c->points - 1;
    Plane line = {l->net->m->params.n, l->net->w,    l->x, NULL, n, 1,
                  -s->c->extent,       s->c->extent, 0,    0};
    ModelMode mode = slices_mode(s->c);
    return measure(s, l, &l->train, line, "line-training", s->train, mode) &&
           measure(s, l, &l->test, line, "line-test", s->test, mode);
}

/* The plane of the path, with a margin around it. With batch statistics, because the running ones
 * fit only its end. */
static bool measure_valley(Session *s, Look *l)
{
    Network *net = l->net;
    Pca *pca = pca_new((const float *const *)net->path, net->snapshots, net->m->params.n, 2);
    study_lock(&s->study, true);
    l->pca = pca;
    study_lock(&s->study, false);
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
    run_say(s->study.lab->run,
            "path of %s: %d snapshots; its first two principal directions explain %.1f + %.1f %% "
            "of their variance",
            net->name, net->snapshots, 100 * pca->explained[0], flat ? 100 * pca->explained[1] : 0);
    return measure(s, l, &l->valley, plane, "path", s->c->test ? s->test : s->train,
                   MODEL_FROZEN_STATS);
}

/* ---- the path's own loss, beside that of the plane ---- */

typedef struct PathLoss {
    Session *s;
    Look *l;
} PathLoss;

/* value: the loss at snapshot i, and at the point of the plane that is nearest to it. */
static bool path_loss(void *context, int i, double *value, TaskFarmRun *farm)
{
    (void)farm;
    const PathLoss *p = context;
    const Look *l = p->l;
    Model *m = l->net->m;
    const EvalSet *subset = p->s->c->test ? p->s->test : p->s->train;
    const double *at = &l->pca->coordinates[i * l->pca->k];
    m->be->op->upload(m->s, m->params, l->net->path[i]);
    value[0] = metrics_loss(eval_set_metrics(m, subset, MODEL_FROZEN_STATS));
    plane_go(&l->valley.plane, m, at[0], l->pca->k > 1 ? at[1] : 0);
    value[1] = metrics_loss(eval_set_metrics(m, subset, MODEL_FROZEN_STATS));
    return true;
}

static void path_loss_found(void *context, int i, const double *value)
{
    const PathLoss *p = context;
    study_lock(&p->s->study, true);
    p->l->path_loss[2 * i] = value[0];
    p->l->path_loss[2 * i + 1] = value[1];
    p->l->path_known++;
    study_lock(&p->s->study, false);
}

static bool path_goes_on(void *context)
{
    const PathLoss *p = context;
    return study_goes_on(&p->s->study);
}

/* OUT/NAME-path-snapshots.csv, and in one line where the plane says least. */
static void path_say(const Session *s, const Look *l)
{
    const Pca *pca = l->pca;
    const Network *net = l->net;
    char *path = network_path(s->study.lab->run, net, "-path-snapshots.csv");
    NewFile *f = file_begin(path);
    int far = 0;
    file_print(f, "update,a,b,distance,loss,loss_in_plane\n");
    for (int i = 0; i < pca->n; i++) {
        file_print(f, "%d,%.9g,%.9g,%.9g,%.9g,%.9g\n", net->at[i], pca->coordinates[i * pca->k],
                   pca->k > 1 ? pca->coordinates[i * pca->k + 1] : 0, pca->off[i],
                   l->path_loss[2 * i], l->path_loss[2 * i + 1]);
        far = pca->off[i] > pca->off[far] ? i : far;
    }
    char *error = file_commit(f);
    REQUIRE(!error, "path not written: %s", error);
    run_say(s->study.lab->run,
            "path of %s: farthest from its plane after %d updates: %.3g away, where its loss is "
            "%.3f, and that of the plane below it %.3f: %s",
            net->name, net->at[far], pca->off[far], l->path_loss[2 * far],
            l->path_loss[2 * far + 1], path);
    free(path);
}

static bool measure_path(Session *s, Look *l)
{
    session_phase(s, "loss along the path", l->net->name);
    double *loss = alloc(2 * (size_t)l->pca->n, sizeof *loss);
    for (int i = 0; i < 2 * l->pca->n; i++)
        loss[i] = NAN;
    study_lock(&s->study, true);
    l->path_loss = loss;
    study_lock(&s->study, false);
    PathLoss p = {s, l};
    TaskFarm farm = {.items = l->pca->n,
                     .values = 2,
                     .ahead = 1,
                     .context = &p,
                     .work = path_loss,
                     .found = path_loss_found,
                     .goes_on = path_goes_on};
    bool complete = task_farm_run(s->study.lab->comm, s->study.lab->be, &farm);
    network_restore(l->net);
    if (complete && s->study.lab->comm->rank == 0)
        path_say(s, l);
    return complete;
}

bool slices_path(Session *s, Look *l) { return measure_valley(s, l) && measure_path(s, l); }

/* ---- the Hessian's own directions ---- */

bool slices_hessian(Session *s, Look *l)
{
    const HessianEdges *e = &l->edges;
    int D = l->net->m->params.n, n = s->c->points;
    /* there the parabola along the sharpest direction is as high as the loss of guessing */
    double reach = sqrt(2 * log(l->net->m->spec.classes) / e->top);
    Plane plane = {D, l->net->w, e->top_vector, e->bottom_vector, n,
                   n, -reach,    reach,         -reach,           reach};
    return measure(s, l, &l->sharp, plane, "hessian", s->c->test ? s->test : s->train,
                   MODEL_FROZEN_STATS);
}
