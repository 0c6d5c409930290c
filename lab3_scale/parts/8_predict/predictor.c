/* predictor.c: what part 8 measures. */
#include "predictor.h"
#include "train_to_target.h"
#include <math.h>

static ModelSpec model_of(const Predictor *p, const Lab *lab)
{
    return model_spec_for(p->model, lab->data);
}

void predictor_open(void *study, const Lab *lab, uint64_t seed)
{
    Predictor *p = study;
    ModelSpec spec = model_of(p, lab);
    Model *m = model_new(lab->be, &spec, 1);
    p->parameters = m->params.n;
    model_free(m);
}

/* An update of one rank, with all of the machine for it: seconds of any, and per image. */
static void measure_alone(const Predictor *p, double *per_update, double *per_image)
{
    const Lab *lab = p->study.lab;
    const Dataset *d = lab->data;
    TargetSetup setup = {.be = lab->be,
                         .data = d,
                         .spec = model_of(p, lab),
                         .momentum = 0.9,
                         .train = d->train.count < 1024 ? d->train.count : 1024,
                         .test = 16};
    double small = INFINITY, large = INFINITY; /* the fastest of three: others may compute, too */
    for (int i = 0; i < 3; i++) {
        small = fmin(small, target_update_time(&setup, 16, 0.3).seconds);
        large = fmin(large, target_update_time(&setup, 128, 0.5).seconds);
    }
    /* A line through both; on a machine too busy for it, through the larger and zero. */
    *per_image = (large - small) / 112;
    if (!(*per_image > 0.5 * large / 128 && *per_image <= large / 128))
        *per_image = large / 128;
    *per_update = large - 128 * *per_image;
}

/* How the ranks train that are measured. */
static TrainingSpec spec_of(const Predictor *p, const PlainPace *pace)
{
    return (TrainingSpec){.be = p->study.lab->be,
                          .data = p->study.lab->data,
                          .model = model_of(p, p->study.lab),
                          .images = p->images,
                          .test = p->test,
                          .batch = pace->batch,
                          .epochs = pace->epochs,
                          .pace = training_plain,
                          .context = pace};
}

void predictor_work(void *study)
{
    Predictor *p = study;
    PlainPace pace = {p->batch < 1024 ? p->batch : 1024, 0.01, 1000, 0};
    TrainingSpec spec = spec_of(p, &pace);
    Measured found = {0};
    double per_update = 0, per_image = 0;
    bool all = measured_ranks(&found, &p->study, &spec);
    if (!all || p->study.lab->comm->rank != 0)
        return;
    measure_alone(p, &per_update, &per_image);
    study_lock(&p->study, true);
    p->measured = found;
    p->update_seconds = per_update;
    p->image_seconds = per_image;
    p->ready = true;
    study_lock(&p->study, false);
}
