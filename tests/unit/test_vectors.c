/* test_vectors.c: memory, copies, queues, vector algebra, SGD and the gathering of images, of
 * every backend. */
#include "check.h"
#include "device.h"
#include "rng.h"
#include <math.h>
#include <string.h>

/* ---- memory ---- */

/* A new tensor is zero, of every dtype; what goes up comes down; zero() clears the inside. */
DEVICE_TEST(memory)
{
    static const DType types[] = {F32, F64, BF16, F16, I32, U8};
    for (int i = 0; i < 6; i++) {
        Tensor t = blank(d, types[i], 3, 4, 5, 2, 0);
        size_t bytes = tensor_count(t) * dtype_size(types[i]);
        unsigned char *there = keep(alloc(bytes, 1)), *back = keep(alloc(bytes, 1)),
                      *zero = keep(alloc(bytes, 1));
        memset(back, 0xff, bytes);
        d->op->download(d->s, back, t);
        assert_memory_equal(back, zero, bytes);
        for (size_t b = 0; b < bytes; b++)
            there[b] = (unsigned char)(b * 37 + 1);
        d->op->upload(d->s, t, there);
        d->op->download(d->s, back, t);
        assert_memory_equal(back, there, bytes);
        d->op->download(d->s, back, tensor_first(t, 1)); /* a part: the first image only */
        assert_memory_equal(back, there, bytes / 3);
        d->op->zero(d->s, tensor_first(t, 2));
        d->op->download(d->s, back, t);
        assert_memory_equal(back, zero, bytes / 3 * 2);
        assert_memory_equal(back + bytes / 3 * 2, there + bytes / 3 * 2, bytes / 3);
    }
    d->op->buffer_free(NULL);
}

/* Copies between borders of any width keep the elements and leave the border zero; zero() of a
 * bordered tensor clears its inside. */
DEVICE_TEST(copies)
{
    const Shape s = {3, 5, 4, 6};
    double *v = random_values(1, shape_count(s), 0, 1), *none = zeros(shape_count(s));
    for (int from = 0; from < 3; from++)
        for (int to = 0; to < 3; to++) {
            Tensor a = put(d, v, s, from), b = put(d, NULL, s, to);
            d->op->copy(d->s, b, a);
            expect_tensor(d, b, v, 0, "copy");
            d->op->zero(d->s, b);
            expect_tensor(d, b, none, 0, "zeroed");
            expect_tensor(d, a, v, 0, "its source");
        }
    Tensor bytes = blank(d, U8, 2, 3, 3, 2, 0), bordered = blank(d, U8, 2, 3, 3, 2, 1);
    unsigned char image[36], back[36];
    for (int i = 0; i < 36; i++)
        image[i] = (unsigned char)(i + 1);
    d->op->upload(d->s, bytes, image);
    d->op->copy(d->s, bordered, bytes);
    d->op->download(d->s, back, bordered); /* without the border */
    assert_memory_equal(back, image, 36);
}

/* A buffer's host view, where there is one, shows the device's contents. */
DEVICE_TEST(host_address)
{
    const double v[4] = {1, 2, 3, 4};
    Tensor t = put(d, v, (Shape){4, 1, 1, 1}, 0);
    float *host = d->op->buffer_host(t.buf);
    if (host) {
        assert_true(host[0] == 1 && host[3] == 4);
        host[1] = 20;
        double *back = get(d, t);
        assert_true(back[1] == 20);
    }
}

/* ---- queues ---- */
DEVICE_TEST(events)
{
    Stream *other = d->op->stream_new(d->be, 1);
    Event *begin = d->op->event_new(d->be), *end = d->op->event_new(d->be);
    double *v = random_values(1, 1 << 20, 0, 1);
    Tensor x = put(d, v, (Shape){1 << 20, 1, 1, 1}, 0), y = put(d, v, (Shape){1 << 20, 1, 1, 1}, 0);
    d->op->event_record(begin, d->s);
    for (int i = 0; i < 20; i++)
        d->op->axpy(d->s, y, 1, x);
    d->op->event_record(end, d->s);
    d->op->event_wait(other, end); /* so `other` sees all twenty sums */
    d->op->axpy(other, y, -20, x);
    d->op->stream_sync(other);
    expect_tensor(d, y, v, d->tolerance, "y + 20 x - 20 x");
    double seconds = d->op->event_seconds(begin, end);
    printf("    20 axpy over 2^20 elements: %.3g s\n", seconds);
    assert_true(seconds > 1e-5 && seconds < 30);
    d->op->event_free(begin), d->op->event_free(end), d->op->stream_free(other);
}

