/* test_loader.c: batches hold the right images, correctly augmented, in every order of calls and on
 * every backend. */
#include "audit.h"
#include "check.h"
#include "loader.h"
#include "net.h"
#include <jansson.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 50, H = 9, W = 7, C = 3, PIXELS = H * W * C };
static const float mean[] = {0.5f, 0.25f, 0.4f}, istd[] = {4, 3, 5};
static const AugmentSpec none = {0}, all = {.flip = true, .shift = 2, .cutout = 3};

static void free_loader(void *l) { loader_free(l); }

/* With seed 11. */
static Loader *loader_of(Device *d, const Images *images, int batch, int halo, AugmentSpec spec)
{
    Loader *l = loader_new(d->be, images, mean, istd, batch, halo, spec, 11);
    at_end(l, free_loader, l);
    return l;
}

/* Every image twice, shuffled. */
static void mixed_order(int32_t order[2 * COUNT])
{
    for (int i = 0; i < 2 * COUNT; i++)
        order[i] = i * 37 % (2 * COUNT) % COUNT;
}

/* Image `image` in epoch `epoch` as expected, from the definition: mirror, pad with grey,
 * crop, cut out a square.
 */
static void expected_picture(double out[PIXELS], const Images *images, AugmentSpec spec,
                             uint64_t seed, int epoch, int image)
{
    Augment a = augment_draw(spec, seed, epoch, image, H, W);
    int pad = spec.shift;
    double padded[H + 8][W + 8][C];
    memset(padded, 0, sizeof padded);
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            for (int c = 0; c < C; c++) {
                uint8_t byte =
                    images->pixels[image * PIXELS + (h * W + (a.flip ? W - 1 - w : w)) * C + c];
                padded[pad + h][pad + w][c] = (byte / 255.0 - mean[c]) * istd[c];
            }
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            for (int c = 0; c < C; c++) {
                bool cut = h - a.cut_y >= 0 && h - a.cut_y < a.cut && w - a.cut_x >= 0 &&
                           w - a.cut_x < a.cut;
                out[(h * W + w) * C + c] = cut ? 0 : padded[pad + a.dy + h][pad + a.dx + w][c];
            }
}

/* Take the rest of a pass and compare all of it; from: how many images of it were taken
 * already. */
static void expect_pass(Device *d, Loader *l, const Images *images, AugmentSpec spec, int batch,
                        const int32_t *order, int count, int epoch, int from)
{
    Batch b;
    double want[PIXELS];
    for (int at = from; at < count; at += b.n) {
        assert_true(loader_next(l, d->s, &b));
        assert_int_equal(b.first, at);
        assert_int_equal(b.n, count - at < batch ? count - at : batch);
        assert_true(b.x.n == b.n && b.x.h == H && b.x.w == W && b.x.c == C && b.label.n == b.n);
        double *x = get(d, b.x);
        int32_t label[2 * COUNT];
        d->op->download(d->s, label, b.label);
        for (int i = 0; i < b.n; i++) {
            assert_int_equal(label[i], images->labels[order[at + i]]);
            expected_picture(want, images, spec, 11, epoch, order[at + i]);
            for (int p = 0; p < PIXELS; p++)
                expect_close(x[i * PIXELS + p], want[p], 1e-5, 0, "pixel");
        }
    }
    assert_false(loader_next(l, d->s, &b));
    assert_false(loader_next(l, d->s, &b));
}

static void pass(Device *d, AugmentSpec spec, int batch, int halo, int count)
{
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    int32_t order[2 * COUNT];
    mixed_order(order);
    Loader *l = loader_of(d, &images, batch, halo, spec);
    Batch b;
    assert_false(loader_next(l, d->s, &b)); /* no pass was begun */
    for (int epoch = 0; epoch < 3; epoch++) {
        loader_start(l, order, count, epoch);
        expect_pass(d, l, &images, spec, batch, order, count, epoch, 0);
    }
    assert_true(loader_waited(l) >= 0);
}

DEVICE_TEST(plain) { pass(d, none, 8, 0, 2 * COUNT); }
DEVICE_TEST(short_last_batch) { pass(d, none, 7, 1, COUNT); }
DEVICE_TEST(one_by_one) { pass(d, all, 1, 1, COUNT); }
DEVICE_TEST(batch_of_all) { pass(d, all, COUNT, 2, COUNT); }
DEVICE_TEST(batch_larger_than_all) { pass(d, all, 3 * COUNT, 1, COUNT); }
DEVICE_TEST(augmented) { pass(d, all, 8, 1, 2 * COUNT); }
DEVICE_TEST(no_pictures) { pass(d, all, 8, 1, 0); }

