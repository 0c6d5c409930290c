/* precision_study.c: see precision_study.h. */
#include "precision_study.h"
#include "check.h"
#include <string.h>

const char *const kind_names[KINDS] = {"float32", "all float16", "float16", "scaled float16",
                                       "bfloat16"};

int precision_devices(const PrecisionStudy *s, int row)
{
    int step = row < 2 ? 0 : (row - 2) / 3;
    return step == 0 ? 1 : step == 1 ? s->devices : s->devices * s->devices;
}

void precision_open(void *study, const Lab *lab, uint64_t seed)
{
    PrecisionStudy *s = study;
    s->seed = seed;
    REQUIRE(lab->be->activations == F32,
            "--precision: this part rounds by itself, and so needs --precision=fp32");
    REQUIRE(s->batch <= s->images, "--batch=%d: there are %d --images", s->batch, s->images);
    for (int r = 0; r < PRECISION_ROWS; r++)
        for (int i = 0; i < PRECISION_SEEDS; i++)
            s->result[r][i] = (PrecisionResult){.test = NAN, .train = NAN};
}

/* All rows with one seed, then the next. */
static bool train(void *context, int item, double *value, TaskFarmRun *farm)
{
    const PrecisionStudy *s = context;
    const Dataset *d = s->study.lab->data;
    Kind kind = kind_of(item % PRECISION_ROWS);
    RoundedSpec rounded = {.sgd = {s->momentum, 0, false, 0},
                           .format = kind == KIND_FLOAT32  ? FORMAT_FLOAT32
                                   : kind == KIND_BFLOAT16 ? FORMAT_BFLOAT16
                                                           : FORMAT_FLOAT16,
                           .exact_weights = kind != KIND_WEIGHTS,
                           .devices = precision_devices(s, item % PRECISION_ROWS),
                           .scaled = kind == KIND_SCALED,
                           .scaling = {s->scale, 0, s->interval}};
    PlainPace pace = {s->batch, s->rate, s->epochs, 0};
    TrainingSpec spec = {.be = s->study.lab->be,
                         .data = d,
                         .model = model_spec_for(s->model, d),
                         .images = s->images,
                         .test = s->test,
                         .batch = s->batch,
                         .epochs = s->epochs,
                         .method = rounded_maker(&rounded),
                         .pace = training_plain,
                         .context = &pace};
    Training *t = training_new(&spec, s->seed + (uint64_t)(item / PRECISION_ROWS));
    bool stopped = false, late = false;
    while (!stopped && training_step(t)) {
        stopped = task_farm_cancelled(farm);
        if (!late && t->seen >= 0.875 * s->epochs) {
            late = true;
            rounded.counts = (RoundedCounts){0};
        }
    }
    if (!stopped) {
        const RoundedCounts *c = &rounded.counts;
        PrecisionResult r = {training_error(&spec, training_test(t)),
                             training_error(&spec, training_train(t)),
                             c->gradients ? c->zeroed / c->gradients : 0,
                             c->moves ? c->unmoved / c->moves : 0,
                             rounded.left_out,
                             rounded.scaled ? rounded.scaling.scale : 1,
                             {0}};
        memcpy(r.size, c->size, sizeof r.size);
        memcpy(value, &r, sizeof r);
    }
    training_free(t);
    return !stopped;
}

static void found(void *context, int item, const double *value)
{
    PrecisionStudy *s = context;
    study_lock(&s->study, true);
    memcpy(&s->result[item % PRECISION_ROWS][item / PRECISION_ROWS], value,
           sizeof(PrecisionResult));
    s->done++;
    study_lock(&s->study, false);
    run_progress(s->study.lab->run, "trained", s->done, PRECISION_ROWS * s->seeds, "networks", "");
}

void precision_work(void *study)
{
    PrecisionStudy *s = study;
    study_farm(&s->study, (TaskFarm){.items = PRECISION_ROWS * s->seeds,
                                     .values = sizeof(PrecisionResult) / sizeof(double),
                                     .work = train,
                                     .found = found});
}
