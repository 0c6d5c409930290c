/* train_options.c: the options of lab 2's trainer, in one table, and the model and the images that
 * they select.
 */
#include "check.h"
#include "file.h"
#include "lab2.h"
#include "link.h"
#include "number.h"
#include <stdlib.h>
#include <string.h>

static void defaults(TrainOptions *o)
{
    *o = (TrainOptions){.run = run_options_default(),
                        .model = "resnet8",
                        .hidden = "256,128",
                        .schedule = "onecycle",
                        .skip = true,
                        .batchnorm = true,
                        .epochs = 3,
                        .batch = 128,
                        .accumulate = 1,
                        .rate = 0.1,
                        .warmup = 1,
                        .momentum = 0.9,
                        .weight_decay = 5e-4,
                        .drop_every = 1,
                        .drop_by = 0.1,
                        .init_seed = -1};
}

/* What suits text: many small updates; this rate also for the larger ones of several ranks. */
static void text_defaults(TrainOptions *o)
{
    if (!text_named(o->run.data))
        return;
    args_otherwise(o->table, "model", "gpt-64-2-4", "batch", "8", NULL);
}

static void check_meaning(const TrainOptions *o)
{
    bool steps = !strcmp(o->schedule, "step");
    bool plain = !strcmp(o->model, "linear") || !strcmp(o->model, "mlp");
    bool residual = !plain && strcmp(o->model, "cnn") != 0;
    bool text = text_named(o->run.data), gpt = !strncmp(o->model, "gpt-", 4);
    REQUIRE(text || !gpt, "--model %s reads text: give --data text or --data licences, too",
            o->model);
    args_only(o->table, "flip", !text, "images");
    args_only(o->table, "shift", !text, "images");
    args_only(o->table, "cutout", !text, "images");
    args_only(o->table, "hidden", !strcmp(o->model, "mlp"), "--model mlp");
    args_only(o->table, "skip", residual, "a residual --model");
    args_only(o->table, "batchnorm", !plain && !gpt, "--model cnn or a residual network");
    args_only(o->table, "warmup", strcmp(o->schedule, "onecycle") != 0,
              "--schedule constant, step or cosine");
    args_only(o->table, "ghost", o->batchnorm && !gpt, "--batchnorm");
    args_only(o->table, "nesterov", o->momentum > 0, "--momentum");
    args_only(o->table, "drop-every", steps, "--schedule step");
    args_only(o->table, "drop-by", steps, "--schedule step");
}

/* The text of a file beside the checkpoint, which this run may overwrite; NULL: none. */
static char *beside(const char *checkpoint, const char *name)
{
    enum { MOST = 1 << 26 };
    const char *slash = strrchr(checkpoint, '/');
    char *path = format_new("%.*s%s", slash ? (int)(slash + 1 - checkpoint) : 0, checkpoint, name);
    char *text = NULL;
    size_t size;
    char *error = file_read(&text, &size, path, MOST);
    free(path);
    if (error) {
        free(error);
        return NULL;
    }
    return text;
}

/* The rows of the epochs before the checkpoint; NULL: no rows. */
static char *earlier_rows(const char *checkpoint, int epochs)
{
    char *text = beside(checkpoint, "metrics.csv"), *kept = NULL;
    char *at = text ? strchr(text, '\n') : NULL;
    if (at && !strncmp(text, TRAIN_COLUMNS "\n", strlen(TRAIN_COLUMNS) + 1)) {
        char *end = ++at;
        int epoch = 0;
        for (char *next; (next = strchr(end, '\n')) && atoi(end) == epoch + 1 && epoch < epochs;
             epoch++)
            end = next + 1;
        kept = epoch == epochs && epochs > 0 ? format_new("%.*s", (int)(end - 1 - at), at) : NULL;
    }
    free(text);
    return kept;
}

static json_t *earlier_options(const char *checkpoint)
{
    char *text = beside(checkpoint, "config.json");
    json_t *config = text ? json_loads(text, 0, NULL) : NULL;
    const char *program = json_string_value(json_object_get(config, "program"));
    bool ours = program && !strcmp(program, "lab2_train");
    json_t *options = ours ? json_incref(json_object_get(config, "options")) : NULL;
    json_decref(config);
    free(text);
    return options;
}

