/* landscape_work.c: see landscape_work.h. Every step is collective. Each returns false if it was
 * stopped. */
#include "landscape_work.h"
#include "check.h"
#include "checkpoint.h"
#include "slices.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the steps of the work ---- */

static EvalSet *subset_of(const Session *s, const Images *images, const Model *m)
{
    int count = s->c->images < images->count ? s->c->images : images->count;
    return eval_set_new(s->study.lab->be, images, s->study.lab->data->mean,
                        s->study.lab->data->istd, NULL, count, s->c->batch, model_halo(m));
}

/* A network read from a file is named after it; a second one of the same name gets a number. */
static Network *network_of_file(const Session *s, const char *file, int batch)
{
    const Images *images = &s->study.lab->data->train;
    ModelSpec spec;
    checkpoint_model(file, &spec);
    REQUIRE(spec.h == images->h && spec.w == images->w && spec.c == images->c &&
                spec.classes == s->study.lab->data->classes,
            "%s: a network for images %dx%dx%d of %d classes; %s has %dx%dx%d of %d: give "
            "another --data",
            file, spec.h, spec.w, spec.c, spec.classes, s->study.lab->data->name, images->h,
            images->w, images->c, s->study.lab->data->classes);
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file,
               *end = strstr(base, ".safetensors");
    char *name = format_new("%.*s", end && end > base ? (int)(end - base) : (int)strlen(base),
                            base);
    const Network *first = s->view.look[0].net;
    char *second = first && !strcmp(first->name, name) ? format_new("%s 2", name) : NULL;
    bool other = s->c->named && strcmp(s->c->named, spec.name);
    REQUIRE(file != s->c->checkpoint || (!other && (s->c->skip || spec.no_skip)),
            "%s: a network %s%s: --model and --no-skip say otherwise: leave them out", file,
            spec.name, spec.no_skip ? " without skips" : "");
    Network *net = network_new(s->study.lab->be, &spec, batch, second ? second : name);
    network_read(net, file);
    char *text = checkpoint_model_text(&spec);
    run_say(s->study.lab->run, "%s: %s, %d parameters", file, text, net->m->params.n);
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
                        : network_new(s->study.lab->be, &recipe->spec, batch, NULL);
    s->view.look[k].net = net;
    if (!s->train) {
        s->train = subset_of(s, &s->study.lab->data->train, net->m);
        s->test = subset_of(s, &s->study.lab->data->test, net->m);
    }
    if (!file)
        return;
    /* finite weights may still be too large */
    double loss = metrics_loss(eval_set_metrics(net->m, s->train, slices_mode(c)));
    REQUIRE(isfinite(loss), "%s: its loss is %g: it diverged; use an earlier checkpoint", file,
            loss);
}

void landscape_open(Session *s)
{
    for (int k = 0; k < s->view.looks; k++) {
        Recipe *r = &s->recipe[k];
        *r = s->c->recipe;
        bool no_skip = r->spec.no_skip || k;
        r->spec = model_spec_for(r->spec.name, s->study.lab->data);
        r->spec.no_skip = no_skip;
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
    session_phase(s, "training", n == 1 ? fresh[0]->name : "both networks");
    TrainingContext t = {s->study.lab->run,  s->study.lab->comm,           s->study.lab->be,
                         s->study.lab->data, c->test ? s->test : s->train, slices_mode(c),
                         s->study.own};
    return networks_train(fresh, &t, recipe, n);
}

/* Asked on every rank: any of them may have been told to stop. */
static bool lanczos_may_continue(void *context, const HessianEdges *so_far)
{
    return study_goes_on(context);
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
        run_say(s->study.lab->run,
                "Hessian of %s: not measured: max pooling has no second derivative", l->net->name);
        return true;
    }
    session_phase(s, "Hessian's eigenvalues", l->net->name);
    network_restore(l->net);
    HessianData data = {s->study.lab->comm, s->c->test ? s->test : s->train, MODEL_FROZEN_STATS};
    HessianEdges e = hessian_edges(l->net->m, &data, s->c->steps, 1e-3, (uint64_t)s->c->directions,
                                   lanczos_may_continue, s);
    study_lock(&s->study, true);
    l->edges = e;
    study_lock(&s->study, false);
    run_say(s->study.lab->run,
            "Hessian of %s (batch statistics): largest eigenvalue %.4g (± %.2g), smallest %.4g (± "
            "%.2g) after %d Lanczos steps",
            l->net->name, e.top, e.top_error, e.bottom, e.bottom_error, e.steps);
    double stopped = !lanczos_may_continue(s, NULL);
    comm_all_reduce_host(s->study.lab->comm, &stopped, 1, COMM_MAX);
    return !stopped;
}

static bool work_on(Session *s)
{
    LandscapeView *v = &s->view;
    const Choices *c = s->c;
    if (!train_networks(s))
        return false;
    for (int k = 0; k < v->looks; k++)
        if (!slices_plane(s, &v->look[k]))
            return false;
    for (int k = 0; k < v->looks; k++)
        if (c->lines && !slices_lines(s, &v->look[k]))
            return false;
    for (int k = 0; k < v->looks; k++)
        if (c->path && v->look[k].net->snapshots > 2 && !slices_path(s, &v->look[k]))
            return false;
    for (int k = 0; k < v->looks; k++)
        if (c->eigenvalues && !measure_edges(s, &v->look[k]))
            return false;
    for (int k = 0; k < v->looks; k++)
        if (v->look[k].edges.top > 0 && !slices_hessian(s, &v->look[k]))
            return false;
    return true;
}

void landscape_work(void *study)
{
    Session *s = study;
    bool complete = work_on(s);
    if (complete && s->study.lab->comm->rank == 0)
        landscape_record(s);
    session_phase(s, complete ? "done" : "stopped", "");
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
        slice_free(&l->sharp);
        free(l->path_loss);
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
    free(s->view.directions);
}
