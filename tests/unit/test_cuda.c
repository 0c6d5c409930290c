/* test_cuda.c: the parts of the CUDA backend that need no GPU: how work is cut, why a GPU is
 * refused, number formats, and a network in mixed precision, on the CPU instead of a GPU
 * (cuda_on_host/).
 */
#include "backend/cuda/cuda_plan.h"
#include "backend/cuda/cuda_usable.h"
#include "check.h"
#include "net.h"
#include <math.h>
#include <string.h>

/* ---- cuda_plan.h ---- */

/* Every channel and lane belongs to exactly one thread, and no block has more than it was given. */
TEST(strips)
{
    static const int threads[] = {BLOCK, WIDE_BLOCK};
    for (int t = 0; t < 2; t++)
        for (int C = 1; C <= 4096; C++) {
            Strips s = strips_of(C, threads[t]);
            assert_true(s.channels >= 1 && s.lanes >= 1 && s.channels <= STRIP_CHANNELS &&
                        s.count >= 1);
            assert_true(s.lanes * s.channels <= threads[t]);
            assert_true(s.count * s.channels >= C);      /* all are taken */
            assert_true((s.count - 1) * s.channels < C); /* no strip is empty */
        }
}

/* Batch norm's cut: every access of a pixel in one strip, every pixel of a group in one piece, a
 * block's threads all at work; and its sums fit into their memory. */
TEST(pieces)
{
    static const long pixels[] = {1, 2, 7, 1000, 65536, 1 << 20, 1 << 28};
    static const int groups[] = {1, 2, 1000}, rows[] = {1, 2, 3, 5, 6, 8, 20, 40, 80, 512, 4095};
    size_t scratch = 8 << 20;
    for (size_t i = 0; i < sizeof pixels / sizeof *pixels; i++)
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
                size_t of_sums = sizeof(double) * 2 * rows[r] * 8 * groups[g];
                NormCut cut[] = {norm_cut(rows[r], groups[g], pixels[i], LEAST_BLOCKS, MOST_BLOCKS),
                                 norm_sums_cut(rows[r], groups[g], pixels[i], rows[r] * 8,
                                               scratch)};
                for (int k = 0; k < 2; k++) {
                    assert_int_equal(cut[k].strips * cut[k].accesses, rows[r]);
                    assert_int_equal(cut[k].lanes * cut[k].accesses, NORM_BLOCK);
                    assert_true(cut[k].accesses <= STRIP_ACCESSES && cut[k].pieces >= 1);
                    assert_true(cut[k].pieces * cut[k].length >= pixels[i]);
                    assert_true(cut[k].pieces <= pixels[i]);
                }
                assert_true(cut[1].pieces == 1 || (of_sums * cut[1].pieces <= scratch &&
                                                   groups[g] * cut[1].strips <= NORM_COUNTERS));
            }
    /* 16 channels in BF16: 264 blocks, though their threads have not quite four pixels each */
    NormCut usual = norm_cut(2, 1, 128 * 1024, LEAST_BLOCKS, MOST_BLOCKS);
    assert_int_equal(usual.accesses, 2);
    assert_int_equal(usual.pieces, LEAST_BLOCKS);
    assert_int_equal(norm_cut(2, 1, 1000, LEAST_BLOCKS, MOST_BLOCKS).pieces, 8); /* a pixel each */
    assert_int_equal(norm_cut(2, 1, 1 << 20, LEAST_BLOCKS, MOST_BLOCKS).pieces, MOST_BLOCKS);
    usual = norm_sums_cut(20, 1, 1024 * 1024, 160, scratch); /* 160: five strips of 32 */
    assert_int_equal(usual.strips, 5);
    assert_int_equal(usual.length, usual.lanes * LONGEST_SUM);
}

TEST(groups_and_blocks)
{
    assert_int_equal(group_count(5, 2), 3);
    assert_int_equal(group_count(5, 5), 1);
    assert_int_equal(group_count(5, 2147483647), 1); /* "the whole batch", without overflow */
    assert_int_equal(group_size(5, 2, 2), 1);
    assert_int_equal(group_size(5, 2147483647, 0), 5);
    assert_int_equal(blocks_for(0), 1); /* CUDA starts no empty grid */
    assert_int_equal(blocks_for(1), 1);
    assert_int_equal(blocks_for(BLOCK), 1);
    assert_int_equal(blocks_for(BLOCK + 1), 2);
    /* the kernels' loops take the rest */
    assert_int_equal(blocks_for((size_t)1 << 40), 132 * 8 * 4);
    assert_int_equal(im2col_images(128, 1024, 576, 64 << 20), 113);
    assert_int_equal(im2col_images(8, 1024, 576, 64 << 20), 8);
    /* too large even for one: one */
    assert_int_equal(im2col_images(8, 1 << 20, 5760, 64 << 20), 1);
}

/* ---- cuda_usable.h ---- */
static void expect_refused(CudaFound f, const char *word, const char *remedy)
{
    char why[256];
    assert_false(cuda_usable(&f, why, sizeof why));
    if (!strstr(why, word) || !strstr(why, remedy) || strchr(why, '\n'))
        fail_msg("expected '%s' and '%s' in: %s", word, remedy, why);
    printf("    %s\n", why);
}

