/* test_cuda_edges.c: the CUDA backend at the edges of its libraries, over their doubles
 * (tests/support/cuda_on_host/): what cuDNN refuses, and when; what it is asked; memory between
 * host and GPU. */
#include "check.h"
#include "device.h"
#include "net.h"
#include <pthread.h>
#include <string.h>

static const ModelSpec spec = {.name = "resnet8", .h = 8, .w = 8, .c = 3, .classes = 10};

enum { BATCH = 6 };

static Backend *open_refusing(const char *what, const char *precision)
{
    cuda_on_host_refuse(what);
    Backend *be = closing(cuda_on_host_open(0, 1));
    backend_precision(be, precision);
    return be;
}

static Net net_refusing(const char *what, const char *precision)
{
    return net_new(open_refusing(what, precision), &spec, BATCH, BATCH, 1);
}

static float *gradient(Net *n, int count)
{
    n->op->zero(n->m->s, n->totals);
    model_gradient(n->m, n->totals, tensor_first(n->x, count), tensor_first(n->label, count));
    return fetch(n, n->m->grads);
}

/* ---- refusals: the legacy functions do what graphs do not, im2col what those do not; a step's
 * bits stay, whatever was refused in it ---- */
TEST(refusals)
{
    static const char *const kinds[] = {"h",  "",   "g",  "d",  "l",    "p",     "A",  "1",
                                        "2",  "3",  "1f", "gf", "gb",   "gw",    "gF", "gB",
                                        "gW", "gs", "gL", "s",  "gfbw", "123fbw"};
    double *expected = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        Net n = net_refusing(kinds[k], "fp32");
        size_t count = tensor_count(n.m->grads);
        float *first = gradient(&n, 3);
        for (int again = 0; again < 3; again++) /* plain, recorded, replayed */
            expect_bits(gradient(&n, 3), first, count, kinds[k]);
        if (!expected)
            expected = fetch_double(&n, n.m->grads);
        expect_near(first, expected, count, 1e-4, kinds[k]);
    }
}

/* ---- what people are told ---- */
static void expect_words(const char *refuse, const char *precision, int passes, const char *words)
{
    Net n = net_refusing(refuse, precision);
    for (int i = 0; i < passes; i++)
        gradient(&n, BATCH);
    if (!strstr(n.m->be->description, words))
        fail_msg("refusing '%s', %s: expected '%s' in: %s", refuse, precision, words,
                 n.m->be->description);
}

/* The first convolution's data gradient is asked for by nobody; in BF16 cuDNN could not. */
TEST(description)
{
    expect_words("", "fp32", 0, "cuDNN: forward 9, data 9, weights 9 of 9, by graphs 9, 9, 9");
    expect_words("", "bf16", 0, "cuDNN: forward 9, data 8, weights 9 of 9, by graphs 9, 8, 9");
    expect_words("A", "fp32", 0, "cuDNN: forward 9, data 9, weights 9 of 9, by graphs 9, 9, 9");
    expect_words("g", "bf16", 0, "cuDNN: forward 9, data 8, weights 9 of 9, by graphs 0, 0, 0");
    expect_words("gF", "fp32", 0, "cuDNN: forward 0, data 9, weights 9 of 9, by graphs 0, 0, 0");
    expect_words("lL", "bf16", 0, "cuDNN: forward 0, data 0, weights 0 of 9, by graphs 0, 0, 0");
    expect_words("h", "fp32", 0, "convolution by im2col, without cuDNN (");
    /* What cuDNN refuses only when it is called is counted, too: forward, of each convolution. */
    expect_words("gf", "bf16", 3, "by graphs 0, 0, 0, 9 refused when called");
    expect_words("1", "bf16", 3, "by graphs 9, 8, 9, 9 refused when called");
    expect_words("1f", "bf16", 3, "by graphs 9, 8, 9, 18 refused when called");
}

/* A library that is missing costs what it does, and nothing else. */
TEST(libraries)
{
    expect_words("m", "fp32", 0,
                 "GB, convolution by im2col, without cuDNN (libcudnn.so.9: cannot ");
    expect_words("n", "fp32", 0, "GB, without NCCL (libnccl.so.2: cannot open shared object file");
    expect_words("n", "fp32", 0, "directory), convolutions by cuDNN: forward 9");
    expect_words("nm", "fp32", 0,
                 "directory), convolution by im2col, without cuDNN (libcudnn.so.9");
    expect_words("nm", "fp32", 0, "No such file or directory)"); /* to its end */
}

/* Every convolution of a step in 16 bits by cuDNN, the first with padded channels; by graphs, or
 * without them. */
