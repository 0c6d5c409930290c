/* law_study.c: the trainings, the fit, the prediction and its test. */
#include "law_study.h"
#include "check.h"
#include "lab1.h"
#include "rng.h"
#include "training.h"
#include <math.h>
#include <stdlib.h>

const int law_width[LAW_WIDTHS] = {8, 16, 24, 32, 48};
enum { POINTS = LAW_WIDTHS * LAW_SIZES * LAW_SEEDS, EXPONENTS = 59, WIDEST = 512 };
static const double MOMENTUM = 0.9, WARM_UP = 0.05;

static double exponent(int i) { return 0.05 + 0.025 * i; }

/* The name, and the model of that name, which borrows it. */
static ModelSpec model_of(const LawStudy *s, char name[24], int width)
{
    snprintf(name, 24, "gpt-%d-2-2", width);
    return model_spec_for(name, s->study.lab->data);
}

/* The parameters of a model of this width; one is made and thrown away. */
static double parameters(const LawStudy *s, int width)
{
    char name[24];
    ModelSpec spec = model_of(s, name, width);
    Model *m = model_new(s->study.lab->be, &spec, s->batch);
    double N = m->params.n;
    model_free(m);
    return N;
}

static void nothing_yet(LawPoint *p, int width, double N, double D)
{
    *p = (LawPoint){.width = width, .N = N, .D = D};
    for (int i = 0; i < LAW_SEEDS; i++)
        p->loss[i] = NAN;
}

void law_open(void *study, const Lab *lab, uint64_t seed)
{
    LawStudy *s = study;
    int most = lab->data->train.count;
    REQUIRE(s->windows <= most, "--windows=%d is above the %d of the text", s->windows, most);
    REQUIRE(s->windows / 8 >= s->batch,
            "--windows=%d: the smallest text, an eighth of it, has not "
            "a batch: %d",
            s->windows, s->batch);
    s->study.lab = lab;
    s->seed = seed;
    for (int w = 0; w < LAW_WIDTHS; w++) {
        double N = parameters(s, law_width[w]);
        for (int d = 0; d < LAW_SIZES; d++)
            nothing_yet(&s->grid[w][d], law_width[w], N,
                        (double)(s->windows >> (LAW_SIZES - 1 - d)) * TEXT_WINDOW);
    }
    for (int i = 0; i < LAW_TESTS; i++)
        nothing_yet(&s->tested[i], 0, NAN, NAN);
    s->best = NAN;
    /* Before hours of training; which model it will be is not known yet. */
    double least = law_compute(s) / (6 * 1e6), all = (double)most * TEXT_WINDOW;
    REQUIRE(
        least <= all,
        "--compute=%g: even a model of a million parameters would need %.3g characters, and the "
        "text has %.3g: give a smaller one, or fewer --windows",
        s->budget, least, all);
}

double law_excess(SizeLaw law, double N, double D)
{
    return law.A * pow(N, -law.alpha) + law.B * pow(D, -law.beta);
}

double law_compute(const LawStudy *s)
{
    const LawPoint *largest = &s->grid[LAW_WIDTHS - 1][LAW_SIZES - 1];
    return 6 * largest->N * largest->D * s->budget;
}

Spread law_loss(const LawStudy *s, const LawPoint *p)
{
    double above[LAW_SEEDS];
    for (int i = 0; i < LAW_SEEDS; i++)
        above[i] = p->loss[i] - s->study.lab->data->least_loss;
    return spread_of(above, s->seeds);
}

/* ---- the trainings, shared out to the ranks ---- */

static bool train(const LawStudy *s, const LawPoint *p, uint64_t seed, double *value,
                  TaskFarmRun *farm)
{
    const Lab *lab = s->study.lab;
    int windows = (int)(p->D / TEXT_WINDOW), updates = windows / s->batch;
    bool stopped = false;
    char name[24];
    PlainPace pace = {s->batch, s->rate, 1, (int)ceil(WARM_UP * updates)};
    TrainingSpec spec = {.be = lab->be,
                         .data = lab->data,
                         .model = model_of(s, name, p->width),
                         .images = windows,
                         .test = s->test,
                         .batch = s->batch,
                         .epochs = 1,
                         .sgd = {MOMENTUM, 0, false, s->clip},
                         .pace = training_plain,
                         .context = &pace};
    Training *t = training_new(&spec, seed);
    while (!stopped && training_step(t))
        stopped = t->updates % 64 == 0 && task_farm_cancelled(farm);
    if (!stopped)
        *value = training_error(&spec, training_test(t));
    training_free(t);
    return !stopped;
}