/* A stream may request more threads than exist: it gets them all. */
DEVICE_TEST(many_threads)
{
    Stream *s = d->op->stream_new(d->be, 64);
    ConvShape c = conv_shape((Shape){16, 8, 8, 16}, 16, 3, 1);
    double *x = random_values(1, shape_count(c.x), 0, 1),
           *w = random_values(2, conv_weights(&c), 0, 1), *y = zeros(shape_count(c.y));
    Tensor tx = put(d, x, c.x, 1), tw = put_matrix(d, w, 16, 16 * 9), ty = put(d, NULL, c.y, 0);
    ConvPlan *plan = plan_conv(d, ty, tx, 3, 1);
    d->op->conv_forward(s, plan, ty, NO_TENSOR, tx, tw, NO_TENSOR);
    d->op->stream_sync(s);
    ref_conv_forward(y, x, w, NULL, &c);
    expect_tensor(d, ty, y, d->tolerance, "y");
    d->op->stream_free(s);
}

/* ---- vectors ---- */
static const int sizes[] = {1, 7, 64, 1000, 100003};
enum { SIZES = sizeof sizes / sizeof *sizes };

DEVICE_TEST(algebra)
{
    for (int i = 0; i < SIZES; i++) {
        int n = sizes[i];
        double *x = random_values(1, n, 0.5, 1), *y = random_values(2, n, 0, 1), dot = 0;
        Tensor tx = put_vector(d, x, n), ty = put_vector(d, y, n),
               out = blank(d, F64, 1, 1, 1, 1, 0);
        for (int j = 0; j < n; j++)
            dot += x[j] * y[j];
        d->op->dot(d->s, out, tx, ty);
        expect_tensor(d, out, &dot, 1e-12 * sqrt(n), "dot, in float64");
        d->op->axpy(d->s, ty, -2.5f, tx);
        for (int j = 0; j < n; j++)
            y[j] += -2.5 * x[j];
        expect_tensor(d, ty, y, d->tolerance, "axpy");
        d->op->scale(d->s, ty, 0.3f);
        for (int j = 0; j < n; j++)
            y[j] *= 0.3f;
        expect_tensor(d, ty, y, d->tolerance, "scale");
        expect_tensor(d, tx, x, 0, "x, only read");
    }
}

/* axpy takes activations, too, each with its own border. */
DEVICE_TEST(axpy_shaped)
{
    const Shape s = {3, 5, 4, 6};
    double *x = random_values(1, shape_count(s), 0, 1), *y = random_values(2, shape_count(s), 0, 1),
           *sum = sum_of(x, y, shape_count(s));
    for (int halo_x = 0; halo_x < 2; halo_x++)
        for (int halo_y = 0; halo_y < 3; halo_y++) {
            Tensor tx = put(d, x, s, halo_x), ty = put(d, y, s, halo_y);
            d->op->axpy(d->s, ty, 1, tx);
            expect_tensor(d, ty, sum, d->tolerance, "axpy of activations");
        }
}

/* axpy where a GPU reads 16 bytes at once, and where length, alignment or types do not allow it:
 * nothing is left out, nothing behind is touched. */
