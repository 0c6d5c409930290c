/* size_critical.c: part 1's two other ways to the critical batch size, at one moment of a training
 * that has seen a third of an epoch in batches of 64 images, or 4 windows of text: the gradient
 * noise scale there (McCandlish et al., arXiv 1812.06162), and branches that continue from there
 * with larger and larger batches, at rates that grow as their root, over the same images (Merrill
 * et al., arXiv 2505.23971). */
#include "check.h"
#include "lab3.h"
#include "size_study.h"
#include "training.h"
#include <math.h>
#include <stdlib.h>

enum { SMALL = 64, LARGE = 1024, PAIRS = 32 };
static int before(const SizeStudy *s) { return s->text ? 4 : 64; }
static const double from = 1 / 3.0, to = 4 / 3.0; /* epochs: the branches */
static const double tolerance = 0.02;             /* of the loss */

typedef struct BranchPace {
    int before, batch; /* until the branches begin, and after */
    double rate;       /* at `before` */
} BranchPace;

static Pace branch_pace(const void *context, double seen, int64_t update)
{
    const BranchPace *p = context;
    return seen < from
             ? (Pace){p->before, p->rate}
             : (Pace){p->batch, scaled_rate(SCALE_ROOT, p->rate, (double)p->batch / p->before)};
}

static TrainingSpec spec_of(const SizeStudy *s, const BranchPace *pace, double epochs)
{
    int most = pace->batch > pace->before ? pace->batch : pace->before;
    return (TrainingSpec){.be = s->setup.be,
                          .data = &s->held,
                          .model = s->setup.spec,
                          .images = s->train,
                          .test = s->test,
                          .batch = most,
                          .epochs = epochs,
                          .sgd = {s->momentum, 0, false, 0},
                          .pace = branch_pace,
                          .context = pace};
}

/* |g|² of the gradients of PAIRS batches. */
static void squares(Training *t, double *square, int batch, uint64_t seed)
{
    size_t n = t->m->params.n;
    float *g = alloc(PAIRS * n, sizeof *g);
    training_gradients(t, g, PAIRS, batch, seed);
    for (int i = 0; i < PAIRS; i++) {
        square[i] = 0;
        for (size_t j = 0; j < n; j++)
            square[i] += (double)g[i * n + j] * g[i * n + j];
    }
    free(g);
}

static bool measure(void *study, int item, double *value, TaskFarmRun *farm)
{
    const SizeStudy *s = study;
    int branch = (int)s->todo[item].setting; /* 0: the noise scale */
    uint64_t seed = (uint64_t)s->todo[item].seed;
    int first = before(s);
    BranchPace pace = {first, branch ? branch : first, s->rate * sqrt(first / 64.0)};
    TrainingSpec spec = spec_of(s, &pace, branch ? to : from);
    if (!branch)
        spec.batch = LARGE;
    Training *t = training_new(&spec, seed);
    bool stopped = false;
    while (!stopped && training_step(t))
        stopped = task_farm_cancelled(farm) || stop_requested();
    if (!stopped && branch)
        value[0] = metrics_loss(training_test(t));
    else if (!stopped) {
        double small[PAIRS], large[PAIRS];
        squares(t, small, SMALL, seed + 1000);
        squares(t, large, LARGE, seed + 2000);
        value[0] = noise_scale(small, large, PAIRS, SMALL, LARGE);
    }
    training_free(t);
    return !stopped;
}

static void found(void *study, int item, const double *value)
{
    SizeStudy *s = study;
    study_lock(&s->tuned.study, true);
    sweep_add(s->critical, s->todo[item].setting, s->todo[item].seed, value);
    study_lock(&s->tuned.study, false);
}

void size_critical_open(SizeStudy *s, const Lab *lab, const json_t *config)
{
    int first = before(s);
    for (s->branches = 0; first << s->branches <= s->train / 4 && first << s->branches <= 4096;
         s->branches++)
        ;
    if (s->train < 4 * LARGE)
        s->branches = 0;
    if (!lab->run->speaks || !s->branches)
        return;
    char *path = s->tuned.recorded ? format_new("%s/critical.csv", s->tuned.recorded)
                                   : run_path(lab->run, "critical.csv");
    const char *columns = "branch,noise_scale_or_loss";
    s->critical = s->tuned.recorded ? sweep_open_recorded(path, columns)
                                    : sweep_open(path, columns, config);
    free(path);
}

void size_critical_work(SizeStudy *s)
{
    int items = 0;
    if (!s->branches)
        return;
    s->todo = alloc((unsigned long)s->tuned.seeds * (s->branches + 1), sizeof *s->todo);
    for (int seed = 0; seed < s->tuned.seeds; seed++)
        for (int i = 0; i <= s->branches; i++)
            s->todo[items++] = (SweepItem){i ? before(s) << (i - 1) : 0, s->tuned.seed + seed};
    items = sweep_missing(s->todo, s->critical, s->tuned.study.lab->comm, items);
    if (s->tuned.recorded && items > 0)
        die(EXIT_USAGE, "%s: %d branches are not recorded there", s->tuned.recorded, items);
    study_farm(&s->tuned.study,
               (TaskFarm){.items = items, .values = 1, .work = measure, .found = found});
    free(s->todo);
}

void size_critical_free(SizeStudy *s) { sweep_free(s->critical); }

Critical size_critical(const SizeStudy *s)
{
    Critical c = {NAN, NAN};
    double batch[TUNED_ENTRIES], loss[TUNED_ENTRIES];
    if (!s->critical)
        return c;
    c.noise_scale = sweep_spread(s->critical, 0, 0).median;
    for (int i = 0; i < s->branches; i++) {
        batch[i] = before(s) << i;
        loss[i] = sweep_spread(s->critical, batch[i], 0).median;
    }
    if (sweep_spread(s->critical, batch[s->branches - 1], 0).count == s->tuned.seeds)
        c.branching = critical_batch(batch, loss, s->branches, tolerance * loss[0]);
    return c;
}
