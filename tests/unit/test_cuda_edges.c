/* test_cuda_edges.c: the CUDA backend at the edges of its libraries, over their doubles
 * (tests/support/cuda_on_host/): what cuDNN refuses, and when; what it is asked; memory between
 * host and GPU. */
#include "check.h"
#include "device.h"
#include "net.h"
#include <pthread.h>
#include <string.h>

static const ModelSpec spec = {.name = "resnet8", .h = 8, .w = 8, .c = 3, .classes = 10};

static Backend *open_refusing(const char *what, const char *precision)
{
    cuda_on_host_refuse(what);
    Backend *be = cuda_on_host_open(0, 1);
    backend_precision(be, precision);
    return be;
}

static float *gradient(Net *n, int count)
{
    n->op->zero(n->m->s, n->totals);
    model_gradient(n->m, n->totals, tensor_first(n->x, count), tensor_first(n->label, count));
    return fetch(n, n->m->grads);
}

/* ---- refusals: the legacy functions do what graphs do not, im2col what those do not; a step's
 * bits stay, whatever was refused in it ---- */
static void refusals(void **state)
{
    static const char *const kinds[] = {"h",  "",   "g",  "d",  "l",    "p",     "A",  "1",
                                        "2",  "3",  "1f", "gf", "gb",   "gw",    "gF", "gB",
                                        "gW", "gs", "gL", "s",  "gfbw", "123fbw"};
    float *expected = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        Backend *be = open_refusing(kinds[k], "fp32");
        Net n = net_new(be, &spec, 8, 8, 1);
        size_t count = tensor_count(n.m->grads);
        float *first = gradient(&n, 7);
        for (int again = 0; again < 3; again++) { /* plain, recorded, replayed */
            float *g = gradient(&n, 7);
            expect_bits(g, first, count, kinds[k]);
            free(g);
        }
        if (!expected) {
            expected = first;
        } else {
            double *wide = alloc(count, sizeof *wide);
            for (size_t i = 0; i < count; i++)
                wide[i] = expected[i];
            expect_near(first, wide, count, 1e-4, kinds[k]);
            free(wide), free(first);
        }
        net_free(&n);
        backend_close(be);
    }
    free(expected);
}

/* ---- what people are told ---- */
static void expect_words(const char *refuse, const char *precision, const char *words)
{
    Backend *be = open_refusing(refuse, precision);
    Net n = net_new(be, &spec, 8, 8, 1);
    if (!strstr(be->description, words))
        fail_msg("refusing '%s', %s: expected '%s' in: %s", refuse, precision, words,
                 be->description);
    net_free(&n);
    backend_close(be);
}

/* The first convolution's data gradient is asked for by nobody; in BF16 cuDNN could not. */
static void description(void **state)
{
    expect_words("", "fp32", "cuDNN: forward 9, data 9, weights 9 of 9, by graphs 9, 9, 9");
    expect_words("", "bf16", "cuDNN: forward 9, data 8, weights 9 of 9, by graphs 9, 8, 9");
    expect_words("A", "fp32", "cuDNN: forward 9, data 9, weights 9 of 9, by graphs 9, 9, 9");
    expect_words("g", "bf16", "cuDNN: forward 9, data 8, weights 9 of 9, by graphs 0, 0, 0");
    expect_words("gF", "fp32", "cuDNN: forward 0, data 9, weights 9 of 9, by graphs 0, 0, 0");
    expect_words("lL", "bf16", "cuDNN: forward 0, data 0, weights 0 of 9, by graphs 0, 0, 0");
    expect_words("h", "fp32", "convolution by im2col, without cuDNN (");
}

/* What cuDNN refuses only when it is called is counted, too: here forward, of each convolution. */
static void expect_refused(const char *refuse, const char *words)
{
    Backend *be = open_refusing(refuse, "bf16");
    Net n = net_new(be, &spec, 8, 8, 1);
    for (int again = 0; again < 3; again++)
        free(gradient(&n, 8));
    assert_non_null(strstr(be->description, words));
    net_free(&n);
    backend_close(be);
}

static void refusals_counted(void **state)
{
    expect_refused("gf", "by graphs 0, 0, 0, 9 refused when called");
    expect_refused("1", "by graphs 9, 8, 9, 9 refused when called");
    expect_refused("1f", "by graphs 9, 8, 9, 18 refused when called");
}