/* The i-th training of the fit: small texts first, so that the figure fills from the left. */
static LawPoint *grid_point(LawStudy *s, int item)
{
    int place = item % (LAW_WIDTHS * LAW_SIZES);
    return &s->grid[place % LAW_WIDTHS][place / LAW_WIDTHS];
}

static int trainings(const LawStudy *s)
{
    return (LAW_WIDTHS * LAW_SIZES + (s->no_optimum ? 0 : LAW_TESTS)) * s->seeds;
}

static void found(LawStudy *s, LawPoint *p, int seed, double loss)
{
    study_lock(&s->study, true);
    p->loss[seed] = loss;
    s->done++;
    char *note = format_new("%.0f parameters, %.0f characters: loss %.3f", p->N, p->D, loss);
    run_progress(s->study.lab->run, "trained", s->done, trainings(s), "models", note);
    free(note);
    study_lock(&s->study, false);
}

static bool grid_train(void *study, int item, double *value, TaskFarmRun *farm)
{
    LawStudy *s = study;
    return train(s, grid_point(s, item), s->seed + (uint64_t)(item / (LAW_WIDTHS * LAW_SIZES)),
                 value, farm);
}

static void grid_found(void *study, int item, const double *value)
{
    LawStudy *s = study;
    found(s, grid_point(s, item), item / (LAW_WIDTHS * LAW_SIZES), *value);
}

static bool test_train(void *study, int item, double *value, TaskFarmRun *farm)
{
    LawStudy *s = study;
    return train(s, &s->tested[item % LAW_TESTS], s->seed + (uint64_t)(item / LAW_TESTS), value,
                 farm);
}

static void test_found(void *study, int item, const double *value)
{
    LawStudy *s = study;
    found(s, &s->tested[item % LAW_TESTS], item / LAW_TESTS, *value);
}

/* ---- the fit, on rank 0 ---- */

/* The law with the least sum of squared relative errors of L - E: a search over the exponents, and
 * your fit_law() for each pair. */
static SizeLaw fit(const double *N, const double *D, const double *excess, int n)
{
    SizeLaw best = {NAN, NAN, NAN, NAN};
    double least = INFINITY, *x = alloc(2ul * EXPONENTS * n, sizeof *x), *y = x + EXPONENTS * n;
    for (int k = 0; k < EXPONENTS; k++)
        for (int i = 0; i < n; i++) {
            x[k * n + i] = pow(N[i], -exponent(k));
            y[k * n + i] = pow(D[i], -exponent(k));
        }
    for (int a = 0; a < EXPONENTS; a++)
        for (int b = 0; b < EXPONENTS; b++) {
            double A = NAN, B = NAN, sum = 0;
            fit_law(&A, &B, x + a * n, y + b * n, excess, n);
            for (int i = 0; i < n; i++)
                sum += pow((A * x[a * n + i] + B * y[b * n + i]) / excess[i] - 1, 2);
            if (A >= 0 && B >= 0 && sum < least) {
                least = sum;
                best = (SizeLaw){A, exponent(a), B, exponent(b)};
            }
        }
    free(x);
    return best;
}

/* Those of the trainings that learned something. */
static int points(const LawStudy *s, double *N, double *D, double *excess)
{
    int n = 0;
    for (int i = 0; i < POINTS; i++) {
        const LawPoint *p = &s->grid[i / LAW_SEEDS % LAW_WIDTHS][i / LAW_SEEDS / LAW_WIDTHS];
        double above = p->loss[i % LAW_SEEDS] - s->study.lab->data->least_loss;
        if (above > 0 && above < 3) /* a guess has 4.4 */
            N[n] = p->N, D[n] = p->D, excess[n++] = above;
    }
    return n;
}

