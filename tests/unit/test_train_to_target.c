/* test_train_to_target.c: training to a target: except for the times it depends on its arguments
 * alone, and it gives up when it should. */
#include "check.h"
#include "device.h"
#include "rng.h"
#include "train_to_target.h"
#include <math.h>

enum { TRAIN = 600, TEST = 200 };

/* Noise, and a bright stripe whose position gives the class. */
static Images stripes(int count, uint64_t seed)
{
    Images images = {count, 32, 32, 3, alloc((size_t)count * 32 * 32 * 3, 1), alloc(count, 1)};
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

static void free_data(Dataset *d)
{
    free(d->train.pixels), free(d->train.labels);
    free(d->test.pixels), free(d->test.labels);
}

static TargetSetup setup(Backend *be, const Dataset *d)
{
    return (TargetSetup){.be = be,
                         .data = d,
                         .spec = {.name = "linear", .h = 32, .w = 32, .c = 3, .classes = 10},
                         .target = 0.4,
                         .epochs = 20,
                         .train = TRAIN,
                         .test = TEST,
                         .check_every = 260};
}

static void reaches(void **state)
{
    Device *device = device_open();
    Dataset d = small_data();
    TargetSetup s = setup(device->be, &d);
    TargetOutcome a = train_to_target(&s, 20, 0.01, 1), b = train_to_target(&s, 20, 0.01, 1),
                  other = train_to_target(&s, 20, 0.01, 2);
    assert_true(a.accuracy >= s.target && a.steps > 0 && a.seconds > 0 && a.images_per_s > 0 &&
                !a.interrupted);
    expect_close(a.steps * 20, a.epochs * TRAIN, 0, 1e-12, "images used");
    expect_close(fmod(a.steps, 13), 0, 0, 0, "tested every 260 images");
    assert_true(a.steps == b.steps && a.accuracy == b.accuracy);
    assert_true(other.accuracy != a.accuracy || other.steps != a.steps);
    expect_close(a.seconds * a.images_per_s, a.steps * 20, 0, 1e-9, "seconds and images/s");
    free_data(&d);
    device_close(device);
}

static bool at_once(void *calls) { return ++*(int *)calls >= 2; }

static void gives_up(void **state)
{
    Device *device = device_open();
    Dataset d = small_data();
    TargetSetup s = setup(device->be, &d);
    s.target = 1.01;
    s.epochs = 1.5;
    TargetOutcome missed = train_to_target(&s, 20, 0.01, 1);
    assert_true(isnan(missed.steps) && isnan(missed.seconds) && isnan(missed.epochs) &&
                !missed.interrupted);
    assert_true(missed.accuracy > 0.1 && missed.images_per_s > 0);
    s.epochs = 1e9; /* the rate is far too large: it diverges and still ends */
    assert_true(isnan(train_to_target(&s, 20, 1e38, 1).steps));
    int calls = 0;
    s.interrupted = at_once;
    s.context = &calls;
    assert_true(train_to_target(&s, 20, 0.01, 1).interrupted && calls == 2);
    static int32_t all[TRAIN];
    calls = 0;
    assert_true(isnan(train_on_subset(&s, all, TRAIN, 20, 1000, 0.01, 1)) && calls == 2);
    free_data(&d);
    device_close(device);
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

static void takes_a_method(void **state)
{
    Device *device = device_open();
    Dataset d = small_data();
    TargetSetup s = setup(device->be, &d), other = s;
    s.momentum = 0.5;
    SgdSpec sgd = {.momentum = 0.5};
    OwnSgd own = {.sgd = sgd_maker(&sgd)};
    other.method = (MethodMaker){make_own, end_own, &own};
    TargetOutcome a = train_to_target(&s, 20, 0.01, 1), b = train_to_target(&other, 20, 0.01, 1);
    assert_true(a.steps == b.steps && a.accuracy == b.accuracy);
    assert_true(own.made == 1 && own.ended == 1);
    free_data(&d);
    device_close(device);
}

/* The result depends on the images of the subset, not on where they are in the training set; 20
 * images teach less than all. */
static void learns_from_a_subset(void **state)
{
    Device *device = device_open();
    Dataset d = small_data();
    TargetSetup s = setup(device->be, &d);
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
    free_data(&d);
    device_close(device);
}

/* Its speed alone: an update with all images takes longer than one with one image. */
static void times_updates(void **state)
{
    Device *device = device_open();
    Dataset d = small_data();
    TargetSetup s = setup(device->be, &d);
    double one = INFINITY; /* the shortest of several: a busy machine adds to some */
    for (int i = 0; i < 10; i++)
        one = fmin(one, target_update_seconds(&s, 1, 0.002));
    assert_true(one > 0 && target_update_seconds(&s, TRAIN, 0.01) > one);
    free_data(&d);
    device_close(device);
}

static const Case cases[] = {{.name = "reaches", .run = reaches},
                             {.name = "gives_up", .run = gives_up},
                             {.name = "takes_a_method", .run = takes_a_method},
                             {.name = "learns_from_a_subset", .run = learns_from_a_subset},
                             {.name = "times_updates", .run = times_updates}};
int main(int argc, char **argv)
{
    return device_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
