# Batches of one's own making, brighter and mirrored.
# expect: full
/^\/\* One update: forward/i\
static void own_batch(Trainer *t, const Batch *b)\
{\
    const Images *images = &t->data->train;\
    int h = images->h, w = images->w, c = images->c, halo = b->x.halo;\
    float *x = t->be->op->buffer_host(b->x.buf);\
    for (int i = 0; i < b->n; i++) {\
        const uint8_t *from = images->pixels + (size_t)t->mine[b->first + i] * (size_t)(h * w * c);\
        double light = 1 + 0.05 * (i % 3);\
        for (int k = 0; k < h * w * c; k++) {\
            int row = k / c / w, col = k / c % w, ch = k % c;\
            float v = (float)((light * from[(row * w + (i & 1 ? w - 1 - col : col)) * c + ch] / 255 -\
                               t->data->mean[ch]) * t->data->istd[ch]);\
            x[b->x.at + (((size_t)i * (size_t)(h + 2 * halo) + (size_t)(row + halo)) *\
                             (size_t)(w + 2 * halo) + (size_t)(col + halo)) * (size_t)c + (size_t)ch] = v;\
        }\
    }\
}
s/^    model_gradient\(m, /    own_batch(t, b);\n&/