/* A library that is missing costs what it does, and nothing else. */
static void libraries(void **state)
{
    expect_words("m", "fp32", "GB, convolution by im2col, without cuDNN (libcudnn.so.9: cannot ");
    expect_words("n", "fp32", "GB, without NCCL (libnccl.so.2: cannot open shared object file");
    expect_words("n", "fp32", "directory), convolutions by cuDNN: forward 9");
    expect_words("nm", "fp32", "directory), convolution by im2col, without cuDNN (libcudnn.so.9");
    expect_words("nm", "fp32", "No such file or directory)"); /* to its end */
}

/* Every convolution of a step in 16 bits by cuDNN, the first with padded channels; by graphs, or
 * without them. */
static void all_by_cudnn(void **state)
{
    for (int turn = 0; turn < 4; turn++) {
        bool graphs = turn < 2;
        long before[5];
        for (int i = 0; i < 5; i++)
            before[i] = cuda_on_host_cudnn_calls(i);
        Backend *be = open_refusing(graphs ? "" : "g", turn % 2 ? "bf16" : "fp16");
        Net n = net_new(be, &spec, 8, 8, 1);
        free(gradient(&n, 8));
        assert_int_equal(cuda_on_host_cudnn_calls(0) - before[0], 9);
        assert_int_equal(cuda_on_host_cudnn_calls(1) - before[1], 8);
        assert_int_equal(cuda_on_host_cudnn_calls(2) - before[2], 9);
        assert_int_equal(cuda_on_host_cudnn_calls(4) - before[4], graphs ? 26 : 0);
        net_free(&n);
        backend_close(be);
    }
}

/* What cuDNN is slow at our own kernels do (cuda_conv_tile.cu), whatever becomes of cuDNN. */
static void few_channels(void **state)
{
    unsetenv("LABS_CONV");
    for (int turn = 0; turn < 2; turn++) {
        long forward = cuda_on_host_cudnn_calls(0), weights = cuda_on_host_cudnn_calls(2);
        Backend *be = open_refusing(turn ? "h" : "", "bf16");
        Net n = net_new(be, &spec, 8, 8, 1);
        free(gradient(&n, 8));
        assert_int_equal(cuda_on_host_cudnn_calls(0) - forward, turn ? 0 : 5);
        assert_int_equal(cuda_on_host_cudnn_calls(2) - weights, turn ? 0 : 5);
        if (turn == 0)
            assert_non_null(strstr(be->description, "weights 5 of 5, by graphs 5, 5, 5, "
                                                    "4 by our own kernels"));
        net_free(&n);
        backend_close(be);
    }
    setenv("LABS_CONV", "cudnn", 1);
}

/* The products of a stack of matrices, however large it is: one call of cuBLAS. (That they are
 * right: test_vectors.) */
static void stack_in_one_call(void **state)
{
    Backend *be = open_refusing("h", "fp32");
    Stream *s = be->op->stream_new(be, 0);
    Tensor a = tensor_new(be, F32, 5, 6, 6, 1, 0), b = tensor_new(be, F32, 5, 6, 6, 1, 0),
           c = tensor_new(be, F32, 5, 6, 6, 1, 0);
    for (int turn = 0; turn < 4; turn++) {
        be->op->matmul(s, c, a, b, turn & 1, turn & 2);
        assert_int_equal(cuda_on_host_cublas_calls(), turn + 1);
    }
    tensor_free(be, a), tensor_free(be, b), tensor_free(be, c);
    be->op->stream_free(s);
    backend_close(be);
}

/* cuDNN compiles plans when it is asked: once per batch size, not once per pass. */
static void described_once(void **state)
{
    Backend *be = open_refusing("", "fp32");
    Net n = net_new(be, &spec, 8, 8, 1);
    free(gradient(&n, 5));
    long before = cuda_on_host_cudnn_calls(3);
    free(gradient(&n, 8)); /* the largest batch was planned with the network */
    assert_int_equal(cuda_on_host_cudnn_calls(3), before);
    for (int count = 8; count >= 5; count--)
        free(gradient(&n, count));
    before = cuda_on_host_cudnn_calls(3);
    for (int pass = 0; pass < 3; pass++)
        for (int count = 8; count >= 5; count--)
            free(gradient(&n, count));
    assert_int_equal(cuda_on_host_cudnn_calls(3), before);
    net_free(&n);
    backend_close(be);
}

