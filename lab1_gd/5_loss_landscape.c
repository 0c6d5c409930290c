/* 5_loss_landscape.c: the loss of a real network around its solution: no longer a parabola.
 *
 * Trains a network (or reads a checkpoint), then measures its loss on a plane through the trained
 * weights, along a line, and in the plane of its training path. --compare trains two, with and
 * without skip connections, to the same loss (on two ranks at the same time) and shows them side by
 * side. All ranks share the points; an interrupted landscape resumes.
 * Exercise: exercises/5_filter_normalize.c.
 */
#include "check.h"
#include "parts/5_landscape/landscape_work.h"

static Choices defaults(void)
{
    return (Choices){.run = run_options_default(),
                     .norm = "running",
                     .skip = true,
                     .lines = true,
                     .path = true,
                     .eigenvalues = true,
                     .images = 512,
                     .batch = 256,
                     .steps = 20,
                     .extent = 1,
                     .directions = 1,
                     .recipe = {.images = 10000,
                                .batch = 128,
                                .updates = 300,
                                .rate = 0.1,
                                .momentum = 0.9,
                                .weight_decay = 5e-4,
                                .snapshots = 40}};
}

static void parse(Choices *c, Option *table, int argc, char **argv)
{
    Recipe *r = &c->recipe;
    const Option options[] = {
        RUN_OPTIONS_TEXT(c->run),
        {"checkpoint", ARG_STRING, &c->checkpoint,
         .help = "measure the network in this file instead of training one"},
        {"against", ARG_STRING, &c->against,
         .help = "… and compare it with the network in this file"},
        {"model", ARG_STRING, &r->spec.name,
         .help = "linear, mlp, cnn, resnet8 …, for text gpt-32-2-4 …; unless given resnet8, with "
                 "--compare resnet20, with --full resnet56"},
        {"skip", ARG_FLAG, &c->skip, .help = "train with skip connections"},
        {"compare", ARG_FLAG, &c->compare,
         .help = "train two, with and without skip connections, side by side"},
        {"full", ARG_FLAG, &c->full, .help = "compare ResNet-56 (an hour and a half on 2 cores)"},
        {"recorded", ARG_STRING, &c->recorded,
         .help = "draw the results in this folder, measured earlier"},
        {"points", ARG_INT, &c->points, .min = 0, .max = 1001,
         .help = "points along each side; 0: 25, with --compare 21, with --full 31"},
        {"extent", ARG_REAL, &c->extent, .min = 1e-3, .max = 100,
         .help = "how far along each direction; 1: as far as each filter of the network is long"},
        {"images", ARG_INT, &c->images, .min = 1, .max = 1000000,
         .help = "images on which the loss is measured"},
        {"test", ARG_FLAG, &c->test, .help = "measure on test images instead of training images"},
        {"norm", ARG_CHOICE, &c->norm, .choices = "running|batch",
         .help = "batch norm: running statistics, or each batch's own"},
        {"measure-batch", ARG_INT, &c->batch, .min = 1, .max = 65536,
         .help = "images per batch when measuring"},
        {"direction-seed", ARG_LONG, &c->directions, .min = 0, .max = 9e15,
         .help = "seed of the random directions"},
        {"lines", ARG_FLAG, &c->lines,
         .help = "measure training and test loss along the first direction"},
        {"path", ARG_FLAG, &c->path, .help = "measure the plane of the training path"},
        {"eigenvalues", ARG_FLAG, &c->eigenvalues,
         .help =
             "the Hessian's largest and smallest eigenvalue, and the plane of their directions"},
        {"steps", ARG_INT, &c->steps, .min = 2, .max = 500,
         .help = "Lanczos steps for the eigenvalues"},
        {"train-images", ARG_INT, &r->images, .min = 1, .max = 1000000,
         .help = "images to train on"},
        {"batch", ARG_INT, &r->batch, .min = 1, .max = 65536, .help = "images per update"},
        {"updates", ARG_INT, &r->updates, .min = 1, .max = 1000000,
         .help = "stop after this many updates"},
        {"rate", ARG_REAL, &r->rate, .min = 1e-6, .max = 100, .help = "learning rate"},
        {"target", ARG_REAL, &r->target, .min = 0, .max = 100,
         .help = "stop at this training loss; 0: never, with --compare 0.2, with --full 0.35"},
        {0}};
    OPTIONS_KEEP(table, options);
    args_parse("5_loss_landscape", "The loss of a real network around its solution.", table, argc,
               argv);
    if (text_named(c->run.data)) /* one window has 64 labels */
        args_otherwise(table, "model", "gpt-32-2-4", "images", "64", "measure-batch", "64", "batch",
                       "16", "updates", "2000", "rate", "0.05", NULL);
    REQUIRE(c->points != 1, "--points=1: a grid has at least 2 points along each side");
    c->named = r->spec.name;
    c->compare = c->compare || c->full || c->against;
    REQUIRE(!c->against || c->checkpoint,
            "--against needs --checkpoint: the network to compare with");
    if (c->full) {
        r->updates = r->updates == 300 ? 1500 : r->updates;
        r->images = r->images == 10000 ? 20000 : r->images;
    } else if (c->compare)
        r->updates = r->updates == 300 ? 900 : r->updates;
    r->target = r->target == 0 && c->compare ? (c->full ? 0.35 : 0.2) : r->target;
    r->spec.name = r->spec.name ? r->spec.name
                 : c->full      ? "resnet56"
                 : c->compare   ? "resnet20"
                                : "resnet8";
    r->spec.no_skip = !c->skip;
    r->seed = c->run.seed;
    c->points = c->points ? c->points : c->full ? 31 : c->compare ? 21 : 25;
}

