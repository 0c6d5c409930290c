/* test_conv.c: convolution of every backend against the float64 reference: odd sizes, channels that
 * fill no vector, short batches, any border on any operand, accumulating sums, the same bits
 * twice. On the CPU also with activations in BF16 (on a GPU: test_cuda_gpu.c).
 */
#include "backend/cpu/cpu.h"
#include "check.h"
#include "device.h"
#include <math.h>
#include <string.h>

/* x [n,h,w,c] with border halo_x (-1: what the backend asks for), k filters; y, residual and dy
 * have border halo_y. The plan is for n + spare. */
typedef struct ConvCase {
    int n, spare, h, w, c, k, R, stride, halo_x, halo_y;
} ConvCase;

static const ConvCase table[] = {
    {2, 0, 6, 6, 16, 16, 3, 1, -1, 0}, /* the ResNets' usual layer, and its border elsewhere */
    {2, 0, 6, 6, 16, 16, 3, 1, -1, 1},
    {2, 1, 6, 6, 16, 16, 3, 1, 0, 1},
    {2, 1, 6, 6, 16, 16, 3, 1, 2, 2},
    {1, 0, 5, 5, 3, 16, 3, 1, -1, 0}, /* N = 1, an image's 3 channels */
    {1, 3, 28, 28, 1, 16, 3, 1, -1, 1},
    {3, 1, 7, 9, 5, 7, 3, 1, -1, 1}, /* nothing a multiple of anything */
    {3, 5, 7, 9, 5, 7, 3, 2, -1, 1}, /* stride 2, odd sides: rounded up */
    {2, 0, 8, 8, 16, 32, 3, 2, 1, 1},
    {2, 0, 8, 8, 16, 32, 3, 2, 0, 0},
    {5, 3, 14, 14, 32, 48, 3, 2, -1, 1},
    {3, 1, 8, 8, 16, 32, 1, 2, 0, 1}, /* shortcut projections */
    {3, 1, 7, 5, 16, 32, 1, 2, 1, 0},
    {2, 2, 9, 9, 1, 10, 1, 1, 0, 0},
    {2, 0, 4, 4, 64, 64, 1, 1, 1, 1},
    {1, 0, 1, 1, 4, 8, 3, 1, -1, 0}, /* one pixel: all taps but the middle lie outside */
    {2, 0, 1, 3, 2, 3, 3, 2, 0, 1},
    {2, 0, 32, 32, 16, 32, 3, 1, -1, 1},
    {33, 7, 4, 4, 20, 24, 3, 1, -1, 1},  /* more images than threads or pieces */
    {2, 0, 8, 8, 160, 160, 3, 1, -1, 1}, /* WRN-16-10's width */
    {1, 0, 2, 31, 16, 16, 3, 1, 1, 1},   /* rows of 31, 28, 19, 15, 13, 7, 6 pixels: not all of
                                          * them end a tile evenly */
    {1, 0, 28, 28, 3, 32, 3, 2, 1, 1},
    {2, 0, 3, 19, 48, 32, 3, 2, 1, 1},
    {2, 1, 9, 15, 16, 16, 1, 2, 0, 0},
    {2, 0, 3, 13, 32, 16, 3, 1, 1, 1},
    {3, 0, 7, 7, 64, 128, 3, 2, 1, 1},
    {17, 0, 7, 7, 64, 64, 3, 1, 1, 1},
    {2, 0, 5, 6, 8, 24, 3, 2, 1, 1},
    {2, 0, 30, 30, 20, 12, 3, 1, -1, 1}, /* im2col in several blocks of rows, the last one
                                          * shorter */
    {1, 0, 61, 59, 20, 12, 3, 2, 0, 1},
    {2, 1, 32, 32, 3, 24, 2, 1, -1, 1}, /* 2 x 2 without padding: whitening's, and odd sizes */
    {3, 2, 28, 28, 1, 8, 2, 1, 1, 0},
    {2, 0, 2, 2, 5, 7, 2, 1, 0, 0},
    {2, 0, 9, 6, 16, 32, 2, 1, -1, 1},
    {2, 1, 7, 8, 4, 16, 2, 2, 0, 1},
    {2, 0, 31, 31, 24, 16, 3, 1, -1, 0}, /* and what comes behind it */
    {2, 0, 15, 15, 16, 64, 3, 1, -1, 0},
    {3, 0, 7, 7, 64, 64, 3, 1, -1, 0},
    {2, 0, 3, 3, 64, 64, 3, 1, -1, 0},
};
enum { CASES = sizeof table / sizeof *table };

