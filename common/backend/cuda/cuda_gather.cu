/* cuda_gather.cu: picks images from the data set on the GPU, augments and normalises them: bytes
 * in, the network's input out. `pick` travels as the kernel's argument, a few images at a time: no
 * copy, no waiting. */
#include "cuda_kernel.h"

enum { PICKS = 128 };
typedef struct Picks {
    Augment pick[PICKS];
    float mean[4], istd[4];
} Picks;

/* Where position x of an axis of `size` pixels is read with reflection at both ends. */
DEVICE int reflected(int x, int size) { return x < 0 ? -x : x >= size ? 2 * (size - 1) - x : x; }

/* The byte of output pixel (h, w), channel c, or -1 where it is grey: shifted in from outside, or
 * cut out. */
DEVICE int source_byte(const Augment *a, const uint8_t *images, int H, int W, int C, int h, int w,
                       int c)
{
    int y = h + a->dy, x = w + a->dx;
    bool cut = h >= a->cut_y && h < a->cut_y + a->cut && w >= a->cut_x && w < a->cut_x + a->cut;
    if (a->reflect)
        y = reflected(y, H), x = reflected(x, W);
    if (cut || y < 0 || y >= H || x < 0 || x >= W)
        return -1;
    return images[(((size_t)a->image * H + y) * W + (a->flip ? W - 1 - x : x)) * C + c];
}

/* Images [first, first + count) of x; blockIdx.y is the image. */
KERNEL gather(Act x, int32_t *label, const uint8_t *images, const uint8_t *labels, int T, Picks p,
              int first)
{
    const Augment *a = &p.pick[blockIdx.y];
    int image = first + (int)blockIdx.y, H = x.h, W = x.w, C = x.c;
    FOR_EACH (i, (size_t)H * W * C) {
        int c = (int)i % C, w = (int)i / C % W, h = (int)i / C / W;
        int byte = source_byte(a, images, H, W, C, h, w, c);
        put(x, at_pixel(x, image, h, w) + c,
            byte < 0 ? 0 : (byte / 255.0f - p.mean[c]) * p.istd[c]);
    }
    FOR_EACH (t, (size_t)T)
        label[(size_t)image * T + t] = labels[(size_t)a->image * T + t];
}

void cuda_gather(Stream *s, Tensor x, Tensor label, Tensor images, Tensor labels,
                 const Augment *pick, const float *mean, const float *istd)
{
    ASSERT(x.h == images.h && x.w == images.w && x.c == images.c && x.c <= 4 && label.n >= x.n &&
           label.dtype == I32 && label.c == labels.c);
    ASSERT(images.dtype == U8 && labels.dtype == U8 && images.halo == 0);
    Picks p;
    memset(&p, 0, sizeof p);
    memcpy(p.mean, mean, sizeof *mean * (size_t)x.c);
    memcpy(p.istd, istd, sizeof *istd * (size_t)x.c);
    for (int first = 0; first < x.n; first += PICKS) {
        int count = x.n - first < PICKS ? x.n - first : PICKS;
        for (int n = 0; n < count; n++)
            ASSERT(pick[first + n].image >= 0 && pick[first + n].image < images.n);
        memcpy(p.pick, pick + first, sizeof *pick * (size_t)count);
        LAUNCH(s, 1, gather, div_up((long)x.h * x.w * x.c, BLOCK), count, BLOCK, act(x),
               (int32_t *)cuda_at(label), (const uint8_t *)cuda_at(images),
               (const uint8_t *)cuda_at(labels), labels.c, p, first);
    }
}