TEST(refusals)
{
    const CudaFound fine = {12080, 12040, NULL, 2, 8, 6, true, "75 80 86"};
    char why[256] = "old";
    assert_true(cuda_usable(&fine, why, sizeof why) && why[0] == 0);
    CudaFound f = fine;
    f.driver = 12000; /* an older minor version runs programs of a newer one */
    assert_true(cuda_usable(&f, why, sizeof why));
    f = fine, f.driver = 0, f.error = "no driver";
    expect_refused(f, "no NVIDIA driver", "machine");
    f = fine, f.driver = 11080, f.error = "driver too old";
    expect_refused(f, "supports CUDA up to 11.8, and this program was built with 12.4",
                   "CUDA_HOME");
    f = fine, f.devices = 0;
    expect_refused(f, "no NVIDIA GPU", "CUDA_VISIBLE_DEVICES");
    f = fine, f.error = "unknown error";
    expect_refused(f, "unknown error", "CUDA does not start");
    f = fine, f.has_kernels = false, f.major = 6, f.minor = 1;
    expect_refused(f, "capability is 6.1, and this program was built for 75 80 86",
                   "make CUDA_ARCH=61");
}

static void open_cuda(void *unused) { (void)unused, backend_open("cuda", 0, 1, 1); }

/* No GPU, or no CUDA in this build: cuda is refused in one line, auto is the CPU. */
TEST(without_a_gpu)
{
    Backend *be = closing(backend_open("auto", 0, 1, 1));
    if (strcmp(be->op->name, "cpu") != 0)
        SKIP("there is a GPU here");
    expect_death(EXIT_TODO, open_cuda, NULL, "--device=cuda: ", "; use --device=cpu", NULL);
}

static void refuse_precision(void *name) { backend_precision(backend_open("cpu", 0, 1, 1), name); }

TEST(precisions)
{
    Backend *cpu = closing(backend_open("cpu", 0, 1, 1));
    backend_precision(cpu, "fp32");
    assert_int_equal(cpu->activations, F32);
    backend_precision(cpu, "bf16");
    assert_int_equal(cpu->activations, BF16);
    expect_death(2, refuse_precision, "tf32", "--precision=tf32", "cpu", "fp32 and bf16 only",
                 NULL);
    expect_death(2, refuse_precision, "fp16", "--precision=fp16", "cpu", "fp32 and bf16 only",
                 NULL);
    expect_death(2, refuse_precision, "half", "--precision=half",
                 "expected fp32, tf32, bf16 or fp16", NULL);
}

static Backend *volta(const char *precision)
{
    cuda_on_host_refuse("h8");
    Backend *be = closing(cuda_on_host_open(0, 1));
    backend_precision(be, precision);
    return be;
}
static void refuse_on_volta(void *name) { volta(name); }

/* Tensor cores of compute capability 7 take FP16, and neither BF16 nor TF32. */
TEST(older_gpu)
{
    Backend *be = volta("fp16");
    assert_int_equal(be->activations, F16);
    expect_death(2, refuse_on_volta, "bf16", "--precision=bf16", "in fp32 and fp16 only",
                 "capability 7.0", NULL);
    expect_death(2, refuse_on_volta, "tf32", "--precision=tf32", "in fp32 and fp16 only", NULL);
}

/* ---- bfloat16 ---- */

static Backend *open_host(bool gpu)
{
    return closing(gpu ? cuda_on_host_open(0, 1) : backend_open("cpu", 0, 1, 2));
}

/* x through a tensor of a 16-bit type: axpy onto zeros reads and writes any type. */
static void through(bool gpu, DType type, float *y, const float *x, int n)
{
    Device *d = device_on(open_host(gpu));
    Tensor wide = blank(d, F32, n, 1, 1, 1, 0), half = blank(d, type, n, 1, 1, 1, 0);
    d->op->upload(d->s, wide, x);
    d->op->axpy(d->s, half, 1, wide);
    d->op->zero(d->s, wide);
    d->op->axpy(d->s, wide, 1, half);
    d->op->download(d->s, y, wide);
}

static void rounding(bool gpu)
{
    /* in turn: exact; half way, to even, down and up; just above half way; the largest, and beyond
     * it; tiny */
    static const float x[] = {
        0, 1, -1, 1.00390625f, 1.01171875f, 1.00390649f, 3.3895314e38f, 3.4e38f, INFINITY, 1e-40f};
    static const float y[] = {
        0, 1, -1, 1, 1.015625f, 1.0078125f, 3.3895314e38f, INFINITY, INFINITY, 9.18354962e-41f};
    enum { COUNT = sizeof x / sizeof *x };
    float got[COUNT], nan = NAN;
    through(gpu, BF16, got, x, COUNT);
    for (int i = 0; i < COUNT; i++)
        if (!(got[i] == y[i]))
            fail_msg("%.9g became %.9g, expected %.9g", x[i], got[i], y[i]);
    through(gpu, BF16, got, &nan, 1);
    assert_true(isnan(got[0]));
}
TEST(rounding) { rounding(true); }
TEST(rounding_cpu) { rounding(false); }