/* Loaders of three ranks, each with every third position, see the very bits that one loader
 * sees. */
DEVICE_TEST(ranks_change_nothing)
{
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    int32_t order[2 * COUNT], shard[2 * COUNT];
    mixed_order(order);
    float whole[COUNT][PIXELS], part[5][PIXELS];
    Batch b;
    Loader *l = loader_of(d, &images, COUNT, 0, all);
    loader_start(l, order, COUNT, 4);
    assert_true(loader_next(l, d->s, &b));
    d->op->download(d->s, whole, b.x);
    for (int rank = 0; rank < 3; rank++) {
        int count = 0;
        for (int i = rank; i < COUNT; i += 3)
            shard[count++] = order[i];
        l = loader_of(d, &images, 5, 0, all);
        loader_start(l, shard, count, 4);
        while (loader_next(l, d->s, &b)) {
            d->op->download(d->s, part, b.x);
            for (int i = 0; i < b.n; i++)
                assert_memory_equal(part[i], whole[(b.first + i) * 3 + rank], sizeof *part);
        }
    }
}

/* By stages the batches are the same; and each one is read, copied, prepared and queued, in this
 * order. */
typedef struct Stages {
    pthread_mutex_t lock; /* the queue's stage comes from another thread than the others */
    int next[2 * COUNT];  /* per batch: the stage that is due */
    double ended[2 * COUNT];
    bool in_order;
} Stages;

static void on_stage(void *context, LoaderStage stage, int batch, double began, double ended)
{
    Stages *t = context;
    pthread_mutex_lock(&t->lock);
    bool due = (int)stage == t->next[batch] && began <= ended && began >= t->ended[batch];
    t->in_order &= due;
    t->next[batch]++;
    t->ended[batch] = ended;
    pthread_mutex_unlock(&t->lock);
}

DEVICE_TEST(by_stages)
{
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    int32_t order[2 * COUNT];
    mixed_order(order);
    Loader *l = loader_of(d, &images, 8, 1, all);
    static Stages stages;
    loader_by_stages(l, &images, on_stage, &stages);
    for (int epoch = 0; epoch < 2; epoch++) {
        stages = (Stages){.lock = PTHREAD_MUTEX_INITIALIZER, .in_order = true};
        loader_start(l, order, 2 * COUNT, epoch);
        expect_pass(d, l, &images, all, 8, order, 2 * COUNT, epoch, 0);
        assert_true(stages.in_order);
        for (int i = 0; i < 13; i++)
            assert_int_equal(stages.next[i], LOADER_QUEUE + 1);
    }
}

/* Of text, T labels per window, and bytes that are whole numbers; also by stages. */
static void no_hook(void *context, LoaderStage stage, int batch, double began, double ended)
{
    (void)context, (void)stage, (void)batch, (void)began, (void)ended;
}

DEVICE_TEST(text)
{
    enum { T = TEXT_WINDOW, BATCH = 4 };
    static const int32_t order[] = {7, 0, 19, 3, 3, 11};
    uint8_t *text = keep(alloc(30 * T + 1, 1));
    for (int i = 0; i <= 30 * T; i++)
        text[i] = (uint8_t)(i * 31 / 8);
    Dataset data = {0};
    text_cut(&data, text, 30 * T + 1);
    for (int stages = 0; stages < 2; stages++) {
        Loader *l = loader_new(d->be, &data.train, data.mean, data.istd, BATCH, 2 * stages,
                               (AugmentSpec){0}, 1);
        at_end(l, free_loader, l);
        if (stages)
            loader_by_stages(l, &data.train, no_hook, NULL);
        loader_start(l, order, 6, 0);
        for (Batch b; loader_next(l, d->s, &b);) {
            int32_t label[BATCH * T];
            double *x = get(d, b.x);
            assert_true(b.label.n == b.n && b.label.c == T);
            d->op->download(d->s, label, b.label);
            for (int i = 0; i < b.n * T; i++) {
                int at = order[b.first + i / T] * T + i % T;
                assert_true(x[i] == text[at] && label[i] == text[at + 1]);
            }
        }
        end_now(l);
    }
    free(data.train.pixels), free(data.train.labels), free(data.test.pixels);
    free(data.test.labels);
}

