/* cpu_conv_gemm.c: convolution as matrix multiplication (im2col; Chellapilla et al., 2006).
 *
 * For one image, im2col writes every output pixel's R x R x C inputs as one row of a matrix; then
 *     forward          y [pixels,K]    = col [pixels,RRC] . w [RRC,K]
 *     backward, data   dcol            = dy . w^T, and col2im adds each row back where its inputs
 *                      came from
 *     backward, weight dw [RRC,K]     += col^T . dy
 * Rows are taken in blocks that stay in the L2 cache. Weights are packed from PyTorch's [K,C,R,R]
 * to [R,R,C,K].
 */
#include "cpu_conv.h"
#include "cpu_product.h"

enum { BLOCK_FLOATS = 48 * 1024 }; /* of im2col's matrix: 192 KiB */

void gemm_reserve(Backend *be, ConvPlan *p)
{
    int fit = BLOCK_FLOATS / (p->R * p->R * p->C * p->Q);
    p->rows = fit < 1 ? 1 : fit > p->P ? p->P : fit;
    p->col = (size_t)p->rows * p->Q * p->R * p->R * p->C;
    p->out = (size_t)p->rows * p->Q * p->K;
    conv_reserve(be, p);
}

/* This thread's block of im2col's matrix, and behind it of its result. */
static float *thread_col(Stream *s, const ConvPlan *p) { return conv_block(s, p) + 2 * p->image; }

/* w [K,C,R,R] to [R,R,C,K]. */
static void pack(float *to, const float *w, const ConvPlan *p)
{
    int RR = p->R * p->R;
    for (int k = 0; k < p->K; k++)
        for (int c = 0; c < p->C; c++)
            for (int r = 0; r < RR; r++)
                to[((size_t)r * p->C + c) * p->K + k] = w[((size_t)k * p->C + c) * RR + r];
}

/* The overlap of R taps from column w - pad with the image: taps [first, end) lie inside. */
static void taps_inside(int *first, int *end, int at, int size, int R)
{
    *first = at < 0 ? -at : 0;
    *end = at + R > size ? size - at : R;
}

/* Rows [h0, h1) of output of the one image x: col [(h1-h0)*Q, R*R*C]. */
static void im2col(float *col, Tensor x, int h0, int h1, const ConvPlan *p)
{
    int R = p->R, C = p->C;
    bool border = x.halo >= p->pad; /* then reading beyond the edge finds zeros */
    for (int h = h0; h < h1; h++)
        for (int q = 0; q < p->Q; q++)
            for (int r = 0; r < R; r++, col += R * C) {
                int row = h * p->stride - p->pad + r, column = q * p->stride - p->pad, first = 0,
                    end = R;
                if (!border) {
                    taps_inside(&first, &end, column, p->W, R);
                    memset(col, 0, sizeof(float) * R * C);
                    if (row < 0 || row >= p->H)
                        continue;
                }
                memcpy(col + first * C, cpu_row(x, 0, row) + (long)(column + first) * C,
                       sizeof(float) * (end - first) * C);
            }
}

/* The reverse: add every element of col to its input; those beyond the edge are dropped. */
static void col2im(Tensor dx, const float *col, int h0, int h1, const ConvPlan *p)
{
    int R = p->R, C = p->C;
    for (int h = h0; h < h1; h++)
        for (int q = 0; q < p->Q; q++)
            for (int r = 0; r < R; r++, col += R * C) {
                int row = h * p->stride - p->pad + r, column = q * p->stride - p->pad, first, end;
                taps_inside(&first, &end, column, p->W, R);
                if (row < 0 || row >= p->H)
                    continue;
                float *to = cpu_row(dx, 0, row) + (long)column * C;
                for (int i = first * C; i < end * C; i++)
                    to[i] += col[i];
            }
}

/* A block of results [(h1-h0)*Q, K] into rows of y, plus the residual. */
static void store_rows(Tensor y, const float *block, Tensor residual, int n, int h0, int h1)
{
    int row = y.w * y.c;
    for (int h = h0; h < h1; h++, block += row) {
        void *to = cpu_pixels(y, n, h);
        const void *add = given(residual) ? cpu_pixels(residual, n, h) : NULL;
        FOR_TYPE(y.dtype, for (int i = 0; i < row; i++)
                              store(to, i, block[i] + (add ? load(add, i, type_) : 0), type_))
    }
}