TEST(all_by_cudnn)
{
    for (int turn = 0; turn < 4; turn++) {
        bool graphs = turn < 2;
        long before[5];
        for (int i = 0; i < 5; i++)
            before[i] = cuda_on_host_cudnn_calls(i);
        Net n = net_refusing(graphs ? "" : "g", turn % 2 ? "bf16" : "fp16");
        gradient(&n, BATCH);
        assert_int_equal(cuda_on_host_cudnn_calls(0) - before[0], 9);
        assert_int_equal(cuda_on_host_cudnn_calls(1) - before[1], 8);
        assert_int_equal(cuda_on_host_cudnn_calls(2) - before[2], 9);
        assert_int_equal(cuda_on_host_cudnn_calls(4) - before[4], graphs ? 26 : 0);
    }
}

/* What cuDNN is slow at our own kernels do (cuda_conv_tile.cu), whatever becomes of cuDNN. */
TEST(few_channels)
{
    unsetenv("LABS_CONV");
    for (int turn = 0; turn < 2; turn++) {
        long forward = cuda_on_host_cudnn_calls(0), weights = cuda_on_host_cudnn_calls(2);
        Net n = net_refusing(turn ? "h" : "", "bf16");
        gradient(&n, BATCH);
        assert_int_equal(cuda_on_host_cudnn_calls(0) - forward, turn ? 0 : 5);
        assert_int_equal(cuda_on_host_cudnn_calls(2) - weights, turn ? 0 : 5);
        if (turn == 0)
            assert_non_null(strstr(n.m->be->description, "weights 5 of 5, by graphs 5, 5, 5, "
                                                         "4 by our own kernels"));
    }
    setenv("LABS_CONV", "cudnn", 1);
}

/* The products of a stack of matrices, however large it is: one call of cuBLAS. (That they are
 * right: test_vectors.) */
TEST(stack_in_one_call)
{
    Device *d = device_on(open_refusing("h", "fp32"));
    Tensor a = blank(d, F32, 5, 6, 6, 1, 0), b = blank(d, F32, 5, 6, 6, 1, 0),
           c = blank(d, F32, 5, 6, 6, 1, 0);
    for (int turn = 0; turn < 4; turn++) {
        d->op->matmul(d->s, c, a, b, turn & 1, turn & 2);
        assert_int_equal(cuda_on_host_cublas_calls(), turn + 1);
    }
}

/* cuDNN compiles plans when it is asked: once per batch size, not once per pass. */
TEST(described_once)
{
    Net n = net_refusing("", "fp32");
    gradient(&n, 3);
    long before = cuda_on_host_cudnn_calls(3);
    gradient(&n, BATCH); /* the largest batch was planned with the network */
    assert_int_equal(cuda_on_host_cudnn_calls(3), before);
    for (int count = BATCH; count >= 3; count--)
        gradient(&n, count);
    before = cuda_on_host_cudnn_calls(3);
    for (int pass = 0; pass < 3; pass++)
        for (int count = BATCH; count >= 3; count--)
            gradient(&n, count);
    assert_int_equal(cuda_on_host_cudnn_calls(3), before);
}

/* More sizes of batches than are kept: planned again, also while a step is recorded, and the same
 * bits come out. */
TEST(planned_while_recording)
{
    enum { LEAST = 3, MOST = 8 };
    Backend *be = open_refusing("", "fp32");
    Net n = net_new(be, &spec, MOST, MOST, 1);
    float *first[MOST + 1];
    for (int round = 0; round < 3; round++)
        for (int count = LEAST; count <= MOST; count++) {
            float *g = gradient(&n, count);
            if (round == 0)
                first[count] = g;
            expect_bits(g, first[count], tensor_count(n.m->grads), "gradient");
        }
}

/* More elements than cuDNN counts: im2col's work, a few images at a time. */
TEST(too_many_elements)
{
    Device *d = device_on(open_refusing("", "fp32"));
    Tensor many = blank(d, F32, 1, 32, 32, 16, 0);
    many.n = 1 << 18;
    plan_conv(d, many, many, 3, 1);
    assert_non_null(strstr(d->be->description, "forward 0, data 0, weights 0 of 1"));
}

/* ---- one convolution, by graphs ---- */
typedef struct One {
    Device *d;
    ConvShape s;
    double *x[2], *w, *y[2]; /* two batches, and what comes out */
    Tensor tx[2], tw, ty;
    ConvPlan *plan;
} One;

static One one_new(void)
{
    One o = {.s = conv_shape((Shape){6, 8, 8, 16}, 16, 3, 1)};
    size_t nx = shape_count(o.s.x), ny = shape_count(o.s.y);
    o.d = device_on(open_refusing("", "fp32"));
    o.w = random_values(1, conv_weights(&o.s), 0, 1);
    o.tw = put_matrix(o.d, o.w, 16, 16 * 9);
    o.ty = put(o.d, NULL, o.s.y, 0);
    for (int i = 0; i < 2; i++) {
        o.x[i] = random_values(2 + i, nx, 0, 1);
        o.y[i] = zeros(ny);
        o.tx[i] = put(o.d, o.x[i], o.s.x, 0);
        ref_conv_forward(o.y[i], o.x[i], o.w, NULL, &o.s);
    }
    o.plan = plan_conv(o.d, o.ty, o.tx[0], 3, 1);
    return o;
}

