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

/* ---- refusals: im2col does what cuDNN does not; a step's bits stay, whatever was refused in it
 * ---- */
static void refusals(void **state)
{
    static const char *const kinds[] = {"h", "", "f", "b", "w", "F", "B", "W", "s", "L", "fbw"};
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
    expect_words("", "fp32", "by cuDNN: forward 9, data 9, weights 9 of 9");
    expect_words("", "bf16", "by cuDNN: forward 9, data 8, weights 9 of 9");
    expect_words("F", "fp32", "by cuDNN: forward 0, data 9, weights 9 of 9");
    expect_words("L", "bf16", "by cuDNN: forward 0, data 0, weights 0 of 9");
    expect_words("h", "fp32", "convolution by im2col, without cuDNN (");
}

/* What cuDNN refuses only when it is called is counted, too: here forward, of each convolution. */
static void refusals_counted(void **state)
{
    Backend *be = open_refusing("f", "bf16");
    Net n = net_new(be, &spec, 8, 8, 1);
    for (int again = 0; again < 3; again++)
        free(gradient(&n, 8));
    assert_non_null(strstr(be->description, "weights 9 of 9, 9 refused when called"));
    net_free(&n);
    backend_close(be);
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

/* Every convolution of a BF16 and of an FP16 step by cuDNN, the first with padded channels. */
static void all_by_cudnn(void **state)
{
    static const char *const precisions[] = {"bf16", "fp16"};
    for (int p = 0; p < 2; p++) {
        Backend *be = open_refusing("", precisions[p]);
        Net n = net_new(be, &spec, 8, 8, 1);
        free(gradient(&n, 8));
        assert_int_equal(cuda_on_host_cudnn_calls(0), 9 * (p + 1));
        assert_int_equal(cuda_on_host_cudnn_calls(1), 8 * (p + 1));
        assert_int_equal(cuda_on_host_cudnn_calls(2), 9 * (p + 1));
        net_free(&n);
        backend_close(be);
    }
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

/* cuDNN 9 compiles plans when asked for a workspace: once per batch size, not once per pass. */
static void described_once(void **state)
{
    Backend *be = open_refusing("", "fp32");
    Net n = net_new(be, &spec, 8, 8, 1);
    for (int count = 8; count >= 5; count--)
        free(gradient(&n, count));
    long before = cuda_on_host_cudnn_calls(3);
    for (int pass = 0; pass < 3; pass++)
        for (int count = 8; count >= 5; count--)
            free(gradient(&n, count));
    assert_int_equal(cuda_on_host_cudnn_calls(3), before);
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

typedef struct Heard {
    int calls, times;
    Stream *s;
} Heard;

static void hear(void *context, Stream *s, int times)
{
    Heard *h = context;
    h->calls++;
    h->times = times;
    h->s = s;
}

/* Who asked to be told of replays is told of each, and of no other's; not of a stale one's. */
static void told_of_replays(void **state)
{
    Backend *be = open_refusing("h", "fp32");
    const BackendOps *op = be->op;
    Stream *s = op->stream_new(be, 0);
    Tensor t = tensor_new(be, F32, 100, 1, 1, 1, 0);
    Heard one = {0}, other = {0};
    Recording *r[2];
    for (int i = 0; i < 2; i++) {
        op->record_begin(s);
        op->scale(s, t, 2);
        op->record_tell(s, hear, &one);
        op->record_tell(s, hear, &one);
        if (i == 1)
            op->record_tell(s, hear, &other);
        r[i] = op->record_end(s);
    }
    assert_int_equal(one.calls, 0);
    assert_true(op->replay(s, r[0]) && op->replay(s, r[0]) && op->replay(s, r[1]));
    assert_true(one.calls == 3 && one.times == 2 && one.s == s);
    assert_true(other.calls == 1 && other.times == 1 && other.s == s);
    tensor_free(be, t);
    assert_false(op->replay(s, r[1]));
    assert_true(one.calls == 3 && other.calls == 1);
    op->recording_free(r[0]), op->recording_free(r[1]);
    op->stream_free(s);
    backend_close(be);
}

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

static const Case cases[] = {
    {"refusals", .run = refusals, .seconds = 120}, {"description", .run = description},
    {"refusals_counted", .run = refusals_counted}, {"libraries", .run = libraries},
    {"all_by_cudnn", .run = all_by_cudnn},         {"stack_in_one_call", .run = stack_in_one_call},
    {"described_once", .run = described_once},     {"too_many_elements", .run = too_many_elements},
    {"upload_source", .run = upload_source},       {"staging", .run = staging},
    {"told_of_replays", .run = told_of_replays},   {"stale_by_others", .run = stale_by_others}};
int main(int argc, char **argv)
{
    return harness_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