/* A block of rows of the one image t as one dense matrix: a view where it has no halo, else a copy
 * in `block`. */
static const float *load_rows(float *block, Tensor t, int h0, int h1)
{
    if (t.halo == 0)
        return cpu_row(t, 0, h0);
    for (int h = h0; h < h1; h++)
        memcpy(block + (size_t)(h - h0) * t.w * t.c, cpu_row(t, 0, h), sizeof(float) * t.w * t.c);
    return block;
}

void gemm_forward(Stream *s, ConvPlan *p, Tensor y, Tensor moments, Tensor x, Tensor w,
                  Tensor residual)
{
    int D = p->R * p->R * p->C;
    pack(conv_packed(s), cpu_at(w), p);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        float *col = thread_col(s, p), *out = col + p->col;
        Buffer room;
        Tensor image = conv_floats(s, p, x, n, 0, &room);
        for (int h0 = 0; h0 < p->P; h0 += p->rows) {
            int h1 = h0 + p->rows < p->P ? h0 + p->rows : p->P;
            im2col(col, image, h0, h1, p);
            cpu_product(s, out, p->K, rows_of(col, D), rows_of(conv_packed(s), p->K), 0,
                        (h1 - h0) * p->Q, p->K, D, false, false);
            store_rows(y, out, residual, n, h0, h1);
        }
        if (given(moments))
            cpu_moments_of_image(moments, y, n);
    }
}

void gemm_backward_data(Stream *s, ConvPlan *p, Tensor dx, Tensor dy, Tensor w, bool add)
{
    int D = p->R * p->R * p->C;
    pack(conv_packed(s), cpu_at(w), p);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < dx.n; n++) {
        float *col = thread_col(s, p), *block = col + p->col;
        Buffer rooms[2];
        Tensor to = conv_floats(s, p, dx, n, 0, rooms),
               from = conv_floats(s, p, dy, n, 1, rooms + 1);
        for (int h = 0; h < p->H && !add; h++)
            memset(cpu_row(to, 0, h), 0, sizeof(float) * p->W * p->C);
        for (int h0 = 0; h0 < p->P; h0 += p->rows) {
            int h1 = h0 + p->rows < p->P ? h0 + p->rows : p->P;
            const float *g = load_rows(block, from, h0, h1);
            cpu_product(s, col, D, rows_of(g, p->K), transposed(rows_of(conv_packed(s), p->K)), 0,
                        (h1 - h0) * p->Q, D, p->K, false, false);
            col2im(to, col, h0, h1, p);
        }
        for (int h = 0; h < p->H; h++)
            store_all(cpu_pixels(dx, n, h), 0, cpu_row(to, 0, h), p->W * p->C, dx.dtype);
    }
}

/* Images [n0, n1): d [R,R,C,K] = sum of col^T . dy */
static void weight_part(Stream *s, ConvPlan *p, float *d, Tensor x, Tensor dy, int n0, int n1)
{
    int D = p->R * p->R * p->C;
    float *col = thread_col(s, p), *block = col + p->col;
    memset(d, 0, sizeof(float) * conv_weights(p));
    for (int n = n0; n < n1; n++) {
        Buffer rooms[2];
        Tensor in = conv_floats(s, p, x, n, 0, rooms), out = conv_floats(s, p, dy, n, 1, rooms + 1);
        for (int h0 = 0; h0 < p->P; h0 += p->rows) {
            int h1 = h0 + p->rows < p->P ? h0 + p->rows : p->P;
            im2col(col, in, h0, h1, p);
            const float *g = load_rows(block, out, h0, h1);
            cpu_product(s, d, p->K, transposed(rows_of(col, D)), rows_of(g, p->K), 0, D, p->K,
                        (h1 - h0) * p->Q, true, false);
        }
    }
}

void gemm_backward_weight(Stream *s, ConvPlan *p, Tensor dw, Tensor x, Tensor dy)
{
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int part = 0; part < s->threads; part++)
        weight_part(s, p, conv_partial(s, p, part), x, dy, chunk_begin(x.n, part, s->threads),
                    chunk_begin(x.n, part + 1, s->threads));
    conv_add_parts(s, p, dw, false);
}