/* The first images of a batch. */
static void one_forward(One *o, int batch, int images)
{
    Tensor y = tensor_first(o->ty, images);
    o->d->op->conv_forward(o->d->s, o->plan, y, NO_TENSOR, tensor_first(o->tx[batch], images),
                           o->tw, NO_TENSOR);
    expect_tensor(o->d, y, o->y[batch], 1e-5, "y");
}

/* Other data, other sizes of the batch, more than are kept; and nothing is made again for what
 * stays. */
TEST(other_data)
{
    One o = one_new();
    for (int images = 6; images >= 1; images--)
        for (int again = 0; again < 4; again++)
            one_forward(&o, again % 2, images);
    long made = cuda_on_host_cudnn_calls(5);
    for (int again = 0; again < 3; again++)
        one_forward(&o, 1, 1);
    assert_int_equal(cuda_on_host_cudnn_calls(5), made);
    assert_int_equal(cuda_on_host_cudnn_calls(4), 27);
}

/* Graphs are planned for aligned data; im2col takes any. */
TEST(unaligned)
{
    One o = one_new();
    int count = (int)tensor_count(o.tx[0]);
    Tensor whole = blank(o.d, F32, count + 4, 1, 1, 1, 0), x = o.tx[0];
    o.d->op->copy(o.d->s, tensor_slice(whole, 1, count), tensor_vector(x.buf, 0, F32, count));
    o.tx[0].buf = whole.buf, o.tx[0].at = 1;
    one_forward(&o, 0, 4);
    assert_int_equal(cuda_on_host_cudnn_calls(0), 0);
    one_forward(&o, 1, 4);
    assert_int_equal(cuda_on_host_cudnn_calls(4), 1);
}

/* Whatever was made of cuDNN's, also for batch sizes that came in place of others, is destroyed. */
TEST(nothing_left)
{
    static const char *const kinds[] = {"", "g", "d", "l", "p", "123", "L"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int before = endings();
        Net n = net_refusing(kinds[k], "bf16");
        for (int count = BATCH; count >= 1; count--)
            gradient(&n, count);
        end_since(before);
        assert_int_equal(cuda_on_host_cudnn_calls(6), 0);
    }
}

/* ---- memory ---- */

/* backend.h: upload's source may be reused on return. */
TEST(upload_source)
{
    enum { COUNT = 4096 };
    Device *d = device_on(open_refusing("h", "fp32"));
    Tensor t = blank(d, F32, COUNT, 1, 1, 1, 0);
    float *values = keep(alloc(COUNT, sizeof *values));
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = (float)round;
        d->op->upload(d->s, t, values);
        memset(values, 0, COUNT * sizeof *values);
        d->op->download(d->s, values, t);
        for (int i = 0; i < COUNT; i++)
            assert_true(values[i] == (float)round);
    }
}

static void *stage(void *argument)
{
    Backend *be = argument;
    be->op->staging_free(be->op->staging_new(be, 100));
    return NULL;
}

/* On a thread that has used no GPU, memory for staging is of the backend's GPU. */
TEST(staging)
{
    Backend *be = open_refusing("h", "fp32");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stage, be), 0);
    pthread_join(thread, NULL);
}

/* ---- recordings ---- */

/* A recording is stale once memory is freed that only another library's work in it uses (by
 * buffer_device), or only another stream's (its scratch memory). */
TEST(stale_by_others)
{
    Device *d = device_on(open_refusing("h", "fp32"));
    const BackendOps *op = d->op;
    Stream *beside = op->stream_new(d->be, 0);
    Tensor x = blank(d, F32, 100, 1, 1, 1, 0), sum = blank(d, F64, 1, 1, 1, 1, 0),
           others = blank(d, F32, 100, 1, 1, 1, 0);
    Event *ready = op->event_new(d->be), *done = op->event_new(d->be);
    for (int by_library = 1; by_library >= 0; by_library--) {
        op->record_begin(d->s);
        if (by_library)
            op->buffer_device(others.buf);
        op->event_record(ready, d->s);
        op->event_wait(beside, ready);
        op->dot(beside, sum, x, x);
        op->event_record(done, beside);
        op->event_wait(d->s, done);
        Recording *r = op->record_end(d->s);
        assert_true(op->replay(d->s, r));
        op->stream_sync(d->s);
        if (by_library)
            drop(d->be, others);
        else
            op->stream_free(beside);
        assert_false(op->replay(d->s, r));
        op->recording_free(r);
    }
    op->event_free(ready), op->event_free(done);
}

int main(int argc, char **argv)
{
    setenv("LABS_CONV", "cudnn", 1); /* our own kernels: few_channels */
    return harness_main(argc, argv);
}
