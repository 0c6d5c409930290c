/* speedrun.c: see speedrun.h. */
#include "speedrun.h"
#include "check.h"
#include "timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_model(Speedrun *s)
{
    bool gelu = !strcmp(s->activation, "gelu");
    snprintf(s->recipe.model, sizeof s->recipe.model, "airbench-%d%s%s", s->width, gelu ? "" : "-",
             gelu ? "" : s->activation);
}

static Racer racer_of(const Speedrun *s, int i)
{
    Racer r = {.wanted = true, .name = "the recipe", .recipe = s->recipe};
    r.run = alloc((size_t)s->runs, sizeof *r.run);
    if (i == THE_PLAIN) {
        r.wanted = s->compare;
        r.name = "plain";
    } else if (i >= WITHOUT) {
        Ingredient left_out = (Ingredient)(i - WITHOUT);
        r.wanted = s->ablate && s->recipe.with[left_out];
        r.name = ingredient_name(left_out);
        r.recipe.with[left_out] = false;
    }
    return r;
}

static int ingredients(const Recipe *r)
{
    int count = 0;
    for (int i = 0; i < INGREDIENTS; i++)
        count += r->with[i];
    return count;
}

void speedrun_open(void *study, const Lab *lab, uint64_t seed)
{
    Speedrun *s = study;
    Recipe *r = &s->recipe;
    const Dataset *d = lab->data;
    REQUIRE(lab->comm->size == 1, "%d ranks: a speedrun is one rank's; start it with NP=1",
            lab->comm->size);
    REQUIRE(!timer_virtual(),
            "a virtual clock does not tell how fast a training is: LABS_CLOCK=real");
    REQUIRE(!s->processor || (lab->be->threads == 1 && !strcmp(lab->be->op->name, "cpu")),
            "--processor-time counts one thread on a CPU: give --device cpu --threads 1");
    s->seed = seed;
    REQUIRE(r->batch <= r->images, "--batch=%d: there are %d training images (--images)", r->batch,
            r->images);
    REQUIRE(r->shift < d->train.h && r->shift < d->train.w,
            "--shift=%d: images of %dx%d pixels cannot be moved that far", r->shift, d->train.h,
            d->train.w);
    REQUIRE(!s->ablate || ingredients(r) > 0, "--ablate: this recipe has nothing to leave out");
    s->plain.images = r->images;
    s->plain.test = r->test;
    s->plain.batch = s->plain.batch < r->images ? s->plain.batch : r->images;
    name_model(s);
    runner_check(lab, r->model, r->batch);
    runner_check(lab, s->plain.model, s->plain.batch);
    for (int i = 0; i < SPEEDRUN_RACERS; i++)
        s->racer[i] = racer_of(s, i);
}

void speedrun_free(void *study)
{
    Speedrun *s = study;
    for (int i = 0; i < SPEEDRUN_RACERS; i++)
        free(s->racer[i].run);
}

/* Between updates: what is new of the curve goes to the figure. */
static bool goes_on(void *speedrun, const Outcome *so_far)
{
    Speedrun *s = speedrun;
    Racer *racer = &s->racer[s->now];
    if (racer->run[racer->done].points != so_far->points) {
        study_lock(&s->study, true);
        racer->run[racer->done] = *so_far;
        study_lock(&s->study, false);
    }
    return study_goes_on(&s->study);
}

int speedrun_trainings(const Speedrun *s, int *done)
{
    int all = *done = 0;
    for (int i = 0; i < SPEEDRUN_RACERS; i++) {
        *done += s->racer[i].done;
        all += s->racer[i].wanted * s->runs;
    }
    return all;
}

static void found(Speedrun *s, Racer *racer, const Outcome *out)
{
    char note[64];
    int done, all;
    study_lock(&s->study, true);
    racer->run[racer->done++] = *out;
    all = speedrun_trainings(s, &done);
    study_lock(&s->study, false);
    snprintf(note, sizeof note, "%.4f in %.2f s", out->accuracy, out->total);
    run_progress(s->study.lab->run, "trained", done, all, "networks", note);
}

/* All trainings of one racer, with one network; false: stopped. */
static bool race(Speedrun *s, int i)
{
    Racer *racer = &s->racer[i];
    Runner *r = runner_new(s->study.lab, i == THE_PLAIN ? NULL : &racer->recipe, &s->plain,
                           s->processor);
    double seconds = i == THE_PLAIN ? speedrun_summary(&s->racer[THE_RECIPE]).seconds : 0;
    bool on = true;
    study_lock(&s->study, true);
    s->now = i;
    study_lock(&s->study, false);
    runner_warm_up(r);
    for (int k = 0; k < s->runs && on; k++) {
        Outcome out;
        on = runner_run(r, &out, s->seed + (uint64_t)k, seconds, (GoesOn){goes_on, s});
        if (on)
            found(s, racer, &out);
    }
    runner_free(r);
    return on;
}

void speedrun_work(void *study)
{
    Speedrun *s = study;
    for (int i = 0; i < SPEEDRUN_RACERS; i++)
        if (s->racer[i].wanted && !race(s, i))
            return;
}

Summary speedrun_summary(const Racer *r)
{
    Summary a = {.count = r->done, .low = INFINITY, .high = -INFINITY, .deviation = NAN};
    double squares = 0;
    for (int i = 0; i < r->done; i++) {
        const Outcome *o = &r->run[i];
        a.mean += o->accuracy / r->done;
        a.once += o->once / r->done;
        a.seconds += o->total / r->done;
        a.low = fmin(a.low, o->accuracy);
        a.high = fmax(a.high, o->accuracy);
        a.finite += o->finite;
    }
    for (int i = 0; i < r->done; i++)
        squares += pow(r->run[i].accuracy - a.mean, 2);
    if (r->done > 1)
        a.deviation = sqrt(squares / (r->done - 1));
    return a;
}

double speedrun_change(const Speedrun *s, int i, double *error)
{
    Summary a = speedrun_summary(&s->racer[i]), recipe = speedrun_summary(&s->racer[THE_RECIPE]);
    *error = hypot(a.deviation / sqrt(a.count), recipe.deviation / sqrt(recipe.count));
    return a.count > 0 && recipe.count > 0 ? a.mean - recipe.mean : NAN;
}