/* ---- the window ---- */

static void draw(const void *study, Plot *plot)
{
    landscape_draw(&((const Session *)study)->view, plot);
}

/* Drawing takes time from the work: only when there is something new. */
static int64_t version(const void *study)
{
    return landscape_changes(&((const Session *)study)->view);
}

static void on_event(void *study, const PlotEvent *e)
{
    LandscapeView *v = &((Session *)study)->view;
    if (e->kind == PLOT_KEY && e->key == 'h')
        v->heat = !v->heat;
    else if (e->kind == PLOT_KEY && e->key == 'd')
        v->sharp = !v->sharp;
    else if (landscape_is_3d(v, e->panel))
        plot_camera_move(&v->camera, e);
}

enum { MEASURING_KEYS = 2 }; /* the first of them, where something is measured */
static const PlotKey keys[] = {
    {"space", "pause, resume"},         {".", "measure one point"},
    {"h", "heat map or contours"},      {"d", "random directions or the Hessian's own"},
    {"drag", "turn the surface"},       {"wheel", "zoom the surface"},
    {"pointer", "the values under it"}, {NULL, NULL}};

/* ---- results ---- */

static void report(const void *study)
{
    const Session *s = study;
    for (int k = 0; k < s->view.looks; k++) {
        const Look *l = &s->view.look[k];
        if (!l->plane.surface || !l->plane.surface->known)
            continue;
        Roughness r = look_roughness(l);
        run_say(
            s->study.lab->run,
            "%s: negative curvature at %.1f %% of %d inner points, mean |λmin/λmax| (0 elsewhere) "
            "%.3f, %d local minima",
            look_name(l), 100 * r.negative, r.points, r.ratio, r.minima);
    }
}

/* After args_parse: what this device and this data cannot do ends the program. */
static void check_choices(Choices *c, const Lab *lab)
{
    int images = lab->data->train.count;
    REQUIRE(lab->be->precision == PRECISION_FP32 || !c->eigenvalues,
            "--precision=%s is too coarse for the Hessian's eigenvalues: add --no-eigenvalues",
            c->run.precision);
    c->recipe.images = c->recipe.images < images ? c->recipe.images : images;
    REQUIRE(c->recipe.batch <= c->recipe.images, "--batch=%d is above the %d training images",
            c->recipe.batch, c->recipe.images);
    c->batch = c->batch < c->images ? c->batch : c->images; /* none is larger */
}

static Session session_new(const Choices *c, const Lab *lab, const char *missing)
{
    char *title = NULL, *directions = NULL;
    if (!c->recorded) {
        title = format_new("%s · loss on %d %s %s", dataset_title(lab->data), c->images,
                           c->test ? "test" : "training", images_unit(&lab->data->train));
        directions = format_new("%s statistics · directions %s (seed %lld)", c->norm,
                                missing ? "as long as each layer, not yet each filter"
                                        : "as long as each filter",
                                (long long)c->directions);
    }
    return (Session){.study = {.title = "Lab 1 · loss landscape",
                               .png = "landscape.png",
                               .missing = missing,
                               .unfinished = STUDY_WHILE_SEEN, /* with other directions */
                               .work = c->recorded ? NULL : landscape_work,
                               .draw = draw,
                               .report = report,
                               .keys = c->recorded ? keys + MEASURING_KEYS : keys,
                               .space = SPACE_STEPS,
                               .event = on_event,
                               .version = version,
                               .lab = lab},
                     .c = c,
                     .view = {.looks = c->compare ? 2 : 1,
                              .title = title,
                              .directions = directions,
                              .missing = missing,
                              .camera = {-50, 35, .zoom = 1},
                              .heat = true,
                              .lines = c->lines,
                              .phase = "to do"}};
}

int main(int argc, char **argv)
{
    Choices c = defaults();
    Option table[MOST_OPTIONS];
    parse(&c, table, argc, argv);
    const char *missing = c.recorded ? NULL : exercise_missing(NULL);
    stop_on_signals();
    Lab lab = lab_open(comm_open(c.run.comm), &c.run);
    if (!c.recorded) {
        lab_data(&lab, &c.run, NULL);
        check_choices(&c, &lab);
    }
    /* do not resume what was measured in other directions */
    lab_run(&lab, missing ? "lab1_loss_landscape_by_layer" : "lab1_loss_landscape", &c.run, table);
    Session s = session_new(&c, &lab, missing);
    if (c.recorded)
        landscape_open_recorded(&s);
    else
        landscape_open(&s);
    int status = study_run(&s.study, &lab);
    landscape_work_free(&s);
    lab_close(&lab);
    return status;
}