/* Gradients with activations in 16 bits against those in float32. How far may they be apart? A
 * bfloat16 has 8 bits, a half 11, and a network makes of that what it does of any small change: so
 * the measure is what the float32 network's gradient does when only its weights are rounded to
 * BF16. */
static void mixed_precision(bool gpu, const char *precision, double loss, double least, double most)
{
    static const ModelSpec networks[] = {
        {.name = "cnn", .h = 16, .w = 16, .c = 3, .classes = 10},
        /* pooled to one pixel */
        {.name = "cnn", .h = 4, .w = 4, .c = 3, .classes = 10},
        {.name = "mlp", .h = 8, .w = 8, .c = 3, .classes = 10},
        {.name = "resnet8", .h = 9, .w = 8, .c = 3, .classes = 10},
        {.name = "resnet8", .h = 9, .w = 8, .c = 3, .classes = 10, .no_batchnorm = true},
        {.name = "gpt-16-2-2", .h = 1, .w = 8, .c = 1, .classes = 10},
        {.name = "gpt-32-2-2", .h = 1, .w = 8, .c = 1, .classes = 32}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        Backend *wide = open_host(gpu), *half = open_host(gpu);
        backend_precision(half, precision);
        Net a = net_new(wide, &networks[i], 32, 32, 7), b = net_new(half, &networks[i], 32, 32, 7);
        int n = a.m->grads.n;
        expect_close(net_gradient(&b), net_gradient(&a), 0, loss, "loss");
        double *theirs = fetch_double(&a, a.m->grads), *ours = fetch_double(&b, b.m->grads);
        float *w = fetch(&a, a.m->params);
        through(gpu, BF16, w, w, n);
        store(&a, a.m->params, w);
        net_gradient(&a);
        double *rounded = fetch_double(&a, a.m->grads);
        double off = relative_error(ours, theirs, n), measure = relative_error(rounded, theirs, n);
        printf("    %s: gradient off by %.1e; with weights rounded by %.1e\n", networks[i].name,
               off, measure);
        bool has_conv = strcmp(networks[i].name, "mlp") && networks[i].h > 1;
        /* 16 bits were used; without convolutions only by the dense layers of a CPU with dots */
        assert_true(has_conv ? off > least : off == 0 || (!gpu && off > least));
        assert_true(off <= most * measure); /* also rounded: inputs, every layer's output and its
                                          * gradient */
    }
}

TEST(bf16) { mixed_precision(true, "bf16", 0.02, 1e-4, 3); }
TEST(bf16_cpu) { mixed_precision(false, "bf16", 0.02, 1e-4, 4); }
TEST(fp16) { mixed_precision(true, "fp16", 0.0025, 1e-5, 1); }

/* ---- tied weights: two layers add to one gradient, before and after it is looked at ---- */

static void see_nothing(void *context, size_t first, int count, Stream *s) {}

/* Two batches' gradients, added. A language model computes in float32: in FP16, too, where only the
 * loss scale comes and goes, a power of two. */
static float *twice(const char *precision)
{
    static const ModelSpec spec = {.name = "gpt-16-2-2", .h = 1, .w = 8, .c = 1, .classes = 10};
    Backend *be = closing(cuda_on_host_open(0, 1));
    backend_precision(be, precision);
    Net n = net_new(be, &spec, 4, 4, 1);
    n.m->grad_hook = see_nothing;
    model_zero_grads(n.m);
    for (int k = 0; k < 2; k++) {
        model_forward(n.m, n.x, MODEL_TRAIN);
        model_loss(n.m, n.totals, n.label, NO_TENSOR, true);
        model_backward(n.m);
    }
    return fetch(&n, n.m->grads);
}

TEST(fp16_tied_weights)
{
    float *a = twice("fp32"), *b = twice("fp16");
    expect_bits(a, b, 2000, "gradients with a loss scale");
}

/* ---- who would see values times the loss scale ---- */

static void read_dy(void *context, int layer, Tensor x, Tensor dy, Stream *s) {}
static void add_nothing(void *context, Tensor sums, Stream *s) {}

static void train_with(void *hook)
{
    static const ModelSpec spec = {.name = "resnet8", .h = 8, .w = 8, .c = 3, .classes = 10};
    Backend *be = closing(cuda_on_host_open(0, 1));
    backend_precision(be, "fp16");
    Net n = net_new(be, &spec, 4, 4, 1);
    if (!strcmp(hook, "tensor"))
        n.m->tensor_hook = read_dy;
    else
        n.m->stats_hook = add_nothing;
    net_gradient(&n);
}

TEST(fp16_hooks)
{
    expect_death(2, train_with, "tensor", "--precision=fp16", "layer's dy", "bf16", NULL);
    expect_death(2, train_with, "stats", "--precision=fp16", "synchronised batch norm", NULL);
}