/* What follows is the training that the checkpoint began: its seed counts. */
static void choose_resume(TrainOptions *o)
{
    if (!o->resume)
        return;
    Resumed *r = o->resumed = alloc(1, sizeof *r);
    r->model = checkpoint_progress(o->resume, &r->from);
    r->asked = o->run.seed;
    for (const Option *one = o->table; one->name; one++)
        r->asks |= !strcmp(one->name, "seed") && one->given;
    o->run.seed = (int64_t)r->from.seed;
    r->earlier = earlier_rows(o->resume, r->from.epoch);
    r->options = earlier_options(o->resume);
}

static void choose_link(TrainOptions *o)
{
    link_choose(o->link, o->clock);
    const char *link = getenv("LABS_LINK"), *clock = getenv("LABS_CLOCK");
    o->link = link && *link ? link : "none";
    o->clock = clock && *clock ? clock : "real";
}

void train_options(TrainOptions *o, int argc, char **argv)
{
    defaults(o);
    const Option table[] = {
        RUN_OPTIONS_DATA(o->run, "auto|synthetic|fashion|cifar10|text|licences",
                         "images, or text: *.txt of --data-dir, or a made-up language"),
        {"model", ARG_STRING, &o->model,
         .help = "linear, mlp, cnn, resnet8, resnet20, resnet56 or wrn16-K; text: gpt-D-L-H (width "
                 "D, L layers, H heads), gpt-64-2-4 unless given"},
        {"hidden", ARG_STRING, &o->hidden, .help = "mlp: sizes of its hidden layers"},
        {"skip", ARG_FLAG, &o->skip, .help = "residual networks: with skip connections"},
        {"batchnorm", ARG_FLAG, &o->batchnorm, .help = "with batch norm"},
        {"ghost", ARG_INT, &o->ghost, .max = 1 << 20,
         .help = "ghost batch norm: images per group (0: a rank's batch)"},
        {"epochs", ARG_INT, &o->epochs, .max = 100000, .help = "passes over the training images"},
        {"batch", ARG_INT, &o->batch, .min = 1, .max = 1 << 20,
         .help = "images per rank and update (text: windows, 8 unless given)"},
        {"accumulate", ARG_INT, &o->accumulate, .min = 1, .max = 1 << 10,
         .help = "batches per update: add up the gradients of this many"},
        {"rate", ARG_REAL, &o->rate, .max = 1e6,
         .help = "learning rate for one rank (one-cycle: its peak)"},
        {"schedule", ARG_CHOICE, &o->schedule, .choices = SCHEDULE_CHOICES,
         .help = "how the rate changes"},
        {"warmup", ARG_REAL, &o->warmup, .max = 1e6,
         .help = "epochs of linear warm-up (one-cycle has its own)"},
        {"drop-every", ARG_REAL, &o->drop_every, .min = 1e-3, .max = 1e6,
         .help = "schedule step: epochs between drops of the rate"},
        {"drop-by", ARG_REAL, &o->drop_by, .max = 1, .help = "schedule step: factor of each drop"},
        {"momentum", ARG_REAL, &o->momentum, .max = 1, .help = "of SGD"},
        {"nesterov", ARG_FLAG, &o->nesterov, .help = "Nesterov momentum"},
        {"weight-decay", ARG_REAL, &o->weight_decay, .max = 1e3,
         .help = "this times each weight is added to its gradient"},
        {"flip", ARG_FLAG, &o->flip, .help = "augmentation: flip images left to right at random"},
        {"shift", ARG_INT, &o->shift, .max = 32,
         .help = "augmentation: shift images by up to this many pixels"},
        {"cutout", ARG_INT, &o->cutout, .max = 32,
         .help = "augmentation: grey out a square with sides of this many pixels"},
        {"init-seed", ARG_LONG, &o->init_seed, .min = -1, .max = 9e15,
         .help = "seed of the initial weights (-1: --seed + rank)"},
        {"images", ARG_INT, &o->images, .max = 1 << 30,
         .help = "train on the first images only, this many (0: all)"},
        {"test-images", ARG_INT, &o->test_images, .max = 1 << 30,
         .help = "test on the first images only, this many (0: all)"},
        {"steps", ARG_INT, &o->steps, .max = 1 << 30,
         .help = "stop after this many updates (0: after the last epoch)"},
        {"checkpoint-every", ARG_INT, &o->checkpoint_every, .max = 1 << 30,
         .help = "updates between checkpoints (0: one per epoch)"},
        {"resume", ARG_STRING, &o->resume, .help = "resume from this checkpoint"},
        {"baseline", ARG_REAL, &o->baseline, .max = 1e12,
         .help = "images/s measured on one rank, to report the efficiency (0: unknown)"},
        LINK_OPTIONS(o->link, o->clock),
        {0}};
    OPTIONS_KEEP(o->table, table);
    args_parse(
        "3_train",
        "Train a network on images or text; lab 2 makes it train on several devices at once.",
        o->table, argc, argv);
    text_defaults(o);
    check_meaning(o);
    choose_link(o);
    choose_resume(o);
    if (o->init_seed < 0) /* the ranks must differ: else nobody would miss the broadcast */
        o->init_seed = o->run.seed + run_number();
}