/* A pass may be left at any batch; the next one is whole. The list may be longer than the one
 * before, the seed another one, and the batches lie where they did. */
DEVICE_TEST(interrupted_passes)
{
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    int32_t order[2 * COUNT];
    mixed_order(order);
    Loader *l = loader_of(d, &images, 4, 1, all);
    loader_seed(l, 12);
    Batch b;
    loader_start(l, order, COUNT, 0);
    assert_true(loader_next(l, d->s, &b));
    Tensor first = b.x;
    for (int round = 0; round < 60; round++) {
        loader_start(l, order + round % 5, COUNT + round % COUNT - 5, round);
        for (int i = 0; i < round % 9; i++)
            assert_true(loader_next(l, d->s, &b));
    }
    loader_seed(l, 11);
    assert_false(loader_next(l, d->s, &b));
    loader_start(l, order, COUNT, 4);
    assert_true(loader_next(l, d->s, &b));
    assert_true(b.x.buf == first.buf && b.x.at == first.at);
    loader_start(l, order, 2 * COUNT, 5);
    expect_pass(d, l, &images, all, 4, order, 2 * COUNT, 5, 0);
    loader_start(l, order, 2 * COUNT, 6);
    assert_true(loader_next(l, d->s, &b)); /* freed in the middle of a pass */
    loader_free(NULL);
}

static void (*real_gather)(Stream *, Tensor, Tensor, Tensor, Tensor, const Augment *, const float *,
                           const float *);

static void slow_gather(Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
                        const Augment *pick, const float *m, const float *i)
{
    usleep(3000);
    real_gather(s, x, label, images, labels, pick, m, i);
}

/* A pass begins while the thread is still at work on a batch of the one before. */
DEVICE_TEST(interrupted_while_filling)
{
    static BackendOps slow;
    slow = *d->op;
    real_gather = slow.gather;
    slow.gather = slow_gather;
    d->be->op = &slow;
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    int32_t order[2 * COUNT];
    mixed_order(order);
    Loader *l = loader_of(d, &images, 20, 0, all);
    for (int round = 0; round < 10; round++) {
        loader_start(l, order, COUNT, 2 * round);
        usleep(1000); /* the thread is in the midst of batch 0 */
        loader_start(l, order + round, COUNT, 2 * round + 1);
        expect_pass(d, l, &images, all, 20, order + round, COUNT, 2 * round + 1, 0);
    }
}

/* The caller's list may change after loader_start; a batch stays as it is until the next is asked
 * for. */
DEVICE_TEST(batch_stays_in_hand)
{
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    int32_t order[2 * COUNT], again[2 * COUNT];
    mixed_order(order);
    mixed_order(again);
    Loader *l = loader_of(d, &images, 2, 0, all);
    loader_start(l, order, 2 * COUNT, 0);
    memset(order, 0, sizeof order);
    float before[2][PIXELS], after[2][PIXELS];
    Batch b;
    for (int t = 0; t < 3; t++)
        assert_true(loader_next(l, d->s, &b));
    d->op->download(d->s, before, b.x);
    usleep(50000); /* time enough for the thread to fill every slot that it may */
    d->op->download(d->s, after, b.x);
    assert_memory_equal(before, after, sizeof before);
    expect_pass(d, l, &images, all, 2, again, 2 * COUNT, 0, 6);
}

typedef struct WrongOrder {
    int32_t image;
} WrongOrder;

static void start_with(void *wrong)
{
    Device *d = device_open();
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    Loader *l = loader_of(d, &images, 2, 0, none);
    loader_start(l, (int32_t[]){0, 1, ((WrongOrder *)wrong)->image}, 3, 0);
}

BACKEND_TEST(index_out_of_range)
{
    expect_death(1, start_with, &(WrongOrder){COUNT}, "loader.c", "broken", NULL);
    expect_death(1, start_with, &(WrongOrder){-1}, "loader.c", "broken", NULL);
}

/* ---- augment_draw ---- */