/* More sizes of batches than are kept: planned again, also while a step is recorded, and the same
 * bits come out. */
static void planned_while_recording(void **state)
{
    enum { LEAST = 3, MOST = 8 };
    Backend *be = open_refusing("", "fp32");
    Net n = net_new(be, &spec, MOST, MOST, 1);
    float *first[MOST + 1];
    for (int round = 0; round < 3; round++)
        for (int count = LEAST; count <= MOST; count++) {
            float *g = gradient(&n, count);
            if (round == 0) {
                first[count] = g;
                continue;
            }
            expect_bits(g, first[count], tensor_count(n.m->grads), "gradient");
            free(g);
        }
    for (int count = LEAST; count <= MOST; count++)
        free(first[count]);
    net_free(&n);
    backend_close(be);
}

/* More elements than cuDNN counts: im2col's work, a few images at a time. */
static void too_many_elements(void **state)
{
    Backend *be = open_refusing("", "fp32");
    Tensor one = tensor_new(be, F32, 1, 32, 32, 16, 0), many = one;
    many.n = 1 << 18;
    ConvPlan *plan = be->op->conv_plan_new(be, many, many, 3, 1);
    assert_non_null(strstr(be->description, "forward 0, data 0, weights 0 of 1"));
    be->op->conv_plan_free(plan);
    tensor_free(be, one);
    backend_close(be);
}

/* ---- one convolution, by graphs ---- */
typedef struct One {
    Device d;
    ConvShape s;
    double *x[2], *w, *y[2]; /* two batches, and what comes out */
    Tensor tx[2], tw, ty;
    ConvPlan *plan;
} One;

static One one_new(void)
{
    One o = {.s = conv_shape((Shape){6, 8, 8, 16}, 16, 3, 1)};
    size_t nx = shape_count(o.s.x), ny = shape_count(o.s.y);
    o.d.be = open_refusing("", "fp32");
    o.d.op = o.d.be->op;
    o.d.s = o.d.op->stream_new(o.d.be, 0);
    o.w = random_values(1, conv_weights(&o.s), 0, 1);
    o.tw = put_matrix(&o.d, o.w, 16, 16 * 9);
    o.ty = put(&o.d, NULL, o.s.y, 0);
    for (int i = 0; i < 2; i++) {
        o.x[i] = random_values(2 + i, nx, 0, 1);
        o.y[i] = zeros(ny);
        o.tx[i] = put(&o.d, o.x[i], o.s.x, 0);
        ref_conv_forward(o.y[i], o.x[i], o.w, NULL, &o.s);
    }
    o.plan = o.d.op->conv_plan_new(o.d.be, o.ty, o.tx[0], 3, 1);
    return o;
}

static void one_free(One *o)
{
    o->d.op->conv_plan_free(o->plan);
    for (int i = 0; i < 2; i++)
        drop(&o->d, o->tx[i]), free(o->x[i]), free(o->y[i]);
    drop(&o->d, o->tw), drop(&o->d, o->ty);
    free(o->w);
    o->d.op->stream_free(o->d.s);
    backend_close(o->d.be);
}

/* The first images of a batch. */
static void one_forward(One *o, int batch, int images)
{
    Tensor y = tensor_first(o->ty, images);
    o->d.op->conv_forward(o->d.s, o->plan, y, NO_TENSOR, tensor_first(o->tx[batch], images), o->tw,
                          NO_TENSOR);
    expect_tensor(&o->d, y, o->y[batch], 1e-5, "y");
}

/* Other data, other sizes of the batch, more than are kept; and nothing is made again for what
 * stays. */
static void other_data(void **state)
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
    one_free(&o);
}

/* Graphs are planned for aligned data; im2col takes any. */
static void unaligned(void **state)
{
    One o = one_new();
    Tensor whole = tensor_new(o.d.be, F32, (int)tensor_count(o.tx[0]) + 4, 1, 1, 1, 0), x = o.tx[0];
    o.d.op->copy(o.d.s, tensor_slice(whole, 1, (int)tensor_count(x)),
                 tensor_vector(x.buf, 0, F32, (int)tensor_count(x)));
    o.tx[0].buf = whole.buf, o.tx[0].at = 1;
    one_forward(&o, 0, 4);
    assert_int_equal(cuda_on_host_cudnn_calls(0), 0);
    one_forward(&o, 1, 4);
    assert_int_equal(cuda_on_host_cudnn_calls(4), 1);
    o.tx[0] = x;
    tensor_free(o.d.be, whole);
    one_free(&o);
}