/* "256,128" -> {256, 128} */
static void parse_hidden(int *sizes, int most, const char *text)
{
    char *copy = format_new("%s", text), *rest = copy;
    int count = 0;
    for (const char *one; (one = strsep(&rest, ","));) {
        int64_t size;
        REQUIRE(count < most, "--hidden %s: expected at most %d sizes", text, most);
        REQUIRE(number_whole(&size, one, 1, 1 << 20),
                "--hidden %s: expected sizes from 1 to 1048576 with commas between them, such as "
                "256,128",
                text);
        sizes[count++] = (int)size;
    }
    free(copy);
}

ModelSpec train_model_spec(const TrainOptions *o, const Dataset *d)
{
    ModelSpec spec = model_spec_for(o->model, d);
    spec.no_skip = !o->skip;
    spec.no_batchnorm = !o->batchnorm;
    spec.ghost = o->ghost;
    if (!strcmp(o->model, "mlp"))
        parse_hidden(spec.hidden, (int)(sizeof spec.hidden / sizeof *spec.hidden) - 1, o->hidden);
    return spec;
}

static void enough(const Images *images, int count, const char *option)
{
    REQUIRE(count <= images->count, "--%s %d: the data set has %d; give fewer, or 0 for all",
            option, count, images->count);
}

/* Before the run's folder is touched. */
static void require_same_training(const TrainOptions *o, const Dataset *d)
{
    ModelSpec spec = train_model_spec(o, d);
    char *model = checkpoint_model_text(&spec);
    Resumed *r = o->resumed;
    REQUIRE(!r->model || !strcmp(r->model, model),
            "%s: saved from the model %.100s, expected %s: use the same options", o->resume,
            r->model, model);
    free(model);
    progress_require(o->resume, &r->from, d->train.count, o->epochs);
    REQUIRE(!r->asks || (uint64_t)r->asked == r->from.seed,
            "--seed %lld: %s was trained with --seed %llu, which a resumed training keeps: leave "
            "--seed out",
            (long long)r->asked, o->resume, (unsigned long long)r->from.seed);
    r->images = d->train.count;
}

Dataset *train_dataset(const TrainOptions *o)
{
    Dataset *d = dataset_open_first(o->run.data, "fashion,synthetic", o->run.data_dir, o->images,
                                    o->test_images);
    train_model_spec(o, d); /* ends the run if the network does not read this */
    enough(&d->train, o->images, "images");
    enough(&d->test, o->test_images, "test-images");
    REQUIRE((int64_t)o->batch * o->accumulate <= d->train.count,
            "--batch %d, --accumulate %d: there are %d training images: give a smaller --batch or "
            "--accumulate, or more --images",
            o->batch, o->accumulate, d->train.count);
    if (o->resume)
        require_same_training(o, d);
    return d;
}
