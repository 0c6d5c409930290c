/* device.c: see device.h. */
#include "device.h"
#include "backend/backend_open.h"
#include "check.h"
#include "child.h"
#include "harness.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#ifndef HAVE_CUDA_ON_HOST
Backend *cuda_on_host_open(int local_rank, int local_size)
{
    SKIP("the CUDA backend cannot be built for the host without objcopy and a C++ compiler");
}
void cuda_on_host_seed(unsigned seed) {}
void cuda_on_host_refuse(const char *what) {}
long cuda_on_host_cudnn_calls(int which) { return 0; }
long cuda_on_host_cublas_calls(void) { return 0; }
#endif

static Backend *open_cpu(int rank, int size, int threads)
{
    return backend_open("cpu", rank, size, threads);
}
static Backend *open_on_host(int rank, int size, int threads)
{
    return (void)threads, cuda_on_host_open(rank, size);
}
static Backend *open_cudnn(int rank, int size, int threads)
{
    cuda_on_host_refuse("");
    return cuda_on_host_open(rank, size);
}
#ifdef HAVE_CUDA
static Backend *open_cuda(int rank, int size, int threads)
{
    return backend_open("cuda", rank, size, threads);
}

static void ask_cuda(void *unused)
{
    char why[256];
    if (backend_cuda_usable(0, why, sizeof why))
        return;
    printf("skipped: no GPU: %s\n", why);
    fflush(stdout);
    _exit(77);
}

/* Skips the case if there is no GPU, before MPI starts and before the case forks. A child process
 * asks: after a process has used CUDA, its children cannot. */
static void need_gpu(void)
{
    ChildEnd end = child_run(&(Child){.work = ask_cuda});
    if (end.status != 0)
        exit(end.status);
}
#endif

/* The backends that were built. An operation sums at most a few thousand products of float32
 * values: 1e-5 is generous for a correct one, and far below the error of a wrong term, border or
 * index. */
static const struct {
    const char *name;
    Backend *(*open)(int local_rank, int local_size, int threads);
    double tolerance;
} backends[] = {
    {"cpu", open_cpu, 1e-5},
    {"cuda_on_host", open_on_host, 1e-5},
    {"cudnn_on_host", open_cudnn, 1e-5},
#ifdef HAVE_CUDA
    {"cuda", open_cuda, 1e-5},
#endif
};
enum { ON_HOST = 1, CUDNN_ON_HOST, BACKENDS = sizeof backends / sizeof *backends };
static int chosen;

int device_main(int argc, char **argv)
{
    int count, listed = 0, most = 0;
    const Case *cases = harness_cases(&count);
    for (int i = 0; i < count; i++)
        most += BACKENDS * (1 + cases[i].seeds);
    Case *all = alloc((size_t)most, sizeof *all);
    for (int b = 0; b < BACKENDS; b++)
        for (int i = 0; i < count; i++)
            for (int seed = 0; seed <= cases[i].seeds; seed++) {
                bool double_of_gpu = b == ON_HOST || b == CUDNN_ON_HOST;
                if ((b == CUDNN_ON_HOST && !cases[i].cudnn) || (seed && !double_of_gpu))
                    continue;
                Case *c = &all[listed++];
                *c = cases[i];
                c->name = seed ? format_new("%s.%s.%d", backends[b].name, cases[i].name, seed)
                               : format_new("%s.%s", backends[b].name, cases[i].name);
                if (argc == 2 && !strcmp(argv[1], c->name)) {
                    chosen = b;
                    cuda_on_host_seed((unsigned)seed + 1);
                }
            }
#ifdef HAVE_CUDA
    if (backends[chosen].open == open_cuda)
        need_gpu();
#endif
    int status = harness_run(argc, argv, all, listed);
    for (int i = 0; i < listed; i++)
        free((char *)all[i].name);
    free(all);
    return status;
}

static void close_backend(void *be) { backend_close(be); }

