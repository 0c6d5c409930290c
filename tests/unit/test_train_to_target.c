/* test_train_to_target.c: training to a target depends on its arguments alone, and it gives up when
 * it should; the statistics of speed.h. */
#include "check.h"
#include "net.h"
#include "rng.h"
#include "speed.h"
#include "train_to_target.h"
#include <math.h>

enum { TRAIN = 600, TEST = 200 };

/* Noise, and a bright stripe whose position gives the class. */
static Images stripes(int count, uint64_t seed)
{
    Images images = images_blank(count, 32, 32, 3);
    for (int i = 0; i < count; i++) {
        Rng r = rng_at(seed, RNG_TEST, 0, i);
        images.labels[i] = rng_below(&r, 10);
        for (int k = 0; k < 32 * 32 * 3; k++)
            images.pixels[i * 32 * 32 * 3 + k] = rng_below(&r, 200) +
                                                 (k / 96 / 3 == images.labels[i] ? 15 : 0);
    }
    return images;
}

static Dataset small_data(void)
{
    Dataset d = {.name = "stripes",
                 .classes = 10,
                 .train = stripes(TRAIN, 1),
                 .test = stripes(TEST, 2)};
    for (int c = 0; c < 3; c++) {
        d.mean[c] = 0.5f;
        d.istd[c] = 4;
    }
    return d;
}

static TargetSetup setup(Backend *be)
{
    static Dataset d;
    d = small_data();
    return (TargetSetup){.be = be,
                         .data = &d,
                         .spec = {.name = "linear", .h = 32, .w = 32, .c = 3, .classes = 10},
                         .target = 0.4,
                         .epochs = 20,
                         .train = TRAIN,
                         .test = TEST,
                         .check_every = 260};
}

DEVICE_TEST(reaches)
{
    TargetSetup s = setup(d->be);
    TargetOutcome a = train_to_target(&s, 20, 0.01, 1), b = train_to_target(&s, 20, 0.01, 1),
                  other = train_to_target(&s, 20, 0.01, 2);
    assert_true(a.best >= s.target && a.steps > 0 && !a.interrupted);
    expect_close(a.steps * 20, a.epochs * TRAIN, 0, 1e-12, "images used");
    expect_close(fmod(a.steps, 13), 0, 0, 0, "tested every 260 images");
    assert_true(a.steps == b.steps && a.best == b.best);
    assert_true(other.best != a.best || other.steps != a.steps);
}

static bool at_once(void *calls) { return ++*(int *)calls >= 2; }

DEVICE_TEST(gives_up)
{
    TargetSetup s = setup(d->be);
    s.target = 1.01;
    s.epochs = 1.5;
    TargetOutcome missed = train_to_target(&s, 20, 0.01, 1);
    assert_true(isnan(missed.steps) && isnan(missed.epochs) && !missed.interrupted);
    assert_true(missed.best > 0.1);
    s.epochs = 1e9; /* the rate is far too large: it diverges and still ends */
    assert_true(isnan(train_to_target(&s, 20, 1e38, 1).steps));
    int calls = 0;
    s.interrupted = at_once;
    s.context = &calls;
    assert_true(train_to_target(&s, 20, 0.01, 1).interrupted && calls == 2);
    static int32_t all[TRAIN];
    calls = 0;
    assert_true(isnan(train_on_subset(&s, all, TRAIN, 20, 1000, 0.01, 1)) && calls == 2);
}

/* SGD as a method of the caller's own, which is made and ended once. */
typedef struct OwnSgd {
    MethodMaker sgd;
    int made, ended;
} OwnSgd;

static Method make_own(void *context, Model *m)
{
    OwnSgd *o = context;
    o->made++;
    return o->sgd.make(o->sgd.context, m);
}

static void end_own(void *context, Model *m, const Method *method)
{
    OwnSgd *o = context;
    o->ended++;
    o->sgd.end(o->sgd.context, m, method);
}

DEVICE_TEST(takes_a_method)
{
    TargetSetup s = setup(d->be), other = s;
    s.momentum = 0.5;
    SgdSpec sgd = {.momentum = 0.5};
    OwnSgd own = {.sgd = sgd_maker(&sgd)};
    other.method = (MethodMaker){make_own, end_own, &own};
    TargetOutcome a = train_to_target(&s, 20, 0.01, 1), b = train_to_target(&other, 20, 0.01, 1);
    assert_true(a.steps == b.steps && a.best == b.best);
    assert_true(own.made == 1 && own.ended == 1);
}

/* The result depends on the images of the subset, not on where they are in the training set; 20
 * images teach less than all. */
DEVICE_TEST(learns_from_a_subset)
{
    TargetSetup s = setup(d->be);
    int32_t forward[TRAIN], last[TRAIN];
    for (int i = 0; i < TRAIN; i++) {
        forward[i] = i;
        last[i] = TRAIN - 1 - i;
    }
    double all = train_on_subset(&s, forward, TRAIN, 20, 300, 0.01, 1),
           few = train_on_subset(&s, forward, 20, 50, 300, 0.01, 1);
    assert_true(all > few && few > 0.05);
    expect_close(train_on_subset(&s, forward, TRAIN, 20, 300, 0.01, 1), all, 0, 0,
                 "the same again");
    assert_true(train_on_subset(&s, last, 20, 20, 300, 0.01, 1) != few); /* other images */
}

/* How long it takes is the machine's business; that it had a processor at all is not. */
DEVICE_TEST(times_updates)
{
    TargetSetup s = setup(d->be);
    UpdateTime t = target_update_time(&s, 100, 0.01);
    assert_true(t.processor > 0 && t.processor <= t.seconds);
}

/* Planted times: of 5 measurements the 3 least disturbed count, in any order; of those
 * still disturbed, the time without the waits. */
BACKEND_TEST(leaves_out_the_disturbed)
{
    static const double seconds[] = {9, 2, 40, 1, 4}, processor[] = {3, 2, 2, 1, 3.9};
    SweepRow row[6] = {{16, 1, {5, 1}}};
    for (int i = 0; i < 5; i++)
        row[i + 1] = (SweepRow){8, i + 1, {seconds[i], processor[i]}};
    Speeds s = {.rounds = 3, .file = &(Sweep){.values = 2, .rows = 6, .row = row}};
    Speed at = speed_of(&s, 8);
    assert_true(at.seconds == 2 && at.quartile[0] == 1.5 && at.quartile[1] == 3);
    assert_int_equal(at.disturbed, 0);
    s.rounds = 5; /* 1, 2, 2, 3, 4 */
    at = speed_of(&s, 8);
    assert_true(at.seconds == 2 && at.quartile[0] == 2 && at.quartile[1] == 3);
    assert_int_equal(at.disturbed, 2);
    at = speed_of(&s, 16);
    assert_true(at.seconds == 1 && at.disturbed == 1);
    assert_true(isnan(speed_of(&s, 32).seconds));
    for (int i = 0; i < 3; i++)
        speed_size(&s, (int[]){32, 8, 32}[i]);
    assert_true(s.sizes == 2 && s.batch[0] == 8 && s.batch[1] == 32);
}