static void fit_all(LawStudy *s)
{
    double *N = alloc(4 * POINTS, sizeof *N), *D = N + POINTS, *excess = N + 2 * POINTS,
           *drawn = N + 3 * POINTS;
    int n = points(s, N, D, excess);
    REQUIRE(n >= 8, "only %d of the trainings learned anything: lower --rate=%g", n, s->rate);
    SizeLaw law = fit(N, D, excess, n);
    REQUIRE(isfinite(law.A), "your fit_law() gives no A and B of at least 0: make check ONLY=11a");
    Rng r = rng_at(s->seed, RNG_TEST, 0, 0);
    for (int k = 0; k < LAW_DRAWS; k++) {
        for (int i = 0; i < n; i++) {
            int j = (int)rng_below(&r, (uint32_t)n);
            drawn[i] = law_excess(law, N[i], D[i]) * excess[j] / law_excess(law, N[j], D[j]);
        }
        int j = (int)rng_below(&r, (uint32_t)n);
        s->draw[k] = fit(N, D, drawn, n);
        s->ratio[k] = excess[j] / law_excess(law, N[j], D[j]);
    }
    study_lock(&s->study, true);
    s->law = law;
    s->fitted = true;
    study_lock(&s->study, false);
    free(N);
}

Interval law_expect(const LawStudy *s, double N, double D)
{
    double v[LAW_DRAWS];
    for (int k = 0; k < LAW_DRAWS; k++)
        v[k] = law_excess(s->draw[k], N, D) * s->ratio[k];
    return interval_of(v, LAW_DRAWS, 0.9);
}

/* ---- the prediction ---- */

/* The width, a multiple of 4, whose number of parameters is nearest. */
static int width_near(const LawStudy *s, double N)
{
    int best = 4;
    double nearest = INFINITY;
    for (int width = 4; width <= WIDEST; width += 4) {
        double away = fabs(log(parameters(s, width) / N));
        if (away >= nearest)
            break;
        nearest = away, best = width;
    }
    return best;
}

/* For the budget: the model that should be best, one of half its parameters and one of twice. */
static void choose_tests(LawStudy *s)
{
    double C = law_compute(s), most = (double)s->study.lab->data->train.count * TEXT_WINDOW,
           best = optimal_size(s->law.A, s->law.alpha, s->law.B, s->law.beta, C);
    REQUIRE(best >= 1 && best <= 1e9,
            "your optimal_size() gives %g parameters for %.3g operations: make check ONLY=11b",
            best, C);
    LawPoint chosen[LAW_TESTS];
    for (int i = 0; i < LAW_TESTS; i++) {
        int width = width_near(s, best * pow(2, i - 1));
        double N = parameters(s, width), D = floor(C / (6 * N) / TEXT_WINDOW) * TEXT_WINDOW;
        REQUIRE(D <= most,
                "--compute=%g: a model of %.0f parameters would need %.3g characters, and the text "
                "has %.3g: give a smaller one",
                s->budget, N, D, most);
        nothing_yet(&chosen[i], width, N, D);
    }
    study_lock(&s->study, true);
    s->best = best;
    for (int i = 0; i < LAW_TESTS; i++)
        s->tested[i] = chosen[i];
    study_lock(&s->study, false);
}

void law_work(void *study)
{
    LawStudy *s = study;
    Comm *comm = s->study.lab->comm;
    if (!study_farm(&s->study, (TaskFarm){.items = LAW_WIDTHS * LAW_SIZES * s->seeds,
                                          .values = 1,
                                          .work = grid_train,
                                          .found = grid_found}))
        return;
    if (s->no_fit)
        return;
    if (comm->rank == 0)
        fit_all(s);
    if (s->no_optimum)
        return;
    if (comm->rank == 0)
        choose_tests(s);
    comm_broadcast_host(comm, s->tested, sizeof s->tested, 0);
    study_farm(&s->study, (TaskFarm){.items = LAW_TESTS * s->seeds,
                                     .values = 1,
                                     .work = test_train,
                                     .found = test_found});
}
