/* cpu_gather.c: picks images from the data set, augments and normalises them: bytes in, the
 * network's input out. */
#include "cpu.h"

/* Where position x of an axis of `size` pixels is read with reflection at both ends. */
static int reflected(int x, int size) { return x < 0 ? -x : x >= size ? 2 * (size - 1) - x : x; }

/* Output pixel (h, w) of one image, or NULL where it is grey: shifted in from outside, or cut
 * out. */
static const uint8_t *source_pixel(const Augment *a, Tensor images, const uint8_t *image, int h,
                                   int w)
{
    int H = images.h, W = images.w, y = h + a->dy, x = w + a->dx;
    bool cut = h >= a->cut_y && h < a->cut_y + a->cut && w >= a->cut_x && w < a->cut_x + a->cut;
    if (a->reflect) {
        y = reflected(y, H);
        x = reflected(x, W);
    }
    if (cut || y < 0 || y >= H || x < 0 || x >= W)
        return NULL;
    return image + ((size_t)y * W + (a->flip ? W - 1 - x : x)) * images.c;
}

void cpu_gather(Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
                const Augment *pick, const float *mean, const float *istd)
{
    int H = images.h, W = images.w, C = images.c, T = labels.c;
    ASSERT(x.h == H && x.w == W && x.c == C && images.dtype == U8 && labels.dtype == U8 &&
           label.n >= x.n && label.c == T && C <= 4);
    float value[4][256]; /* normalised value of each byte, per channel */
    for (int c = 0; c < C; c++)
        for (int v = 0; v < 256; v++)
            value[c][v] = (v / 255.0f - mean[c]) * istd[c];
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int n = 0; n < x.n; n++) {
        ASSERT(pick[n].image >= 0 && pick[n].image < images.n);
        const uint8_t *image = (uint8_t *)cpu_at(images) + (size_t)pick[n].image * H * W * C;
        const uint8_t *its_labels = (uint8_t *)cpu_at(labels) + (size_t)pick[n].image * T;
        for (int t = 0; t < T; t++)
            ((int32_t *)cpu_at(label))[(size_t)n * T + t] = its_labels[t];
        for (int h = 0; h < H; h++) {
            float *to = cpu_row(x, n, h);
            for (int w = 0; w < W; w++, to += C) {
                const uint8_t *from = source_pixel(&pick[n], images, image, h, w);
                for (int c = 0; c < C; c++)
                    to[c] = from ? value[c][from[c]] : 0;
            }
        }
    }
}