DEVICE_TEST(axpy_ends)
{
    enum { MOST = 300, ROOM = MOST + 16 };
    DType types[] = {F32, BF16, F16};
    float x[ROOM], y[ROOM], sum[ROOM];
    for (int i = 0; i < ROOM; i++)
        x[i] = (float)(i % 11 - 5), y[i] = (float)(i % 7 - 3); /* any type holds them and sums */
    Tensor wide = blank(d, F32, ROOM, 1, 1, 1, 0), none = blank(d, F32, ROOM, 1, 1, 1, 0);
    for (int n = 1; n <= MOST; n += n < 20 ? 1 : 93)
        for (int way = 0; way < 36; way++) {
            if (!takes(d, types[way / 4 % 3]) || !takes(d, types[way / 12]))
                continue;
            size_t at_x = way & 1 ? 1 : 8, at_y = way & 2 ? 3 : 8;
            Tensor tx = blank(d, types[way / 4 % 3], ROOM, 1, 1, 1, 0),
                   ty = blank(d, types[way / 12], ROOM, 1, 1, 1, 0);
            d->op->upload(d->s, wide, x), d->op->axpy(d->s, tx, 1, wide);
            d->op->upload(d->s, wide, y), d->op->axpy(d->s, ty, 1, wide);
            d->op->axpy(d->s, tensor_slice(ty, at_y, n), 2, tensor_slice(tx, at_x, n));
            d->op->zero(d->s, none), d->op->axpy(d->s, none, 1, ty);
            d->op->download(d->s, sum, none);
            for (int i = 0; i < ROOM; i++) {
                bool inside = i >= (int)at_y && i < (int)at_y + n;
                float expected = y[i] + (inside ? 2 * x[i - (int)at_y + (int)at_x] : 0);
                if (sum[i] != expected)
                    fail_msg("n = %d, way %d: element %d is %g, expected %g", n, way, i, sum[i],
                             expected);
            }
        }
}

/* The sum of many similar elements in float32 would be off by 1e-4 and more; and it is the same on
 * any number of threads. */
DEVICE_TEST(dot_is_exact)
{
    Stream *one = d->op->stream_new(d->be, 1);
    enum { N = 3000001 };
    double *x = zeros(N), expected = 0, got[3];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(0.1 + 1e-6 * (i % 1000));
        expected += x[i] * x[i];
    }
    Tensor t = put_vector(d, x, N), out = blank(d, F64, 1, 1, 1, 1, 0);
    Stream *streams[3] = {d->s, d->s, one};
    for (int i = 0; i < 3; i++) {
        d->op->dot(streams[i], out, t, t);
        d->op->download(streams[i], &got[i], out);
        expect_close(got[i], expected, 0, 1e-11, "dot");
    }
    assert_true(got[0] == got[1] && got[0] == got[2]);
    d->op->stream_free(one);
}

DEVICE_TEST(sgd)
{
    static const struct {
        double momentum, decay;
        bool nesterov;
    } settings[] = {
        {0, 0, false}, {0.9, 0, false}, {0.9, 5e-4, false}, {0.9, 5e-4, true}, {0, 0.1, false}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int j = 0; j < SIZES - 1; j++) {
            int n = sizes[j];
            double *w = random_values(1, n, 0, 1), *v = zeros(n), rate = 0.125;
            Tensor tw = put_vector(d, w, n), tv = put_vector(d, v, n),
                   trate = put_vector(d, &rate, 1);
            for (int step = 0; step < 3; step++) {
                double *g = random_values(10 + step, n, 0, 1);
                Tensor tg = put_vector(d, g, n);
                d->op->sgd(d->s, tw, tv, tg, trate, settings[i].momentum, settings[i].decay,
                           settings[i].nesterov);
                ref_sgd(w, v, g, rate, settings[i].momentum, settings[i].decay,
                        settings[i].nesterov, n);
                expect_tensor(d, tw, w, d->tolerance, "w");
                expect_tensor(d, tv, v, d->tolerance, "v");
            }
        }
}