static int halo_of(Device *d, const ConvCase *c)
{
    return c->halo_x < 0 ? d->op->conv_halo(d->be, c->R) : c->halo_x;
}

/* One case's shapes, elements and plan. x_all and y_all are for the whole planned batch. */
typedef struct Problem {
    ConvShape s, all;
    size_t nx, ny, nw;
    int halo_x, halo_y;
    double *x, *w, *y, *residual, *dy; /* y: the reference's answer */
    Tensor tx, tw, ty, tdy;
    ConvPlan *plan;
} Problem;

/* Of x and dx, and of y and dy. */
typedef struct Types {
    DType x, y;
} Types;
static const Types floats = {F32, F32};

static Problem problem_new(Device *d, const ConvCase *c, Types type)
{
    Problem p = {.s = conv_shape((Shape){c->n, c->h, c->w, c->c}, c->k, c->R, c->stride),
                 .all = conv_shape((Shape){c->n + c->spare, c->h, c->w, c->c}, c->k, c->R,
                                   c->stride),
                 .halo_x = halo_of(d, c),
                 .halo_y = c->halo_y};
    p.nx = shape_count(p.s.x), p.ny = shape_count(p.s.y), p.nw = conv_weights(&p.s);
    p.x = random_values(1, shape_count(p.all.x), 0.5, 1);
    p.w = random_values(2, p.nw, 0.1, 1);
    p.dy = random_values(3, shape_count(p.all.y), 0.5, 1);
    p.residual = random_values(4, shape_count(p.all.y), 0, 3);
    p.y = zeros(p.ny);
    round_to(type.x, p.x, shape_count(p.all.x)), round_to(type.y, p.dy, shape_count(p.all.y));
    round_to(type.y, p.residual, shape_count(p.all.y));
    round_to(type.x == BF16 ? BF16 : type.y, p.w, p.nw); /* products of factors in one type */
    p.tx = put_as(d, type.x, 0, p.x, p.all.x, p.halo_x);
    p.ty = put_as(d, type.y, 0, NULL, p.all.y, p.halo_y);
    p.tdy = put_as(d, type.y, 0, p.dy, p.all.y, p.halo_y);
    p.tw = put_matrix(d, p.w, c->k, c->c * c->R * c->R);
    p.plan = plan_conv(d, p.ty, p.tx, c->R, c->stride);
    p.tx = tensor_first(p.tx, c->n);
    p.ty = tensor_first(p.ty, c->n);
    p.tdy = tensor_first(p.tdy, c->n);
    return p;
}

static bool on_cpu(const Device *d) { return !strcmp(d->op->name, "cpu"); }
static bool by_amx(const Device *d) { return on_cpu(d) && ((CpuBackend *)d->be)->amx; }

/* A result in BF16 has one rounding. By Winograd's method (cpu_conv.h) the transforms of factors in
 * BF16 may be rounded, too, which interpolation magnifies. */
static double tolerance_of(const Device *d, const ConvCase *c, DType factors, DType result)
{
    bool winograd = c->R == 3 && c->stride == 1 && c->c % 4 == 0 && c->k % 4 == 0 &&
                    !(by_amx(d) && result == BF16);
    return factors == BF16 && winograd ? 1.5e-2 : result == BF16 ? 3e-3 : d->tolerance;
}

/* The images of t behind the first n, of the `all` planned, must be as they were: NaN. */
static void expect_rest_untouched(Device *d, Tensor t, int n, int all)
{
    Tensor whole = tensor_first(t, all);
    double *v = get(d, whole);
    for (size_t i = tensor_count(tensor_first(t, n)); i < tensor_count(whole); i++)
        if (!isnan(v[i]))
            fail_msg("an image behind the batch's end was written");
}

