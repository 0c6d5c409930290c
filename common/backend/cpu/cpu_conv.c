/* cpu_conv.c: convolution on the CPU: the plan, and the choice between Winograd, the direct kernels
 * and im2col. */
#include "cpu_conv.h"
#include <omp.h>

int cpu_conv_halo(Backend *be, int R) { return conv_pad(R); }

ConvPlan *cpu_conv_plan_new(Backend *be, Tensor y, Tensor x, int R, int stride)
{
    ASSERT(R >= 1 && R <= 3 && (stride == 1 || stride == 2));
    ASSERT(y.h == conv_side(x.h, R, stride) && y.w == conv_side(x.w, R, stride) && y.n == x.n);
    ConvPlan *p = alloc(1, sizeof *p);
    *p = (ConvPlan){.C = x.c,
                    .K = y.c,
                    .R = R,
                    .stride = stride,
                    .pad = conv_pad(R),
                    .H = x.h,
                    .W = x.w,
                    .P = y.h,
                    .Q = y.w};
    if (x.dtype != F32 || y.dtype != F32) {
        size_t in = (size_t)(p->H + 2 * p->pad) * (p->W + 2 * p->pad) * p->C,
               out = (size_t)(p->P + 2 * p->pad) * (p->Q + 2 * p->pad) * p->K;
        size_t pairs = (size_t)(stride * (p->P - 1) + R) * ((p->Q + 1) / 2) * R * p->C;
        p->image = in > out ? in : out;
        p->image = pairs > p->image ? pairs : p->image;
    }
    gemm_reserve(be, p);
    if (y.dtype == BF16)
        amx_reserve(be, p);
    if (!p->amx)
        winograd_reserve(be, p);
    return p;
}

void cpu_conv_plan_free(ConvPlan *p)
{
    free(p->zeros);
    free(p);
}

static void check(const ConvPlan *p, Tensor y, Tensor x)
{
    ASSERT(x.n == y.n && x.h == p->H && x.w == p->W && x.c == p->C && y.h == p->P && y.w == p->Q &&
           y.c == p->K);
}

void cpu_conv_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                      Tensor residual)
{
    check(p, y, x);
    ASSERT(!given(residual) || residual.dtype == y.dtype);
    bool direct = p->K % VEC == 0 && x.halo >= p->pad;
    (direct && conv_by_winograd(p) ? winograd_forward
     : direct                      ? direct_forward
                                   : gemm_forward)(s, p, y, moments, x, w, residual);
}

void cpu_conv_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    check(p, dy, dx);
    bool direct = p->C % VEC == 0 && dy.halo >= p->pad && p->R != 2;
    (direct && conv_by_winograd(p) ? winograd_backward_data
     : direct                      ? direct_backward_data
                                   : gemm_backward_data)(s, p, dx, dy, w, add);
}

void cpu_conv_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
    check(p, dy, x);
    bool direct = p->K % VEC == 0 && x.halo >= p->pad;
    (direct && conv_by_winograd(p) ? winograd_backward_weight
     : direct                      ? direct_backward_weight
                                   : gemm_backward_weight)(s, p, dw, x, dy);
}

void conv_reserve(Backend *be, const ConvPlan *p)
{
    cpu_reserve(be, (1 + be->threads) * conv_weights(p) +
                        be->threads * (2 * p->image + p->col + p->out));
}

float *conv_block(Stream *s, const ConvPlan *p)
{
    return conv_partial(s, p, s->be->threads) +
           omp_get_thread_num() * (2 * p->image + p->col + p->out);
}

Tensor conv_floats(Stream *s, const ConvPlan *p, Tensor t, int n, int copy, Buffer *room)
{
    Tensor image = {t.buf, t.at + n * tensor_span(tensor_first(t, 1)), F32, 1, t.h, t.w, t.c,
                    t.halo};
    if (t.dtype == F32)
        return image;
    ASSERT(p->image > 0);
    *room = (Buffer){.host = conv_block(s, p) + copy * p->image};
    image.buf = room, image.at = 0, image.halo = p->pad;
    memset(room->host, 0, sizeof(float) * tensor_span(image));
    for (int h = 0; h < t.h; h++)
        load_all(cpu_pixels(t, n, h), 0, cpu_row(image, 0, h), t.w * t.c, t.dtype);
    return image;
}

Tensor conv_halves(Stream *s, const ConvPlan *p, Tensor t, int n, Buffer *room)
{
    *room = (Buffer){.host = conv_block(s, p)};
    Tensor image = {room, 0, BF16, 1, t.h, t.w, t.c + t.c % 2, p->pad};
    memset(room->host, 0, sizeof(uint16_t) * tensor_span(image));
    for (int h = 0; h < t.h; h++) {
        uint16_t *to = cpu_pixels(image, 0, h), row[t.w * t.c];
        if (t.dtype == F32)
            store_all(row, 0, cpu_pixels(t, n, h), t.w * t.c, BF16);
        else
            memcpy(row, cpu_pixels(t, n, h), sizeof row);
        for (int w = 0; w < t.w; w++)
            for (int c = 0; c < t.c; c++)
                to[w * image.c + c] = row[w * t.c + c];
    }
    return image;
}

void conv_add_parts(Stream *s, ConvPlan *p, Tensor dw, bool amx)
{
    int RR = p->R * p->R, even = p->C + p->C % 2, parts = s->threads;
    float *to = cpu_at(dw), *from[parts];
    for (int part = 0; part < parts; part++)
        from[part] = conv_partial(s, p, part);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int k = 0; k < p->K; k++)
        for (int r = 0; r < RR; r++) {
            size_t first = amx ? conv_amx_at(p, r / p->R, k, 0) : (size_t)r * p->C * p->K + k;
            int column = r % p->R * even;
            for (int c = 0; c < p->C; c++) {
                float sum = 0;
                size_t at = first + (amx ? conv_amx_along(column + c) : (size_t)c * p->K);
                for (int part = 0; part < parts; part++)
                    sum += from[part][at];
                to[((size_t)k * p->C + c) * RR + r] += sum;
            }
        }
}