/* Vector operations touch only their slice. */
DEVICE_TEST(slices)
{
    const double v[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                 expected[10] = {0, 1, 2, 30, 40, 0, 0, 7, 8, 9};
    Tensor t = put_vector(d, v, 10);
    d->op->scale(d->s, tensor_slice(t, 3, 2), 10);
    d->op->zero(d->s, tensor_slice(t, 5, 2));
    expect_tensor(d, t, expected, 0, "slices");
}

/* ---- F16 ---- */
enum { HALVES = 1 << 16, INFINITE = 0x7c00 };

/* By its definition. The one above the largest is where infinity begins to be nearer. */
static double half_value(unsigned bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    double size = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return bits & 0x8000 ? -size : size;
}

static bool half_is_nan(unsigned bits) { return (bits & 0x7fff) > INFINITE; }

/* HALVES elements, wide = half; axpy onto zeros reads and writes any type. */
static void half_to_float(Device *d, float *wide, const uint16_t *half)
{
    Tensor from = blank(d, F16, HALVES, 1, 1, 1, 0), to = blank(d, F32, HALVES, 1, 1, 1, 0);
    d->op->upload(d->s, from, half);
    d->op->axpy(d->s, to, 1, from);
    d->op->download(d->s, wide, to);
}
static void float_to_half(Device *d, uint16_t *half, const float *wide)
{
    Tensor from = blank(d, F32, HALVES, 1, 1, 1, 0), to = blank(d, F16, HALVES, 1, 1, 1, 0);
    d->op->upload(d->s, from, wide);
    d->op->axpy(d->s, to, 1, from);
    d->op->download(d->s, half, to);
}

/* Is this half the nearest, of two the even one? */
static void expect_nearest(float x, unsigned half)
{
    unsigned size = half & 0x7fff;
    if (isnan(x) ? half_is_nan(half) : isinf(x) || fabsf(x) >= 65520 ? size == INFINITE : false)
        return;
    double here = half_value(half), off = fabs(x - here), above = fabs(x - half_value(half + 1)),
           below = size ? fabs(x - half_value(half - 1)) : INFINITY;
    bool even = half % 2 == 0, nearest = off < above && off < below,
         tie = even && off <= above && off <= below;
    if (size >= INFINITE || !(nearest || tie))
        fail_msg("%.9g became %.9g (0x%04x)", x, here, half);
}

/* Every half to a float and back: the same. (Of -0 the sign is lost in axpy onto 0.) */
DEVICE_TEST(halves)
{
    need_fp16(d);
    uint16_t *half = keep(alloc(HALVES, sizeof *half)), *back = keep(alloc(HALVES, sizeof *back));
    float *wide = keep(alloc(HALVES, sizeof *wide));
    for (unsigned i = 0; i < HALVES; i++)
        half[i] = (uint16_t)i;
    half_to_float(d, wide, half);
    float_to_half(d, back, wide);
    for (unsigned i = 0; i < HALVES; i++) {
        bool finite = (i & 0x7fff) < INFINITE, same = back[i] == i || i == 0x8000;
        if (half_is_nan(i) ? !isnan(wide[i]) || !half_is_nan(back[i])
            : finite       ? wide[i] != half_value(i) || !same
                           : !isinf(wide[i]) || !same)
            fail_msg("0x%04x became %.9g, and 0x%04x again", i, wide[i], back[i]);
    }
}

/* Half way between a half and the next; just below that; just above; any bits; exponents that a
 * half has. */
static float to_round(int turn, unsigned half, Rng *r)
{
    uint32_t any = rng_u32(r);
    float x = (float)((half_value(half) + half_value(half + 1)) / 2);
    if (turn == 3)
        memcpy(&x, &any, sizeof x);
    if (turn == 4)
        x = (float)ldexp(2 * rng_uniform(r) - 1, (int)(any % 44) - 26);
    return turn == 1 ? nextafterf(x, 0)
         : turn == 2 ? nextafterf(x, half & 0x8000 ? -1e9f : 1e9f)
                     : x;
}

DEVICE_TEST(rounded_to_half)
{
    need_fp16(d);
    uint16_t *half = keep(alloc(HALVES, sizeof *half));
    float *wide = keep(alloc(HALVES, sizeof *wide));
    Rng r = rng_at(1, RNG_TEST, 0, 0);
    for (int turn = 0; turn < 5; turn++) {
        for (unsigned i = 0; i < HALVES; i++)
            wide[i] = to_round(turn, (i & 0x7fff) < INFINITE ? i : 0, &r);
        float_to_half(d, half, wide);
        for (unsigned i = 0; i < HALVES; i++)
            expect_nearest(wide[i], half[i]);
    }
}

/* ---- loss scaling ---- */
static const LossScale at_first = {.scale = 1024};

static void expect_scale(Device *d, Tensor scale, float expected, unsigned good)
{
    LossScale now;
    d->op->download(d->s, &now, scale);
    if (now.scale != expected || now.good != good || now.overflow)
        fail_msg("a scale of %g, %u good, overflow %u; expected %g, %u, 0", now.scale, now.good,
                 now.overflow, expected, good);
}

/* Element `at` of one part is not finite: both parts of this pass become 0, S is halved. */
static void overflow_case(Device *d, Tensor scale, const double *v, int n, int at, float bad)
{
    double *none = zeros(n);
    Tensor part = put_vector(d, v, n), next = put_vector(d, v, n);
    d->op->upload(d->s, scale, &at_first);
    d->op->upload(d->s, tensor_slice(part, (size_t)at, 1), &bad);
    d->op->scale_down(d->s, part, scale, false);
    expect_tensor(d, part, none, 0, "not finite");
    d->op->scale_down(d->s, next, scale, true);
    expect_tensor(d, next, none, 0, "the next part");
    expect_scale(d, scale, 512, 0);
}

DEVICE_TEST(loss_scale, .seeds = 2)
{
    need_fp16(d);
    Tensor scale = blank(d, U8, sizeof at_first, 1, 1, 1, 0);
    for (int i = 0; i < SIZES - 1; i++) {
        int n = sizes[i];
        double *v = random_values(1, n, 0, 1), *up = zeros(n);
        Tensor t = put_vector(d, v, n);
        for (int j = 0; j < n; j++)
            up[j] = 1024 * (float)v[j], v[j] = (float)v[j];
        d->op->upload(d->s, scale, &at_first);
        d->op->scale_up(d->s, t, scale);
        expect_tensor(d, t, up, 0, "scaled up");
        d->op->scale_down(d->s, t, scale, true);
        expect_tensor(d, t, v, 0, "and down");
        expect_scale(d, scale, 1024, 1);
        overflow_case(d, scale, v, n, 0, INFINITY);
        overflow_case(d, scale, v, n, n / 2, -INFINITY);
        overflow_case(d, scale, v, n, n - 1, NAN);
    }
}

/* Doubled after a number of good passes in a row; never below 1, nor above 2^24. */
DEVICE_TEST(loss_scale_moves)
{
    need_fp16(d);
    Tensor scale = blank(d, U8, sizeof at_first, 1, 1, 1, 0),
           bad = put_vector(d, (double[]){NAN}, 1);
    static const struct {
        LossScale before;
        bool overflows;
        float scale;
        unsigned good;
    } moves[] = {
        {{.scale = 4, .good = LOSS_SCALE_GOOD - 2}, false, 4, LOSS_SCALE_GOOD - 1},
        {{.scale = 4, .good = LOSS_SCALE_GOOD - 1}, false, 8, 0},
        {{.scale = 4, .good = LOSS_SCALE_GOOD - 1}, true, 2, 0},
        {{.scale = LOSS_SCALE_MOST, .good = LOSS_SCALE_GOOD - 1}, false, LOSS_SCALE_MOST, 0},
        {{.scale = LOSS_SCALE_LEAST}, true, LOSS_SCALE_LEAST, 0}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        d->op->upload(d->s, scale, &moves[i].before);
        d->op->upload(d->s, bad, &(float){NAN});
        if (moves[i].overflows)
            d->op->scale_down(d->s, bad, scale, false);
        d->op->scale_down(d->s, NO_TENSOR, scale, true);
        expect_scale(d, scale, moves[i].scale, moves[i].good);
    }
}

/* ---- matrices ---- */
static void matmul_case(Device *d, int count, int m, int k, int n, bool at, bool bt)
{
    size_t na = (size_t)m * k, nb = (size_t)k * n, nc = (size_t)m * n;
    double *a = random_values(1, count * na, 0, 1), *b = random_values(2, count * nb, 0, 1),
           *c = zeros(count * nc);
    Shape sa = {count, at ? k : m, at ? m : k, 1}, sb = {count, bt ? n : k, bt ? k : n, 1};
    Tensor ta = put(d, a, sa, 0), tb = put(d, b, sb, 0),
           tc = put(d, NULL, (Shape){count, m, n, 1}, 0);
    for (int i = 0; i < count; i++)
        ref_matmul(c + i * nc, a + i * na, b + i * nb, m, k, n, at, bt);
    d->op->matmul(d->s, tc, ta, tb, at, bt);
    expect_tensor(d, tc, c, d->tolerance, "products");
}

DEVICE_TEST(matmul)
{
    for (int turn = 0; turn < 4; turn++) {
        matmul_case(d, 1, 1, 1, 1, turn & 1, turn & 2);
        matmul_case(d, 3, 5, 7, 2, turn & 1, turn & 2);
        matmul_case(d, 2, 16, 72, 16, turn & 1, turn & 2);
    }
}

/* Of zeros nothing is made; else the root of the sum of squares is the length. */
DEVICE_TEST(to_length)
{
    enum { N = 3, H = 70, W = 61, EACH = H * W };
    double *v = random_values(1, N * EACH, 0.1, 3);
    for (int i = 0; i < EACH; i++)
        v[EACH + i] = 0;
    Tensor t = put(d, v, (Shape){N, H, W, 1}, 0);
    d->op->to_length(d->s, t, 2.5f);
    for (int n = 0; n < N; n++) {
        double sum = 0;
        for (int i = 0; i < EACH; i++)
            sum += v[n * EACH + i] * v[n * EACH + i];
        for (int i = 0; i < EACH; i++)
            v[n * EACH + i] *= sum > 0 ? 2.5 / sqrt(sum) : 1;
    }
    expect_tensor(d, t, v, d->tolerance, "lengths");
}

/* ---- input ---- */
enum { IMAGES = 5, PICKS = 9 };
static const Pick picks[PICKS] = {
    {0, 0, 0, 0, 0, 0, 0, 0}, /* as it is */
    {4, 0, 0, 1, 0, 0, 0, 0}, /* mirrored */
    {2, 3, -2, 1, 0, 0, 0, 0},
    {2, -4, 4, 0, 2, 1, 3, 0}, /* shifted, and cut */
    /* a cut with all four edges inside */
    {0, 0, 0, 0, 2, 1, 3, 0},
    /* a cut partly outside; all shifted away */
    {3, 0, 0, 0, -2, 5, 4, 0},
    {1, 100, 0, 1, 0, 0, 2, 0},
    /* reflected at its edges, and mirrored; cut as well */
    {2, -2, 3, 1, 0, 0, 0, 1},
    {4, 6, -6, 0, 1, 1, 2, 1},
};

static void gather_case(Device *d, int H, int W, int C, int halo)
{
    const Shape data = {IMAGES, H, W, C}, s = {PICKS, H, W, C};
    const double mean[4] = {0.5, 0.25, 0.125, 0.75}, istd[4] = {4, 2, 1, 3};
    uint8_t *images = keep(alloc(shape_count(data), 1)), labels[IMAGES] = {7, 0, 255, 3, 9};
    for (size_t i = 0; i < shape_count(data); i++)
        images[i] = (uint8_t)(i * 101 + i / 7);
    Augment pick[PICKS];
    float fmean[4], fistd[4];
    for (int c = 0; c < 4; c++)
        fmean[c] = mean[c], fistd[c] = istd[c];
    for (int n = 0; n < PICKS; n++)
        pick[n] = (Augment){picks[n].image, picks[n].dy,    picks[n].dx,  picks[n].flip,
                            picks[n].cut_y, picks[n].cut_x, picks[n].cut, picks[n].reflect};
    double *x = zeros(shape_count(s));
    Tensor timages = blank(d, U8, IMAGES, H, W, C, 0), tlabels = blank(d, U8, IMAGES, 1, 1, 1, 0);
    Tensor tx = put(d, NULL, s, halo), tlabel = blank(d, I32, PICKS, 1, 1, 1, 0);
    d->op->upload(d->s, timages, images);
    d->op->upload(d->s, tlabels, labels);
    d->op->gather(d->s, tx, tlabel, timages, tlabels, pick, fmean, fistd);
    memset(pick, 0xff, sizeof pick); /* it was read before the call returned */
    ref_gather(x, images, picks, mean, istd, s);
    expect_tensor(d, tx, x, d->tolerance, "gathered images");
    int32_t label[PICKS];
    d->op->download(d->s, label, tlabel);
    for (int n = 0; n < PICKS; n++)
        assert_int_equal(label[n], labels[picks[n].image]);
}

DEVICE_TEST(gather)
{
    gather_case(d, 28, 28, 1, 1);
    gather_case(d, 8, 8, 3, 0);
    gather_case(d, 7, 9, 3, 2);
}