Backend *closing(Backend *be)
{
    at_end(be, close_backend, be);
    return be;
}

Backend *device_backend(int local_rank, int local_size, int threads)
{
    return closing(backends[chosen].open(local_rank, local_size, threads));
}

static void free_stream(void *s) { ((Stream *)s)->be->op->stream_free(s); }

Device *device_on(Backend *be)
{
    Device *d = keep(alloc(1, sizeof *d));
    d->be = be;
    d->op = d->be->op;
    d->s = d->op->stream_new(d->be, 0);
    at_end(d->s, free_stream, d->s);
    d->tolerance = backends[chosen].tolerance;
    return d;
}

Device *device_open(void) { return device_on(device_backend(0, 1, 2)); }

void need_fp16(const Device *d)
{
    if (!d->op->fp16)
        SKIP("this device has no FP16");
}

typedef struct Held {
    Backend *be;
    Tensor t;
} Held;

static void free_held(void *p)
{
    Held *h = p;
    tensor_free(h->be, h->t);
    free(h);
}

Tensor hold(Backend *be, Tensor t)
{
    Held *h = alloc(1, sizeof *h);
    *h = (Held){be, t};
    at_end(t.buf, free_held, h);
    return t;
}

void drop(Backend *be, Tensor t)
{
    if (!end_now(t.buf))
        tensor_free(be, t);
}

Tensor blank(Device *d, DType type, int n, int h, int w, int c, int halo)
{
    return hold(d->be, tensor_new(d->be, type, n, h, w, c, halo));
}

typedef struct HeldPlan {
    const BackendOps *op;
    ConvPlan *plan;
} HeldPlan;

static void free_plan(void *p)
{
    HeldPlan *h = p;
    h->op->conv_plan_free(h->plan);
    free(h);
}

ConvPlan *plan_conv(Device *d, Tensor y, Tensor x, int R, int stride)
{
    HeldPlan *h = alloc(1, sizeof *h);
    *h = (HeldPlan){d->op, d->op->conv_plan_new(d->be, y, x, R, stride)};
    at_end(h->plan, free_plan, h);
    return h->plan;
}