static void forward_case(Device *d, const ConvCase *c, Types type)
{
    Problem p = problem_new(d, c, type);
    /* its border differs from y's */
    Tensor residual = tensor_first(put_as(d, type.y, 0, p.residual, p.all.y, p.halo_y ? 0 : 1),
                                   c->n);
    Tensor moments = put(d, NULL, (Shape){c->n, 2, 1, c->k}, 0);
    double *expected = zeros((size_t)c->n * 2 * c->k);

    d->op->conv_forward(d->s, p.plan, p.ty, NO_TENSOR, p.tx, p.tw, NO_TENSOR);
    ref_conv_forward(p.y, p.x, p.w, NULL, &p.s);
    expect_tensor(d, p.ty, p.y, tolerance_of(d, c, type.x, type.y), "y");

    d->op->conv_forward(d->s, p.plan, p.ty, moments, p.tx, p.tw, residual);
    ref_conv_forward(p.y, p.x, p.w, p.residual, &p.s);
    ref_image_moments(expected, p.y, p.s.y);
    expect_tensor(d, p.ty, p.y, tolerance_of(d, c, type.x, type.y), "y + residual");
    expect_tensor(d, moments, expected, tolerance_of(d, c, type.x, type.y), "moments");
    expect_rest_untouched(d, p.ty, c->n, c->n + c->spare);
    expect_tensor(d, p.tx, p.x, 0, "x, only read");
}

static void data_case(Device *d, const ConvCase *c, Types type)
{
    Problem p = problem_new(d, c, type);
    double *dx = zeros(p.nx), *before = random_values(5, p.nx, 0, 2);
    ref_conv_backward_data(dx, p.dy, p.w, &p.s);
    round_to(type.x, before, p.nx);
    Tensor fresh = put_as(d, type.x, 0, NULL, p.all.x, p.halo_x),
           old = put_as(d, type.x, 0, before, p.s.x, p.halo_x);
    d->op->conv_backward_data(d->s, p.plan, tensor_first(fresh, c->n), p.tdy, p.tw, false);
    expect_tensor(d, tensor_first(fresh, c->n), dx, tolerance_of(d, c, type.y, type.x), "dx");
    expect_rest_untouched(d, fresh, c->n, c->n + c->spare);
    d->op->conv_backward_data(d->s, p.plan, old, p.tdy, p.tw, true);
    double *sum = sum_of(before, dx, p.nx);
    expect_tensor(d, old, sum, tolerance_of(d, c, type.y, type.x), "dx added");
}

static void weight_case(Device *d, const ConvCase *c, Types type)
{
    Problem p = problem_new(d, c, type);
    double *dw = random_values(6, p.nw, 0, 1);
    Tensor tdw = put_matrix(d, dw, c->k, c->c * c->R * c->R);
    for (int time = 0; time < 2; time++) { /* += : twice adds twice */
        d->op->conv_backward_weight(d->s, p.plan, tdw, p.tx, p.tdy);
        ref_conv_backward_weight(dw, p.x, p.dy, &p.s);
        bool amx = by_amx(d) && type.y == BF16 && c->k % 16 == 0, same = type.x == type.y;
        double tolerance = amx  ? same ? d->tolerance : 3e-3 /* then x is rounded, too */
                         : same ? tolerance_of(d, c, type.x, F32)
                                : d->tolerance;
        expect_tensor(d, tdw, dw, tolerance, "dw");
    }
}

/* Under EMULATED (a processor is, by a program: portable.sh; a GPU: cuda_ptx.sh) only what is done
 * within seconds. */
static bool too_long(const ConvCase *c)
{
    double products = (double)c->n * c->h * c->w * c->c * c->k * c->R * c->R / c->stride;
    return getenv("EMULATED") && products > 1e6;
}

static void each_case(Device *d, void (*run)(Device *, const ConvCase *, Types))
{
    for (int i = 0; i < CASES; i++) {
        if (too_long(&table[i]))
            continue;
        printf("    conv case %d\n", i);
        int before = endings();
        run(d, &table[i], floats);
        bool amx = by_amx(d);
        /* with the matrix unit, and without */
        for (int turn = amx ? 0 : 1; on_cpu(d) && turn < 2; turn++) {
            ((CpuBackend *)d->be)->amx = turn == 0;
            run(d, &table[i], (Types){BF16, BF16});
            if (i % 3 == 0) /* as around the images, and before a dense layer */
                run(d, &table[i], i % 2 ? (Types){F32, BF16} : (Types){BF16, F32});
        }
        if (on_cpu(d))
            ((CpuBackend *)d->be)->amx = amx;
        end_since(before);
    }
}

DEVICE_TEST(forward) { each_case(d, forward_case); }
DEVICE_TEST(backward_data) { each_case(d, data_case); }
DEVICE_TEST(backward_weight) { each_case(d, weight_case); }

/* A small batch after a large one, with plans of other sizes alive: nothing of the earlier work may
 * be left in scratch memory. */