BACKEND_TEST(draws_cover_their_ranges)
{
    enum { N = 20000 };
    AugmentSpec spec = {.flip = true, .shift = 4, .cutout = 8};
    int flips = 0, dy[9] = {0}, dx[9] = {0}, cut_y[32] = {0}, cut_x[28] = {0}, same = 0;
    for (int i = 0; i < N; i++) {
        Augment a = augment_draw(spec, 3, 1, i, 32, 28), next = augment_draw(spec, 3, 2, i, 32, 28);
        assert_true(a.image == i && a.cut == 8 && abs(a.dy) <= 4 && abs(a.dx) <= 4);
        assert_true(a.cut_y >= -4 && a.cut_y < 28 && a.cut_x >= -4 && a.cut_x < 24);
        flips += a.flip;
        dy[a.dy + 4]++, dx[a.dx + 4]++, cut_y[a.cut_y + 4]++, cut_x[a.cut_x + 4]++;
        same += !memcmp(&a, &next, sizeof a);
    }
    expect_close(flips, N / 2, 350, 0, "flips"); /* 5 standard deviations: 5 * 71 */
    for (int k = 0; k < 9; k++) {
        expect_close(dy[k], N / 9.0, 223, 0, "shifts down");
        expect_close(dx[k], N / 9.0, 223, 0, "shifts right");
    }
    for (int k = 0; k < 28; k++) {
        expect_close(cut_x[k], N / 28.0, 132, 0, "columns of cutout's centre");
        expect_close(cut_y[k], N / 32.0, 124, 0, "rows of cutout's centre");
    }
    assert_true(same < 30); /* about N / (2 * 81 * 32 * 28) */
}

BACKEND_TEST(draws_do_not_disturb_each_other)
{
    for (int i = 0; i < 200; i++) {
        Augment all_on = augment_draw((AugmentSpec){.flip = true, .shift = 4, .cutout = 8}, 5, 0, i,
                                      32, 32);
        Augment only_shift = augment_draw((AugmentSpec){.shift = 4}, 5, 0, i, 32, 32);
        Augment nothing = augment_draw(none, 5, 0, i, 32, 32);
        assert_true(only_shift.dy == all_on.dy && only_shift.dx == all_on.dx && !only_shift.flip &&
                    !only_shift.cut);
        assert_true(!nothing.dy && !nothing.dx && !nothing.flip && !nothing.cut);
    }
}

/* alternate: each image is mirrored in every other epoch, half of them in the even ones; all else
 * is drawn as without it. */
BACKEND_TEST(alternate_flips)
{
    enum { N = 20000 };
    int first = 0;
    for (int i = 0; i < N; i++) {
        AugmentSpec spec = {.flip = true, .shift = 2}, turn = spec;
        turn.alternate = true;
        bool even = augment_draw(turn, 3, 0, i, 32, 32).flip;
        first += even;
        for (int epoch = 1; epoch < 4; epoch++) {
            Augment plain = augment_draw(spec, 3, epoch, i, 32, 32),
                    a = augment_draw(turn, 3, epoch, i, 32, 32);
            assert_true(a.flip == (even != epoch % 2) && a.dy == plain.dy && a.dx == plain.dx);
        }
        turn.flip = false;
        assert_false(augment_draw(turn, 3, 0, i, 32, 32).flip);
    }
    expect_close(first, N / 2, 350, 0, "flips in epoch 0");
}

/* ---- the audit ---- */

DEVICE_TEST(audit_names_the_pictures)
{
    const char *dir = scratch_dir();
    setenv("LABS_AUDIT", dir, 1);
    audit_begin();
    Images images = images_noise(COUNT, H, W, C, 10, 1);
    Loader *l = loader_of(d, &images, 2, 0, none);
    Batch b;
    loader_start(l, (int32_t[]){7, 3, 49, 0, 12}, 5, 6);
    while (loader_next(l, d->s, &b))
        ;
    const int32_t want[3][2] = {{7, 3}, {49, 0}, {12}};
    int batches = 0;
    for (char *line = strtok(slurp(path_in(dir, "rank-0.jsonl"), NULL), "\n"); line;
         line = strtok(NULL, "\n")) {
        json_t *fact = json_loads(line, 0, NULL);
        assert_non_null(fact);
        if (!strcmp(json_string_value(json_object_get(fact, "fact")), "batch")) {
            json_t *list = json_object_get(fact, "images");
            assert_true(batches < 3);
            assert_int_equal(json_integer_value(json_object_get(fact, "epoch")), 6);
            assert_int_equal(json_integer_value(json_object_get(fact, "first")), 2 * batches);
            assert_int_equal(json_array_size(list), batches < 2 ? 2 : 1);
            for (size_t i = 0; i < json_array_size(list); i++)
                assert_int_equal(json_integer_value(json_array_get(list, i)), want[batches][i]);
            batches++;
        }
        json_decref(fact);
    }
    assert_int_equal(batches, 3);
}