/* Fill dense t from values, or with NaN. */
static void fill(Device *d, Tensor t, const double *values)
{
    size_t n = tensor_count(t);
    float *v = alloc(n, sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = values ? (float)values[i] : NAN;
    d->op->upload(d->s, t, v);
    d->op->stream_sync(d->s);
    free(v);
}

Tensor put(Device *d, const double *values, Shape s, int halo)
{
    Tensor t = blank(d, F32, s.n, s.h, s.w, s.c, halo),
           dense = tensor_new(d->be, F32, s.n, s.h, s.w, s.c, 0);
    fill(d, dense, values);
    d->op->copy(d->s, t, dense);
    d->op->stream_sync(d->s);
    tensor_free(d->be, dense);
    return t;
}

Tensor put_matrix(Device *d, const double *values, int rows, int columns)
{
    Tensor whole = blank(d, F32, rows * columns + 8, 1, 1, 1, 0);
    Tensor t = tensor_matrix(whole.buf, 3, F32, rows, columns);
    fill(d, t, values);
    return t;
}

Tensor put_vector(Device *d, const double *values, int n)
{
    Tensor t = put_matrix(d, values, n, 1);
    return tensor_vector(t.buf, t.at, F32, n);
}

Tensor put_ints(Device *d, const int *values, int n)
{
    Tensor t = blank(d, I32, n, 1, 1, 1, 0);
    d->op->upload(d->s, t, values);
    d->op->stream_sync(d->s);
    return t;
}

Tensor put_as(Device *d, DType type, int shift, const double *values, Shape s, int halo)
{
    Tensor wide = put(d, values, s, halo);
    if (type == F32 && !shift)
        return wide;
    Tensor t = blank(d, type, (int)tensor_span(wide) + 8, 1, 1, 1, 0);
    t = (Tensor){t.buf, (size_t)shift, type, s.n, s.h, s.w, s.c, halo};
    d->op->axpy(d->s, t, 1, wide);
    d->op->stream_sync(d->s);
    drop(d->be, wide);
    return t;
}

void round_to(DType type, double *values, size_t n)
{
    int bits = type == F16 ? 11 : 8, least = type == F16 ? -13 : -125, dropped = 53 - bits;
    double normal = ldexp(1, least - 1), step = ldexp(1, least - bits);
    for (size_t i = 0; i < n && type != F32; i++) {
        uint64_t u;
        if (fabs(values[i]) < normal) { /* all in steps of the same size */
            values[i] = rint(values[i] / step) * step;
            continue;
        }
        memcpy(&u, &values[i], sizeof u); /* ties to even */
        u += ((uint64_t)1 << (dropped - 1)) - 1 + (u >> dropped & 1);
        u &= ~(uint64_t)0 << dropped;
        memcpy(&values[i], &u, sizeof u);
    }
}

/* The border of t, as a tensor without a halo, must be zero. */
static void expect_border_zero(Device *d, Tensor t)
{
    Tensor whole = t;
    whole.h += 2 * t.halo;
    whole.w += 2 * t.halo;
    whole.halo = 0;
    float *v = alloc(tensor_count(whole), sizeof *v), *at = v;
    d->op->download(d->s, v, whole);
    for (int n = 0; n < whole.n; n++)
        for (int h = 0; h < whole.h; h++)
            for (int w = 0; w < whole.w; w++)
                for (int c = 0; c < whole.c; c++, at++) {
                    bool inside = h >= t.halo && h < t.halo + t.h && w >= t.halo &&
                                  w < t.halo + t.w;
                    if (!inside && *at != 0)
                        fail_msg(
                            "the border was written: image %d, row %d, column %d, channel %d is %g",
                            n, h - t.halo, w - t.halo, c, *at);
                }
    free(v);
}

double *get(Device *d, Tensor t)
{
    size_t n = tensor_count(t);
    double *values = keep(alloc(n, sizeof *values));
    if (t.dtype == F64) {
        d->op->download(d->s, values, t);
        return values;
    }
    Tensor wide = t;
    if (t.dtype != F32) {
        wide = blank(d, F32, t.n, t.h, t.w, t.c, t.halo);
        d->op->axpy(d->s, wide, 1, t);
    }
    float *v = alloc(n, sizeof *v);
    d->op->download(d->s, v, wide);
    for (size_t i = 0; i < n; i++)
        values[i] = v[i];
    free(v);
    if (t.halo)
        expect_border_zero(d, wide);
    if (t.dtype != F32)
        drop(d->be, wide);
    return values;
}

void expect_tensor(Device *d, Tensor t, const double *expected, double tolerance, const char *what)
{
    double *ours = get(d, t), ratio = relative_error(ours, expected, tensor_count(t));
    end_now(ours);
    if (!(ratio <= tolerance)) /* NaN fails */
        fail_msg("%s [%d,%d,%d,%d] halo %d: relative error %.3g, expected <= %g", what, t.n, t.h,
                 t.w, t.c, t.halo, ratio, tolerance);
}

void expect_same_bits(Device *d, Tensor a, Tensor b, const char *what)
{
    assert_int_equal(tensor_count(a), tensor_count(b));
    double *x = get(d, a), *y = get(d, b);
    for (size_t i = 0; i < tensor_count(a); i++)
        if (memcmp(&x[i], &y[i], sizeof *x))
            fail_msg("%s: element %zu is %.9g and %.9g", what, i, x[i], y[i]);
    end_now(x), end_now(y);
}

double *sum_of(const double *a, const double *b, size_t n)
{
    double *sum = keep(alloc(n, sizeof *sum));
    for (size_t i = 0; i < n; i++)
        sum[i] = a[i] + b[i];
    return sum;
}