DEVICE_TEST(plans_share_scratch)
{
    static const ConvCase large = {4, 0, 12, 12, 24, 40, 3, 1, -1, 1},
                          small = {1, 3, 5, 5, 3, 8, 3, 2, -1, 1};
    Problem a = problem_new(d, &large, floats), b = problem_new(d, &small, floats);
    double *y = zeros(a.ny);
    for (int turn = 0; turn < 2; turn++) {
        d->op->conv_forward(d->s, a.plan, a.ty, NO_TENSOR, a.tx, a.tw, NO_TENSOR);
        d->op->conv_forward(d->s, b.plan, b.ty, NO_TENSOR, b.tx, b.tw, NO_TENSOR);
        ref_conv_forward(y, a.x, a.w, NULL, &a.s);
        ref_conv_forward(b.y, b.x, b.w, NULL, &b.s);
        expect_tensor(d, a.ty, y, d->tolerance, "large");
        expect_tensor(d, b.ty, b.y, d->tolerance, "small");
    }
}

/* y, dx, dw of one case on a stream of `threads` threads. */
static void run_all(Device *d, Stream *s, Problem *p, Tensor out[3])
{
    out[0] = put(d, NULL, p->s.y, 0);
    out[1] = put(d, NULL, p->s.x, p->halo_x);
    double *zero = zeros(p->nw);
    out[2] = put_matrix(d, zero, p->tw.n, p->tw.c);
    d->op->conv_forward(s, p->plan, out[0], NO_TENSOR, p->tx, p->tw, NO_TENSOR);
    d->op->conv_backward_data(s, p->plan, out[1], p->tdy, p->tw, false);
    d->op->conv_backward_weight(s, p->plan, out[2], p->tx, p->tdy);
    d->op->stream_sync(s);
}

/* The same inputs twice: the same bits. With another number of threads: the same up to rounding. */
DEVICE_TEST(same_bits)
{
    static const ConvCase c = {19, 0, 9, 9, 16, 24, 3, 1, -1, 1};
    Problem p = problem_new(d, &c, floats);
    Stream *one = d->op->stream_new(d->be, 1);
    Tensor first[3], again[3], single[3];
    run_all(d, d->s, &p, first);
    run_all(d, d->s, &p, again);
    run_all(d, one, &p, single);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"y", "dx", "dw"};
        double *expected = get(d, first[i]);
        expect_same_bits(d, first[i], again[i], names[i]);
        expect_tensor(d, single[i], expected, d->tolerance, names[i]);
    }
    d->op->stream_free(one);
}

/* Filters of many sizes, more than a launch takes, packed at once: what a convolution makes of them
 * has the bits of what it makes of the weights. */
DEVICE_TEST(packed_filters)
{
    enum { PLANS = 140 };
    Problem p[PLANS];
    ConvPlan *plans[PLANS];
    Tensor packed[PLANS], w[PLANS], y[2], dx[2];
    int n = 0;
    for (int i = 0; i < PLANS && d->op->conv_pack; i++) {
        ConvCase c = {1, 0, 3, 4, 1 + i, 1 + i % 9, 1 + i % 3, 1, -1, 0};
        p[n] = problem_new(d, &c, floats);
        Tensor t = d->op->conv_packed(plans[n] = p[n].plan);
        if (t.n == 0)
            continue;
        packed[n] = blank(d, t.dtype, t.n, t.h, t.w, t.c, t.halo);
        w[n] = p[n].tw;
        n++;
    }
    if (d->op->conv_pack) {   /* else there is nothing to pack */
        assert_true(n > 128); /* two launches, and a third */
        d->op->conv_pack(d->s, n, plans, packed, w);
    }
    for (int i = 0; i < n; i++) {
        if (getenv("EMULATED") && i % 48)
            continue;
        for (int by = 0; by < 2; by++) {
            Tensor filters = by ? packed[i] : w[i];
            y[by] = put(d, NULL, p[i].s.y, 0), dx[by] = put(d, NULL, p[i].s.x, p[i].halo_x);
            d->op->conv_forward(d->s, plans[i], y[by], NO_TENSOR, p[i].tx, filters, NO_TENSOR);
            d->op->conv_backward_data(d->s, plans[i], dx[by], p[i].tdy, filters, false);
        }
        ref_conv_forward(p[i].y, p[i].x, p[i].w, NULL, &p[i].s);
        expect_tensor(d, y[0], p[i].y, d->tolerance, "y");
        expect_same_bits(d, y[0], y[1], "y by packed filters");
        expect_same_bits(d, dx[0], dx[1], "dx by packed filters");
    }
}