/* Whatever was made of cuDNN's, also for batch sizes that came in place of others, is destroyed. */
static void nothing_left(void **state)
{
    static const char *const kinds[] = {"", "g", "d", "l", "p", "123", "L"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        Backend *be = open_refusing(kinds[k], "bf16");
        Net n = net_new(be, &spec, 8, 8, 1);
        for (int count = 8; count >= 3; count--)
            free(gradient(&n, count));
        net_free(&n);
        backend_close(be);
        assert_int_equal(cuda_on_host_cudnn_calls(6), 0);
    }
}

/* ---- memory ---- */

/* backend.h: upload's source may be reused on return. */
static void upload_source(void **state)
{
    enum { COUNT = 4096 };
    Backend *be = open_refusing("h", "fp32");
    Stream *s = be->op->stream_new(be, 0);
    Tensor t = tensor_new(be, F32, COUNT, 1, 1, 1, 0);
    float *values = alloc(COUNT, sizeof *values);
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = (float)round;
        be->op->upload(s, t, values);
        memset(values, 0, COUNT * sizeof *values);
        be->op->download(s, values, t);
        for (int i = 0; i < COUNT; i++)
            assert_true(values[i] == (float)round);
    }
    free(values);
    tensor_free(be, t);
    be->op->stream_free(s);
    backend_close(be);
}

static void *stage(void *argument)
{
    Backend *be = argument;
    be->op->staging_free(be->op->staging_new(be, 100));
    return NULL;
}

/* On a thread that has used no GPU, memory for staging is of the backend's GPU. */
static void staging(void **state)
{
    Backend *be = open_refusing("h", "fp32");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stage, be), 0);
    pthread_join(thread, NULL);
    backend_close(be);
}

/* ---- recordings ---- */

/* A recording is stale once memory is freed that only another library's work in it uses (by
 * buffer_device), or only another stream's (its scratch memory). */
static void stale_by_others(void **state)
{
    Backend *be = open_refusing("h", "fp32");
    const BackendOps *op = be->op;
    Stream *s = op->stream_new(be, 0), *beside = op->stream_new(be, 0);
    Tensor x = tensor_new(be, F32, 100, 1, 1, 1, 0), sum = tensor_new(be, F64, 1, 1, 1, 1, 0);
    Tensor others = tensor_new(be, F32, 100, 1, 1, 1, 0);
    Event *ready = op->event_new(be), *done = op->event_new(be);
    for (int by_library = 1; by_library >= 0; by_library--) {
        op->record_begin(s);
        if (by_library)
            op->buffer_device(others.buf);
        op->event_record(ready, s);
        op->event_wait(beside, ready);
        op->dot(beside, sum, x, x);
        op->event_record(done, beside);
        op->event_wait(s, done);
        Recording *r = op->record_end(s);
        assert_true(op->replay(s, r));
        op->stream_sync(s);
        if (by_library)
            tensor_free(be, others);
        else
            op->stream_free(beside);
        assert_false(op->replay(s, r));
        op->recording_free(r);
    }
    op->event_free(ready), op->event_free(done);
    tensor_free(be, x), tensor_free(be, sum);
    op->stream_free(s);
    backend_close(be);
}

static const Case cases[] = {{"refusals", .run = refusals},
                             {"description", .run = description},
                             {"refusals_counted", .run = refusals_counted},
                             {"libraries", .run = libraries},
                             {"all_by_cudnn", .run = all_by_cudnn},
                             {"few_channels", .run = few_channels},
                             {"stack_in_one_call", .run = stack_in_one_call},
                             {"described_once", .run = described_once},
                             {"planned_while_recording", .run = planned_while_recording},
                             {"too_many_elements", .run = too_many_elements},
                             {"other_data", .run = other_data},
                             {"unaligned", .run = unaligned},
                             {"nothing_left", .run = nothing_left},
                             {"upload_source", .run = upload_source},
                             {"staging", .run = staging},
                             {"stale_by_others", .run = stale_by_others}};
int main(int argc, char **argv)
{
    setenv("LABS_CONV", "cudnn", 1); /* our own kernels: few_channels */
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
